// This build opens the data that earlier builds stored, field by field. See test/support/data/stored/README.md.
// `UPDATE=1` rewrites the golden views. A missing golden fails.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrafficRecorder, transcriptText, type TrafficRecord } from "../src/acp/trafficRecorder.ts";
import { nullLog } from "../src/base/log.ts";
import { jsonEqual } from "../src/base/jsonEqual.ts";
import type { View } from "../src/panel/protocol.ts";
import type { LoggedEvent } from "../src/session/events.ts";
import { replayInSlices } from "../src/session/log/replay.ts";
import { readSession, SessionWriter } from "../src/session/log/sessionStore.ts";
import { AuditLog } from "../src/permissions/auditLog.ts";
import { parseIndex, serializeIndex } from "../src/checkpoints/checkpointIndex.ts";
import { Checkpoints } from "../src/checkpoints/checkpoints.ts";
import { CheckpointFolder, contentKey } from "../src/checkpoints/checkpointStore.ts";
import { findGit } from "../src/git/gitProgram.ts";
import { GitTrees } from "../src/checkpoints/gitTrees.ts";
import type { AppliedSteps, FileTextStep } from "../src/files/ports.ts";
import type { StoredReview } from "../src/review/storedReview.ts";
import { WindowReview } from "../src/review/windowReview.ts";
import { describeRule, readRules } from "../src/permissions/rules.ts";
import { undividedWork } from "./support/fakes/undividedWork.ts";
import { FakeClock } from "./support/fakes/fakePorts.ts";
import { goldenText } from "./support/fakes/golden.ts";
import { History } from "./support/fakes/history.ts";
import {
  everyEvent,
  recordedSession,
  StoredFiles,
  storedFolder,
  storedText,
  viewsOf,
} from "./support/fakes/storedData.ts";

const app = "/home/ada/app";
const sessions = [recordedSession, everyEvent];
const logFile = (session: string): string => `${session}.jsonl`;
const logOf = async (session: string): Promise<readonly LoggedEvent[]> => {
  const text = storedText(`sessions/${logFile(session)}`);
  const log = await readSession(new StoredFiles({ [logFile(session)]: text }), session);
  assert.ok(log);
  return log;
};

describe("stored session logs", () => {
  for (const session of sessions) {
    it(`open in the stored view of ${session}, and lose no line`, async () => {
      const log = await logOf(session);
      const rows = storedText(`sessions/${logFile(session)}`).split("\n");
      assert.deepEqual(
        log,
        rows.filter(row => row !== "").map(row => JSON.parse(row) as unknown),
      );
      const checkpoints = new Set(log.flatMap(({ event }) => ("submission" in event ? [event.submission] : [])));
      const views = viewsOf(log, { checkpoints });
      const history = new History();
      views.forEach((view, at) => history.note(views[at - 1] ?? view, view));
      const text = goldenText({ view: views.at(-1), superseded: history.superseded });
      const file = join(storedFolder, `${session}.view.json`);
      if (process.env["UPDATE"] === "1") writeFileSync(file, text);
      assert.ok(existsSync(file), `${file} is missing. UPDATE=1 writes it. Read it before you keep it.`);
      assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(file, "utf8")));
    });

    it(`are written in the same form as ${session}`, async () => {
      const storage = new StoredFiles({});
      const writer = new SessionWriter({ storage, session, isNew: false, clock: new FakeClock(), log: nullLog });
      for (const logged of await logOf(session)) writer.write(logged);
      await writer.flush();
      writer.dispose();
      const rows = (text: string | undefined): readonly string[] => (text ?? "").split("\n").filter(row => row !== "");
      assert.deepEqual(rows(await storage.read(logFile(session))), rows(storedText(`sessions/${logFile(session)}`)));
    });
  }

  it("of version 2 record the sessions of the agent, and those of version 1 count its starts", async () => {
    const sessionsOf = async (session: string): Promise<unknown[]> => {
      const { agentSessions, agentSession, connections } = (await replayInSlices(await logOf(session), nullLog)).state;
      return [agentSessions, agentSession, connections];
    };
    assert.deepEqual(await sessionsOf("version-2"), [["first", "second"], 1, 3]);
    assert.deepEqual(await sessionsOf(recordedSession), [[null, null], 1, 2]);
  });

  it("change the view if any of their fields is renamed", async function () {
    const log = await logOf(everyEvent);
    const views = viewsOf(log);
    const named = (path: Path): string => path.filter(key => typeof key === "string").join(".");
    const seen = new Set<string>();
    const all = new Set<string>();
    for (const [at, { event }] of log.entries()) {
      for (const path of fieldsOf(event)) {
        const field = `${event.type} ${named(path)}`;
        all.add(field);
        if (!seen.has(field) && !looksTheSame(views, viewsAfterRename(log, at, path), at)) seen.add(field);
      }
    }
    assert.deepEqual([...all].filter(field => !seen.has(field)).sort(), unseen);
  });
});

