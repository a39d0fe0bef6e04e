// Reads pasted and dropped content: files from the editor by their URIs, images and audio by their data.
import type { Attachment, ViewHead } from "../../src/panel/protocol.ts";
import { formatCount, formatSize, t } from "../base/l10n.ts";

/** The size limit of images and audio in bytes. Models reject more than 5 MB in base64. */
const maxMediaBytes = 3_900_000;

const imageMimeTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** The data types that VS Code and the system use for dragged files. The browser converts them to lower case. */
const uriListTypes = ["application/vnd.code.uri-list", "text/uri-list"];
const otherFileTypes = ["resourceurls", "files"];

/** Whether dragged data can be dropped here. Its content is not available before the drop. */
export const carriesFiles = (data: DataTransfer | null): boolean =>
  data?.types.some(type => uriListTypes.includes(type.toLowerCase()) || otherFileTypes.includes(type.toLowerCase())) ??
  false;

/** The URIs of the dropped files. URLs of web pages are skipped. */
export function fileUris(data: DataTransfer): readonly string[] {
  const found = uriListTypes.flatMap(type => data.getData(type).split(/\r?\n/));
  const uris = [...found, ...jsonStrings(data.getData("resourceurls"))].map(line => line.trim());
  return [...new Set(uris.filter(uri => uri !== "" && !uri.startsWith("#") && isFileUri(uri)))];
}

/** The pasted files. Text that also comes as an image, such as a table, is pasted as text. */
export const pastedFiles = (data: DataTransfer | null): readonly File[] =>
  !data || data.getData("text/plain") !== "" ? [] : [...data.files];

/** A pasted text with at least so many lines or characters becomes an attachment. */
const longLines = 40;
const longCharacters = 4000;
/** The limit of an attachment that is sent with a prompt. A longer text stays in the message box. */
const maxTextBytes = 256 * 1024;

/** The pasted text as an attachment, if it is long. Undefined for one that belongs into the message box. */
export function longPastedText(data: DataTransfer | null): Attachment | undefined {
  const text = data?.getData("text/plain").replace(/\r\n?/g, "\n") ?? "";
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length < longLines && text.length < longCharacters) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxTextBytes) return undefined;
  const label =
    lines.length === 1 ? t("Pasted text (1 line)") : t("Pasted text ({0} lines)", formatCount(lines.length));
  return {
    id: crypto.randomUUID(),
    kind: "text",
    label,
    bytes,
    source: { type: "text", text },
  };
}

const isFileUri = (uri: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\//i.test(uri) && !/^(?:https?|data|blob|mailto|javascript):/i.test(uri);

function jsonStrings(text: string): readonly string[] {
  if (text === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(item => typeof item === "string") : [];
  } catch {
    // Data of another program with the same type name: it contains no files.
    return [];
  }
}

/** An attachment with the data of the file, or a message why the file cannot be attached. */
export async function readAttachment(
  file: File,
  accepts: ViewHead["accepts"],
  agent: string,
): Promise<{ readonly attachment: Attachment } | { readonly refused: string }> {
  const kind = file.type.startsWith("image/") ? "image" : file.type.startsWith("audio/") ? "audio" : undefined;
  const name = file.name;
  // Other files are refused, because agents work with paths and a `File` has none.
  if (
    kind === undefined ||
    (kind === "audio" && !accepts?.audio) ||
    (kind === "image" && !imageMimeTypes.has(file.type))
  ) {
    return {
      refused:
        kind === "audio"
          ? t("{0} does not support audio, so {1} was not attached.", agent, name)
          : t(
              "{0} was not attached. Only images can be attached without a path. For workspace files, use “Add to Chat” in the Explorer.",
              name,
            ),
    };
  }
  if (kind === "image" && accepts?.image === false) {
    return { refused: t("{0} does not support images, so {1} was not attached.", agent, name) };
  }
  if (file.size > maxMediaBytes) {
    const maxSize = formatSize(maxMediaBytes);
    return {
      refused: t(
        "{0} is too large to attach: its size is {1}, and the limit is {2}.",
        name,
        formatSize(file.size),
        maxSize,
      ),
    };
  }
  try {
    const data = await readBase64(file);
    const label = name === "image.png" ? t("Pasted image") : name;
    const source = { type: "data", mimeType: file.type, data } as const;
    return { attachment: { id: crypto.randomUUID(), kind, label, bytes: file.size, source } };
  } catch {
    return { refused: t("Could not read {0}, so it was not attached.", name) };
  }
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error(t("Could not read the file.")));
    reader.readAsDataURL(file);
  });
}
