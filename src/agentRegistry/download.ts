// Downloads over `fetch`, which VS Code gives its proxy and certificates. The size, the silence and the redirects of a
// server are limited, and each redirect is checked like an address of its own.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock } from "../base/log.ts";
import { isRecord } from "../base/validators.ts";
import { checkedAddress } from "./secureAddress.ts";

export interface DownloadOptions {
  /** Of the body, unpacked if the server packs it (bytes). */
  readonly maxBytes: number;
  /** A server that sends nothing for this long is given up (ms). */
  readonly maxSilence: number;
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the bytes that have arrived, and with the total if the server names it. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
}

/** What the server answered. `body` can be read once. */
export interface DownloadAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

const maxRedirects = 5;

/** The answer to a request, after redirects. `read` gets it while the limits apply. Rejects with a sentence. */
export async function download<T>(
  address: string,
  options: DownloadOptions,
  read: (answer: DownloadAnswer) => Promise<T>,
): Promise<T> {
  const { signal, clock, maxSilence } = options;
  const stop = new AbortController();
  const url = checkedAddress(address);
  const { host } = url;
  const onAbort = (): void => stop.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  let timer = { dispose: (): void => {} };
  const wait = (): void => {
    timer.dispose();
    timer = clock.after(maxSilence, () => stop.abort(new Error(t("{0} sends nothing.", host))));
  };
  try {
    wait();
    const response = await request(url, { ...options, signal: stop.signal });
    const etag = response.headers.get("etag") ?? undefined;
    return await read({ status: response.status, etag, body: limitedBody(response, { ...options, host, wait }) });
  } catch (error) {
    if (stop.signal.aborted) throw asError(stop.signal.reason);
    throw described(error, host);
  } finally {
    timer.dispose();
    signal.removeEventListener("abort", onAbort);
    // Ends the connection of a body that was not read to its end.
    stop.abort();
  }
}

async function request(
  first: URL,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const next = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || next === null) return response;
    await response.body?.cancel();
    url = checkedAddress(next, url.href);
  }
  throw new Error(t("{0} redirects too often.", first.host));
}

async function* limitedBody(
  { body, headers }: Response,
  {
    host,
    wait,
    maxBytes,
    onProgress,
  }: Pick<DownloadOptions, "maxBytes" | "onProgress"> & { readonly host: string; readonly wait: () => void },
): AsyncGenerator<Uint8Array> {
  const isPacked = headers.has("content-encoding");
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const tooLarge = (): Error => new Error(t("{0} sends more than {1} MB.", host, Math.ceil(maxBytes / 1_000_000)));
  if (length > maxBytes) throw tooLarge();
  const total = isPacked || Number.isNaN(length) ? undefined : length;
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    wait();
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    onProgress?.(bytes, total);
    yield chunk;
  }
  if (total !== undefined && bytes < total) throw new Error(t("{0} ended the download too early.", host));
}

/** An error of `fetch` names its reason only in its cause. */
function described(thrown: unknown, host: string): Error {
  const error = asError(thrown);
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  const cause = asError(error.cause);
  const code = isRecord(error.cause) && typeof error.cause["code"] === "string" ? error.cause["code"] : undefined;
  return new Error(t("{0} could not be reached ({1}).", host, code ?? cause.message), { cause: error });
}

/** The text of a web address. Rejects with a sentence, also if the server answers with an error. */
export function downloadText(address: string, options: DownloadOptions): Promise<string> {
  return download(address, options, async ({ status, body }) => {
    checkStatus(status, address);
    return textOf(body);
  });
}

/** The whole body as a text. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Throws a sentence if the server answered with an error. */
export function checkStatus(status: number, address: string): void {
  if (status < 200 || status > 299) throw new Error(t("{0} answered with status {1}.", new URL(address).host, status));
}

/** Downloads to a new file. Resolves with the SHA-256 of its content. Rejects with a sentence. */
export function downloadFile(address: string, path: string, options: DownloadOptions): Promise<string> {
  return download(address, options, async ({ status, body }) => {
    checkStatus(status, address);
    const hash = createHash("sha256");
    const hashed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(hashed, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    return hash.digest("hex");
  });
}
