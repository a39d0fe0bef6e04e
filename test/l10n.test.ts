// The texts for users: each is in the bundle for translators, and no sentence for users is missing there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import ts from "typescript";
import {
  bundleOf,
  localizedTexts,
  sourceFiles,
  textsPath,
  untranslatedSentences,
} from "../scripts/tools/localizedTexts.mjs";

/** Sentences that no user reads, by their file: how many, and who reads them. The numbers may only become smaller. */
const forOthers: Readonly<Record<string, readonly [number, string]>> = {
  "src/acp/detachedClient.ts": [1, "an agent whose request is refused"],
  "src/acp/mcpMessages.ts": [3, "an agent whose request of MCP is refused"],
  "src/acp/ndjson.ts": [13, "the log and the recorded traffic"],
  "src/acp/openRequests.ts": [1, "reason of an abort"],
  "src/acp/readElicitation.ts": [9, "an agent whose request is invalid"],
  "src/acp/v2/sentPrompts.ts": [1, "reason of an abort"],
  "src/agents/launch.ts": [1, "an error of the program"],
  "src/agents/startAgent.ts": [1, "an error of the program"],
  "src/base/errors.ts": [1, "an error of the program"],
  "src/base/l10n.ts": [1, "an error of the program"],
  "src/checkpoints/checkpointIndex.ts": [1, "the log"],
  "src/checkpoints/checkpoints.ts": [1, "the log"],
  "src/checkpoints/vscode/sessionCheckpoints.ts": [1, "the log"],
  "src/comments/commentPrompt.ts": [6, "an agent that gets comments"],
  "src/comments/reviewRequest.ts": [3, "an agent that reviews changes"],
  "src/commitMessage/commitPrompt.ts": [2, "an agent that writes the message of a commit"],
  "src/commitMessage/messageSession.ts": [1, "an agent that writes the message of a commit"],
  "src/editorTools/askedCall.ts": [1, "an agent that uses the tools of the editor"],
  "src/editorTools/bridge/messageBridge.ts": [14, "an agent that uses the tools of the editor"],
  "src/editorTools/bridgeTarget.ts": [
    3,
    "an agent that uses the tools of the editor, and who starts the bridge by hand",
  ],
  "src/editorTools/codeActionTools.ts": [14, "an agent that uses the tools of the editor"],
  "src/editorTools/editTools.ts": [16, "an agent that uses the tools of the editor"],
  "src/editorTools/extensionResult.ts": [1, "an agent that uses the tools of the editor"],
  "src/editorTools/extensionTools.ts": [3, "an agent that uses the tools of the editor"],
  "src/editorTools/fileTools.ts": [33, "an agent that uses the tools of the editor"],
  "src/editorTools/http/answerMessage.ts": [3, "an agent that uses the tools of the editor, and the log"],
  "src/editorTools/http/callProgress.ts": [2, "an agent that uses the tools of the editor, and the log"],
  "src/editorTools/http/mcpServer.ts": [1, "an agent that uses the tools of the editor"],
  "src/editorTools/http/startToolServer.ts": [11, "an agent that uses the tools of the editor, and the log"],
  "src/editorTools/languageTools.ts": [18, "an agent that uses the tools of the editor"],
  "src/editorTools/problemTools.ts": [15, "an agent that uses the tools of the editor"],
  "src/editorTools/proposedChange.ts": [10, "an agent that uses the tools of the editor"],
  "src/editorTools/renameFileTool.ts": [4, "an agent that uses the tools of the editor"],
  "src/editorTools/resultFields.ts": [10, "an agent that uses the tools of the editor"],
  "src/editorTools/sessionTools.ts": [4, "an agent that uses the tools of the editor"],
  "src/editorTools/taskTool.ts": [15, "an agent that uses the tools of the editor"],
  "src/editorTools/terminalTool.ts": [3, "an agent that uses the tools of the editor"],
  "src/editorTools/toolArguments.ts": [2, "an agent that uses the tools of the editor"],
  "src/editorTools/toolSessions.ts": [5, "an agent that uses the tools of the editor, and the log"],
  "src/editorTools/userTools.ts": [19, "an agent that uses the tools of the editor"],
  "src/editorTools/vscode/windowTasks.ts": [1, "an agent that uses the tools of the editor"],
  "src/files/paths.ts": [19, "an agent whose path is refused"],
  "src/files/recordFiles.ts": [1, "the log"],
  "src/git/gitTree.ts": [5, "the log"],
  "src/library/openedFolders.ts": [2, "the log"],
  "src/mcp/argumentCompletions.ts": [1, "reason of an abort"],
  "src/mcp/client/streamTransport.ts": [2, "the log"],
  "src/mcp/mcpServers.ts": [2, "reasons of aborts"],
  "src/mcp/waitingSessions.ts": [1, "reason of an abort"],
  "src/panel/patch.ts": [6, "errors of the program"],
  "src/permissions/access.ts": [1, "an agent whose request is refused"],
  "src/permissions/rules.ts": [1, "an agent whose request is refused"],
  "src/session/agent.ts": [1, "an error that the session handles"],
  "src/session/conversation/conversationDigest.ts": [3, "an agent that continues a conversation"],
  "src/session/conversation/conversationForAgent.ts": [3, "an agent that continues a conversation"],
  "src/session/conversation/conversationPages.ts": [2, "an agent that continues a conversation"],
  "src/session/conversation/conversationPassage.ts": [5, "an agent that gets an attached conversation"],
  "src/session/conversation/conversationSections.ts": [1, "an agent that continues a conversation"],
  "src/session/log/writeLog.ts": [1, "an error of the program"],
  "src/terminals/sessionTerminals.ts": [3, "an agent whose request is refused"],
  "src/turnProblems/vscode/newProblemActions.ts": [1, "an agent that gets new problems"],
  "src/window/chatPanels.ts": [1, "an error of the program"],
  "webview-ui/base/l10n.ts": [1, "the log"],
};

