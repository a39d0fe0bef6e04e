// A folder of files under review, in the real editor, with the actions of an agent and a user, for tests.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { toDisposable } from "../../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../../src/base/log.ts";
import type { SessionEvent, ToolContent } from "../../../src/session/events.ts";
import { emptySession, type SessionState } from "../../../src/session/state.ts";
import { EditorDocuments } from "../../../src/files/vscode/editorDocuments.ts";
import { FileEvents, type FileEvent, type FileEventListener } from "../../../src/files/vscode/fileEvents.ts";
import { Checkpoints } from "../../../src/checkpoints/checkpoints.ts";
import { copyCheckpoints } from "../../../src/checkpoints/copyCheckpoints.ts";
import { CheckpointFolder } from "../../../src/checkpoints/checkpointStore.ts";
import { GitTrees } from "../../../src/checkpoints/gitTrees.ts";
import { gitOf } from "../../../src/git/vscode/gitOf.ts";
import { ReviewStore } from "../../../src/review/vscode/reviewStore.ts";
import { SavedElsewhere } from "../../../src/history/vscode/savedElsewhere.ts";
import { nodePaths } from "../../../src/files/nodePaths.ts";
import { clockTick } from "../../../src/history/turnTimes.ts";
import type { FileDifference } from "../../../src/review/turns/turnStart.ts";
import type { ReviewedFile } from "../../../src/review/review.ts";
import { readRecording, RecordedFacts } from "../fakes/recordedFacts.ts";
import { FedEvents, runningState } from "../fakes/fedEvents.ts";
import { until } from "../fakes/until.ts";
import { discardAll } from "./unsavedFiles.ts";
import { whenWatched } from "./whenWatched.ts";

export const lines = (...numbers: readonly (number | string)[]): string => numbers.map(one => `line ${one}\n`).join("");
export const tenLines = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

export interface ReviewedFolderOptions {
  /** Makes the first workspace folder a repository, of which a tree is taken at the start of each turn. */
  readonly git?: boolean;
  /** Keeps checkpoints also without git. */
  readonly checkpoints?: boolean;
  /** Windows tell each other what they saved. */
  readonly saves?: boolean;
  /** The names of the workspace folders, which are in the folder. By default, the folder is the only one. */
  readonly roots?: readonly string[];
  /** The folder is a link to another one, whose name ends with `-real`. */
  readonly throughLink?: boolean;
  /** Compares the disk with the start of a turn, in addition to what is known of the folder. */
  readonly differences?: () => Promise<readonly FileDifference[]>;
  /** The total size of the ignored files to remember in a turn. */
  readonly maxIgnoredBytes?: number;
}

/** Where the facts of all tests are recorded. `npm run history` sets it. */
const recordings = process.env["PARLEY_HISTORY_RECORDINGS"];

async function record(title: string, facts: RecordedFacts): Promise<void> {
  if (!recordings || facts.isEmpty) return;
  await mkdir(recordings, { recursive: true });
  await writeFile(join(recordings, `${title.replaceAll(/[^\w]+/g, "-").slice(0, 120)}.ndjson`), facts.text);
}

/** VS Code reports some changes late, or never. */
class LossyFileEvents extends FileEvents {
  /** The files of which nothing is reported any more. */
  readonly lost = new Set<string>();
  readonly #listeners = new Set<FileEventListener>();

  override watchFolder(folder: string, listener: FileEventListener): ReturnType<FileEvents["watchFolder"]> {
    this.#listeners.add(listener);
    const listening = super.watchFolder(folder, event => {
      if (!this.lost.has(event.path)) listener(event);
    });
    return toDisposable(() => {
      this.#listeners.delete(listener);
      listening.dispose();
    });
  }

