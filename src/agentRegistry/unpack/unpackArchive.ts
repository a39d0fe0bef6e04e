// Unpacks the archive of an agent into a new folder. The archive is read twice: first all entries are judged, and only
// then their files are written, so nothing of an archive with a single forbidden entry reaches the disk.
/// <reference path="./unbzip2.d.ts" />
import { constants, createReadStream, createWriteStream } from "node:fs";
import { chmod, copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract as createTarReader, type Headers as TarHeader } from "tar-stream";
import unbzip2 from "unbzip2-stream";
import { getFileNameLowLevel, openPromise, type Entry as ZipEntry } from "yauzl";
import { drained } from "../../base/drained.ts";
import { asError } from "../../base/errors.ts";
import { ArchiveJudge, entryPath, type ArchiveEntry, type ArchiveFault } from "../archiveEntry.ts";
import type { UnpackResult, UnpackTask } from "./unpackMessages.ts";

/** Ends the reading of an archive. */
class ArchiveFaultError extends Error {
  readonly fault: ArchiveFault;
  constructor(fault: ArchiveFault) {
    super(fault.fault);
    this.fault = fault;
  }
}

/** Gets each entry with its content, and reads the content to its end. */
type EntryReader = (entry: ArchiveEntry, content: AsyncIterable<Uint8Array>) => Promise<void>;

/** Unpacks. Rejects only if the disk fails; what is wrong with the archive is in the result. */
export async function unpackArchive(task: UnpackTask): Promise<UnpackResult> {
  try {
    const packed = (await stat(task.archive)).size;
    if (task.kind === "raw") await copyProgram(task, packed);
    else await unpackEntries(task, packed);
    return {};
  } catch (error) {
    if (error instanceof ArchiveFaultError) return { fault: error.fault };
    throw error;
  }
}

async function copyProgram({ archive, folder, program, limits }: UnpackTask, size: number): Promise<void> {
  check(size === 0 ? { fault: "empty" } : new ArchiveJudge(size, limits).addBytes(size));
  await mkdir(folder);
  const path = join(folder, ...program.split("/"));
  await mkdir(dirname(path), { recursive: true });
  await copyFile(archive, path, constants.COPYFILE_EXCL);
  await chmod(path, 0o755);
}

async function unpackEntries(task: UnpackTask, packed: number): Promise<void> {
  const files = new Set<string>();
  const judge = new ArchiveJudge(packed, task.limits);
  await eachEntry(task, packed, async (entry, content) => {
    check(judge.judge(entry));
    if (entry.kind === "file") files.add(entryPath(entry.name));
    let size = 0;
    for await (const chunk of content) size += chunk.byteLength;
    if (size !== entry.size) throw new Error(`a file has ${size} bytes, not ${entry.size}`);
  });
  check(files.size === 0 ? { fault: "empty" } : undefined);
  check(files.has(task.program) ? undefined : { fault: "noProgram", name: task.program });
  await mkdir(task.folder);
  await eachEntry(task, packed, (entry, content) => onDisk(writeEntry(task, entry, content)));
  await chmod(join(task.folder, ...task.program.split("/")), 0o755);
}

async function writeEntry(
  { folder, program }: UnpackTask,
  { name, kind, isExecutable }: ArchiveEntry,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const relative = entryPath(name);
  const path = join(folder, ...relative.split("/"));
  if (kind === "folder") return void (await mkdir(path, { recursive: true }));
  await mkdir(dirname(path), { recursive: true });
  // No other bits, such as those that give a program the rights of its owner.
  const mode = isExecutable || relative === program ? 0o755 : 0o644;
  await pipeline(content, createWriteStream(path, { flags: "wx", mode }));
}

function check(fault: ArchiveFault | undefined): void {
  if (fault) throw new ArchiveFaultError(fault);
}

/** Marks failures of the disk, which are not those of the archive. */
class DiskError extends Error {}

async function onDisk(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOfDisk = code !== undefined && /^(?:ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EMFILE|ENAMETOOLONG)$/.test(code);
    throw isOfDisk ? new DiskError(asError(error).message) : error;
  }
}

async function eachEntry(task: UnpackTask, packed: number, onEntry: EntryReader): Promise<void> {
  try {
    if (task.kind === "zip") await eachZipEntry(task.archive, onEntry);
    else await eachTarEntry(task, packed, onEntry);
  } catch (error) {
    if (error instanceof DiskError) throw error;
    if (error instanceof ArchiveFaultError) throw error;
    // The decoders of archives stumble over bytes that are missing.
    const reason = error instanceof TypeError ? "its data is cut or not valid" : asError(error).message.slice(0, 200);
    throw new ArchiveFaultError({ fault: "damaged", reason });
  }
}

