// Data stored by earlier builds, from test/support/data/stored, with a folder of the test in place of `$workspace`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { View } from "../../../src/panel/protocol.ts";
import type { HeadInputs } from "../../../src/panel/headParts.ts";
import { WholeProjector } from "./wholeViews.ts";
import type { LoggedEvent } from "../../../src/session/events.ts";
import { reduce } from "../../../src/session/reduce.ts";
import type { LogStorage, LogFile } from "../../../src/session/log/sessionStore.ts";
import { emptySession } from "../../../src/session/state.ts";
import { emptyHead } from "./heads.ts";

/** The stored data, in the layout of the extension's storage folder. */
export const storedFolder = join("test", "support", "data", "stored");
/** A session that was recorded in a real window. */
export const recordedSession = "b0bed00d-9fc4-4d71-bd4b-e72fea9be759";
/** A session with an event of every type. */
export const everyEvent = "every-event";

/** The text of a stored file. */
export function storedText(name: string, workspace = "/home/ada/app"): string {
  return readFileSync(join(storedFolder, name), "utf8").replaceAll("$workspace", workspace);
}

/** An in-memory storage with these initial texts. */
export class StoredFiles implements LogStorage {
  readonly texts: Map<string, string>;

  /** A map is used as it is, so that a test can read and change it. */
  constructor(texts: Readonly<Record<string, string>> | Map<string, string>) {
    this.texts = texts instanceof Map ? texts : new Map(Object.entries(texts));
  }
  async append(name: string, text: string): Promise<void> {
    this.texts.set(name, (this.texts.get(name) ?? "") + text);
  }
  async write(name: string, text: string): Promise<void> {
    this.texts.set(name, text);
  }
  async read(name: string): Promise<string | undefined> {
    return this.texts.get(name);
  }
  async readSlice(name: string, from: number, length: number): Promise<Buffer | undefined> {
    const text = this.texts.get(name);
    return text === undefined ? undefined : Buffer.from(text).subarray(from, from + length);
  }
  async size(name: string): Promise<number | undefined> {
    const text = this.texts.get(name);
    return text === undefined ? undefined : Buffer.byteLength(text);
  }
  async list(): Promise<readonly LogFile[]> {
    return [...this.texts].map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }));
  }
  async rename(from: string, to: string): Promise<boolean> {
    const text = this.texts.get(from);
    if (text === undefined) return false;
    this.texts.delete(from);
    this.texts.set(to, text);
    return true;
  }
  async remove(name: string): Promise<void> {
    this.texts.delete(name);
  }
}

/** The view after each event of a log. */
export function viewsOf(log: readonly LoggedEvent[], more: Partial<HeadInputs> = {}): readonly View[] {
  const around: HeadInputs = { ...emptyHead, ...more };
  const projector = new WholeProjector();
  let state = emptySession;
  return log.map(logged => {
    state = reduce(state, logged);
    return projector.project(state, around);
  });
}
