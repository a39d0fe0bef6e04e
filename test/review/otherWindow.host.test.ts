// What the user saves in another window on the folder, while an agent works in this one.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SavedElsewhere } from "../../src/history/vscode/savedElsewhere.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

describe("a save in another window on the folder", () => {
  const folder = useReviewedFolder({ saves: true });
  const { path, put, file, prepare, end, edit, review, watch, onDisk } = folder;
  let other: SavedElsewhere;
  beforeEach(async () => {
    for (const name of ["mine.txt", "agents.txt"]) await put(name, tenLines);
    await folder.noticed();
    other = folder.otherWindow();
  });
  afterEach(() => other.dispose());

  it("is the user's, also while a command of the agent runs", async () => {
    await prepare();
    await put("mine.txt", lines("mine"));
    await other.saved(path("mine.txt"));
    await put("agents.txt", lines("A"));
    await until(() => file("agents.txt") !== undefined);
    end();
    await watch().settled();
    assert.deepEqual(
      review().files.map(one => one.path),
      [path("agents.txt")],
    );
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("mine.txt"), lines("mine"));
  });

  it("is the agent's again as soon as the agent changes the file", async () => {
    await prepare();
    await put("mine.txt", lines(1, 2, "mine"));
    await other.saved(path("mine.txt"));
    await folder.noticed();
    await edit("mine.txt", lines("A", 2, "mine"));
    await until(() => file("mine.txt") !== undefined);
    await folder.hunksAre("mine.txt", "line 1 → line A");
    end();
  });

  it("is not believed for another text, nor from a file that no window wrote", async () => {
    await prepare();
    await put("mine.txt", lines("mine"));
    await other.saved(path("mine.txt"));
    const saves = join(dirname(folder.folder()), "saves");
    await writeFile(join(saves, "broken.json"), "{");
    await writeFile(join(saves, "other.json"), JSON.stringify({ roots: [folder.folder()], saves: [{ path: 1 }] }));
    await put("mine.txt", lines("A"));
    await until(() => file("mine.txt") !== undefined);
    assert.deepEqual(file("mine.txt")?.turns, ["turn 1"]);
    end();
  });
});