  /** Reports an event to those who listen to a folder, whether the file is lost or not. */
  report(event: FileEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** On a slow machine too, what is read before a prompt is read completely: no test is about these limits. Milliseconds. */
const maxTestWait = 60_000;

/** How a turn begins. */
export interface TurnOptions {
  /** A call of the kind `execute` runs from the beginning of the turn to its end. Default: true. */
  readonly call?: boolean;
}

/** Creates a folder and its review before each test of the suite, and removes both after it. */
export function useReviewedFolder(options: ReviewedFolderOptions = {}) {
  /** The folder under review, and its parent. */
  let folder = "";
  let above = "";
  /** When a file was last written there (ms since the epoch). */
  let lastPut = 0;
  /** When the last turn ended. */
  let endedAt = 0;
  /** The turn has ended, so what the agent still reports changes no activity. */
  let isOver = false;
  let current: ReviewStore;
  let storage: Map<string, string>;
  let checkpoints: Checkpoints | undefined;
  /** Opens the checkpoints of a session in the same place, and copies them to another session. */
  let openSession: (session: string) => Checkpoints;
  let copyOfSession: (to: string) => Promise<void>;
  const faults: string[] = [];
  const fileEvents = new LossyFileEvents();
  const touches: [turn: string, path: string, before: string | null | undefined][] = [];
  /** Texts at the start of a turn, by turn and path, for folders without a repository. */
  const trees = new Map<string, string | null | (() => Promise<string | null>)>();

  const path = (name: string): string => join(folder, name);
  const roots = (): readonly string[] => options.roots?.map(path) ?? [folder];
  const onDisk = (name: string): Promise<string> => readFile(path(name), "utf8");
  const put = async (name: string, text: string): Promise<void> => {
    // By the file system's clock, a file written just after a turn may belong to it.
    if (isOver) await until(() => Date.now() > endedAt + 2 * clockTick);
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text);
    lastPut = Date.now();
  };
  const open = (name: string): Promise<vscode.TextDocument> =>
    Promise.resolve(vscode.workspace.openTextDocument(path(name)));
  const show = async (name: string): Promise<vscode.TextEditor> => vscode.window.showTextDocument(await open(name));
  const file = (name: string): ReviewedFile | undefined => current.review.file(path(name));
  /** The hunks of a file, as "old → new". */
  const hunks = (name: string): readonly string[] => {
    const found = file(name)?.changes;
    const of = (text: string | null, { from, to }: { from: number; to: number }): string =>
      (text ?? "").split("\n").slice(from, to).join("|");
    return (found?.hunks ?? []).map(
      hunk => `${of(found?.base ?? null, hunk.base)} → ${of(found?.text ?? null, hunk.text)}`,
    );
  };
  const hunksAre = async (name: string, ...wanted: readonly string[]): Promise<void> => {
    // Shorter than the test's own limit, so that the failure shows the actual hunks.
    const end = Date.now() + 10_000;
    await until(() => JSON.stringify(hunks(name)) === JSON.stringify(wanted) || Date.now() > end);
    if (JSON.stringify(hunks(name)) === JSON.stringify(wanted)) return;
    const { base, text } = file(name)?.changes ?? {};
    const known = JSON.stringify({ base, text, unknown: file(name)?.unknown });
    const disk = JSON.stringify(await onDisk(name).catch(String));
    assert.deepEqual(hunks(name), wanted, `${name} is followed as ${known}; on disk: ${disk}`);
  };

  const agentEvents = (): FedEvents<void> =>
    new FedEvents(() => ({
      stateChanged: (before, after) => current.attribution.stateChanged(whileIdle(after), "", whileIdle(before)),
      observe: (event, _, after) => current.attribution.observe(event, after),
    }));
  let fed = agentEvents();
  const whileIdle = (state: SessionState): SessionState =>
    isOver ? { ...state, activity: emptySession.activity } : state;
  /** The id of the call that runs from the beginning of a turn to its end. */
  const wholeTurn = "whole turn";
  /** The agent runs a command that names no file, unless the turn begins without a call. */
  const beginCall = ({ call = true }: TurnOptions): void => {
    fed = agentEvents();
    isOver = false;
    if (call) tool({ kind: "execute", status: "in_progress" }, wholeTurn);
    else fed.feed({ type: "activity", state: "running" });
  };

  /** By the file system's clock, a file written just before may belong to the turn, so wait for the clock. */
  const begin = async (turn = "turn 1", how: TurnOptions = {}): Promise<void> => {
    await until(() => Date.now() > lastPut + 30);
    await current.attribution.turnBegan(turn, `Title of ${turn}`);
    beginCall(how);
  };
  /** Like {@link begin}, with everything that is done before a prompt is sent: trees are taken, and folders read. */
  const prepare = async (turn = "turn 1", how: TurnOptions = {}): Promise<void> => {
    await until(() => Date.now() > lastPut + 30);
    await current.turnBegan(turn, `Title of ${turn}`);
    beginCall(how);
  };
  const end = (): void => {
    isOver = true;
    current.attribution.stateChanged(runningState);
    current.attribution.stateChanged(emptySession);
    endedAt = Date.now();
  };
  const tool = (patch: Extract<SessionEvent, { type: "tool" }>["patch"], toolCallId = "t1"): void =>
    fed.feed({ type: "tool", toolCallId, patch });
  /** The agent writes through Parley. */
  const write = (name: string, content: string): Promise<unknown> => {
    const documents = new EditorDocuments(nodePaths());
    return current.attribution.aroundWrite(path(name), content, () => documents.write(path(name), content));
  };
  /** The agent writes to disk directly, in a tool call that names the file. */
  const edit = async (name: string, text: string, content: readonly ToolContent[] = []): Promise<void> => {
    tool({ kind: "edit", status: "in_progress", locations: [{ path: path(name) }], content });
    await current.attribution.settled();
    await put(name, text);
    tool({ status: "completed" });
  };

  let facts: RecordedFacts;
  const make = (): ReviewStore => {
    // A review that is disposed of can still save and read. Its turns have the same names as those of the next test.
    const own = storage;
    const ownCheckpoints = checkpoints;
    const ownRoots = roots();
    return new ReviewStore({
      facts,
      ...(options.saves && { savesFolder: join(above, "saves") }),
      fileEvents,
      roots: () => ownRoots,
      maxIgnoredBytes: () => options.maxIgnoredBytes ?? 16 * 1024 * 1024,
      readTime: maxTestWait,
      comparisonWait: maxTestWait,
      onDidChangeRoots: () => ({ dispose: () => {} }),
      touches: {
        touched: one => {
          if (own === storage) touches.push([one.turn, one.path, one.before]);
          ownCheckpoints?.touched(one);
        },
        touchedAgain: one => ownCheckpoints?.touched(one),
        written: (at, after) => ownCheckpoints?.written(at, after),
        stateBefore: (turn, at, state) => ownCheckpoints?.stateBefore(turn, at, state),
        stateWritten: (at, state) => ownCheckpoints?.writtenState(at, state),
      },
      reviewBefore: (turn, text) => ownCheckpoints?.reviewBefore(turn, text),
      beginTurn: turn => ownCheckpoints?.beginTurn(turn) ?? Promise.resolve(),
      treesOf: turn =>
        ownCheckpoints?.startOf(turn) ??
        Promise.resolve({
          folders: [],
          omitted: [],
          textAt: at => {
            const found = trees.get(`${turn} ${at}`);
            return typeof found === "function" ? found() : Promise.resolve(found);
          },
          stateAt: () => Promise.resolve(undefined),
          filesAt: () => Promise.resolve(undefined),
          differences: () => options.differences?.() ?? Promise.resolve([]),
        }),
      storage: {
        append: () => Promise.reject(new Error("The review is not appended to.")),
        write: async (name, text) => void own.set(name, text),
        read: async name => own.get(name),
      },
      clock: systemClock,
      log: { ...nullLog, error: (message, data) => faults.push(`${message} ${String(data ?? "")}`) },
    });
  };

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    above = await mkdtemp(join(await realpath(workspace), "reviewed-"));
    await watched(above);
  });
  after(async () => {
    await rm(above, { recursive: true, force: true });
  });
  beforeEach(async function () {
    folder = await mkdtemp(join(above, "folder-"));
    if (options.throughLink) {
      await rename(folder, `${folder}-real`);
      await symlink(`${folder}-real`, folder);
    }
    storage = new Map();
    endedAt = 0;
    isOver = false;
    faults.length = 0;
    touches.length = 0;
    trees.clear();
    fileEvents.lost.clear();
    // VS Code can miss a folder that is created together with its parent, and then never reports its changes.
    if (options.roots) await watched(folder);
    for (const root of roots()) await mkdir(root, { recursive: true });
    const [first = folder] = roots();
    if (options.git) {
      await promisify(execFile)("git", ["init", "-q"], { cwd: first });
      checkpoints = await checkpointsOf(first);
    } else if (options.checkpoints) checkpoints = openCheckpoints(`${folder}-checkpoints`);
    facts = new RecordedFacts(folder, () => current.review);
    this["details"] = () => `The facts of the history:\n${facts.text}`;
    current = make();
    await current.ready;
    for (const root of roots()) await watched(root);
  });
  afterEach(async function () {
    // A comparison takes trees, also after the end of the test.
    await current.resumed;
    await current.attribution.whenCompared();
    facts.showReview();
    if (this.currentTest?.state === "passed") await record(this.currentTest.fullTitle(), facts);
    current.dispose();
    await checkpoints?.flush();
    checkpoints?.dispose();
    checkpoints = undefined;
    await discardAll();
    const made = [".git", "saves"].map(name => join(above, name));
    for (const one of [folder, `${folder}-real`, `${folder}-checkpoints`, ...made])
      await rm(one, { recursive: true, force: true, maxRetries: 10 });
    assert.deepEqual(faults, []);
  });

  /** Checkpoints that take trees of the repository. Their objects are in its own git folder, which is not watched. */
  async function checkpointsOf(repository: string): Promise<Checkpoints> {
    return openCheckpoints(await mkdtemp(join(repository, ".git", "parley-")), repository);
  }

  function openCheckpoints(store: string, repository?: string): Checkpoints {
    openSession = session => checkpointsIn(new CheckpointFolder(store), session, repository);
    copyOfSession = to => copyCheckpoints(new CheckpointFolder(store), "session", to);
    return openSession("session");
  }

  function checkpointsIn(store: CheckpointFolder, session: string, repository: string | undefined): Checkpoints {
    const git = repository === undefined ? undefined : gitOf(vscode.Uri.file(repository));
    assert.ok(git || repository === undefined, "git is installed");
    const storageFolder = join(store.pathOf(session), "trees");
    return new Checkpoints({
      store: store.session(session),
      ...(git && { trees: new GitTrees({ git, folders: [repository ?? ""], storageFolder, log: nullLog }) }),
      clock: systemClock,
      log: nullLog,
      newId: () => randomUUID(),
      limits: () => ({ count: 100, age: Infinity }),
      treeTime: maxTestWait,
    });
  }

  /** Resolves once changes in the folder are reported. A file written just after a turn would belong to it. */
  async function watched(where: string): Promise<void> {
    await until(() => Date.now() > endedAt + 2 * clockTick);
    await whenWatched(where, fileEvents);
    lastPut = Date.now();
  }

  /** Runs `run` while saving replaces the matches, like a formatter. */
  async function formatting(fits: RegExp, by: string, run: () => Promise<void>): Promise<void> {
    const editor = vscode.workspace.getConfiguration("editor");
    await editor.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    const formatter = vscode.languages.registerDocumentFormattingEditProvider("plaintext", {
      provideDocumentFormattingEdits: document => {
        const edits: vscode.TextEdit[] = [];
        for (let at = 0; at < document.lineCount; at++) {
          const { text, range } = document.lineAt(at);
          if (text.replace(fits, by) !== text) edits.push(vscode.TextEdit.replace(range, text.replace(fits, by)));
        }
        return edits;
      },
    });
    try {
      await run();
      await current.attribution.settled();
    } finally {
      formatter.dispose();
      await editor.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
    }
  }

  /** Inserts text at the beginning of a line, like a user. */
  async function type(name: string, line: number, text: string): Promise<void> {
    const change = new vscode.WorkspaceEdit();
    change.insert(vscode.Uri.file(path(name)), new vscode.Position(line, 0), text);
    assert.ok(await vscode.workspace.applyEdit(change));
    await current.attribution.settled();
  }

  const reviews = (): ReviewStore => current;
  const checkpointsOfTurns = (): Checkpoints => {
    assert.ok(checkpoints, "the folder has checkpoints");
    return checkpoints;
  };
  /** The checkpoints of a branch, which begins with a copy of those of the turns. The test disposes of them. */
  const checkpointsOfBranch = async (): Promise<Checkpoints> => {
    await checkpoints?.flush();
    const branch = randomUUID();
    await copyOfSession(branch);
    return openSession(branch);
  };
  const review = (): ReviewStore["review"] => current.review;
  const watch = (): ReviewStore["attribution"] => current.attribution;
  const turnBegan = async (turn: string, title: string): Promise<void> => {
    await current.turnBegan(turn, title);
    beginCall({});
  };
  const folderOf = (): string => folder;
  /** The facts of these files, and what the review shows of them, for the report of a failure about many files. */
  const factsOf = (names: readonly string[]): string => {
    const lines = facts.text.split("\n").filter(line => names.some(name => line.includes(`/${name}"`)));
    const shown = names.map(name => `${name}: ${JSON.stringify(file(name) ?? "not listed")}`);
    return [...lines, ...shown].join("\n");
  };
  /** Who changed the file, in the order in which Parley found that out. */
  const authorsOf = (name: string): readonly string[] =>
    readRecording(facts.text).flatMap(line =>
      line.type === "attributed" && line.path.endsWith(`/${name}`) ? [line.author.kind] : [],
    );
  /**
   * Ends the review like a closing window, or like one that is killed, and creates it again. `between` runs while no
   * window is open.
   */
  const reopen = async (between: () => Promise<void>, { killed = false } = {}): Promise<void> => {
    if (!killed) {
      current.beginClosing();
      await current.flush();
    }
    current.dispose();
    await discardAll();
    await between();
    current = make();
    await current.ready;
    await current.attribution.settled();
  };
  return {
    path,
    onDisk,
    put,
    open,
    show,
    file,
    hunks,
    hunksAre,
    begin,
    prepare,
    noticed: async () => {
      for (const root of roots()) await watched(root);
    },
    end,
    tool,
    /** What another window saves in the folder. It is removed with the folder. */
    otherWindow: (): SavedElsewhere => new SavedElsewhere({ folder: join(above, "saves"), roots, log: nullLog }),
    feed: (event: SessionEvent): void => fed.feed(event),
    write,
    edit,
    type,
    formatting,
    /** From now on, the editor does not report what happens to the file. */
    loseEventsOf: (name: string): void => void fileEvents.lost.add(path(name)),
    /** The editor reports what happened to the file, also if that is lost. */
    reportEvent: (type: FileEvent["type"], name: string): void => fileEvents.report({ type, path: path(name) }),
    touches,
    trees,
    reviews,
    checkpointsOfBranch,
    checkpoints: checkpointsOfTurns,
    review,
    watch,
    turnBegan,
    reopen,
    folder: folderOf,
    factsOf,
    authorsOf,
  };
}
