// The worker that searches joined texts: a bundle and a thread of its own, so that neither many texts nor an expression that
// takes forever block the extension host.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { parentPort } from "node:worker_threads";
import { patternProblem, searchPattern } from "../panel/find/searchPattern.ts";
import { joinedTextFileName } from "../session/log/joinedTextFile.ts";
import { sessionFileName } from "../session/log/sessionStore.ts";
import { joinedHead, joinedParts, type JoinedHead, type JoinedParts } from "./joinedText.ts";
import { searchJoinedText } from "./searchJoinedText.ts";
import { textProbe } from "./textProbe.ts";
import type { FoundText, TextSearchTask, WorkerMessage } from "./workerMessages.ts";

/** The time between two messages. Milliseconds. */
const sliceTime = 25;
/** The lines with hits of one session. */
const maxRowsOfSession = 200;

let latest = 0;

parentPort?.on("message", (task: TextSearchTask) => {
  latest = task.task;
  void search(task);
});

const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

async function search(search: TextSearchTask): Promise<void> {
  const { task, sessions, query, maxRows } = search;
  let found: FoundText[] = [];
  let stale: string[] = [];
  let cut: string[] = [];
  let damaged: { readonly id: string; readonly lines: number }[] = [];
  let rowsLeft = maxRows;
  const report = (): void => {
    post({ task, type: "progress", found, stale, cut, damaged });
    [found, stale, cut, damaged] = [[], [], [], []];
  };
  try {
    const searchOne = sessionSearch(search);
    let end = performance.now() + sliceTime;
    for (const { id, isCurrent } of sessions) {
      const file = readJoinedText(search.folder, id, isCurrent);
      const result = file && searchOne(file, Math.min(rowsLeft, maxRowsOfSession));
      if (!file || result === "damaged") stale.push(id);
      else if (result) {
        found.push({ id, ...result });
        rowsLeft -= result.rows.length;
      }
      if (file && result !== "damaged" && query.query !== "") {
        if (file.head.isCut) cut.push(id);
        if (file.head.damaged !== undefined) damaged.push({ id, lines: file.head.damaged });
      }
      if (rowsLeft <= 0) break;
      if (performance.now() < end) continue;
      report();
      await new Promise(resolve => setImmediate(resolve));
      if (latest !== task) return;
      end = performance.now() + sliceTime;
    }
    report();
    post({ task, type: "done", isCut: rowsLeft <= 0 });
  } catch (error) {
    const problem = patternProblem(error);
    post({ task, type: "done", isCut: false, detail: problem.kind === "pattern" ? problem.detail : "" });
  }
}

type FoundHere = Omit<FoundText, "id">;

/** Searches one file. Undefined if it has no hit. */
function sessionSearch({
  query,
  files,
}: TextSearchTask): (file: JoinedFile, maxRows: number) => FoundHere | "damaged" | undefined {
  const pattern = query.query === "" ? undefined : searchPattern(query);
  const probe = pattern && textProbe(query);
  return (file, maxRows) => {
    if (probe && !probe(file.buffer, file.headEnd, file.length)) return undefined;
    const parts = joinedParts(file.buffer.toString("utf8", 0, file.length));
    if (!parts) return "damaged";
    if (files.length > 0 && !namesFile(parts, files)) return undefined;
    if (!pattern) return { rows: [], isCut: false };
    const result = searchJoinedText(parts, pattern, query.regex, maxRows);
    if (!result) return "damaged";
    return result.rows.length > 0 ? result : undefined;
  };
}

const namesFile = ({ files }: JoinedParts, wanted: readonly string[]): boolean =>
  files.some(name => {
    const path = name.toLowerCase().replaceAll("\\", "/");
    return wanted.some(part => path.includes(part));
  });

/** A file in the buffer, which the next file replaces. */
interface JoinedFile {
  readonly buffer: Buffer;
  /** The bytes of the file. */
  readonly length: number;
  readonly head: JoinedHead;
  readonly headEnd: number;
}

/** New memory for each file would take longer than to read it. */
let buffer = Buffer.allocUnsafeSlow(1024 * 1024);

/** Undefined if the joined text is missing, damaged, or was made from a log of another length. */
function readJoinedText(folder: string, session: string, isCurrent: boolean): JoinedFile | undefined {
  try {
    const length = readInto(join(folder, joinedTextFileName(session)));
    const headEnd = buffer.subarray(0, length).indexOf(0x0a);
    const head = headEnd < 0 ? undefined : joinedHead(buffer.toString("utf8", 0, headEnd));
    if (!head) return undefined;
    if (!isCurrent && head.bytes !== statSync(join(folder, sessionFileName(session))).size) return undefined;
    return { buffer, length, head, headEnd };
  } catch {
    // The host makes the text again, and names a session whose log cannot be read.
    return undefined;
  }
}

/** Reads the file into the buffer. Returns its length. */
function readInto(path: string): number {
  const file = openSync(path, "r");
  try {
    for (let length = 0; ;) {
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(buffer.length)]);
      const read = readSync(file, buffer, length, buffer.length - length, null);
      if (read === 0) return length;
      length += read;
    }
  } finally {
    closeSync(file);
  }
}
