// Retry with the files of a message, in the real editor with real files: the question, changes of the user, Undo, and the
// checkpoints of the messages that the branch copies.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { Checkpoints } from "../../src/checkpoints/checkpoints.ts";
import {
  CheckpointController,
  type CheckpointControllerOptions,
} from "../../src/checkpoints/vscode/checkpointController.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { Branching, type BranchingOptions } from "../../src/library/branching.ts";
import { reduce } from "../../src/session/reduce.ts";
import type { Session } from "../../src/session/session.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { randomNumbers } from "../support/fakes/randomNumbers.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

/** The same cases each time, unless a seed is given. */
const firstSeed = Number(process.env["SEED"] ?? 1);
const cases = Number(process.env["CASES"] ?? 2);

/** The texts of the files by name. "none" if there is no file. */
type Files = ReadonlyMap<string, string>;

/** The messages of the first session. */
const submissions = ["turn 1", "turn 2", "turn 4", "turn 5"];

const prompts = (...sent: readonly string[]): readonly SessionEvent[] =>
  sent.flatMap((submission): readonly SessionEvent[] => {
    const content = [{ type: "text", text: submission }] as const;
    return [
      { type: "promptSent", submission, content },
      { type: "promptAccepted", submission, messageId: submission },
      { type: "message", author: "user", messageId: submission, content },
    ];
  });

