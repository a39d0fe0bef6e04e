// What stands at a path can change while the author of the change is looked for.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReplacedPaths, type ReplacedPathsOptions } from "../../src/review/vscode/replacedPaths.ts";
import { noFacts } from "../../src/history/facts.ts";

describe("paths that a decision changes while the author is looked for", () => {
  let folder = "";
  let listed: string[] = [];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-replaced-")));
    listed = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Finds the agent as the author, after what happens meanwhile. */
  const replacedPaths = (meanwhile: () => Promise<unknown>): ReplacedPaths => {
    const review = {
      tracked: new Map<string, string>(),
      agentChangedWithoutBase: (path: string) => void listed.push(path),
    };
    const options: Pick<ReplacedPathsOptions, "facts" | "known" | "turnOfAgent"> = {
      facts: noFacts,
      known: () => undefined,
      turnOfAgent: (_, touch) => touch(),
    };
    const turnNow = async (): Promise<string> => {
      await meanwhile();
      return "turn";
    };
    const turns = { of: turnNow, touchNow: turnNow };
    const touches = { touched: () => {}, written: () => {} };
    return new ReplacedPaths({ ...options, touches, review, turns } as unknown as ReplacedPathsOptions);
  };

  it("do not list a binary file that was moved away", async () => {
    const path = join(folder, "binary");
    for (const meanwhile of [() => Promise.resolve(), () => rm(path)]) {
      await writeFile(path, Buffer.from([0, 1]));
      await replacedPaths(meanwhile).binaryChanged(path);
      assert.deepEqual(listed, [path]);
    }
  });

  it("do not list a deleted folder that is there again", async () => {
    const path = join(folder, "gone");
    for (const meanwhile of [() => Promise.resolve(), () => mkdir(path)]) {
      await replacedPaths(meanwhile).folderGone(path);
      assert.deepEqual(listed, [path]);
    }
  });
});
