// @ts-check
// A sample of Parley's API: has the user's agent explain the file in the editor, and shows the answer in an editor.
// docs/API.md explains it. The types are in src/api/vscode/parleyApi.ts, which your extension can copy.
const vscode = require("vscode");

/** @typedef {import("../../src/api/vscode/parleyApi.ts").ParleyExports} ParleyExports */

/** @param {vscode.ExtensionContext} context */
exports.activate = context => {
  context.subscriptions.push(vscode.commands.registerCommand("apiSample.explainFile", () => explainFile(context)));
};

/** @param {vscode.ExtensionContext} context */
async function explainFile(context) {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (!uri) throw new Error("Open a file first.");

  /** @type {vscode.Extension<ParleyExports> | undefined} */
  const parley = vscode.extensions.getExtension("parley.parley");
  if (!parley) throw new Error("Install Parley first.");
  const { version, connect } = await parley.activate();
  if (version !== 1) throw new Error("This sample needs version 1 of Parley's API.");

  // The user is asked once.
  const api = await connect(context.extension);
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  const session = await api.openSession(folder && { folder });
  const location = vscode.ProgressLocation.Notification;
  try {
    const turn = await vscode.window.withProgress(
      { location, title: session.agent.name, cancellable: true },
      (progress, token) => {
        session.onDidChangeState(message => progress.report({ message }));
        session.onDidChangeToolCall(({ title }) => progress.report({ message: title }));
        return session.prompt({ text: "Explain this file.", context: [{ type: "file", uri }] }, token);
      },
    );
    if (turn.stopReason !== "end_turn") return;
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content: turn.text });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
  } finally {
    // The session stays in Parley's list of sessions.
    session.dispose();
  }
}
