// Which files outside the workspace folders are followed.
import assert from "node:assert/strict";
import { OutsideFiles } from "../../src/review/turns/outsideFiles.ts";

describe("the files outside the workspace folders that are followed", () => {
  it("are watched one by one, and the oldest that do not wait for review are given up", () => {
    const watched = new Map<string, () => void>();
    const changes: string[] = [];
    const outside = new OutsideFiles({
      watchFile: (path, listener) => {
        assert.ok(!watched.has(path), "watched once");
        watched.set(path, listener);
        return { dispose: () => void watched.delete(path) };
      },
      onChanged: path => void changes.push(path),
      isReviewed: path => path === "/0",
    });
    for (let i = 0; i < 200; i++) outside.allow(`/${i}`);
    outside.allow("/1");
    outside.allow("/200");
    assert.equal(outside.paths.length, 200);
    assert.ok(outside.has("/0") && outside.has("/1") && !outside.has("/2"));
    watched.get("/1")?.();
    assert.deepEqual(changes, ["/1"]);
    outside.dispose();
    assert.equal(watched.size, 0);
  });
});
