// The page of a chat panel and its content security policy. The page of a view is opened while the extension loads.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The pages of the window's chat panels. */
export class PanelPages {
  readonly #root: vscode.Uri;
  readonly #early = new WeakMap<vscode.Webview, { readonly messages: unknown[]; readonly link: vscode.Disposable }>();

  constructor(extensionUri: vscode.Uri) {
    this.#root = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  }

  /** What the webview of a panel may do. It loads files from one folder only. */
  get options(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [this.#root] };
  }

  /** Opens the page for a panel that does not exist yet, and keeps the messages of the page for it. */
  openEarly(webview: vscode.Webview): void {
    const messages: unknown[] = [];
    this.#early.set(webview, { messages, link: webview.onDidReceiveMessage(message => messages.push(message)) });
    this.#open(webview);
  }

  /** Opens the page unless it is open. Returns the messages that it has sent so far. */
  open(webview: vscode.Webview): readonly unknown[] {
    const early = this.#early.get(webview);
    if (!early) this.#open(webview);
    early?.link.dispose();
    this.#early.delete(webview);
    return early?.messages ?? [];
  }

  #open(webview: vscode.Webview): void {
    webview.options = this.options;
    webview.html = pageHtml(webview, this.#root);
  }
}

/**
 * The page of a panel. VS Code delivers messages as soon as the page has loaded. The page loads without waiting for its
 * main script, and an inline script keeps early messages until the main script takes them. Only our own bundle loads,
 * scripts need the nonce, and Trusted Types turn raw HTML assignments into errors, with policies for lit and DOMPurify
 * only.
 */
function pageHtml(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    "media-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html dompurify",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<script nonce="${nonce}">
var early = [];
addEventListener("message", early.take = event => { early.push(event.data); });
import("${file("main.js")}");
</script>
<link rel="stylesheet" href="${file("codicon.css")}">
<link rel="stylesheet" href="${file("styles.css")}">
<script type="application/json" id="l10n">${JSON.stringify(vscode.l10n.bundle ?? {}).replace(/</g, "\\u003c")}</script>
<title>Parley</title>
</head>
<body>
<div id="parley"></div>
</body>
</html>`;
}
