// A review of changes by an agent: what the agent gets, and where its remarks become comments.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { LineComments } from "../../src/comments/lineComments.ts";
import { ReviewsByAgents } from "../../src/comments/vscode/reviewsByAgents.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { SessionRegistry } from "../../src/library/sessionRegistry.ts";
import { track } from "../../src/review/fileChanges.ts";
import type { ReviewedFile, ReviewedTurn } from "../../src/review/review.ts";
import type { Session } from "../../src/session/session.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { until } from "../support/fakes/until.ts";

describe("a review of changes by an agent", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-reviewer-")));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const reviewed = (name: string, base: string, text: string, movedFrom?: string): ReviewedFile => ({
    path: join(folder, name),
    changes: track(base, text, "turn"),
    ...{ added: 1, removed: 1, turns: ["turn"] },
    ...(movedFrom !== undefined && { movedFrom: join(folder, movedFrom) }),
  });

  async function bench(files: ReviewedFile[]) {
    const room = await new SessionBench().openReady();
    const open = new OpenSessions<Session>();
    open.add(room.session);
    const review = {
      files,
      turns: [{ id: "turn", session: { id: "author", title: "" } } as ReviewedTurn],
      file: (path: string) => files.find(one => one.path === path),
      onDidChange: () => ({ dispose() {} }),
    };
    const comments = new LineComments({
      files: { read: () => Promise.resolve([]), write: () => Promise.resolve(), remove: () => Promise.resolve() },
      ...{ clock: systemClock, log: nullLog, onNotStored: () => {} },
    });
    const asked: (readonly string[])[] = [];
    let whenAsked = (): readonly string[] => [];
    const reviews = new ReviewsByAgents({
      ...{ comments, review, log: nullLog },
      registry: { open, startUnshown: () => room.session } as unknown as SessionRegistry,
      folders: { usual: () => folder },
      agents: { definitions: () => [{ id: "stub", name: "Stub" } as AgentDefinition] },
      declined: paths => {
        asked.push(paths.map(path => basename(path)));
        return Promise.resolve(whenAsked());
      },
      hasSession: id => id === "author",
      ...{ show: () => Promise.resolve(), open: () => Promise.resolve() },
    });
    const answer = (text: string): void => {
      room.remote.report({ type: "messageChunk", author: "agent", messageId: "m", content: { type: "text", text } });
      room.remote.end();
    };
    const dispose = (): void => [reviews, comments].forEach(one => one.dispose());
    return { room, comments, reviews, asked, answer, dispose, onAsk: (run: typeof whenAsked) => (whenAsked = run) };
  }

  it("asks about each file, also about one that was moved or that changed since, and sends only what it may", async () => {
    const files = [reviewed("a.js", "a\n", "b\n"), reviewed("settings.txt", "KEY=1\n", "KEY=2\n", ".env")];
    const { room, reviews, asked, onAsk, dispose } = await bench(files);
    onAsk(() => {
      if (files.length === 2) files.push(reviewed("late.env", "LATE=1\n", "LATE=2\n"));
      return [join(folder, ".env"), join(folder, "late.env")];
    });
    await reviews.start();
    await until(() => room.remote.texts.length === 1);
    assert.deepEqual(asked, [["a.js", "settings.txt", ".env"], ["late.env"]]);
    const [prompt = ""] = room.remote.texts;
    assert.match(prompt, /\+\+\+ b\/a\.js/);
    assert.doesNotMatch(prompt, /KEY|LATE|settings/);
    dispose();
  });

  it("does not start if the user shares no file", async () => {
    const { room, reviews, asked, onAsk, dispose } = await bench([reviewed("a.js", "a\n", "b\n")]);
    onAsk(() => [join(folder, "a.js")]);
    await reviews.start();
    assert.deepEqual(asked, [["a.js"]]);
    assert.deepEqual([...room.session.state.entries, ...room.session.state.pendingPrompts], []);
    dispose();
  });

  it("puts the remarks on their lines as they are now, for the session that made the change", async () => {
    const text = "one\ntwo\nthree\n";
    const { room, comments, reviews, answer, dispose } = await bench([reviewed("a.js", "one\n2\nthree\n", text)]);
    await reviews.start();
    await until(() => room.remote.texts.length === 1);
    await writeFile(join(folder, "a.js"), `zero\n${text}`);
    answer("a.js:2: Why?\n\na.js:3: And **this**?\n\nThe rest is good.");
    await until(() => comments.all.length === 2);
    assert.deepEqual(
      comments.all.map(({ lines, quoted, session, remarks }) => [lines.from, quoted, session, remarks[0]?.text]),
      [
        [2, "two", "author", "Why?"],
        [3, "three", "author", "And **this**?"],
      ],
    );
    dispose();
  });
});
