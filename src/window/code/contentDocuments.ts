// Texts, images and other files that agents sent in the conversation, as read-only files for any editor. Texts have no
// secret that Parley knows.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import { contentAt } from "../../panel/projection/contentParts.ts";
import type { ContentBlock } from "../../session/events.ts";
import type { SessionState } from "../../session/state.ts";

/** The number of files that stay readable for open editors. The oldest is dropped first. */
const maxFiles = 50;

interface ContentFile {
  readonly name: string;
  readonly bytes: () => Uint8Array;
}

export class ContentDocuments implements vscode.FileSystemProvider, Disposable {
  readonly #files = new Map<string, ContentFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration: vscode.Disposable;
  #count = 0;

  readonly #scheme: string;

  constructor(scheme = "parley-content") {
    this.#scheme = scheme;
    this.#registration = vscode.workspace.registerFileSystemProvider(scheme, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  /** Opens the content block at `part` of an entry in the editor for its type. Rejects if there is no such block. */
  async open(state: SessionState, entry: string, part: number): Promise<void> {
    const { name, bytes } = contentFile(state, entry, part);
    await vscode.commands.executeCommand("vscode.open", this.add(name, bytes), { preview: true });
  }

  /** Asks for a file and writes the content block there. */
  async save(state: SessionState, entry: string, part: number): Promise<void> {
    const { name, bytes } = contentFile(state, entry, part);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog(
      folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : { title: name },
    );
    if (!target) return;
    try {
      await vscode.workspace.fs.writeFile(target, bytes());
    } catch (error) {
      throw new Error(vscode.l10n.t("{0} could not be saved: {1}", name, asError(error).message), { cause: error });
    }
  }

  /** Adds a read-only file with this name. */
  add(name: string, bytes: () => Uint8Array): vscode.Uri {
    const key = `${++this.#count}`;
    this.#files.set(key, { name, bytes });
    for (const old of this.#files.keys()) {
      if (this.#files.size <= maxFiles) break;
      this.#files.delete(old);
    }
    return vscode.Uri.from({ scheme: this.#scheme, path: `/${key}/${name}` });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.#find(uri).bytes().length };
  }
  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes();
  }
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }
  readDirectory(): [string, vscode.FileType][] {
    return [];
  }
  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #find(uri: vscode.Uri): ContentFile {
    const [, key = "", name] = uri.path.split("/");
    const kept = this.#files.get(key);
    if (kept?.name !== name) throw vscode.FileSystemError.FileNotFound(uri);
    return kept as ContentFile;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
    this.#files.clear();
  }
}

function contentFile(state: SessionState, entry: string, part: number): ContentFile {
  const block = contentAt(state, entry, part);
  const bytes = block && bytesOf(block);
  if (!block || !bytes) throw new Error(vscode.l10n.t("This content is no longer part of the conversation."));
  return { name: contentFileName(block), bytes };
}

function bytesOf(block: ContentBlock): (() => Uint8Array) | undefined {
  switch (block.type) {
    case "text":
      return () => Buffer.from(maskKnownSecrets(block.text));
    case "image":
    case "audio":
      return () => Buffer.from(block.data, "base64");
    case "resource": {
      const { text, blob = "" } = block;
      return () => (text === undefined ? Buffer.from(blob, "base64") : Buffer.from(maskKnownSecrets(text)));
    }
    default:
      return undefined;
  }
}

const extensionsBySubtype: Readonly<Record<string, string>> = {
  "svg+xml": "svg",
  mpeg: "mp3",
  "x-wav": "wav",
  plain: "txt",
  markdown: "md",
};

/** A file name by which VS Code chooses the editor: the agent's, with an extension by MIME type if it has none. */
function contentFileName(block: ContentBlock): string {
  if (block.type === "text") return "text.md";
  const uri = "uri" in block ? (block.uri ?? "") : "";
  const mimeType = "mimeType" in block ? (block.mimeType ?? "") : "";
  // Only the last segment of the path, without the characters that some file systems do not allow.
  const lastSegment =
    uri
      .replace(/[?#].*/s, "")
      .split(/[\\/:]/)
      .at(-1) ?? "";
  const name =
    [...lastSegment]
      .filter(char => char >= " " && !'<>"|*'.includes(char))
      .join("")
      .slice(-100) || block.type;
  if (/\.\w+$/.test(name)) return name;
  const kind = /^\w+\/([\w.+-]+)/.exec(mimeType)?.[1] ?? "";
  return kind === "" ? name : `${name}.${extensionsBySubtype[kind] ?? kind}`;
}
