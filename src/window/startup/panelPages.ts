// The pages of webviews and their content security policy. The page of a view is opened while the extension loads.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** What a page has besides the parts of every page. */
interface PageParts {
  /** Directives of the content security policy. */
  readonly policy: readonly string[];
  /** HTML. */
  readonly head: string;
  readonly body: string;
}

/** What the HTML of a page refers to. */
interface PageContext {
  /** Scripts run only with it. */
  readonly nonce: string;
  /** The address of a file of the page's folder. */
  readonly file: (name: string) => string;
  /** An element with data, which the scripts of the page read. */
  readonly data: (id: string, value: unknown) => string;
}

/** The pages of the window's webviews: chats and diagrams. */
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
    webview.html = this.html(webview, this.#root, page => chatPage(webview, page));
  }

  /** A page that loads files of one folder only, with the texts in the user's language as the data `l10n`. */
  html(webview: vscode.Webview, folder: vscode.Uri, parts: (page: PageContext) => PageParts): string {
    const page = {
      nonce: randomBytes(18).toString("base64url"),
      file: (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString(),
      data: (id: string, value: unknown) =>
        `<script type="application/json" id="${id}">${JSON.stringify(value).replace(/</g, "\\u003c")}</script>`,
    };
    const { policy, head, body } = parts(page);
    const directives = [
      "default-src 'none'",
      `script-src 'nonce-${page.nonce}'`,
      ...policy,
      "base-uri 'none'",
      "form-action 'none'",
    ];
    return `<!DOCTYPE html>
<html lang="${vscode.l10n.bundle ? vscode.env.language.replace(/[^\w-]/g, "") : "en"}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${directives.join("; ")}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
${head}
${page.data("l10n", vscode.l10n.bundle ?? {})}
<title>Parley</title>
</head>
<body>
${body}
</body>
</html>`;
  }
}

/**
 * The page of a panel. VS Code delivers messages as soon as the page has loaded. The page loads without waiting for its
 * main script, and an inline script keeps early messages until the main script takes them. Only our own bundle loads,
 * scripts need the nonce, and Trusted Types turn raw HTML assignments into errors, with policies for lit and DOMPurify
 * only.
 */
const chatPage = ({ cspSource }: vscode.Webview, { nonce, file }: PageContext): PageParts => ({
  policy: [
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
    "media-src data: blob:",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html dompurify",
  ],
  head: `<script nonce="${nonce}">
var early = [];
addEventListener("message", early.take = event => { early.push(event.data); });
import("${file("main.js")}");
</script>
<link rel="stylesheet" href="${file("codicon.css")}">
<link rel="stylesheet" href="${file("styles.css")}">`,
  body: `<div id="parley"></div>`,
});
