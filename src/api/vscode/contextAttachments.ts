// Turns the prompt of an extension into a draft: its text and attachments. Whatever does not have the right form is refused.
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import { visibleName } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import type { PromptDraft } from "../../mentions/promptDraft.ts";
import type { Attachment } from "../../panel/protocol.ts";

/** Of a message, without its attachments (characters). */
const maxText = 1_000_000;
const maxContext = 100;
const maxLabel = 100;

/** The draft of a prompt. Throws with a sentence if it is not what {@link ParleyPrompt} says. */
export function draftOf(prompt: unknown): PromptDraft {
  const { text, context = [] } = (typeof prompt === "string" ? { text: prompt } : (prompt ?? {})) as {
    readonly text?: unknown;
    readonly context?: unknown;
  };
  if (typeof text !== "string" || !Array.isArray(context))
    throw new Error(t("A prompt is a text, or an object with a text and a list of context."));
  if (text.length > maxText)
    throw new Error(
      t("The text of the prompt is too long: {0} characters, and the limit is {1}.", text.length, maxText),
    );
  if (context.length > maxContext)
    throw new Error(t("The prompt has too much context: {0} items, and the limit is {1}.", context.length, maxContext));
  if (text.trim() === "" && context.length === 0) throw new Error(t("The prompt is empty."));
  return { text, attachments: context.map(item => attachmentOf(item)) };
}

function attachmentOf(item: unknown): Attachment {
  const given = (item ?? {}) as {
    readonly type?: unknown;
    readonly uri?: unknown;
    readonly range?: unknown;
    readonly label?: unknown;
    readonly text?: unknown;
  };
  const { type, uri, range, label, text } = given;
  const id = randomUUID();
  if (type === "text" && typeof label === "string" && typeof text === "string")
    return { id, kind: "text", label: visibleName(label, maxLabel), source: { type: "text", text } };
  if ((type !== "file" && type !== "selection") || !(uri instanceof vscode.Uri))
    throw new Error(t("The context of a prompt has items of the types file, selection and text."));
  if (uri.scheme !== "file")
    throw new Error(
      t("“{0}” is not a file on disk, so it cannot be sent. Send its text.", visibleName(uri.path, maxLabel)),
    );
  const path = uri.fsPath;
  if (type === "file") return { id, kind: "file", label: basename(path), source: { type: "path", path } };
  if (!(range instanceof vscode.Range))
    throw new Error(t("The context of a prompt has items of the types file, selection and text."));
  const { start, end } = range;
  const line = start.line + 1;
  const endLine = Math.max(line, end.character === 0 ? end.line : end.line + 1);
  const suffix = endLine === line ? `:${line}` : `:${line}-${endLine}`;
  return {
    ...{ id, kind: "selection", label: `${basename(path)}${suffix}` },
    source: { type: "path", path, line, endLine },
  };
}
