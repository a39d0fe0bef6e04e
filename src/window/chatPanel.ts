// One chat panel, in the view or in an editor tab: its channel and intents.
import type * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { PanelChannel } from "../panel/panelChannel.ts";
import { parseIntent } from "../panel/intents.ts";
import type { SharedView } from "../panel/patch.ts";
import type { PanelMessage } from "../panel/protocol.ts";
import type { RecentEntries } from "../panel/projection/recentEntries.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";
import type { PanelPages } from "./startup/panelPages.ts";

export interface ChatPanelOptions {
  /** The chat view or an editor tab, as the registry of open sessions names it. */
  readonly surface: string;
  readonly pages: PanelPages;
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
    const early = options.pages.open(webview);
    options.onShown();
    for (const message of early) this.#received(message);
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
    if (this.#pendingMessages) return void this.#pendingMessages.push(message);
    // The panel can show another session still, without the question that gets the focus.
    if (message.type === "focus") this.#channel.bringUpToDate();
    this.#post(message);
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
