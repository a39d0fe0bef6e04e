// Draws Mermaid source in a separate panel beside the editor. Only this panel loads the Mermaid library.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";

/** One panel for each source text. */
export class DiagramPanels implements Disposable {
  readonly #root: vscode.Uri;
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(extensionUri: vscode.Uri) {
    this.#root = vscode.Uri.joinPath(extensionUri, "dist", "webview", "diagram");
  }

  /** Shows the diagram. If it cannot be drawn, shows the source and the reason. */
  open(source: string): void {
    const known = this.#panels.get(source);
    if (known) return known.reveal();
    const panel = vscode.window.createWebviewPanel(
      "parley.diagram",
      vscode.l10n.t("Diagram"),
      vscode.ViewColumn.Beside,
      {
        enableScripts: true,
        localResourceRoots: [this.#root],
      },
    );
    this.#panels.set(source, panel);
    panel.onDidDispose(() => this.#panels.delete(source));
    panel.webview.html = diagramHtml(panel.webview, this.#root, source);
  }

  dispose(): void {
    for (const panel of [...this.#panels.values()]) panel.dispose();
  }
}

/** Only our two scripts load. Styles need `unsafe-inline` because Mermaid adds a style element to its SVG. */
function diagramHtml(webview: vscode.Webview, root: vscode.Uri, source: string): string {
  const nonce = randomBytes(18).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const json = (value: unknown): string => JSON.stringify(value).replace(/</g, "\\u003c");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${file("diagram.css")}">
<script type="application/json" id="l10n">${json(vscode.l10n.bundle ?? {})}</script>
<script type="application/json" id="source">${json(source)}</script>
<title>Parley</title>
</head>
<body>
<main id="diagram"></main>
<script nonce="${nonce}" src="${file("mermaid.tiny.js")}"></script>
<script type="module" nonce="${nonce}" src="${file("diagram.js")}"></script>
</body>
</html>`;
}
