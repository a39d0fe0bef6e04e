// What links and commands put into the message box, and what they do not.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { replaceInWindow, useApiBench } from "../support/host/apiBench.ts";

describe("the API for other extensions fills the message box", () => {
  const at = useApiBench();
  const link = (query: string, path = "/prompt"): Promise<void> =>
    at.window.openLink(vscode.Uri.from({ scheme: "vscode", authority: "parley.parley", path, query }));
  const filled = { text: "Explain a & b", attachments: [], below: true };

  it("from a link, and sends nothing", async () => {
    await link("text=Explain a & b");
    const note = "A link filled the message box. Read the message before you send it.";
    assert.deepEqual(at.shown, [{ type: "draft", ...filled, note }]);
    assert.deepEqual(at.bench.prompts.flat(), []);
    assert.ok(at.bench.session, "a session is shown");
  });

  it("below a draft only if the user wants it", async () => {
    at.draft = { text: "mine", attachments: [] };
    let pressed: string | undefined;
    const asked: string[] = [];
    replaceInWindow("showInformationMessage", (text: string) => {
      asked.push(text);
      return Promise.resolve(pressed);
    });
    await link("text=Explain a & b");
    pressed = "Discard New Text";
    await link("text=Explain a & b");
    assert.deepEqual(at.shown, []);
    pressed = "Add Below";
    await link("text=Explain a & b");
    assert.equal(at.shown.length, 1);
    assert.deepEqual(
      [...new Set(asked)],
      ["The message box has a draft, which stays. Add this text below it? “Explain a & b”"],
    );
    // The user has gone on to another session while the question was open.
    replaceInWindow("showInformationMessage", () => {
      at.bench.sessions.start();
      return Promise.resolve(pressed);
    });
    await link("text=Explain a & b");
    assert.equal(at.shown.length, 1);
    assert.deepEqual(at.questions, ["The text was not added, because the chat shows another session now."]);
  });

  it("in a session of the folder that the link names", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    await link(`folder=${folder}&text=x`);
    assert.equal(at.bench.state.workspaceFolder, folder);
    const { session } = at.bench;
    await link(`folder=${folder}/&text=x`);
    assert.equal(at.bench.session, session, "it is the same folder");
    await link("folder=/etc&text=x");
    await link("text=");
    await link("text=x", "/send");
    assert.deepEqual(at.questions, [
      "“/etc” is no folder of this window. Open it first.",
      "There is no text for the message box.",
      "Parley does not know this link. Links that fill the message box have the path /prompt.",
    ]);
    assert.equal(at.shown.length, 2);
  });

  it("in a new session if the agent of the shown one is no longer there", async () => {
    await at.window.startSession({ agent: "other" });
    const { session } = at.bench;
    const { definitions } = at.bench.windowAgents;
    const left = definitions.call(at.bench.windowAgents).filter(({ id }) => id !== "other");
    at.bench.windowAgents.definitions = () => left;
    await link("text=x");
    assert.notEqual(at.bench.session, session);
    assert.deepEqual([at.bench.state.agent?.id, at.shown.length], ["stub", 1]);
  });

  it("below a draft after a question that shows the beginning and the end of the text", async () => {
    at.draft = { text: "mine", attachments: [] };
    const asked: string[] = [];
    replaceInWindow("showInformationMessage", (text: string) => Promise.resolve(void asked.push(text)));
    await link(`text=begin ${"x y ".repeat(200)}end`);
    assert.match(asked[0] ?? "", /“begin x y .* … \[\d+\] … .*x y end”$/);
  });

  it("of a new session with the agent, the folder and the text of a command", async () => {
    await at.window.startSession({ agent: "other", text: "Explain a & b" });
    assert.equal(at.bench.state.agent?.id, "other");
    const note = "A command filled the message box. Read the message before you send it.";
    assert.deepEqual(at.shown, [{ type: "draft", ...filled, note }]);
    await assert.rejects(at.window.startSession({ agent: "x" }), /There is no agent “x”/);
    await assert.rejects(at.window.startSession({ folder: "/etc" }), /is no folder of this window/);
    await assert.rejects(at.window.startSession({ text: 1 }), /The argument “text” cannot be used/);
    await assert.rejects(at.window.startSession({ agent: "stub", send: "yes" }), /The argument “send” cannot be used/);
    await assert.rejects(at.window.startSession({ text: "x".repeat(10_001) }), /the limit is 10000/);
  });
});