/** Fields that no view shows. The content of a prompt has the fields of a message's content, which is shown. */
const unseen: readonly string[] = [
  "askOpened subject.argv",
  "info updatedAt",
  "message content.raw",
  "message content.raw.depth",
  "message content.raw.type",
  "promptSent content.annotations",
  "promptSent content.annotations.audience",
  "promptSent content.annotations.lastModified",
  "promptSent content.annotations.priority",
  "promptSent content.blob",
  "promptSent content.data",
  "promptSent content.description",
  "promptSent content.mimeType",
  "promptSent content.raw",
  "promptSent content.raw.depth",
  "promptSent content.raw.type",
  "promptSent content.size",
  "tool patch.content.raw",
  "tool patch.content.raw.type",
  "tool patch.name",
  "unknown method",
  "unknown raw",
  "unknown raw.a",
];

type Path = readonly (string | number)[];

/** The path to each field within a value. */
function fieldsOf(value: unknown, above: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...above, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [path]), ...fieldsOf(inner, path)];
  });
}

function renamed(value: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? renamed(item, rest) : (item as unknown)));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => {
      if (name !== key) return [name, inner as unknown];
      return rest.length === 0 ? [`${name}OfAnotherBuild`, inner as unknown] : [name, renamed(inner, rest)];
    }),
  );
}

/** The views of the log with a field of one event renamed; undefined if the reducer rejects that event. */
function viewsAfterRename(log: readonly LoggedEvent[], at: number, path: Path): readonly View[] | undefined {
  const changed = log.map((logged, i) =>
    i === at ? ({ ...logged, event: renamed(logged.event, path) } as LoggedEvent) : logged,
  );
  try {
    return viewsOf(changed);
  } catch {
    return undefined;
  }
}

const looksTheSame = (views: readonly View[], others: readonly View[] | undefined, from: number): boolean =>
  others !== undefined && views.slice(from).every((view, i) => jsonEqual(view, others[from + i]));

/** A review with the files of a stored one at that time, and the edits that it requests from the editor. */
async function restoredReview(name: string): Promise<{
  readonly review: WindowReview;
  readonly steps: readonly FileTextStep[];
  readonly dropped: readonly string[];
}> {
  const stored = JSON.parse(storedText(`sessions/${name}`)) as StoredReview;
  const steps: FileTextStep[] = [];
  const apply = async (wanted: readonly FileTextStep[]): Promise<AppliedSteps> => {
    steps.push(...wanted);
    return { failed: new Map(), replaced: new Map() };
  };
  const review = new WindowReview({
    port: { apply, move: async () => undefined },
    schedule: run => run(),
    slices: undividedWork,
  });
  const texts = textsOfReview[name] ?? {};
  const dropped = await review.restore(stored, async path => texts[path]);
  return { review, steps, dropped };
}

const fixedSum = "// Adds both numbers.\nexport function sum(a, b) {\n  return a + b;\n}\n";
const textsOfReview: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  "review.json": { [`${app}/src/sum.js`]: fixedSum, [`${app}/CHANGES.md`]: "# Changes\n\nThe sum adds.\n" },
  "review-every-field.json": {
    [`${app}/a.ts`]: "1\ntwo\n3\n4\nfive\n",
    [`${app}/made.ts`]: "by the agent\nby the user\n",
    [`${app}/gone.ts`]: null,
    [`${app}/odd.ts`]: "odd\n",
  },
};

