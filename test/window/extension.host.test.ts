// The extension as VS Code runs it: it activates by itself, with the contributions of its manifest, and in every state.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { systemClock } from "../../src/base/log.ts";
import { readSettings } from "../../src/window/settings.ts";
import { saveTranscript } from "../../src/window/saveTranscript.ts";
import { until } from "../support/fakes/until.ts";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
    }[];
  };
}

const extension = vscode.extensions.getExtension<void>("parley.parley");
assert.ok(extension, "Parley is not installed in this VS Code.");
const { contributes } = extension.packageJSON as Manifest;
const context = { asAbsolutePath: (path: string) => path } as vscode.ExtensionContext;

describe("Parley", () => {
  it("activates by itself after VS Code has started", () => until(() => extension.isActive));

  it("registers every command of its manifest", async () => {
    await extension.activate();
    const registered = (await vscode.commands.getCommands(true)).filter(id => id.startsWith("parley."));
    const promised = contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      promised.filter(command => !registered.includes(command)),
      [],
    );
  });

  it("gives every setting a default, which VS Code knows", () => {
    const properties = contributes.configuration.flatMap(group => Object.entries(group.properties));
    assert.ok(properties.length > 0);
    for (const [id, property] of properties) {
      assert.ok("default" in property, `${id} has no default`);
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(id)?.defaultValue, property.default, id);
    }
  });

  it("offers the demo agent first, and reports no problem, with the default settings", () => {
    const { agents, agentRegistry, bad, sendKey } = readSettings(context);
    assert.deepEqual([agents[0]?.id, bad, sendKey], ["demo", [], "enter"]);
    assert.ok(agents.length > 1);
    assert.equal(agentRegistry, vscode.workspace.getConfiguration("parley").inspect("agentRegistry")?.defaultValue);
  });
});

describe("the commands of Parley", () => {
  // Excludes commands that wait for an answer of the user, and the commands that report that there is no checkpoint.
  const asking = [
    "newSessionInWorktree",
    "askSeveralAgents",
    "selectAgent",
    "restoreCheckpoint",
    "restoreRemovedCheckpoints",
    "undoRestore",
    "undoBranch",
    "deleteCheckpoints",
    "importZedAgents",
    "importMcpServers",
    "chooseExtensionTools",
    "switchSession",
    "importSession",
    "restoreSessions",
    "exportSession",
    "checkAgents",
    "askAtSelection",
  ];
  const commands = contributes.commands
    .map(({ command }) => command)
    .filter(command => !asking.includes(command.slice("parley.".length)));
  const willReadAgain = "The next search reads all conversations again.";
  const noWaiting = "No session is waiting for you.";
  const nothingToSelect = [
    "This session continues no other session.",
    "The shown session has no open question.",
    "There is no session. Open the chat first.",
    "The agent offers no other mode that this command can select.",
    "The agent offers no models to choose from.",
    "The session has no plan.",
  ];
  // One of each command for the worktree of the session.
  const inNone = "This session is in no worktree that Parley has made.";
  const noWorktree = [
    ...Array.from({ length: 4 }, () => inNone),
    "Open a file of a worktree and put the cursor in the change first.",
    "No diff of a conflict is open. “Bring Back Changes…” lists the conflicts.",
    ...Array.from({ length: 2 }, () => inNone),
    "Parley has made no worktree.",
  ];
  const noCandidates = "There is nothing to compare. Use “Ask Several Agents…” first.";
  const noKeys = "No keys of agents are stored.";
  const noServer = "No agent of parley.agents has a url, so there is no server for a header.";
  const noValues = "No values for MCP servers are stored.";
  const noExtension = "No extension has asked to use Parley.";
  const noSignIn = "You are not signed in to an MCP server.";
  /** Of the list of new problems, and of their fix. */
  const noProblems = Array<string>(2).fill("The latest turn of the session has no new problems.");
  const noChanges = "There are no changes to review.";
  before(() => extension.activate());
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("workbench.action.closeSidebar");
    await vscode.commands.executeCommand("workbench.action.closePanel");
  });

  const runAll = async (): Promise<void> => {
    for (const command of commands) await vscode.commands.executeCommand(command);
  };

  it("report no error in an untrusted workspace, and start no agent", async () => {
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, "isTrusted");
    assert.ok(trusted);
    Object.defineProperty(vscode.workspace, "isTrusted", { get: () => false, configurable: true });
    try {
      assert.deepEqual(await messagesDuring(runAll), {
        errors: [],
        information: [
          ...noWorktree,
          noCandidates,
          "Parley writes commit messages only in a trusted workspace.",
          willReadAgain,
          noWaiting,
          ...nothingToSelect,
          noKeys,
          noServer,
          noValues,
          noExtension,
          noSignIn,
          "Parley doesn't start agents in untrusted workspaces. Trust this workspace to add agents.",
          "There is nothing to save yet. This agent has not been started in this window.",
          ...noProblems,
          noChanges,
        ],
        questions: [],
      });
    } finally {
      Object.defineProperty(vscode.workspace, "isTrusted", trusted);
    }
  });

  it("refuse arguments that they do not know with a sentence", async () => {
    const wrong = [{ agent: "none" }, { folder: "/nowhere" }, { text: "a", sends: "yes" }, { agnet: "demo" }, "a"];
    const { errors } = await messagesDuring(async () => {
      for (const given of wrong) await vscode.commands.executeCommand("parley.newSession", given);
    });
    assert.equal(errors.length, 5);
    assert.match(errors[0] ?? "", /^There is no agent “none”\. The agents are: demo, /);
    assert.equal(errors[1], "“/nowhere” is no folder of this window. Open it first.");
    assert.match(errors[2] ?? "", /^The argument “sends” cannot be used\./);
    assert.match(errors[3] ?? "", /^The argument “agnet” cannot be used\./);
    assert.match(errors[4] ?? "", /^The argument “a” cannot be used\./);
  });

  it("report no error without any agent", async () => {
    const hidden = Object.fromEntries(readSettings(context).agents.map(({ id }) => [id, false]));
    const configuration = vscode.workspace.getConfiguration("parley");
    await configuration.update("agents", hidden, vscode.ConfigurationTarget.Global);
    // No request leaves the machine.
    await configuration.update("agentRegistry", "", vscode.ConfigurationTarget.Global);
    try {
      assert.deepEqual(readSettings(context).agents, []);
      assert.deepEqual(await messagesDuring(runAll), {
        errors: [],
        information: [
          ...noWorktree,
          noCandidates,
          "There is no agent that can write the message. Add one in Settings (parley.agents).",
          willReadAgain,
          noWaiting,
          ...nothingToSelect,
          noKeys,
          noServer,
          noValues,
          noExtension,
          noSignIn,
          // Of the inspector.
          "There is no agent. Add one in Settings (parley.agents).",
          ...noProblems,
          noChanges,
        ],
        questions: [],
      });
    } finally {
      await configuration.update("agents", undefined, vscode.ConfigurationTarget.Global);
      await configuration.update("agentRegistry", undefined, vscode.ConfigurationTarget.Global);
    }
  });
});

