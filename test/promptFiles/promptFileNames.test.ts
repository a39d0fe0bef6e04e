// The names of prompt files as slash commands, and what the list shows of them.
import assert from "node:assert/strict";
import { SlashPrompts } from "../../src/mcp/slashPrompts.ts";
import type { ViewPrompt } from "../../src/panel/protocol.ts";
import type { FoundPrompt, PromptFolder } from "../../src/promptFiles/foundPrompt.ts";
import type { PromptFile } from "../../src/promptFiles/promptFile.ts";
import { namePromptFiles, promptFileView } from "../../src/promptFiles/promptFileNames.ts";
import type { AgentCommand } from "../../src/session/events.ts";
import type { Session } from "../../src/session/session.ts";

const user: PromptFolder = { source: "user", path: "/u", root: "/u", origin: "user", label: "User" };
const workspace: PromptFolder = {
  ...{ source: "workspace", path: "/w/.github/prompts", root: "/w" },
  ...{ origin: "workspace", label: "Workspace" },
};
const prompt = (folder: PromptFolder, name: string, more: Partial<PromptFile> = {}): FoundPrompt => ({
  ...{ folder, path: `${folder.path}/${name}`, label: name },
  file: { name, inputs: [], body: "x", ignored: [], ...more },
});
const named = (files: readonly FoundPrompt[], commands: readonly string[]): readonly string[] =>
  namePromptFiles(
    files,
    commands.map(name => ({ name })),
  ).map(({ command }) => command);

describe("the names of prompt files", () => {
  it("give way to those of the agent and of the user's files, and then begin with their origin", () => {
    const files = [prompt(user, "review"), prompt(workspace, "review"), prompt(workspace, "plan")];
    assert.deepEqual(named(files, []), ["review", "workspace:review", "plan"]);
    assert.deepEqual(named(files, ["review", "plan"]), ["user:review", "workspace:review", "workspace:plan"]);
  });

  it("are unambiguous, also beside prompts of servers, and cannot look like a name with an origin", () => {
    const files = [
      prompt(user, "a b"),
      prompt(user, "a-b"),
      prompt(user, "a b"),
      prompt(workspace, "user:a-b"),
      prompt(workspace, "z\u202e"),
      prompt(workspace, " "),
    ];
    assert.deepEqual(named(files, ["user:a-b"]), ["a-b", "user:a-b-2", "user:a-b-3", "user-a-b", "z[U+202E]", "-"]);
  });
});

describe("the row of a prompt file", () => {
  const row = (found: FoundPrompt): ViewPrompt | undefined => namePromptFiles([found], []).map(promptFileView)[0];

  it("says whose it is, what it does, and what it asks for", () => {
    const inputs = [{ name: "file" }, { name: "what" }];
    assert.deepEqual(row(prompt(workspace, "review", { description: "Reviews\ncode", inputs })), {
      ...{ name: "review", description: "Workspace · Reviews code", hint: "<file> <what>" },
    });
    assert.deepEqual(row(prompt(user, "plan", { argumentHint: "[what]", inputs })), {
      ...{ name: "plan", description: "User", hint: "[what]" },
    });
  });

  it("says why the file cannot be used", () => {
    const at = { folder: workspace, path: "/w/x", label: ".github/prompts/bad.prompt.md" };
    assert.deepEqual(row({ ...at, name: "bad", problem: "The file is empty." }), {
      name: "bad",
      description: "The file is empty. · .github/prompts/bad.prompt.md",
      isFaulty: true,
    });
  });
});

describe("the prompts in the list after a slash", () => {
  const session = (commands: readonly AgentCommand[]): Session =>
    ({ id: "one", state: { commands, workspaceFolder: "/w" } }) as unknown as Session;

  it("are those of files and of servers, are the same list until something changes, and follow the agent's commands", async () => {
    let files: readonly FoundPrompt[] = [prompt(workspace, "review")];
    let refreshes = 0;
    let ofServers = { prompts: [{ name: "s:p", description: "" }], mcpServers: [] };
    const prompts = new SlashPrompts(
      { view: () => ofServers },
      {
        list: () => files,
        refresh: async () => void refreshes++,
      },
    );
    const names = (of: Session): readonly string[] => prompts.view(of).map(({ name }) => name);
    const [before, after] = [session([]), session([{ name: "review", description: "" }])];
    assert.deepEqual(names(before), ["review", "s:p"]);
    assert.equal(prompts.view(before), prompts.view(before));
    assert.deepEqual(names(after), ["workspace:review", "s:p"]);

    // The agent got its command after the user had seen the list.
    assert.equal((await prompts.findFile(after, "review"))?.command, "workspace:review");
    assert.equal((await prompts.findFile(before, "workspace:review"))?.command, "review");
    assert.equal(refreshes, 2);
    assert.equal(await prompts.findFile(before, "s:p"), undefined);
    assert.equal(refreshes, 2);
    // A server with the name of the origin keeps its prompt.
    ofServers = { prompts: [...ofServers.prompts, { name: "workspace:review", description: "" }], mcpServers: [] };
    assert.equal(await prompts.findFile(before, "workspace:review"), undefined);
    ofServers = { prompts: ofServers.prompts.slice(0, 1), mcpServers: [] };
    files = [];
    assert.equal(await prompts.findFile(before, "review"), undefined);
    assert.deepEqual(names(before), ["s:p"]);
  });
});