describe("stored reviews", () => {
  it("restore their files, counts, turns and titles", async () => {
    const { review, dropped } = await restoredReview("review.json");
    const [first, second] = ["2a50d6d5-2ad9-4ed5-bb4e-4e8995b9b58e", "65bc8f90-09b6-49be-909b-72593276bc88"];
    assert.deepEqual(dropped, []);
    assert.deepEqual(
      review.files.map(({ path, added, removed, turns }) => [path, added, removed, turns]),
      [
        [`${app}/CHANGES.md`, 3, 0, [first]],
        [`${app}/src/sum.js`, 2, 1, [first, second]],
      ],
    );
    assert.deepEqual(review.turns, [
      { id: first, title: "#script first.json" },
      { id: second, title: "#script second.json" },
    ]);
    review.dispose();
  });

  it("undo a hunk by its id, and a file that the agent created", async () => {
    const { review, steps } = await restoredReview("review.json");
    await review.undo({ kind: "hunks", path: `${app}/src/sum.js`, ids: ["1"] });
    await review.undo({ kind: "file", path: `${app}/CHANGES.md` });
    assert.deepEqual(steps, [
      { path: `${app}/src/sum.js`, before: fixedSum, after: fixedSum.replace(/^.*\n/, "") },
      { path: `${app}/CHANGES.md`, before: "# Changes\n\nThe sum adds.\n", after: null },
    ]);
    review.dispose();
  });

  it("find their hunks again in a file that changed while the window was closed", async () => {
    const stored = JSON.parse(storedText("sessions/review.json")) as StoredReview;
    const review = new WindowReview({
      port: { apply: async () => ({ failed: new Map(), replaced: new Map() }), move: async () => undefined },
      schedule: run => run(),
      slices: undividedWork,
    });
    const dropped = await review.restore(stored, async path =>
      path.endsWith("sum.js") ? `${fixedSum}// mine\n` : null,
    );
    // The agent created it, and someone deleted it, so there is nothing left to review.
    assert.deepEqual(dropped, [`${app}/CHANGES.md`]);
    const file = review.file(`${app}/src/sum.js`);
    assert.deepEqual([file?.changes.hunks.length, file?.added, file?.removed], [2, 2, 1]);
    assert.ok(file?.changes.base?.endsWith("// mine\n"), "a line of the user's belongs to the base");
    review.dispose();
  });

  it("restore the fields that only some files have: kept hunks, the user's edits, a deletion, an unknown text", async () => {
    const { review, steps } = await restoredReview("review-every-field.json");
    const file = (name: string) => review.file(`${app}/${name}`);
    assert.deepEqual(file("a.ts")?.changes.kept, ["1"]);
    assert.equal(file("odd.ts")?.unknown, "It was too large.");
    assert.deepEqual([file("gone.ts")?.removed, file("gone.ts")?.changes.text], [1, null]);
    await review.undo({ kind: "file", path: `${app}/gone.ts` });
    assert.deepEqual(steps, [{ path: `${app}/gone.ts`, before: null, after: "was here\n" }]);
    // The next hunk of a file gets an unused id.
    void review.agentChanged(`${app}/a.ts`, null, "0\n1\ntwo\n3\n4\nfive\n", "turn3");
    assert.deepEqual(
      file("a.ts")?.changes.hunks.map(({ id }) => id),
      ["3", "2"],
    );
    review.dispose();
  });

  for (const name of Object.keys(textsOfReview)) {
    it(`are stored again in the same form as ${name}`, async () => {
      const { review } = await restoredReview(name);
      assert.deepEqual(review.stored(), JSON.parse(storedText(`sessions/${name}`)));
      review.dispose();
    });
  }
});