/** The messages and questions shown while `work` ran. Questions are dismissed at once, since no user answers them. */
async function messagesDuring(
  work: () => Promise<void>,
): Promise<Record<"errors" | "information" | "questions", readonly string[]>> {
  const errors: string[] = [];
  const information: string[] = [];
  const questions: string[] = [];
  const { showErrorMessage, showInformationMessage, showInputBox, showSaveDialog } = vscode.window;
  const dismiss = (options: { readonly title?: string } = {}): Promise<undefined> =>
    Promise.resolve(void questions.push(String(options.title)));
  Object.assign(vscode.window, {
    showErrorMessage: (message: string) => Promise.resolve(void errors.push(message)),
    showInformationMessage: (message: string) => Promise.resolve(void information.push(message)),
    showInputBox: dismiss,
    showSaveDialog: dismiss,
  });
  try {
    await work();
    return { errors, information, questions };
  } finally {
    Object.assign(vscode.window, { showErrorMessage, showInformationMessage, showInputBox, showSaveDialog });
  }
}

describe("a saved transcript of an agent", () => {
  it("has what happened to files at its end, and everything is masked", async () => {
    const tap = new TrafficRecorder(systemClock);
    const file = vscode.Uri.file(join(await mkdtemp(join(tmpdir(), "transcript-")), "saved.ndjson"));
    const { showInformationMessage, showSaveDialog } = vscode.window;
    const answers = { showInformationMessage: () => Promise.resolve(), showSaveDialog: () => Promise.resolve(file) };
    Object.assign(vscode.window, answers);
    try {
      tap.recordMessage("c>a", { method: "initialize", params: { apiKey: "s3cr3t" } }, 1);
      await saveTranscript("demo", tap, { allTexts: ["a.txt\n\nThe agent wrote API_KEY=s3cr3t\n"] });
      const saved = await readFile(file.fsPath, "utf8");
      const records = saved.trimEnd().split("\n");
      assert.equal(records.length, 2);
      const { dir, text } = JSON.parse(records[1] ?? "") as { readonly dir: string; readonly text: string };
      assert.deepEqual([dir, text.startsWith("a.txt\n"), saved.includes("s3cr3t")], ["note", true, false]);
    } finally {
      Object.assign(vscode.window, { showInformationMessage, showSaveDialog });
      await rm(dirname(file.fsPath), { recursive: true });
    }
  });

  it("needs messages", async () => {
    const { information, questions } = await messagesDuring(async () => {
      await saveTranscript("demo", undefined, { allTexts: [] });
      await saveTranscript("demo", new TrafficRecorder(systemClock), { allTexts: [] });
    });
    assert.match(information.join(), /^There is nothing to save yet.*,There is nothing to save yet/);
    assert.deepEqual(questions, []);
  });
});
