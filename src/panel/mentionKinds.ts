// The kinds of mentions and attachments. The types, the schema of intents and the icons derive from these tables. A new
// kind of mention needs an entry here and a source in mentions/vscode/mentionSources.ts.
import { t } from "../base/l10n.ts";

/** The icon of a kind, its name for people, and a label if all of its items share one. */
interface KindPresentation {
  /** A codicon. */
  readonly icon: string;
  readonly name: () => string;
  readonly label?: () => string;
}

/** What the composer offers after `@`. */
export const mentionKinds = {
  file: { icon: "file", name: () => t("File") },
  folder: { icon: "folder", name: () => t("Folder") },
  symbol: { icon: "symbol-misc", name: () => t("Symbol") },
  editor: { icon: "window", name: () => t("Open editor") },
  selection: { icon: "list-selection", name: () => t("Selection"), label: () => t("Selection") },
  problems: { icon: "warning", name: () => t("Problems"), label: () => t("Problems") },
  terminal: { icon: "terminal", name: () => t("Terminal output"), label: () => t("Terminal output") },
  diff: { icon: "diff", name: () => t("Git diff"), label: () => t("Git diff") },
  conversation: { icon: "comment-discussion", name: () => t("Conversation") },
  digest: { icon: "book", name: () => t("Digest of a conversation") },
} as const satisfies Readonly<Record<string, KindPresentation>>;

/** What a prompt can carry: every mention, what a session continues, long pasted texts, and files that are attached as data. */
export const attachmentKinds = {
  ...mentionKinds,
  continued: { icon: "history", name: () => t("Earlier conversation") },
  text: { icon: "note", name: () => t("Pasted text") },
  image: { icon: "file-media", name: () => t("Image") },
  audio: { icon: "unmute", name: () => t("Audio") },
} as const satisfies Readonly<Record<string, KindPresentation>>;

export type MentionKind = keyof typeof mentionKinds;
export type AttachmentKind = keyof typeof attachmentKinds;

/** An item that the composer offers after `@`. */
export interface Completion {
  /** Identifies the item to the host, together with the request. */
  readonly key: string;
  readonly kind: MentionKind;
  readonly label: string;
  /** The location of the item, or its content. */
  readonly detail?: string;
  /** The kind of a symbol as in codicons: `class`, `enum-member`. */
  readonly symbolKind?: string;
  /** Attaches nothing, but continues the query with this text. An empty text only shows what `@` can offer. */
  readonly continuesWith?: string;
  /** The offsets in `label` that match the query, in UTF-16 units. */
  readonly matches?: readonly number[];
}
