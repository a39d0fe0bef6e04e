// What is pasted or dropped: files of the editor by their addresses, pictures and sounds by their data.
import type { Attachment, ViewHead } from "../../src/panel/protocol.ts";
import { formatSize, t } from "../base/l10n.ts";

/** Bytes of the largest picture or sound: models refuse what is larger than 5 MB in base64. */
export const maxMediaBytes = 3_900_000;

const imageMimeTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** How the editor and the system name what is dragged; the browser writes them in lower case. */
const uriListTypes = ["application/vnd.code.uri-list", "text/uri-list"];
const otherFileTypes = ["resourceurls", "files"];

/** Whether something dragged can be dropped here. Its contents are not known before it is dropped. */
export const carriesFiles = (data: DataTransfer | null): boolean =>
  data?.types.some(type => uriListTypes.includes(type.toLowerCase()) || otherFileTypes.includes(type.toLowerCase())) ??
  false;

/** The addresses of files among what is dropped; links into the web are none. */
export function fileUris(data: DataTransfer): readonly string[] {
  const found = uriListTypes.flatMap(type => data.getData(type).split(/\r?\n/));
  const uris = [...found, ...jsonStrings(data.getData("resourceurls"))].map(line => line.trim());
  return [...new Set(uris.filter(uri => uri !== "" && !uri.startsWith("#") && isFileUri(uri)))];
}

const isFileUri = (uri: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\//i.test(uri) && !/^(?:https?|data|blob|mailto|javascript):/i.test(uri);

function jsonStrings(text: string): readonly string[] {
  if (text === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(item => typeof item === "string") : [];
  } catch {
    // Some other program's data of the same name: it names no files.
    return [];
  }
}

/** A file by its data, or the sentence that says why it cannot be attached. */
export async function readAttachment(
  file: File,
  accepts: ViewHead["accepts"],
  agent: string,
): Promise<{ readonly attachment: Attachment } | { readonly refused: string }> {
  const kind = file.type.startsWith("image/") ? "image" : file.type.startsWith("audio/") ? "audio" : undefined;
  const name = file.name;
  // What only has data has no path, and an agent works with paths.
  if (
    kind === undefined ||
    (kind === "audio" && !accepts?.audio) ||
    (kind === "image" && !imageMimeTypes.has(file.type))
  ) {
    return {
      refused:
        kind === "audio"
          ? t("{0} takes no audio, so {1} was not attached.", agent, name)
          : t(
              "{0} was not attached: only pictures can be given by their data. Use “Add to Chat” in the Explorer for files of the workspace.",
              name,
            ),
    };
  }
  if (kind === "image" && accepts?.image === false) {
    return { refused: t("{0} takes no images, so {1} was not attached.", agent, name) };
  }
  if (file.size > maxMediaBytes) {
    const maxSize = formatSize(maxMediaBytes);
    return {
      refused: t(
        "{0} is too large to attach: it has {1}, and at most {2} can be sent.",
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
    return { refused: t("{0} could not be read, so it was not attached.", name) };
  }
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}
