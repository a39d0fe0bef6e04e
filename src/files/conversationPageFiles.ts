// The files with the pages of long conversations, in Parley's own storage: a folder for each session. An agent may read the
// pages of its session although they are outside of the workspace, and nothing else there.
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import type { PageStore } from "../session/conversation/conversationPages.ts";
import type { Gate } from "./gate.ts";

/** Pages of a session that is not known can belong to a session that another window has just begun (ms). */
const minUnknownAge = 24 * 60 * 60 * 1000;

const pageName = /^[a-z-]+-page-\d+-of-\d+\.md$/;

export class ConversationPageFiles {
  readonly #root: string;

  /** @param root the folder with the folders of the sessions. It need not exist. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The pages of the session. */
  of(session: string): PageStore {
    return { write: (name, pages) => this.#write(session, name, pages) };
  }

  async #write(session: string, name: string, pages: readonly string[]): Promise<readonly string[]> {
    const folder = join(this.#root, session);
    await mkdir(folder, { recursive: true });
    const names = pages.map((_, at) => `${name}-page-${at + 1}-of-${pages.length}.md`);
    for (const [at, text] of pages.entries()) {
      const path = join(folder, names[at] ?? "");
      // An agent never reads a part of a page.
      const temporaryFile = `${path}.${process.pid}.tmp`;
      await writeFile(temporaryFile, text, "utf8");
      await rename(temporaryFile, path);
    }
    for (const old of await readdir(folder))
      if (old.startsWith(`${name}-page-`) && !names.includes(old)) await rm(join(folder, old), { force: true });
    return names.map(each => join(folder, each));
  }

  /** The gate, for which the pages of the session are inside the session's folders if the agent reads them. */
  readableIn(session: string, gate: Gate): Gate {
    return {
      admit: async (request, signal) => {
        const { operation, located } = request;
        const isPage = operation === "read" && !located.inside && (await this.#isPage(session, located.path));
        return gate.admit(isPage ? { ...request, located: { ...located, inside: true } } : request, signal);
      },
    };
  }

  /** Whether a path without links is a page of the session. */
  async #isPage(session: string, path: string): Promise<boolean> {
    if (!pageName.test(basename(path)) || basename(dirname(path)) !== session) return false;
    const root = await unlessMissing(realpath(this.#root));
    return root !== undefined && dirname(dirname(path)) === root && (await unlessMissing(realpath(path))) === path;
  }

  /** Removes the pages of sessions that are neither known nor new. `now`: ms since the epoch. */
  async removeUnknown(known: ReadonlySet<string>, now: number): Promise<void> {
    for (const session of (await unlessMissing(readdir(this.#root))) ?? []) {
      if (known.has(session)) continue;
      const folder = join(this.#root, session);
      const info = await unlessMissing(stat(folder));
      if (info && now - info.mtimeMs >= minUnknownAge) await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Undefined if the file or folder does not exist. */
async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isNotFoundError(error)) return undefined;
    throw error;
  }
}
