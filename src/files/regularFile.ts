// Reads files whose names come from others: never waits for a pipe or a device, and reads a bounded number of bytes.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { hostPlatform } from "../base/platform.ts";

/** Windows has no flag for pipes. */
const readOnly = constants.O_RDONLY | (hostPlatform === "windows" ? 0 : constants.O_NONBLOCK);

/** The bytes of the file, and their digest. Rejects if it is no file, has more than `maxSize` bytes, or cannot be read. */
export async function readRegularFile(
  path: string,
  maxSize: number,
): Promise<{ readonly bytes: Uint8Array; readonly digest: string }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(path, maxSize)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}

/** The digest of the file and its size. Rejects as {@link readRegularFile}. */
export async function digestRegularFile(
  path: string,
  maxSize: number,
): Promise<{ readonly digest: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of chunksOf(path, maxSize)) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { digest: hash.digest("hex"), size };
}

/** The first `size` bytes of the file, or all of them. Rejects if it is no file or cannot be read. */
export async function readRegularFileStart(path: string, size: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of chunksOf(path, Infinity)) {
    chunks.push(chunk);
    total += chunk.length;
    if (total >= size) break;
  }
  return Buffer.concat(chunks).subarray(0, size);
}

async function* chunksOf(path: string, maxSize: number): AsyncGenerator<Uint8Array> {
  // Checked before it is opened, because opening a device can have effects.
  if (!(await stat(path)).isFile()) throw new Error("it is not a file");
  const file = await open(path, readOnly);
  try {
    // Another file may have taken its name meanwhile.
    if (!(await file.stat()).isFile()) throw new Error("it is not a file");
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxSize) throw new Error(`it has more than ${maxSize / 1_000_000} MB`);
      yield chunk;
    }
  } finally {
    await file.close();
  }
}