for (const git of [true, false]) {
  describe(`the files of a branch ${git ? "with" : "without"} git`, () => {
    const {
      path,
      onDisk,
      put,
      noticed,
      prepare,
      end,
      write,
      reviews,
      watch,
      folder,
      checkpoints,
      checkpointsOfBranch,
    } = useReviewedFolder({ git, checkpoints: true });
    const { showQuickPick, showInformationMessage } = vscode.window;
    /** The open lists, as title and labels. What is picked, by a label; nothing if undefined. */
    const asked: (readonly string[])[] = [];
    let answer: string | undefined;
    const branches: Checkpoints[] = [];
    let branching: Branching;
    let controller: CheckpointController;
    let sessions: Map<string, Session>;
    let first: Session;
    let shown = "";
    let remembered: unknown;

    beforeEach(() => {
      asked.length = 0;
      answer = undefined;
      remembered = undefined;
      shown = "first";
      const pick = (items: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions): Promise<unknown> => {
        // The suite writes this file to know that VS Code watches the folder.
        const labels = items.map(({ label }) => label).filter(label => label !== "watched");
        asked.push([options.title ?? "", ...labels]);
        if (options.canPickMany) return Promise.resolve([]);
        return Promise.resolve(items.find(({ label }) => label === answer));
      };
      Object.assign(vscode.window, { showQuickPick: pick, showInformationMessage: () => Promise.resolve(undefined) });
      const stateOf = (...events: readonly SessionEvent[]): SessionState => ({
        ...logged([{ type: "opened", agent: "demo", agentName: "Demo", cwd: folder() }, ...events]).reduce(
          reduce,
          emptySession,
        ),
        activity: emptySession.activity,
      });
      const sessionOf = (id: string, state: SessionState): Session =>
        ({ id, state, send: () => {} }) as Partial<Session> as Session;
      first = sessionOf("first", stateOf(...prompts(...submissions)));
      sessions = new Map([[first.id, first]]);
      /** The branch with the messages before the entry, and one of its own. */
      const branchBefore = async (before: string | undefined): Promise<Session> => {
        const ids = [...first.state.entries].map(({ id }) => id);
        const copied = ids.slice(0, before === undefined ? ids.length : ids.indexOf(before));
        const branched = { type: "branched", session: "branch", from: "first", after: copied.at(-1) ?? "" } as const;
        const sent = prompts(...submissions.slice(0, copied.length));
        const branch = sessionOf("branch", stateOf(...sent, branched, ...prompts("turn 3")));
        sessions.set("branch", branch);
        branches.push(await checkpointsOfBranch());
        shown = "branch";
        return branch;
      };
      controller = new CheckpointController({
        session: () => sessions.get(shown),
        sessionCheckpoints: { forSession: (id: string) => (id === "first" ? checkpoints() : branches.at(-1)) },
        preview: { open: () => Promise.resolve(), close: () => Promise.resolve() },
        chat: { focus: () => Promise.resolve() },
        documents: new EditorDocuments(nodePaths()),
        states: {
          workspaceState: {
            get: () => remembered,
            update: (_: string, value: unknown) => Promise.resolve(void (remembered = value)),
          },
        },
        review: reviews(),
      } as object as CheckpointControllerOptions);
      branching = new Branching({
        registry: { open: { get: (id: string) => sessions.get(id) } },
        continueFrom: (_: Session, before: string | undefined) => branchBefore(before),
        show: (id: string) => Promise.resolve(void (shown = id)),
        files: controller,
        offerUndo: () => Promise.resolve(false),
        clock: systemClock,
        log: nullLog,
      } as object as BranchingOptions);
    });
    afterEach(async () => {
      Object.assign(vscode.window, { showQuickPick, showInformationMessage });
      for (const each of branches.splice(0)) {
        await each.flush();
        each.dispose();
      }
    });

    const turn = async (id: string, work: () => Promise<unknown>): Promise<void> => {
      await prepare(id);
      await work();
      end();
      await watch().settled();
      await reviews().settled();
    };
    /** A turn of the branch writes these texts. */
    const turnOfBranch = async (texts: Readonly<Record<string, string>>): Promise<void> => {
      const own = branches.at(-1) ?? assert.fail("there is a branch");
      await own.beginTurn("turn 3");
      for (const [name, text] of Object.entries(texts)) {
        own.touched({ turn: "turn 3", path: path(name), before: existsSync(path(name)) ? await onDisk(name) : null });
        await put(name, text);
        own.written(path(name), text);
      }
      await own.flush();
      await noticed();
    };
    /** Restores the files at a message of the shown session. */
    const restore = async (message: number): Promise<void> => {
      answer = "Files";
      await controller.restore(sessions.get(shown)?.state.entries.at(message)?.id);
    };
    const retry = async (label?: string, message = 0): Promise<void> => {
      answer = label;
      const entry = first.state.entries.at(message)?.id ?? "";
      await branching.intents.retryPrompt(
        { type: "retryPrompt", session: "first", entry },
        { surface: "chat", reply: () => {} },
      );
    };
    const names = ["a.txt", "both.txt", "new.txt", "user.txt"];
    const files = async (): Promise<readonly string[]> =>
      Promise.all(names.map(async name => (existsSync(path(name)) ? onDisk(name) : "none")));
    /** The agent edits in two turns, and the user in between. */
    const twoTurns = async (): Promise<readonly string[]> => {
      for (const name of ["a.txt", "both.txt", "user.txt"]) await put(name, tenLines);
      await noticed();
      await turn("turn 1", async () => {
        await write("a.txt", lines("one"));
        await write("both.txt", lines("one"));
      });
      await put("both.txt", "the user's\r\n");
      await put("user.txt", "the user's too\n");
      await noticed();
      await turn("turn 2", async () => {
        await write("a.txt", lines("two"));
        await write("new.txt", "new\n");
      });
      return files();
    };
    const filesByName = async (): Promise<Files> => {
      const all = await files();
      return new Map(names.map((name, at) => [name, all[at] ?? "none"]));
    };
    const keep = "Keep the Files as They Are";
    const bringBack = "Bring the Files Back to This Message";
    const undoTurns = "Bring the Files Back to Before the Branch";

    it("come back without those that the user changed, and Undo brings back each byte", async () => {
      const before = await twoTurns();
      await retry(bringBack);
      assert.equal(shown, "branch");
      assert.deepEqual(asked, [
        ["Files of the New Branch", keep, bringBack],
        ["You Changed These Files Since", "both.txt", ...(git ? ["user.txt"] : [])],
      ]);
      assert.deepEqual(await files(), [tenLines, "the user's\r\n", "none", "the user's too\n"]);
      await branching.undo();
      assert.equal(shown, "first");
      assert.deepEqual(await files(), before);
      assert.equal(asked.length, 2, "Undo asks nothing if the branch changed no file");
    });

    it("stay if the user wants that, and the next question has the last choice first", async () => {
      const before = await twoTurns();
      await retry(keep);
      assert.deepEqual(await files(), before);
      await branching.undo();
      await retry(bringBack);
      await branching.undo();
      assert.deepEqual(await files(), before);
      await retry();
      assert.equal(shown, "first", "no branch begins if the question is cancelled");
      assert.deepEqual(await files(), before);
      const questions = asked.filter(([title]) => title === "Files of the New Branch");
      assert.deepEqual(
        questions.map(([, label]) => label),
        [keep, keep, bringBack],
      );
    });

    it("are not asked about if none would change", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await turn("turn 1", () => Promise.resolve());
      await retry();
      assert.equal(shown, "branch");
      assert.deepEqual(asked, []);
    });

    it("are those before the branch after Undo, also if its agent and another restore changed them", async () => {
      const before = await twoTurns();
      await retry(bringBack);
      await turnOfBranch({ "a.txt": "branch\n", "new.txt": "branch\n" });
      answer = undefined;
      await branching.undo();
      assert.equal(shown, "branch", "a cancelled question leaves the branch shown");
      assert.deepEqual(await files(), ["branch\n", "the user's\r\n", "branch\n", "the user's too\n"]);
      answer = undoTurns;
      await branching.undo();
      assert.equal(shown, "first");
      assert.deepEqual(await files(), before);
      const isUndo = ([title]: readonly string[]): boolean => title === "Undo Branch";
      assert.deepEqual(asked.findLast(isUndo), ["Undo Branch", undoTurns, keep]);
    });

    it("can be restored at a message that the branch has copied, and Undo undoes the turns of the branch only", async () => {
      const before = await twoTurns();
      await retry(keep, 1);
      await turnOfBranch({ "a.txt": "branch\n" });
      const branched = await files();
      assert.deepEqual(
        [...(branches.at(-1)?.turns ?? [])].filter(one => one !== "turn 2"),
        ["turn 1", "turn 3"],
      );
      await restore(0);
      assert.deepEqual(await files(), [tenLines, "the user's\r\n", "none", "the user's too\n"]);
      await controller.undo();
      assert.deepEqual(await files(), branched);
      // A retry of the copied message offers its files, too.
      asked.length = 0;
      answer = undefined;
      const entry = sessions.get("branch")?.state.entries.at(0)?.id ?? "";
      const target = { surface: "chat", reply: () => {} };
      await branching.intents.retryPrompt({ type: "retryPrompt", session: "branch", entry }, target);
      assert.deepEqual(asked, [["Files of the New Branch", keep, bringBack]]);
      answer = undoTurns;
      await branching.undo();
      assert.deepEqual(await files(), before);
    });

    for (let i = 0; i < cases; i++)
      it(`have each byte of the user after any sequence of turns, edits, retries, restores and undos, case ${i + 1}`, async () => {
        const random = randomNumbers(firstSeed + i);
        const steps = [`SEED=${firstSeed + i} CASES=1`];
        /**
         * The turns of the first session: the texts before its agent first changed them since, and the files that others
         * changed after that.
         */
        const turns: { readonly texts: Map<string, string>; readonly changed: Set<string> }[] = [];
        /**
         * The branch that is shown: the files before it, what the user wrote since, and whether its agent has worked. Its own
         * view of the turns of the first session, and how many of their messages it has.
         */
        let began:
          | {
              readonly before: Files;
              readonly own: Map<string, string>;
              readonly turns: typeof turns;
              readonly copied: number;
              written: readonly string[];
            }
          | undefined;
        const changed = (name: string, of = turns): void =>
          of.forEach(since => since.texts.has(name) && since.changed.add(name));
        let texts = 0;
        const someNames = (): readonly string[] => names.filter(() => random.below(2) === 0);
        const expectFiles = async (expected: Files): Promise<void> =>
          assert.deepEqual(await filesByName(), expected, steps.join("\n"));

        const user = async (): Promise<void> => {
          const name = random.of(names);
          const text = `user ${++texts}\n`;
          steps.push(`the user writes ${text.trim()} into ${name}`);
          await put(name, text);
          await noticed();
          changed(name);
          if (!began) return;
          changed(name, began.turns);
          began.own.set(name, text);
        };
        const agent = async (): Promise<void> => {
          const chosen = someNames();
          steps.push(`a turn of ${shown} writes ${chosen.join(", ")}`);
          if (!began) {
            turns.push({ texts: new Map(), changed: new Set() });
            for (const [name, text] of await filesByName())
              if (chosen.includes(name))
                for (const since of turns) if (!since.texts.has(name)) since.texts.set(name, text);
            await turn(submissions[turns.length - 1] ?? "", async () => {
              for (const name of chosen) await write(name, `agent ${++texts}\n`);
            });
            return;
          }
          began.written = chosen;
          for (const [name, text] of await filesByName())
            if (chosen.includes(name))
              for (const since of began.turns) if (!since.texts.has(name)) since.texts.set(name, text);
          await turnOfBranch(Object.fromEntries(chosen.map(name => [name, `agent ${++texts}\n`])));
        };
        const branch = async (): Promise<void> => {
          const message = random.below(turns.length);
          const label = random.of([keep, bringBack]);
          const before = await filesByName();
          steps.push(`the user retries message ${message + 1}: ${label}`);
          await retry(label, message);
          assert.equal(shown, "branch");
          const since = turns[message] ?? assert.fail();
          const expected = names.map((name): [string, string] => {
            const isBack = label === bringBack && !since.changed.has(name);
            return [name, (isBack ? since.texts.get(name) : undefined) ?? before.get(name) ?? "none"];
          });
          await expectFiles(new Map(expected));
          const copies = turns.map(each => ({ texts: new Map(each.texts), changed: new Set(each.changed) }));
          began = { before, own: new Map(), turns: copies, copied: message, written: [] };
        };
        const restoreAndUndo = async (): Promise<void> => {
          const message = random.below(began ? began.copied : turns.length);
          const before = await filesByName();
          steps.push(`the user restores message ${message + 1} of ${shown}, and undoes that`);
          await restore(message);
          const since = (began?.turns ?? turns)[message] ?? assert.fail();
          const expected = names.map((name): [string, string] => {
            const text = since.changed.has(name) ? undefined : since.texts.get(name);
            return [name, text ?? before.get(name) ?? "none"];
          });
          await expectFiles(new Map(expected));
          if (expected.some(([name, text]) => text !== before.get(name))) await controller.undo();
          await expectFiles(before);
        };
        const undo = async (): Promise<void> => {
          const { before, own, written } = began ?? assert.fail();
          const now = await filesByName();
          answer = random.of([keep, undoTurns]);
          const questions = asked.length;
          steps.push(`the user undoes the branch: ${answer}`);
          await branching.undo();
          const wasKept = answer === keep && asked.slice(questions).some(([title]) => title === "Undo Branch");
          assert.equal(shown, "first");
          began = undefined;
          if (wasKept) for (const name of written) changed(name);
          const expected = names.map((name): [string, string] => {
            if (wasKept) return [name, now.get(name) ?? "none"];
            return [name, own.get(name) ?? before.get(name) ?? "none"];
          });
          await expectFiles(new Map(expected));
        };
        await put("a.txt", tenLines);
        await put("both.txt", tenLines);
        await noticed();
        await agent();
        for (let step = 0; step < 12; step++) {
          const possible = [user, user];
          if (began ? began.written.length === 0 : turns.length < submissions.length) possible.push(agent, agent);
          possible.push(...(began ? [undo, undo] : [branch, branch]));
          if (began ? began.copied > 0 : turns.length > 0) possible.push(restoreAndUndo);
          await random.of(possible)();
        }
        if (began) await undo();
      });
  });
}