async function eachZipEntry(archive: string, onEntry: EntryReader): Promise<void> {
  // The names are judged by `ArchiveJudge`, as those of other archives.
  const zip = await openPromise(archive, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      const described = zipEntry(entry);
      if (entry.isEncrypted()) throw new ArchiveFaultError({ fault: "encrypted", name: described.name });
      const content = described.kind === "file" ? await zip.openReadStreamPromise(entry) : Readable.from([]);
      try {
        await onEntry(described, content);
      } finally {
        content.destroy();
      }
    }
  } finally {
    zip.close();
  }
}

const fileTypeMask = 0o170000;

function zipEntry(entry: ZipEntry): ArchiveEntry {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  const mode = entry.externalFileAttributes >>> 16;
  const kind = { 0: "file", 0o100000: "file", 0o040000: "folder", 0o120000: "link" }[mode & fileTypeMask] ?? "special";
  return {
    name,
    kind: name.endsWith("/") && kind === "file" ? "folder" : (kind as ArchiveEntry["kind"]),
    size: entry.uncompressedSize,
    isExecutable: (mode & 0o111) !== 0,
  };
}

/** What headers and padding of a tar may have: long names have entries of their own (bytes). */
const maxOverhead = 64_000_000;

async function eachTarEntry(task: UnpackTask, packed: number, onEntry: EntryReader): Promise<void> {
  const reader = createTarReader();
  const judge = new ArchiveJudge(packed, task.limits);
  let unpackedBytes = 0;
  let contentBytes = 0;
  const count = (bytes: number): void => {
    unpackedBytes += bytes;
    check(judge.addBytes(bytes));
    if (unpackedBytes - contentBytes > maxOverhead + packed)
      throw new ArchiveFaultError({ fault: "damaged", reason: "too many headers" });
  };
  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of unpacked(task, count)) {
        // What is destroyed neither drains nor closes again.
        if (reader.destroyed) return;
        if (!reader.write(chunk)) await drained(reader);
      }
      reader.end();
    } catch (error) {
      reader.destroy(asError(error));
      throw error;
    }
  };
  const read = async (): Promise<void> => {
    for await (const entry of reader) {
      const header = tarEntry(entry.header);
      const content = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of entry as AsyncIterable<Uint8Array>) {
          contentBytes += chunk.byteLength;
          yield chunk;
        }
      };
      await onEntry(header, content());
      // Entries without content are read to their end, too.
      entry.resume();
    }
  };
  const [fed, wasRead] = await Promise.allSettled([feed(), read()]);
  // The fault of an entry is more exact than the end of the stream that it causes.
  for (const result of [wasRead, fed])
    if (result.status === "rejected" && result.reason instanceof ArchiveFaultError) throw result.reason;
  for (const result of [fed, wasRead]) if (result.status === "rejected") throw result.reason;
}

async function* unpacked(task: UnpackTask, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { archive, kind } = task;
  if (kind === "tar.bz2") return yield* unzippedBzip2(task, count);
  const packed = createReadStream(archive);
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  packed.on("error", error => gunzip.destroy(error));
  for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Uint8Array>) {
    count(chunk.byteLength);
    yield chunk;
  }
}

/** Parts of the archive that are unpacked at once (bytes). A block of some bytes can unpack to megabytes. */
const bzip2Part = 16 * 1024;

async function* unzippedBzip2(
  { archive, limits }: UnpackTask,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const stream = unbzip2();
  const chunks: Uint8Array[] = [];
  const errors: unknown[] = [];
  let pendingBytes = 0;
  stream.on("data", (chunk: Uint8Array) => {
    // What this throws ends the unpacking of the blocks that have arrived.
    count(chunk.byteLength);
    pendingBytes += chunk.byteLength;
    check(pendingBytes > limits.maxPendingBytes ? { fault: "ratio" } : undefined);
    chunks.push(chunk);
  });
  stream.on("error", error => errors.push(error));
  const taken = (): readonly Uint8Array[] => {
    if (errors.length > 0) throw errors[0];
    pendingBytes = 0;
    return chunks.splice(0);
  };
  for await (const part of createReadStream(archive, { highWaterMark: bzip2Part }) as AsyncIterable<Uint8Array>) {
    stream.write(part);
    yield* taken();
  }
  stream.end();
  yield* taken();
}

function tarEntry({ name, type, size, mode }: TarHeader): ArchiveEntry {
  const kinds: Readonly<Record<string, ArchiveEntry["kind"]>> = {
    file: "file",
    directory: "folder",
    link: "link",
    symlink: "link",
  };
  return {
    name,
    kind: kinds[type ?? ""] ?? "special",
    size: size ?? 0,
    isExecutable: ((mode ?? 0) & 0o111) !== 0,
  };
}
