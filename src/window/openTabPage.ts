// The pages of editor tabs that are no chats, with the same policy as a chat.
import * as vscode from "vscode";
import type { PanelPages } from "./startup/panelPages.ts";

/**
 * Opens the page of permission rules, the search of all conversations, the usage, the comparison of candidates,
 * or the protocol inspector. Only our own bundle loads, and Trusted Types turn raw HTML assignments into errors.
 */
export function openTabPage(
  page: "rules" | "search" | "usage" | "candidates" | "inspector",
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  pages: PanelPages,
): void {
  const root = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = pages.options;
  webview.html = pages.html(webview, root, ({ nonce, file }) => ({
    policy: [
      `style-src ${webview.cspSource}`,
      `font-src ${webview.cspSource}`,
      "require-trusted-types-for 'script'",
      "trusted-types lit-html",
    ],
    head: ["codicon.css", "styles.css", `${page}/${page}.css`]
      .map(name => `<link rel="stylesheet" href="${file(name)}">`)
      .join("\n"),
    body: `<div id="parley"></div>
<script type="module" nonce="${nonce}" src="${file(`${page}/${page}.js`)}"></script>`,
  }));
}
