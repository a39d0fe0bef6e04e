// The index of the registry, from the network or from the file of the last answer, and the icons of its agents.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { asError, isNotFoundError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import { isFiniteNumber, isRecordWith, isString, optional, type TypeOf } from "../base/validators.ts";
import { checkStatus, download, downloadText, textOf, type DownloadOptions } from "./download.ts";
import { plainIcon } from "../base/plainIcon.ts";
import { readIndex, type IndexSource } from "./readIndex.ts";
import type { RegistryIndex } from "./registryAgent.ts";

const isCachedIndex = isRecordWith({
  address: isString,
  etag: optional(isString),
  text: isString,
  /** When the server confirmed it last, ms since the epoch. */
  time: isFiniteNumber,
});
type CachedIndex = TypeOf<typeof isCachedIndex>;

/** The index of a registry, as it is now or as it was last. */
export interface IndexAnswer {
  readonly index: RegistryIndex;
  /** When the server confirmed it last (ms since the epoch). */
  readonly time: number;
  /** Why it is an earlier answer. */
  readonly offline?: string;
}

/** The public index has less than a megabyte. */
const maxIndexBytes = 10_000_000;
/** Of one icon (bytes). */
const maxIconBytes = 32_000;
const maxIcons = 300;
/** Of a server (ms). */
const maxSilence = 10_000;
/** Icons that are downloaded at the same time. */
const maxDownloads = 8;

export interface RegistryCacheOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class RegistryCache {
  readonly #options: RegistryCacheOptions;

  constructor(options: RegistryCacheOptions) {
    this.#options = options;
  }

  /**
   * The index of this source. The server sends it again only if it has changed. Without the server, the last answer of
   * its address. Rejects with a sentence if there is neither. An answer that is no index does not replace an earlier one.
   */
  async read(source: IndexSource, signal: AbortSignal): Promise<IndexAnswer> {
    const { address } = source;
    const cached = await this.#cached(address);
    try {
      const next = await this.#download(address, cached, signal);
      const index = readIndex(next.text, source);
      await this.#store(next);
      return { index, time: next.time };
    } catch (error) {
      signal.throwIfAborted();
      if (!cached) throw error;
      const reason = asError(error).message;
      this.#options.log.warn(`The index of ${address} could not be read.`, reason);
      return { index: readIndex(cached.text, source), time: cached.time, offline: reason };
    }
  }

  #download(address: string, cached: CachedIndex | undefined, signal: AbortSignal): Promise<CachedIndex> {
    const { clock } = this.#options;
    const etag = cached?.etag;
    const headers = { accept: "application/json", ...(etag !== undefined && { "if-none-match": etag }) };
    const options = { maxBytes: maxIndexBytes, maxSilence, clock, signal, headers };
    return download(address, options, async answer => {
      const time = clock.now();
      if (answer.status === 304 && cached) return { ...cached, time };
      checkStatus(answer.status, address);
      const text = await textOf(answer.body);
      return { address, text, time, ...(answer.etag !== undefined && { etag: answer.etag }) };
    });
  }

  get #indexFile(): string {
    return join(this.#options.folder, "index.json");
  }

  async #cached(address: string): Promise<CachedIndex | undefined> {
    try {
      const cached: unknown = JSON.parse(await readFile(this.#indexFile, "utf8"));
      return isCachedIndex(cached) && cached.address === address ? cached : undefined;
    } catch (error) {
      if (!isNotFoundError(error)) this.#options.log.warn("The cached index is damaged.", asError(error).message);
      return undefined;
    }
  }

  async #store(index: CachedIndex): Promise<void> {
    try {
      await this.#write("index.json", JSON.stringify(index));
    } catch (error) {
      // The next start without a network lacks the index.
      this.#options.log.warn("The index could not be stored.", asError(error).message);
    }
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#options.folder, name);
    await mkdir(this.#options.folder, { recursive: true });
    const temporaryFile = `${path}.${process.pid}.tmp`;
    await writeFile(temporaryFile, text, "utf8");
    await rename(temporaryFile, path);
  }

  /**
   * The SVG texts of the icons, by their addresses. Icons that are missing, too large or not plain are left out. Resolves with those
   * that were found when the signal aborts. Never rejects.
   */
  async icons(addresses: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const { clock, log } = this.#options;
    await forEachLimited([...new Set(addresses)].slice(0, maxIcons), maxDownloads, async address => {
      const name = `icon-${createHash("sha256").update(address).digest("hex").slice(0, 32)}.svg`;
      const options: DownloadOptions = { maxBytes: maxIconBytes, maxSilence, clock, signal };
      try {
        const stored = await readFile(join(this.#options.folder, name), "utf8").catch(() => undefined);
        const text = stored ?? (await downloadText(address, options));
        const icon = plainIcon(text);
        if (icon === undefined) return;
        found.set(address, icon);
        if (stored === undefined) await this.#write(name, icon);
      } catch (error) {
        if (!signal.aborted) log.debug(`The icon ${address} could not be read.`, asError(error).message);
      }
    });
    return found;
  }
}
