// Many sessions in the extension host, without VS Code: the list of 1,000 stored sessions, the switch to a long one, the memory
// of an idle one, and sixteen that stream at once.
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Problem } from "../../src/base/errors.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { noFiles, TrashFiles } from "../support/fakes/trashFiles.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import { PanelChannel } from "../../src/panel/panelChannel.ts";
import { Projector } from "../../src/panel/projection/projector.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import type { LogStorage } from "../../src/session/log/sessionStore.ts";
import { Session } from "../../src/session/session.ts";
import { emptySession } from "../../src/session/state.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { sessionGroups } from "../../src/library/sessionGroups.ts";
import { StoredSessions } from "../../src/library/storedSessions.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent } from "../support/fakes/stubAgent.ts";
import { chunk } from "./model.ts";
import { median, ms, type Report } from "./report.ts";
import { emptyHead } from "../support/fakes/heads.ts";

/** Milliseconds, and bytes. */
const limits = { list: 50, switch: 150, task: 50, paint: 100, session: 2_000_000, freed: 0.9 };
const rounds = 5;
const storedCount = 1000;
const streamCount = 16;
const chunksPerSecond = 100;
const streamTime = 5000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Runs the benchmark. */
export async function run(): Promise<Report> {
  const { read, list } = await listing();
  const switching = await switchTime();
  const { each, freed } = await memory();
  const { longest, late } = await streaming();
  const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`;
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    [`entries of ${storedCount.toLocaleString("en")} sessions read from disk`, ms(read), "", true],
    ["their rows in groups", ms(list), ms(limits.list), list <= limits.list],
    [
      "view of an open session of 10,000 updates, for another panel",
      ms(switching),
      ms(limits.switch),
      switching <= limits.switch,
    ],
    [
      "memory of an idle session (10 prompts, 200 updates)",
      megabytes(each),
      megabytes(limits.session),
      each <= limits.session,
    ],
    ["part of it that closing frees", `${Math.round(freed * 100)}%`, `${limits.freed * 100}%`, freed >= limits.freed],
    [`longest task while ${streamCount} sessions stream`, ms(longest), ms(limits.task), longest <= limits.task],
    [
      "chunk of the shown session, until it is sent to the panel (longest)",
      ms(late),
      ms(limits.paint),
      late <= limits.paint,
    ],
  ];
  return {
    tables: [{ columns: ["what", "value", "limit"], rows: rows.map(([what, value, limit]) => [what, value, limit]) }],
    failures: rows.flatMap(([what, value, limit, isGood]) => (isGood ? [] : [`${what}: ${value}, limit ${limit}`])),
  };
}

async function listing(): Promise<{ readonly read: number; readonly list: number }> {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-sessions-"));
  const reads: number[] = [];
  const lists: number[] = [];
  try {
    const now = Date.now();
    for (let i = 0; i < storedCount; i++) {
      const entry: SessionEntry = {
        ...{ id: `s${i}`, agent: "demo", agentName: "Demo Agent", folder: "/w", title: `Fix the parser, part ${i}` },
        ...{ updated: now - i * 3_600_000, status: i % 50 === 0 ? "waiting" : "idle" },
      };
      await writeFile(join(folder, entryFileName(entry.id)), JSON.stringify(entry));
      await writeFile(join(folder, `${entry.id}.jsonl`), '{"parley":2}\n');
    }
    for (let round = 0; round < rounds; round++) {
      const stored = new StoredSessions({
        ...{ storage: diskStorage(folder), clock: systemClock, log: nullLog, version: "1" },
        trash: new TrashFiles(noFiles()),
        isOpen: () => false,
        openElsewhere: () => Promise.resolve(new Set()),
      });
      const started = performance.now();
      await stored.load();
      const read = performance.now();
      const listed = stored.entries.map(({ id, title, agentName, updated, status, unread, done }) => ({
        ...{ id, title, agentName, updated, status, isUnread: unread === true, isDone: done === true },
      }));
      const groups = sessionGroups(listed, now, false);
      lists.push(performance.now() - read);
      reads.push(read - started);
      if (groups.reduce((sum, { conversations }) => sum + conversations.length, 0) !== storedCount)
        throw new Error("Not listed.");
      stored.dispose();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { read: median(reads), list: median(lists) };
}

/** The part of the storage that reading the index uses. */
function diskStorage(folder: string): LogStorage {
  const used = {
    read: (name: string) => readFile(join(folder, name), "utf8"),
    list: async () =>
      Promise.all((await readdir(folder)).map(async name => ({ name, bytes: (await stat(join(folder, name))).size }))),
  };
  return used as unknown as LogStorage;
}

/** A session with a stub agent, and what a window keeps for it. */
class OpenedSession {
  readonly agent = new StubAgent();
  readonly session: Session;
  readonly projector: Projector;

  constructor(id: string, diffs: DiffStore) {
    let ids = 0;
    const newId = (): string => `${id}-${++ids}`;
    const died = new Emitter<Problem>();
    this.session = new Session({
      ...{ id, agent: { id: "stub", name: "Stub" }, workspaceFolder: "/w", clock: systemClock, log: nullLog, newId },
      connection: {
        connect: () => Promise.resolve({ agent: this.agent, onDidDie: died.event, hasEnded: () => false }),
        restart: () => Promise.resolve(),
      },
      createServices: report => questionServices(new PermissionBroker({ report, newId }), () => {}),
    });
    this.projector = new Projector(diffs);
  }

  report(count: number, from = 0): void {
    const [remote] = this.agent.sessions;
    for (let i = from; i < from + count; i++) {
      if (i % 20 === 0) remote?.report(chunk(`m${i}`, ""));
      if (i % 5 === 0)
        remote?.report({
          ...{ type: "tool", toolCallId: `t${i}` },
          patch: { title: `Read file ${i}`, status: "completed", rawOutput: { text: `line ${i} `.repeat(40) } },
        });
      else
        remote?.report(chunk(`m${i - (i % 20)}`, `Twelve words of text for update number ${i}, which is not short. `));
    }
  }
}

async function switchTime(): Promise<number> {
  const opened = new OpenedSession("long", new DiffStore());
  await opened.session.open();
  opened.report(10_000);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // The session was hidden, so nothing of it is projected.
    const projector = new Projector(new DiffStore());
    let isSent = false;
    const channel = new PanelChannel({
      clock: systemClock,
      view: () => projector.projectShared(opened.session.state, emptyHead),
      recentEntries: () => projector.recentEntries(opened.session.state, emptyHead),
      post: message => {
        JSON.stringify(message);
        isSent = true;
        return Promise.resolve(true);
      },
    });
    const started = performance.now();
    channel.changed();
    channel.hello(0);
    if (!isSent) throw new Error("Nothing was sent.");
    times.push(performance.now() - started);
    channel.dispose();
  }
  opened.session.dispose();
  return median(times);
}

async function memory(): Promise<{ readonly each: number; readonly freed: number }> {
  const count = 20;
  const diffs = new DiffStore();
  const open = new OpenSessions();
  const heap = async (): Promise<number> => {
    for (let i = 0; i < 3; i++) {
      await new Promise(resolve => setTimeout(resolve, 20));
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  const fill = async (prefix: string): Promise<OpenedSession[]> => {
    const sessions = Array.from({ length: count }, (_, i) => new OpenedSession(`${prefix}${i}`, diffs));
    for (const each of sessions) {
      await each.session.open();
      open.add(each.session);
      for (let prompt = 0; prompt < 10; prompt++) {
        each.session.send([{ type: "text", text: `Prompt ${prompt}` }]);
        each.report(20, prompt * 20);
        each.agent.sessions[0]?.report({ type: "activity", state: "idle", stopReason: "end_turn" });
      }
      each.projector.projectShared(each.session.state, emptyHead);
    }
    return sessions;
  };
  const close = (sessions: OpenedSession[]): void => {
    for (const { session } of sessions.splice(0)) {
      open.remove(session);
      session.dispose();
    }
  };
  // The first sessions also load code.
  close(await fill("first"));
  const before = await heap();
  const sessions = await fill("kept");
  const full = await heap();
  close(sessions);
  const after = await heap();
  return { each: (full - before) / count, freed: (full - after) / (full - before) };
}

/** Sixteen sessions report at the same time. A panel shows one of them. */
async function streaming(): Promise<{ readonly longest: number; readonly late: number }> {
  const diffs = new DiffStore();
  const open = new OpenSessions();
  const sessions = Array.from({ length: streamCount }, (_, i) => new OpenedSession(`stream${i}`, diffs));
  for (const { session } of sessions) {
    await session.open();
    open.add(session);
  }
  const [shown] = sessions as [OpenedSession];
  open.select("view", shown.session);
  let waiting: number | undefined;
  let late = 0;
  const channel = new PanelChannel({
    clock: systemClock,
    view: () => shown.projector.projectShared(shown.session.state, emptyHead),
    post: message => {
      JSON.stringify(message);
      if (waiting !== undefined) late = Math.max(late, performance.now() - waiting);
      waiting = undefined;
      return Promise.resolve(true);
    },
  });
  channel.hello(0);
  const link = open.onDidChange(change => {
    if (change.type !== "changed" || change.session !== shown.session) return;
    waiting ??= performance.now();
    channel.changed();
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  let reported = 0;
  while (performance.now() - started < streamTime) {
    await new Promise(resolve => setTimeout(resolve, 1));
    const due = Math.floor(((performance.now() - started) / 1000) * chunksPerSecond);
    for (; reported < due; reported++) for (const each of sessions) each.report(1, reported);
  }
  delay.disable();
  link.dispose();
  channel.dispose();
  for (const { session } of sessions) session.dispose();
  if (shown.session.state === emptySession) throw new Error("Nothing was reported.");
  return { longest: delay.max / 1e6, late };
}
