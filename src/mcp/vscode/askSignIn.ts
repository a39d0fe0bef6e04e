// What VS Code shows of a sign-in to an MCP server: the questions, the browser, the notification while Parley waits for it,
// and the command that signs out.
import * as vscode from "vscode";
import { visibleText } from "../../base/visibleText.ts";
import { showInformationMessage, showQuickPicks, showWarningMessage, withProgress } from "../../editor/editorUi.ts";
import type { McpServers } from "../mcpServers.ts";
import type { SignInQuestions } from "../signIn/serverSignIns.ts";
import type { SignInQuestion } from "../signIn/signInQuestion.ts";

async function ask({ message, detail }: SignInQuestion, button: string): Promise<boolean> {
  return (await showWarningMessage(message, { modal: true, detail }, button)) === button;
}

/** The questions of sign-ins in VS Code. */
export const signInQuestions: SignInQuestions = {
  confirm: question => ask(question, vscode.l10n.t("Open Browser")),
  confirmToken: question => ask(question, vscode.l10n.t("Give Sign-In")),
  async open(href) {
    // As a string, because a Uri would decode and encode parts of the address that the user agreed to.
    await vscode.commands.executeCommand("vscode.open", href);
  },
  whileWaiting(title, waiting, cancel) {
    const settled = waiting.then(
      () => undefined,
      () => undefined, // The sign-in reports the reason.
    );
    void withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_, token) => {
      token.onCancellationRequested(cancel);
      return settled;
    });
  },
  warn(message) {
    void showWarningMessage(message);
  },
  async externalAddress(address) {
    // In a remote window, VS Code forwards the port to the machine of the browser, perhaps from another port there.
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(address, true));
    const external = uri.toString(true);
    const { protocol, hostname } = new URL(external);
    if (protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname)))
      return external;
    throw new Error(
      vscode.l10n.t("The browser cannot reach Parley, because VS Code forwards its port to {0}.", external),
    );
  },
};

/** Asks from which MCP servers the user signs out, and does it. */
export async function signOutOfServers({ signIns }: Pick<McpServers, "signIns">): Promise<void> {
  const names = Object.entries(signIns.names);
  if (names.length === 0) {
    void showInformationMessage(vscode.l10n.t("You are not signed in to an MCP server."));
    return;
  }
  const picked = await showQuickPicks(
    names.map(([key, { address, issuer }]) => ({
      label: visibleText(address),
      description: visibleText(issuer),
      key,
    })),
    {
      title: vscode.l10n.t("Sign Out of MCP Servers"),
      placeHolder: vscode.l10n.t(
        "The servers from which you sign out. Agents keep the tokens that they have until these expire.",
      ),
    },
  );
  for (const { key } of picked ?? []) await signIns.signOut(key);
}
