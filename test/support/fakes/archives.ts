// Archives for tests, also such as no program makes: with any names, links and sizes.
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { pack, type Headers } from "tar-stream";

/** A file of an archive, or what its fields say. */
export interface PackedEntry extends Partial<Omit<Headers, "name">> {
  readonly name: string;
  readonly content?: string | Buffer;
}

/** A tar archive. */
export async function tarOf(entries: readonly PackedEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = "", ...header } of entries) archive.entry(header, content as Buffer);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A tar.gz archive. */
export const tarGzOf = async (entries: readonly PackedEntry[]): Promise<Buffer> => gzipSync(await tarOf(entries));

/** An entry of a zip archive. `mode` has the type of the file, as in `st_mode`. */
export interface ZippedEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly mode?: number;
  /** The size that the archive claims for the file. */
  readonly size?: number;
  readonly isEncrypted?: boolean;
}

/** A zip archive. */
export function zipOf(entries: readonly ZippedEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = "", mode = 0o100644, size, isEncrypted } of entries) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800 | (isEncrypted === true ? 1 : 0), 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? plain.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, rest, path]));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
}

/** A tar.bz2 with the files `agent/run`, which is executable, and `agent/data.txt`. */
export const bzippedAgent = Buffer.from(
  "QlpoOTFBWSZTWXYMWkEAAKBbic6QaAH3gBCAfuHeUAAgAEAICCAAlAkomkZPUD1HpD1NNNGTR5QSigAnoEYJgABriw8FFhVERFdB" +
    "BCafUX7ECtMIR8QQUB+0EYuPfOlcYEIjwVowEd76hEnEOl+ctVx4brutsNjmVMDghFKNMkIx5Z+Ug7Ob8JH3TSk5vMm2Dysp6HIQ" +
    "8n+oR39RIP4u5IpwoSDsGLSC",
  "base64",
);

/** A tar.bz2 with 12 MB of zeros as `agent/run`. */
export const bzippedBomb = Buffer.from(
  "QlpoMTFBWSZTWQXPU7QAnDtbgMiAQADngACAYoEeAAAIIAB1CU01QNDEGgKVQmQGgaep72YlAqNAQVHb7ltrlzz1CAiIBQsUZD5k" +
    "C7CUixSyV8nKzaK7++fYz404x+x3VAqP5igrJMprL9ZIeIABoJgAGAAAAQQABBSBBpUFRiVBUcxQVkmU1nXNjUSAA3pwADAACAII" +
    "AAwzAmqaYpBNqpIJ4u5IpwoSB63/iUA=",
  "base64",
);
