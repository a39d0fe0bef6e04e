// The agents of the registry that Parley has installed in this profile: a record for each, and the folders of archives.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { asError, isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import {
  isAnything,
  isFiniteNumber,
  isListOf,
  isOneOf,
  isRecord,
  isRecordWith,
  isString,
  optional,
  type TypeOf,
  type Validator,
} from "../base/validators.ts";
import { RecordFiles } from "../files/recordFiles.ts";
import { archiveLimits, entryNameFault, type ArchiveLimits } from "./archiveEntry.ts";
import { shownStart, type Distribution } from "./distribution.ts";
import { downloadFile } from "./download.ts";
import { settingEntry } from "./installPlan.ts";
import { isAgentId, type RegistryAgent } from "./registryAgent.ts";
import { unpackInThread } from "./unpackInThread.ts";

/** The name of a folder beside those of other versions. Never a path: a record must not name what is removed elsewhere. */
const isFolderName: Validator<string> = (value): value is string =>
  isString(value) && /^\w[\w.+-]{0,99}$/.test(value) && !value.includes("..") && entryNameFault(value) === undefined;
const isEnvironment: Validator<Readonly<Record<string, string>>> = (value): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(isString);

const start = { command: isString, args: isListOf(isString), env: isEnvironment };
const versionFields = {
  version: isString,
  type: isOneOf("npx", "uvx", "binary"),
  /** The start as it is shown: the program of an archive by its path in the archive. */
  shown: isRecordWith(start),
  /** What Parley wrote to `parley.agents`. */
  entry: isRecordWith({ ...start, name: isString, description: optional(isString), startTimeout: isFiniteNumber }),
  /** The folder of the archive. */
  folder: optional(isFolderName),
};
const isVersion = isRecordWith(versionFields);
const isInstalled = isRecordWith({
  id: isAgentId,
  ...versionFields,
  /** The version that worked before, to roll back to. */
  previous: optional(isVersion),
  /** The user's entry of `parley.agents` that the agent replaced, or `false`. Undefined without one. */
  before: isAnything,
});

/** A version of an agent on this machine. */
export type InstalledVersion = TypeOf<typeof isVersion>;
/** An installed agent. */
export type InstalledAgent = TypeOf<typeof isInstalled>;

/** What an installation does, with the bytes of a download. */
export interface InstallProgress {
  readonly phase: "download" | "unpack" | "check";
  readonly bytes?: number;
  readonly total?: number;
  /** A line that the agent, or what downloads it, prints while it is checked. */
  readonly output?: string;
}

export interface InstallRun {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: InstallProgress) => void;
}

export interface InstalledAgentsOptions {
  readonly folder: string;
  /** The script of the thread that unpacks. */
  readonly unpackScript: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: ArchiveLimits;
  /** Of an archive (bytes). */
  readonly maxDownload?: number;
  /** Of a server (ms). */
  readonly maxSilence?: number;
}

const usualMaxDownload = 700_000_000;
const usualMaxSilence = 30_000;
/** Of files that no record names (ms). */
const maxLeftoverAge = 24 * 60 * 60 * 1000;

export class InstalledAgents {
  readonly #options: InstalledAgentsOptions;
  readonly #records: RecordFiles<InstalledAgent>;