describe("stored checkpoints", () => {
  let base: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "parley-stored-")));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  /** The checkpoints of a session, copied to a folder of the test. */
  function opened(session: string, workspace: string, withTrees = false): Checkpoints {
    const folder = join(base, "checkpoints");
    const own = join(folder, session);
    cpSync(join(storedFolder, "checkpoints", session), own, { recursive: true });
    writeFileSync(join(own, "index.json"), storedText(`checkpoints/${session}/index.json`, workspace));
    const options = {
      store: new CheckpointFolder(folder).session(session),
      clock: new FakeClock(),
      log: nullLog,
      newId: () => "new",
      limits: () => ({ count: 50, age: Number.MAX_SAFE_INTEGER }),
    };
    if (!withTrees) return new Checkpoints(options);
    const git = findGit();
    assert.ok(git, "git is needed");
    // The name of a tree's folder is derived from the workspace.
    const place = join(own, "trees", contentKey(workspace).slice(0, 16));
    mkdirSync(place);
    renameSync(join(own, "trees", "objects"), join(place, "objects"));
    const trees = new GitTrees({ git, folders: [workspace], storageFolder: join(own, "trees"), log: nullLog });
    return new Checkpoints({ ...options, trees });
  }

  it("restore the files at the start of a turn", async () => {
    const checkpoints = opened(recordedSession, app);
    const now: Readonly<Record<string, string>> = {
      [`${app}/src/sum.js`]: fixedSum,
      [`${app}/CHANGES.md`]: "# Changes\n\nThe sum adds.\n",
    };
    const plan = await checkpoints.planRestore("2a50d6d5-2ad9-4ed5-bb4e-4e8995b9b58e", {
      text: async path => now[path] ?? null,
    });
    assert.deepEqual(
      plan.files.map(({ path, to, changedSince }) => [path, to, changedSince]),
      [
        [`${app}/CHANGES.md`, null, false],
        [`${app}/src/sum.js`, "export function sum(a, b) {\n  return a - b;\n}\n", false],
      ],
    );
    const later = await checkpoints.planRestore("65bc8f90-09b6-49be-909b-72593276bc88", {
      text: async path => now[path] ?? null,
    });
    assert.deepEqual(
      later.files.map(({ path, to }) => [path, to]),
      [[`${app}/src/sum.js`, "// Adds two numbers.\nexport function sum(a, b) {\n  return a + b;\n}\n"]],
    );
    assert.deepEqual([...checkpoints.turns].length, 3);
    checkpoints.dispose();
  });

  it("read the trees of the folder that git stores", async () => {
    const workspace = join(base, "work");
    mkdirSync(workspace);
    execFileSync("git", ["init", "-q"], { cwd: workspace });
    writeFileSync(join(workspace, "notes.txt"), "Other words.\n");
    const checkpoints = opened(recordedSession, workspace, true);
    const turn = "2a50d6d5-2ad9-4ed5-bb4e-4e8995b9b58e";
    const plan = await checkpoints.planRestore(turn, {
      text: async path => (existsSync(path) ? readFileSync(path, "utf8") : null),
    });
    assert.deepEqual((await checkpoints.startOf(turn))?.folders, [workspace]);
    assert.equal(await checkpoints.textAt(turn, join(workspace, "notes.txt")), "Remember the sum.\n");
    assert.deepEqual(
      plan.files.find(({ path }) => path.endsWith("notes.txt")),
      {
        path: join(workspace, "notes.txt"),
        to: "Remember the sum.\n",
        state: { kind: "file", bytes: Buffer.from("Remember the sum.\n"), executable: false },
        now: "Other words.\n",
        changedSince: true,
      },
    );
    checkpoints.dispose();
  });

  it("report every field that an index can contain", async () => {
    const checkpoints = opened("every-field", app);
    // "others": someone else changed the file in the middle of the turn.
    const plan = await checkpoints.planRestore("turn1", {
      text: async path => (path.endsWith("/a.ts") ? "two\n" : "x\n"),
    });
    assert.deepEqual(plan, {
      checkpoint: "turn1",
      files: [
        {
          path: `${app}/a.ts`,
          to: "one\n",
          now: "two\n",
          changedSince: true,
          state: { kind: "file", bytes: Buffer.from("\uFEFFone\r\n"), executable: false },
        },
        { path: `${app}/made.ts`, to: null, now: "x\n", changedSince: true },
      ],
      unknown: [`${app}/unknown.ts`],
      more: 0,
    });
    assert.deepEqual([...checkpoints.turns], ["turn1", "turn2"]);
    // The second restore is the undo of the first, so it is not offered.
    assert.equal(checkpoints.lastRestore, "restore-1");
    const back = await checkpoints.planUndo("restore-1", {
      text: async path => (path.endsWith("/a.ts") ? "one\n" : null),
    });
    assert.deepEqual(
      back.files.map(({ path, to }) => [path, to]),
      [
        [`${app}/a.ts`, "two\n"],
        [`${app}/made.ts`, "made\n"],
      ],
    );
    const [first] = parseIndex(storedText("checkpoints/every-field/index.json"));
    assert.deepEqual(first?.trees, [
      { folder: app, tree: "bf1791bcb2b90c8967d449042603e2f5905f5d7f", left: ["big.bin"] },
    ]);
    assert.equal(first?.at, 1_790_000_000_000);
    checkpoints.dispose();
  });

  for (const session of [recordedSession, "every-field"]) {
    it(`are written in the same form as the index of ${session}`, () => {
      const text = storedText(`checkpoints/${session}/index.json`);
      assert.equal(serializeIndex(parseIndex(text)), text);
    });
  }
});

