// The preview of a file or folder: its path, and its first lines or a small picture. Secrets show no content.
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Documents } from "../files/ports.ts";
import { maxPreviewLines, previewText, type ItemPreview } from "../panel/itemPreview.ts";

/** Whether the content of a path may be shown: not if it looks like a secret, or is outside the workspace. */
export type PreviewAccess = "allowed" | "secret" | "outside";

const imageTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** The MIME type of an image that agents accept, by the ending of its name. */
export const imageTypeOf = (path: string): string | undefined => imageTypes[extname(path).toLowerCase()];

/** The endings of images that agents accept, without the dot. */
export const imageExtensions: readonly string[] = Object.keys(imageTypes).map(ending => ending.slice(1));

/** The bytes of text that are read, and the bytes of an image that is shown. */
const maxTextBytes = 64 * 1024;
const maxImageBytes = 512 * 1024;

/** Why the content of a secret is not shown. */
export const secretNote = (): string => t("This file may contain secrets, so its content is not shown.");

/** The preview of a path. Lines are 1-based and inclusive. */
export async function pathPreview(
  { path, line, endLine }: { readonly path: string; readonly line?: number; readonly endLine?: number },
  access: PreviewAccess,
  documents: Documents,
): Promise<ItemPreview> {
  if (access === "secret") return { path, note: secretNote() };
  if (access === "outside")
    return { path, note: t("This file is outside the workspace, so its content is not shown.") };
  const { kind, size } = await documents.stat(path);
  if (kind === "missing") return { path, note: t("This file no longer exists.") };
  if (kind !== "file") return { path };
  const mimeType = imageTypeOf(path);
  if (mimeType !== undefined) {
    if (size > maxImageBytes) return { path, note: t("This image is too large for a preview.") };
    return { path, image: { mimeType, data: (await readFile(path)).toString("base64") } };
  }
  const first = Math.max(1, line ?? 1);
  const count = line === undefined ? Infinity : Math.max(1, (endLine ?? line) - first + 1);
  try {
    // One line more shows whether there is more.
    const window = { line: first, limit: Math.min(count, maxPreviewLines + 1) };
    return { path, text: previewText(await documents.readWindow(path, window, maxTextBytes)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Binary, in UTF-16, or with a line that is too long.
    return { path, note: t("There is no preview of this file.") };
  }
}
