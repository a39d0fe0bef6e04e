// One chat panel, whatever holds it: a webview's page, its content security policy, its channel and its intents.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { Channel } from "../panel/panelChannel.ts";
import { parseIntent } from "../panel/intents.ts";
import type { PanelMessage, View } from "../panel/protocol.ts";
import type { Tail } from "../panel/projection/recentEntries.ts";
import type { Wish, Asker } from "../panel/replyTarget.ts";

export interface ChatPanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  readonly clock: Clock;
  readonly view: () => View;
  /** The end of the view, where that is long. */
  readonly tail: () => Tail | undefined;
  /** A panel is being sent what has changed. */
  readonly onSend: () => void;
  readonly onIntent: (intent: Wish, asker: Asker) => void;
  /** A panel was opened or shown. */
  readonly onShown: () => void;
}

/** A view or an editor tab. */
export interface Holder {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
}

/** The folder a panel's page may load from. */
export const panelRoot = (extensionUri: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extensionUri, "dist", "webview");

/** What one panel shows and says. Holds no state of the conversation. */
export class ChatPanel implements Asker, Disposable {
  readonly #options: ChatPanelOptions;
  readonly #holder: Holder;
  readonly #channel: Channel;
  readonly #store = new DisposableStore();
  /** Messages for a page that has not said hello yet. */
  #early: PanelMessage[] | undefined = [];

  constructor(holder: Holder, options: ChatPanelOptions) {
    this.#holder = holder;
    this.#options = options;
    const { webview } = holder;
    const root = panelRoot(options.extensionUri);
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    this.#channel = this.#store.add(
      new Channel({
        clock: options.clock,
        view: options.view,
        tail: options.tail,
        onSend: options.onSend,
        post: message => webview.postMessage(message),
      }),
    );
    this.#store.add(webview.onDidReceiveMessage((message: unknown) => this.#received(message)));
    webview.html = page(webview, root);
    options.onShown();
  }

  get visible(): boolean {
    return this.#holder.visible;
  }

  /** Whether it is in sight and yet to paint something. */
  get isBehind(): boolean {
    return this.visible && this.#channel.isBehind;
  }

  /** Whether it is in sight and painting what it was sent. */
  get isPainting(): boolean {
    return this.visible && this.#channel.isPainting;
  }

  /** The state behind the view changed. */
  changed(): void {
    this.#channel.changed();
  }

  /** The panel was hidden, or shown again. */
  visibilityChanged(): void {
    this.#channel.setVisible(this.visible);
    if (this.visible) this.#options.onShown();
  }

  reply(message: PanelMessage): void {
    if (this.#early) this.#early.push(message);
    else this.#post(message);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #received(message: unknown): void {
    const intent = parseIntent(message);
    if (!intent) {
      this.#options.log.warn("The chat panel sent a message that is not understood.");
      return;
    }
    switch (intent.type) {
      case "hello":
        this.#channel.hello(intent.revision, intent.whole);
        for (const early of this.#early ?? []) this.#post(early);
        this.#early = undefined;
        break;
      case "resync":
        this.#channel.resync();
        break;
      case "painted":
        this.#channel.painted(intent.revision);
        break;
      default:
        this.#options.onIntent(intent, this);
    }
  }

  #post(message: PanelMessage): void {
    const failed = (): void => this.#options.log.debug(`The chat panel did not take "${message.type}".`);
    this.#holder.webview.postMessage(message).then(taken => {
      if (!taken) failed();
    }, failed);
  }
}

/**
 * The page of a panel. VS Code hands over what the page is sent when it has been loaded: so that does not wait for its
 * script, and what comes is kept until the script is there. Nothing loads but our own bundle; scripts by nonce; Trusted
 * Types turn raw HTML assignments into errors, with policies for lit and DOMPurify only.
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
