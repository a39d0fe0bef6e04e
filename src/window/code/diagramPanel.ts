// Draws Mermaid source in a separate panel beside the editor. Only this panel loads the Mermaid library.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import type { PanelPages } from "../startup/panelPages.ts";
import { createWebviewPanel } from "../../editor/editorItems.ts";

/** One panel for each source text. */
export class DiagramPanels implements Disposable {
  readonly #root: vscode.Uri;
  readonly #pages: Pick<PanelPages, "html">;
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(extensionUri: vscode.Uri, pages: Pick<PanelPages, "html">) {
    this.#pages = pages;
    this.#root = vscode.Uri.joinPath(extensionUri, "dist", "webview", "diagram");
  }

  /** Shows the diagram. If it cannot be drawn, shows the source and the reason. */
  open(source: string): void {
    const known = this.#panels.get(source);
    if (known) return known.reveal();
    const panel = createWebviewPanel("parley.diagram", vscode.l10n.t("Diagram"), vscode.ViewColumn.Beside, {
      enableScripts: true,
      localResourceRoots: [this.#root],
    });
    this.#panels.set(source, panel);
    panel.onDidDispose(() => this.#panels.delete(source));
    panel.webview.html = this.#html(panel.webview, source);
  }

  dispose(): void {
    for (const panel of [...this.#panels.values()]) panel.dispose();
  }

  /** Only our two scripts load. Styles need `unsafe-inline` because Mermaid adds a style element to its SVG. */
  #html(webview: vscode.Webview, source: string): string {
    return this.#pages.html(webview, this.#root, ({ nonce, file, data }) => ({
      policy: [`style-src ${webview.cspSource} 'unsafe-inline'`, "img-src data:"],
      head: `<link rel="stylesheet" href="${file("diagram.css")}">
${data("source", source)}`,
      body: `<main id="diagram"></main>
<script nonce="${nonce}" src="${file("mermaid.tiny.js")}"></script>
<script type="module" nonce="${nonce}" src="${file("diagram.js")}"></script>`,
    }));
  }
}