describe("a stored permission log", () => {
  it("is read completely, and written in the same form", async () => {
    const text = storedText("sessions/permissions.ndjson");
    const { records, broken } = await new AuditLog(new StoredFiles({ "permissions.ndjson": text }), nullLog).read();
    assert.equal(broken, 0);
    assert.deepEqual(
      records.map(({ at, agent, folder, what, subject, answer, option, by }) => [
        ...[at, agent, folder, what, subject],
        ...[answer, option, by],
      ]),
      [
        [1795384147026, "Demo Agent", app, "", `${app}/src/sum.js`, "allowed", "Allow", undefined],
        [1795384159419, "Demo Agent", app, "See the version", "node --version", "allowed", "Allow", undefined],
        [
          ...[1795384159423, "Demo Agent", app, "See the version again", "node --version", "allowed", "Allow"],
          "allow command “node --version”, agent “demo”",
        ],
        [
          ...[1795384159972, "Demo Agent", app],
          "Demo Agent wants to read /home/ada/notes.txt, outside this workspace",
          ...["/home/ada/notes.txt", "refused", "Refuse", undefined],
        ],
        [
          ...[1795384170000, "Demo Agent", app, "Fetch the page", "https://example.com/"],
          ...["cancelled", undefined, undefined],
        ],
      ],
    );
    const storage = new StoredFiles({});
    const log = new AuditLog(storage, nullLog);
    for (const record of records) log.record(record);
    await log.read();
    assert.equal(storage.texts.get("permissions.ndjson"), text);
  });
});

describe("stored permission rules", () => {
  it("are all valid, with every field", () => {
    const { "parley.permissionRules": stored } = JSON.parse(storedText("permissionRules.json")) as {
      readonly "parley.permissionRules": unknown;
    };
    const { rules, problems } = readRules(stored);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      rules.map(rule => describeRule(rule)),
      [
        "allow command “node --version”, agent “demo”",
        "deny kind “edit”, path “generated/**”",
        "ask command “npm publish”, “git push **”",
        "allow kind “fetch”, domain “example.com”",
      ],
    );
  });
});

describe("a stored traffic record", () => {
  it("has the format in which traffic is recorded and saved", () => {
    const text = storedText("traffic.ndjson");
    const clock = new FakeClock();
    const tap = new TrafficRecorder(clock);
    for (const row of text.split("\n").filter(line => line !== "")) {
      const { t, dir, msg, text: line } = JSON.parse(row) as TrafficRecord;
      clock.advance(t - clock.now());
      if (dir === "c>a" || dir === "a>c") tap.recordMessage(dir, msg, row.length);
      else tap.recordText(dir, line ?? "");
    }
    assert.equal(transcriptText(tap.records), text);
    assert.equal(tap.records.length, 5);
    assert.equal(tap.badLines, 1);
  });
});
