// What was changed while a turn ran, but no tool call: it waits for review apart from the agent's changes.
import assert from "node:assert/strict";
import { chmod, rename, rm } from "node:fs/promises";
import { meanwhileTurn } from "../../src/history/author.ts";
import { maxReportDelay } from "../../src/history/turnTimes.ts";
import { changeRows } from "../../src/review/reviewPresentation.ts";
import { ReviewActions } from "../../src/review/vscode/reviewActions.ts";
import { BaseDocuments } from "../../src/review/vscode/baseDocuments.ts";
import { nullLog } from "../../src/base/log.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder, type ReviewedFolderOptions } from "../support/host/reviewedFolder.ts";

/** A call begins some time before its first report. */
const past = async (): Promise<void> => {
  const now = Date.now();
  await until(() => Date.now() > now + 600);
};

function suite(title: string, options: ReviewedFolderOptions): void {
  describe(`the review of what was changed while no tool call ran, ${title},`, () => {
    const folder = useReviewedFolder(options);
    const { path, put, file, prepare, end, tool, feed, edit, hunksAre, onDisk, review, watch, reviews, touches } =
      folder;
    const settled = (): Promise<void> => watch().settled();
    const start = async (): Promise<void> => {
      await put("mine.txt", tenLines);
      await put("agents.txt", tenLines);
      await folder.noticed();
      await prepare("turn 1", { call: false });
    };
    const waits = (name: string): Promise<void> => until(() => file(name) !== undefined);
    const isMine = (name: string): void => {
      assert.deepEqual(file(name)?.turns, [meanwhileTurn]);
      assert.ok(file(name)?.isMeanwhile);
    };

    it("lists it apart, and neither Undo All nor the undo of the turn takes it back", async () => {
      await start();
      await edit("agents.txt", lines("A", 2, 3, 4, 5, 6, 7, 8, 9, 10));
      await settled();
      await past();
      await put("mine.txt", lines(1, 2, "mine", 4, 5, 6, 7, 8, 9, 10));
      await put("new.txt", "also mine\n");
      await waits("mine.txt");
      await waits("new.txt");
      end();
      await settled();
      isMine("mine.txt");
      isMine("new.txt");
      assert.deepEqual(file("agents.txt")?.turns, ["turn 1"]);
      const rows = changeRows(review()).map(row =>
        row.kind === "file" ? row.file.path : row.kind === "session" && row.isMeanwhile,
      );
      assert.deepEqual(rows, [path("agents.txt"), true]);
      await review().undo({ kind: "turn", turn: "turn 1" });
      assert.equal(await onDisk("agents.txt"), tenLines);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("new.txt"), "also mine\n");
      assert.equal(await onDisk("mine.txt"), lines(1, 2, "mine", 4, 5, 6, 7, 8, 9, 10));
      await review().undo({ kind: "file", path: path("mine.txt") });
      assert.equal(await onDisk("mine.txt"), tenLines);
      await review().undo({ kind: "file", path: path("new.txt") });
      assert.equal(await onDisk("new.txt").catch(() => null), null);
      assert.equal(review().files.length, 0);
    });

    it("keeps it with Keep All", async () => {
      await start();
      await put("mine.txt", lines("mine"));
      await waits("mine.txt");
      await review().keep({ kind: "all" });
      assert.equal(review().files.length, 0);
      end();
      await settled();
      assert.equal(review().files.length, 0);
      assert.equal(await onDisk("mine.txt"), lines("mine"));
    });

    it("undoes the agent's hunks only, in a file that was also changed meanwhile", async () => {
      await start();
      await edit("agents.txt", lines("A", 2, 3, 4, 5, 6, 7, 8, 9, 10));
      await settled();
      await hunksAre("agents.txt", "line 1 → line A");
      // Longer than the report of a call that names the file can take.
      feed({ type: "tool", toolCallId: "t1", patch: { status: "completed" } });
      const ended = Date.now();
      await until(() => Date.now() > ended + 5100);
      await put("agents.txt", lines("A", 2, 3, 4, 5, 6, 7, 8, 9, "mine"));
      await hunksAre("agents.txt", "line 1 → line A", "line 10 → line mine");
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("agents.txt"), lines(1, 2, 3, 4, 5, 6, 7, 8, 9, "mine"));
      await hunksAre("agents.txt", "line 10 → line mine");
      end();
    });

    it("counts calls that read as no calls, and a call that waits for permission as one that does not run", async () => {
      await start();
      tool(
        { kind: "read", title: "Read agents.txt", status: "in_progress", locations: [{ path: path("mine.txt") }] },
        "r",
      );
      await put("mine.txt", lines("mine"));
      await waits("mine.txt");
      isMine("mine.txt");
      tool({ kind: "execute", status: "pending" }, "x");
      feed({ type: "askOpened", ask: "q", title: "Run it?", toolCallId: "x", options: [] });
      await past();
      await put("new.txt", "from a formatter of another editor\n");
      await waits("new.txt");
      isMine("new.txt");
      feed({ type: "askClosed", ask: "q", answer: { option: "yes" } });
      await put("other.txt", "the command's\n");
      await waits("other.txt");
      assert.deepEqual(file("other.txt")?.turns, ["turn 1"]);
      end();
    });

    it("counts a terminal of the agent that runs as a call", async () => {
      await start();
      feed({ type: "terminal", terminalId: "server", own: true, command: "npm run watch" });
      await put("new.txt", "built\n");
      await waits("new.txt");
      assert.deepEqual(file("new.txt")?.turns, ["turn 1"]);
      feed({ type: "terminal", terminalId: "server", exit: { exitCode: 0 } });
      await past();
      await put("mine.txt", lines("mine"));
      await waits("mine.txt");
      isMine("mine.txt");
      end();
    });

    it("gives it to an agent that reports its call only after it", async () => {
      const names = [1, 2, 3, 4, 5].map(number => `agents-${number}.txt`);
      for (const name of names) await put(name, tenLines);
      await start();
      let written: { readonly name: string; readonly at: number };
      // A call is reported a few seconds after a change at most. On a busy machine, noticing a change can take longer.
      do {
        written = { name: names.shift() ?? assert.fail("Each change was noticed too late."), at: Date.now() };
        await put(written.name, lines("A"));
        await waits(written.name);
        isMine(written.name);
      } while (Date.now() > written.at + maxReportDelay / 2);
      const { name } = written;
      tool({ kind: "execute", status: "completed" }, "late");
      await settled();
      assert.deepEqual(file(name)?.turns, ["turn 1"]);
      assert.ok(!file(name)?.isMeanwhile);
      assert.deepEqual(
        touches.filter(([turn]) => turn !== meanwhileTurn),
        [["turn 1", path(name), tenLines]],
      );
      await review().undo({ kind: "all" });
      assert.equal(await onDisk(name), tenLines);
      end();
    });

    it("lists deletions, moves and files that are no text apart", async () => {
      await put("moved.txt", lines("to", "be", "moved"));
      await put("data.bin", "\0\x01");
      await start();
      await rm(path("mine.txt"));
      await put("data.bin", "\0\x02");
      await rename(path("moved.txt"), path("target.txt"));
      await until(() => file("mine.txt") !== undefined && file("target.txt") !== undefined);
      end();
      await settled();
      await waits("data.bin");
      for (const { path: one, isMeanwhile } of review().files) assert.ok(isMeanwhile, one);
      const before = review().files.length;
      await review().undo({ kind: "all" });
      assert.equal(review().files.length, before);
      assert.equal(await onDisk("mine.txt").catch(() => null), null);
      assert.equal(await onDisk("data.bin"), "\0\x02");
      await review().undo({ kind: "file", path: path("mine.txt") });
      assert.equal(await onDisk("mine.txt"), tenLines);
    });

    it("keeps the group across a reload of the window", async () => {
      await put("data.bin", "\0\x01");
      await start();
      await put("mine.txt", lines("mine"));
      await put("data.bin", "\0\x02");
      await waits("mine.txt");
      await waits("data.bin");
      end();
      await settled();
      await folder.reopen(() => Promise.resolve());
      isMine("mine.txt");
      isMine("data.bin");
    });

    it("says that only such changes are left when Undo All has nothing to undo", async () => {
      await start();
      await put("mine.txt", lines("mine"));
      await waits("mine.txt");
      const announced: string[] = [];
      const bases = new BaseDocuments(review(), nullLog);
      const actions = new ReviewActions({ review: review(), bases, announce: words => announced.push(words) });
      await actions.decide("undo", { kind: "all" });
      bases.dispose();
      assert.equal(await onDisk("mine.txt"), lines("mine"));
      assert.match(announced.join(), /made meanwhile, perhaps by you/);
      end();
    });

    if (options.git) {
      it("counts it as a change by others in the checkpoint of the turn", async () => {
        await start();
        await put("mine.txt", lines("mine"));
        await waits("mine.txt");
        await past();
        await edit("agents.txt", lines("A"));
        await settled();
        end();
        await settled();
        await reviews().settled();
        const plan = await folder
          .checkpoints()
          .planRestore("turn 1", { text: async one => onDisk(one.slice(path("").length)) });
        const found = Object.fromEntries(plan.files.map(one => [one.path, one.changedSince]));
        assert.deepEqual(found, { [path("agents.txt")]: false, [path("mine.txt")]: true });
      });
    }

    it("lets the user change the mode of a file that the agent has not touched", async () => {
      await start();
      await chmod(path("mine.txt"), 0o755);
      end();
      await settled();
      await review().undo({ kind: "all" });
      const found = file("mine.txt");
      assert.ok(found === undefined || found.isMeanwhile);
    });
  });
}

suite("with git", { git: true });
suite("without git", {});
