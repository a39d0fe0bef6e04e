// Answers `@` queries of the composer, and attaches the chosen items.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import { attachmentKinds, type AttachmentKind } from "../../panel/mentionKinds.ts";
import type { IntentOf } from "../../panel/intentHandlers.ts";
import type { ItemPreview } from "../../panel/itemPreview.ts";
import { imageExtensions } from "../pathPreview.ts";
import { attachConversation, attachOrRefuse } from "./attachConversation.ts";
import type { AttachResult } from "./attachments.ts";
import type { ReplyTarget } from "../../panel/replyTarget.ts";
import { showQuickPick } from "../../editor/editorUi.ts";
import {
  kindOffers,
  mentionSources,
  type MentionContext,
  type MentionOffer,
  type MentionSource,
} from "./mentionSources.ts";

/** One source can serve several kinds. */
const allSources: readonly MentionSource[] = [...new Set(Object.values(mentionSources))];

/** The number of answers of a panel whose items can still be chosen. */
const maxKeptRequests = 8;

/** The latest request of a panel, and the offers it got. */
interface PanelRequests {
  stop: AbortController;
  readonly offers: Map<number, ReadonlyMap<string, MentionOffer>>;
}

export class Mentions implements Disposable {
  readonly #context: MentionContext;
  readonly #requests = new WeakMap<ReplyTarget, PanelRequests>();
  #disposed = false;

  constructor(context: MentionContext) {
    this.#context = context;
  }

