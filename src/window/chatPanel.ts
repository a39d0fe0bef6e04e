// One chat panel, in the view or in an editor tab: its page, content security policy, channel and intents.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { PanelChannel } from "../panel/panelChannel.ts";
import { parseIntent } from "../panel/intents.ts";
import type { SharedView } from "../panel/patch.ts";
import type { PanelMessage } from "../panel/protocol.ts";
import type { RecentEntries } from "../panel/projection/recentEntries.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";

export interface ChatPanelOptions {
  /** The chat view or an editor tab, as the registry of open sessions names it. */
  readonly surface: string;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  readonly clock: Clock;
  readonly view: () => SharedView;
  /** The newest entries of the view, if it is long. */
  readonly recentEntries: () => RecentEntries | undefined;
  /** Called when a panel is sent an update. */
  readonly onSend: () => void;
  readonly onIntent: (intent: PanelAction, replyTarget: ReplyTarget) => void;
  /** Called when a panel was opened or shown. */
  readonly onShown: () => void;
}

/** What holds a panel: the view or an editor tab. */
export interface WebviewHolder {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
}

/** The only folder that a panel's page may load from. */
export const webviewRoot = (extensionUri: vscode.Uri): vscode.Uri =>
  vscode.Uri.joinPath(extensionUri, "dist", "webview");

/** One panel. It holds no state of the conversation. */
export class ChatPanel implements ReplyTarget, Disposable {
  readonly #options: ChatPanelOptions;
  readonly #holder: WebviewHolder;
  readonly #channel: PanelChannel;
  readonly #store = new DisposableStore();
  /** Messages for a page whose script has not sent `hello` yet. */
  #pendingMessages: PanelMessage[] | undefined = [];

  constructor(holder: WebviewHolder, options: ChatPanelOptions) {
    this.#holder = holder;
    this.#options = options;
    const { webview } = holder;
    const root = webviewRoot(options.extensionUri);
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    this.#channel = this.#store.add(
      new PanelChannel({
        clock: options.clock,
        view: options.view,
        recentEntries: options.recentEntries,
        onSend: options.onSend,
        post: message => webview.postMessage(message),
      }),
    );
    this.#store.add(webview.onDidReceiveMessage((message: unknown) => this.#received(message)));
    webview.html = pageHtml(webview, root);
    options.onShown();
  }

  get surface(): string {
    return this.#options.surface;
  }

  get visible(): boolean {
    return this.#holder.visible;
  }

  /** Whether the panel is visible and has something left to paint. */
  get isBehind(): boolean {
    return this.visible && this.#channel.isBehind;
  }

  /** Whether the panel is visible and is painting an update. */
  get isPainting(): boolean {
    return this.visible && this.#channel.isPainting;
  }

  /** Call this when the state that the panel shows has changed. */
  changed(): void {
    this.#channel.changed();
  }

  /** Call this when the panel was hidden or shown again. */
  visibilityChanged(): void {
    this.#channel.setVisible(this.visible);
    if (this.visible) this.#options.onShown();
    else this.reply({ type: "hidden" });
  }

  reply(message: PanelMessage): void {
    if (this.#pendingMessages) this.#pendingMessages.push(message);
    else this.#post(message);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #received(message: unknown): void {
    const intent = parseIntent(message);
    if (!intent) {
      this.#options.log.warn("The chat panel sent an invalid message.");
      return;
    }
    switch (intent.type) {
      case "hello":
        this.#channel.hello(intent.revision, intent.whole);
        for (const early of this.#pendingMessages ?? []) this.#post(early);
        this.#pendingMessages = undefined;
        break;
      case "resync":
        this.#channel.resync();
        break;
      case "painted":
        this.#channel.acknowledgePaint(intent.revision);
        break;
      default:
        this.#options.onIntent(intent, this);
    }
  }

  #post(message: PanelMessage): void {
    const failed = (): void => this.#options.log.debug(`The chat panel did not receive "${message.type}".`);
    this.#holder.webview.postMessage(message).then(taken => {
      if (!taken) failed();
    }, failed);
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