  constructor(options: InstalledAgentsOptions) {
    this.#options = options;
    const { folder, log } = options;
    this.#records = new RecordFiles({
      folder: join(folder, "records"),
      isRecord: isInstalled,
      keyOf: ({ id }) => id,
      log,
    });
  }

  /** The installed agents by their ids. Damaged records are left out and logged. */
  async read(): Promise<ReadonlyMap<string, InstalledAgent>> {
    return new Map((await this.#records.read()).map(record => [record.id, record]));
  }

  /** Stores a record. */
  write(record: InstalledAgent): Promise<void> {
    return this.#records.write(record);
  }

  /**
   * Puts a version into a new folder, and checks its checksum if the registry has one. A package needs no folder. Nothing
   * of the version runs. Rejects with a sentence and leaves nothing behind.
   */
  async prepare(agent: RegistryAgent, distribution: Distribution, run: InstallRun): Promise<InstalledVersion> {
    const { type } = distribution;
    const common = { version: agent.version, type, shown: shownStart(distribution) };
    if (distribution.type !== "binary") return { ...common, entry: settingEntry(agent, distribution, undefined) };
    const folder = `${agent.version}-${randomBytes(4).toString("hex")}`;
    const path = this.#path(agent.id, folder);
    try {
      await this.#unpack(distribution, path, run);
    } catch (error) {
      await this.#removeFolder(path);
      throw error;
    }
    return { ...common, entry: settingEntry(agent, distribution, join(path, ...distribution.cmd.split("/"))), folder };
  }

  async #unpack(
    { archive, archiveKind, cmd, sha256 }: Distribution & { readonly type: "binary" },
    folder: string,
    { signal, onProgress }: InstallRun,
  ): Promise<void> {
    const { clock, unpackScript, limits = archiveLimits } = this.#options;
    const file = `${folder}.part`;
    await mkdir(join(folder, ".."), { recursive: true });
    try {
      onProgress({ phase: "download" });
      const digest = await downloadFile(archive, file, {
        maxBytes: this.#options.maxDownload ?? usualMaxDownload,
        maxSilence: this.#options.maxSilence ?? usualMaxSilence,
        ...{ clock, signal },
        onProgress: (bytes, total) => onProgress({ phase: "download", bytes, ...(total !== undefined && { total }) }),
      });
      if (sha256 !== undefined && sha256 !== digest)
        throw new Error(
          t("The archive was refused: its checksum is not that of the registry. It is damaged, or someone changed it."),
        );
      onProgress({ phase: "unpack" });
      await unpackInThread(unpackScript, { archive: file, kind: archiveKind, folder, program: cmd, limits }, signal);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Rejects with a sentence if the program of the version is no longer there. What npx and uvx download is not checked. */
  async assertPresent(id: string, { version, entry, folder }: InstalledVersion): Promise<void> {
    if (folder === undefined) return;
    const program = await stat(entry.command).catch((error: unknown) => {
      if (isNotFoundError(error)) return undefined;
      throw error;
    });
    if (!program?.isFile() || !entry.command.startsWith(this.#path(id, folder)))
      throw new Error(t("The program of version {0} is missing. Install the agent again.", version));
  }

  /** Removes the folder of a version that is not used. */
  async discard(id: string, version: InstalledVersion | undefined): Promise<void> {
    if (version?.folder !== undefined) await this.#removeFolder(this.#path(id, version.folder));
  }

  /**
   * Removes what a window that ended during an installation has left in the folder of the agent: what its record does not
   * name, and is older than a day. Another window can be about to use what is newer.
   */
  async removeLeftovers(id: string): Promise<void> {
    const record = (await this.read()).get(id);
    const used = [record?.folder, record?.previous?.folder];
    const names = await readdir(this.#versions(id)).catch((error: unknown) => {
      if (!isNotFoundError(error)) this.#options.log.warn("Leftovers could not be removed.", asError(error).message);
      return [];
    });
    for (const name of names.filter(each => !used.includes(each))) {
      const path = join(this.#versions(id), name);
      const time = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Infinity, // It was removed meanwhile.
      );
      if (time < this.#options.clock.now() - maxLeftoverAge) await this.#removeFolder(path);
    }
  }

  /** Removes the record of an agent and the folders of all its versions. */
  async remove(id: string): Promise<void> {
    if (!isAgentId(id)) throw new Error(t("Its ID is not valid."));
    await this.#records.remove(id);
    await this.#removeFolder(this.#versions(id));
  }

  #path(id: string, folder: string): string {
    if (!isAgentId(id) || !isFolderName(folder)) throw new Error(t("Its ID is not valid."));
    return join(this.#versions(id), folder);
  }

  /** The folder of the versions of an agent. It is not beside the records, because an ID can be any word. */
  #versions(id: string): string {
    return join(this.#options.folder, "versions", id);
  }

  /** On Windows, a program that still runs cannot be removed. Its folder is then only logged: it harms nothing. */
  async #removeFolder(path: string): Promise<void> {
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      this.#options.log.warn(`${path} could not be removed.`, asError(error).message);
    }
  }
}