  /** Answers with `completions`, and again for the same request when more is found. A newer request ends this one. */
  async complete(replyTarget: ReplyTarget, request: number, query: string): Promise<void> {
    const asked = this.#requestsOf(replyTarget);
    asked.stop.abort();
    const stop = (asked.stop = new AbortController());
    const { signal } = stop;
    const { indexer } = this.#context;
    indexer.start();
    const sources = sourcesFor(query);
    const fast = sources.filter(({ isSlow }) => !isSlow);
    const found = new Map<MentionSource, readonly MentionOffer[]>();
    const post = (): void => {
      if (signal.aborted || this.#disposed) return;
      const ready = sources.flatMap(source => found.get(source) ?? []);
      const offers = unique(query.trim() === "" ? [...ready, ...kindOffers(ready)] : ready);
      asked.offers.delete(request);
      asked.offers.set(request, new Map(offers.map(offer => [offer.item.key, offer])));
      for (const old of [...asked.offers.keys()].slice(0, -maxKeptRequests)) asked.offers.delete(old);
      const indexing = indexer.isIndexing && fast.length > 0;
      replyTarget.reply({
        type: "completions",
        request,
        items: offers.map(({ item }) => item),
        ...(indexing && { indexing: true as const }),
      });
    };
    const find = (source: MentionSource): Promise<readonly MentionOffer[] | undefined> =>
      source.find({ text: query, context: this.#context, signal });
    const findFast = async (): Promise<void> => {
      const offers = await Promise.all(fast.map(find));
      for (const [i, source] of fast.entries()) found.set(source, offers[i] ?? []);
      post();
    };
    const findSlow = async (source: MentionSource): Promise<void> => {
      const offers = await find(source);
      // The fast sources have answered already. Without them, the panel has to learn that nothing was found.
      if (!offers || (offers.length === 0 && fast.length > 0)) return;
      found.set(source, offers);
      post();
    };
    const slowFound = Promise.all(sources.filter(({ isSlow }) => isSlow).map(findSlow));
    if (fast.length > 0) {
      await findFast();
      if (indexer.isIndexing) {
        await indexer.whenIdle();
        if (!signal.aborted && !this.#disposed) await findFast();
      }
    }
    await slowFound;
  }

  /** Attaches a completion. Answers with `attached` or `refused`. */
  async attachItem(replyTarget: ReplyTarget, request: number, key: string): Promise<void> {
    const offer = this.#requestsOf(replyTarget).offers.get(request)?.get(key);
    if (!offer) {
      return replyTarget.reply({
        type: "refused",
        reason: vscode.l10n.t("No longer available. Choose another item."),
        key,
      });
    }
    replyWithAttachments(replyTarget, await attachOrRefuse(offer.item.label, offer.attach), key);
  }

  /** Answers with `preview`, also if there is nothing to show. */
  async preview(replyTarget: ReplyTarget, { request, target }: IntentOf<"preview">): Promise<void> {
    const { attachments, log } = this.#context;
    const show =
      target.type === "path"
        ? () => attachments.preview(target)
        : this.#requestsOf(replyTarget).offers.get(target.request)?.get(target.key)?.preview;
    const preview = await (show?.() ?? Promise.resolve({})).catch((error: unknown): ItemPreview => {
      log.debug("A preview could not be made.", asError(error).message);
      return { note: vscode.l10n.t("There is no preview: {0}", asError(error).message) };
    });
    replyTarget.reply({ type: "preview", request, preview });
  }

  /**
   * Attaches dropped files. Anything that is not a local file is refused, and so is a file outside the workspace that
   * the user does not confirm.
   */
  async attachUris(replyTarget: ReplyTarget, uris: readonly string[]): Promise<void> {
    const paths: string[] = [];
    const refused: string[] = [];
    for (const given of uris) {
      const uri = parseUri(given);
      if (uri?.scheme === "file" && uri.authority === "") paths.push(uri.fsPath);
      else refused.push(vscode.l10n.t("{0} is not a local file.", given.slice(0, 200)));
    }
    const made = await this.#context.attachments.attachPaths(
      paths.map(path => ({ path })),
      false,
    );
    replyWithAttachments(replyTarget, { attachments: made.attachments, refused: [...refused, ...made.refused] });
  }

  /** The Attach button: shows a menu. Cancelling it has no effect. */
  async pick(replyTarget: ReplyTarget): Promise<void> {
    const { attachments, conversations } = this.#context;
    const files = async (images: boolean): Promise<AttachResult> => {
      const picked = await vscode.window.showOpenDialog({
        canSelectMany: true,
        canSelectFolders: false,
        openLabel: vscode.l10n.t("Attach"),
        ...(images && { filters: { [vscode.l10n.t("Images")]: [...imageExtensions] } }),
      });
      const wanted = (picked ?? []).filter(({ scheme }) => scheme === "file").map(({ fsPath }) => ({ path: fsPath }));
      return attachments.attachPaths(wanted, true);
    };
    const listedOffers = allSources.flatMap(source => source.list?.(this.#context) ?? []);
    const choices = [
      choiceOf("file", vscode.l10n.t("Files…"), () => files(false)),
      choiceOf("image", vscode.l10n.t("Image…"), () => files(true)),
      choiceOf("conversation", vscode.l10n.t("Conversation…"), () => attachConversation(conversations)),
      ...listedOffers.map(({ item: { kind, label, detail }, attach }) => choiceOf(kind, label, attach, detail)),
    ];
    const chosen = await showQuickPick(choices, { title: vscode.l10n.t("Attach to the Message") });
    if (chosen) replyWithAttachments(replyTarget, await chosen.attach());
  }

  dispose(): void {
    this.#disposed = true;
  }

  #requestsOf(replyTarget: ReplyTarget): PanelRequests {
    const known = this.#requests.get(replyTarget) ?? { stop: new AbortController(), offers: new Map() };
    this.#requests.set(replyTarget, known);
    return known;
  }
}

/** An item of the Attach menu. */
const choiceOf = (kind: AttachmentKind, label: string, attach: MentionOffer["attach"], description = "") => ({
  ...{ label, description, attach },
  iconPath: new vscode.ThemeIcon(attachmentKinds[kind].icon),
});

/** The sources that a query goes to: those whose prefix it has, otherwise all of them. */
function sourcesFor(query: string): readonly MentionSource[] {
  const prefixed = allSources.filter(({ prefix }) => prefix !== undefined && query.startsWith(prefix));
  return prefixed.length > 0 ? prefixed : allSources;
}

/** Sends the attachments and the refusals to the panel. `key`: the completion that the panel waits for. */
function replyWithAttachments(replyTarget: ReplyTarget, { attachments, refused }: AttachResult, key?: string): void {
  const answered = key === undefined ? {} : { key };
  const waits = key !== undefined && refused.length === 0;
  if (attachments.length > 0 || waits) replyTarget.reply({ type: "attached", attachments, ...answered });
  if (refused.length > 0) replyTarget.reply({ type: "refused", reason: refused.join(" "), ...answered });
}

function unique(offers: readonly MentionOffer[]): readonly MentionOffer[] {
  return [...new Map(offers.map(offer => [offer.item.key, offer])).values()];
}

function parseUri(uri: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(uri, true);
  } catch {
    return undefined; // Not a URI.
  }
}
