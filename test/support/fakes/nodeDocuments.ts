// The Documents port on the file system alone, like an editor in which no document is open.
import { createReadStream } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Refusal, errorCodeOf } from "../../../src/base/errors.ts";
import { readLines } from "../../../src/files/lineWindow.ts";
import { quotePath } from "../../../src/base/text.ts";
import type { Documents, FileStat, LineWindow } from "../../../src/files/ports.ts";
import type { WriteResult } from "../../../src/session/agent.ts";

export class NodeDocuments implements Documents {
  /** Unsaved text of the user, by path. */
  readonly unsaved = new Map<string, string>();

  async stat(path: string): Promise<FileStat> {
    const typed = this.unsaved.get(path);
    if (typed !== undefined) return { kind: "file", size: typed.length, unsaved: true };
    try {
      const found = await stat(path);
      const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
      return { kind, size: found.size, unsaved: false };
    } catch (thrown) {
      if (errorCodeOf(thrown) !== "ENOENT" && errorCodeOf(thrown) !== "ENOTDIR") throw thrown;
      return { kind: "missing", size: 0, unsaved: false };
    }
  }

  async read(path: string): Promise<string> {
    const typed = this.unsaved.get(path);
    if (typed !== undefined) return typed;
    const bytes = await readFile(path);
    if (bytes.includes(0)) throw new Refusal("invalid", `${quotePath(path)} is binary, not text.`, { path });
    return new TextDecoder().decode(bytes);
  }

  readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string> {
    return readLines(createReadStream(path), window, maxBytes);
  }

  async userEdits(): Promise<number> {
    return 0;
  }

  async write(path: string, content: string): Promise<WriteResult> {
    if (this.unsaved.has(path)) {
      this.unsaved.set(path, content);
      return { saved: false };
    }
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return { saved: true };
  }
}
