// Data stored by earlier builds, from test/support/data/stored, with a folder of the test in place of `$workspace`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { View } from "../../../src/panel/protocol.ts";
import type { WindowState } from "../../../src/panel/projection/projector.ts";
import { WholeProjector } from "./wholeViews.ts";
import type { LoggedEvent } from "../../../src/session/events.ts";
import { reduce } from "../../../src/session/reduce.ts";
import type { TextStorage } from "../../../src/session/log/sessionStore.ts";
import { emptySession } from "../../../src/session/state.ts";

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
export class StoredFiles implements TextStorage {
  readonly texts: Map<string, string>;

  constructor(texts: Readonly<Record<string, string>>) {
    this.texts = new Map(Object.entries(texts));
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
}

/** The view after each event of a log. */
export function viewsOf(log: readonly LoggedEvent[], more: Partial<WindowState> = {}): readonly View[] {
  const around: WindowState = { agents: [], chosenAgent: null, problem: null, sendKey: "enter", ...more };
  const projector = new WholeProjector();
  let state = emptySession;
  return log.map(logged => {
    state = reduce(state, logged);
    return projector.project(state, around);
  });
}
