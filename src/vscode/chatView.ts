// Carries messages between a chat panel and its channel: the webview, its page and its content security policy.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { DisposableStore } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { Channel } from "../chat/channel.ts";
import { parseIntent, type HostMessage, type Intent, type View } from "../chat/protocol.ts";

export interface ChatViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  readonly clock: Clock;
  readonly view: () => View;
  readonly onIntent: (intent: Exclude<Intent, { type: "hello" | "resync" }>) => void;
  /** The panel was opened or shown. */
  readonly onShown: () => void;
}

/** The chat view in Parley's container. Holds no state of the conversation. */
export class ChatView implements vscode.WebviewViewProvider {
  static readonly id = "parley.chat";
  readonly #options: ChatViewOptions;
  #panel: { readonly view: vscode.WebviewView; readonly channel: Channel } | undefined;
  #badge: vscode.ViewBadge | undefined;
  #focus: Extract<HostMessage, { type: "focus" }>["target"] | undefined;

  constructor(options: ChatViewOptions) {
    this.#options = options;
  }

  get visible(): boolean {
    return this.#panel?.view.visible ?? false;
  }

  /** The state behind the view changed. */
  changed(): void {
    this.#panel?.channel.changed();
  }

  /** Shows the view and puts the cursor there: for commands the user ran. */
  async focus(target: "composer" | "ask"): Promise<void> {
    this.#focus = target;
    await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    const panel = this.#panel;
    if (panel) await this.#sendFocus(panel.view);
  }

  setBadge(count: number, tooltip: string): void {
    this.#badge = count > 0 ? { value: count, tooltip } : undefined;
    if (this.#panel) this.#panel.view.badge = this.#badge;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri, clock, log } = this.#options;
    const root = vscode.Uri.joinPath(extensionUri, "dist", "webview");
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    const store = new DisposableStore();
    const channel = store.add(
      new Channel({ clock, view: this.#options.view, post: message => view.webview.postMessage(message) }),
    );
    this.#panel = { view, channel };
    view.badge = this.#badge;
    store.add(view.webview.onDidReceiveMessage((message: unknown) => this.#received(message, view, channel)));
    store.add(
      view.onDidChangeVisibility(() => {
        channel.setVisible(view.visible);
        if (view.visible) this.#options.onShown();
      }),
    );
    view.onDidDispose(() => {
      store.dispose();
      if (this.#panel?.view === view) this.#panel = undefined;
    });
    view.webview.html = page(view.webview, root);
    log.debug("The chat view was opened.");
    this.#options.onShown();
  }

  #received(message: unknown, view: vscode.WebviewView, channel: Channel): void {
    const intent = parseIntent(message);
    if (!intent) {
      this.#options.log.warn("The chat view sent a message that is not understood.");
      return;
    }
    switch (intent.type) {
      case "hello":
        channel.hello(intent.revision);
        void this.#sendFocus(view);
        break;
      case "resync":
        channel.resync();
        break;
      default:
        this.#options.onIntent(intent);
    }
  }

  async #sendFocus(view: vscode.WebviewView): Promise<void> {
    const target = this.#focus;
    if (target === undefined) return;
    const message: HostMessage = { type: "focus", target };
    // A panel that goes meanwhile refuses; the next one gets the focus then.
    const taken = await Promise.resolve(view.webview.postMessage(message)).catch(() => false);
    if (taken) this.#focus = undefined;
  }
}

/**
 * The page of a panel. Nothing loads but our own bundle; scripts by nonce; Trusted Types turn raw HTML assignments
 * into errors, with policies for lit and DOMPurify only.
 */
function page(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64url");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    "media-src data: blob:",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html dompurify",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${file("codicon.css")}">
<link rel="stylesheet" href="${file("styles.css")}">
<script type="application/json" id="l10n">${JSON.stringify(vscode.l10n.bundle ?? {}).replace(/</g, "\\u003c")}</script>
<title>Parley</title>
</head>
<body>
<div id="parley"></div>
<script type="module" nonce="${nonce}" src="${file("main.js")}"></script>
</body>
</html>`;
}