const faultsOf = (code: string, file = "src/review/planted.ts"): readonly string[] =>
  localizedTexts(ts, [[file, `import { t } from "../base/l10n.ts";\n${code}`]]).faults;
const missedIn = (code: string, file = "src/session/planted.ts"): readonly string[] =>
  untranslatedSentences(ts, [[file, code]]).map(({ text }) => text);

describe("the texts for users", () => {
  const { texts, faults } = localizedTexts(ts, sourceFiles());

  it("are literals with an argument for each placeholder, and are read when the language is known", () => {
    assert.deepEqual(faults, []);
  });

  it("are all in the bundle for translators, as `npm run l10n` writes it", () => {
    assert.ok(texts.length > 1000, `${texts.length} texts are found`);
    assert.equal(readFileSync(textsPath, "utf8"), bundleOf(texts));
  });

  it("are all sentences in src and webview-ui, except for those that others read", () => {
    const counts = new Map<string, number>();
    for (const { file } of untranslatedSentences(ts, sourceFiles())) counts.set(file, (counts.get(file) ?? 0) + 1);
    const allowed = Object.entries(forOthers).map(([file, [count]]) => [file, count] as const);
    assert.deepEqual([...counts].sort(), allowed.sort());
  });

  it("are found in each form of a call, also with VS Code's function", () => {
    const code = 'export const f = () => [t("One."), vscode.l10n.t("Two {0}.", 2), list.t("Not this.")];';
    const found = localizedTexts(ts, [["src/base/planted.ts", `import { t } from "./l10n.ts";\n${code}`]]);
    assert.deepEqual(found, { texts: ["One.", "Two {0}."], faults: [] });
    assert.deepEqual(localizedTexts(ts, [["src/base/planted.ts", code]]).texts, ["Two {0}."], "another t");
  });

  it("are reported if they cannot be translated", () => {
    assert.match(faultsOf("const f = () => t(text);").join(), /no literal text/);
    assert.match(faultsOf("const f = () => t(`One ${two}`);").join(), /no literal text/);
    assert.match(faultsOf("const f = () => vscode.l10n.t(isOne ? 'One' : 'Two');").join(), /no literal text/);
    assert.match(faultsOf('const f = () => t("One {0} {1}", one);').join(), /has 1 arguments/);
    assert.match(faultsOf('const f = () => t("One", one);').join(), /has 1 arguments/);
    assert.match(faultsOf('const one = t("One");').join(), /before the user's language/);
    assert.deepEqual(faultsOf('const one = t("One");', "webview-ui/planted.ts"), []);
    assert.deepEqual(faultsOf('const f = () => t("One {0}", ...all);'), []);
  });

  it("are missed if a sentence is not translated, in each form of a literal", () => {
    assert.deepEqual(missedIn('throw new ProblemError({ message: "The agent is gone." });'), ["The agent is gone."]);
    assert.deepEqual(missedIn("const s = `${name} ended with code ${code}. Restart it.`;"), [
      "{} ended with code {}. Restart it.",
    ]);
    assert.deepEqual(missedIn("return isOne ? 'Do you want this?' : `Not answered: ${title}`;"), [
      "Do you want this?",
      "Not answered: {}",
    ]);
    assert.deepEqual(missedIn("return html`<p>Your key is missing.</p>`;"), ["Your key is missing."]);
    assert.deepEqual(missedIn("return html`${name} <b class='for users'>${text}</b>`;"), []);
    assert.deepEqual(missedIn('new Refusal("failed", "The file has changed.")', "src/review/planted.ts"), [
      "The file has changed.",
    ]);
  });

  it("are not the texts of logs, of agents and of the program", () => {
    assert.deepEqual(
      missedIn(
        [
          'import { x } from "A module.ts";',
          'this.#log.warn("The agent is gone.", `It ended with ${code}.`);',
          'new Refusal("failed", "The path is empty. Send one.");',
          't("The agent is gone.");',
          'const key = "agentName"; const css = "Agent"; const words = `${one} ${two}`;',
        ].join("\n"),
      ),
      [],
    );
  });
});
