import assert from "node:assert/strict";
import { changesView } from "../../src/panel/projection/changesView.ts";

describe("the changes view", () => {
  it("is null without pending changes", () => assert.equal(changesView([], "/w"), null));

  it("names files relative to the session's folder, and counts all lines", () => {
    const files = [
      { path: "/w/src/a.ts", added: 2, removed: 1 },
      { path: "/elsewhere/b.ts", added: 3, removed: 0, unknown: "Changed by a command." },
      {
        path: "/w/lib/c.bin",
        added: 0,
        removed: 0,
        unknown: "It is binary.",
        canUndo: true,
        movedFrom: "/w/pkg/c.bin",
      },
    ];
    assert.deepEqual(changesView(files, "/w"), {
      files: [
        { path: "/w/src/a.ts", label: "src/a.ts", added: 2, removed: 1 },
        { path: "/elsewhere/b.ts", label: "/elsewhere/b.ts", added: 3, removed: 0, unknown: "Changed by a command." },
        {
          path: "/w/lib/c.bin",
          label: "lib/c.bin",
          added: 0,
          removed: 0,
          unknown: "It is binary.",
          canUndo: true,
          movedFrom: "pkg/c.bin",
        },
      ],
      added: 5,
      removed: 1,
    });
  });

  it("marks the files that were changed meanwhile", () => {
    const files = [
      { path: "/w/a.ts", added: 1, removed: 0, isMeanwhile: true as const },
      { path: "/w/b.ts", added: 1, removed: 0 },
    ];
    assert.deepEqual(
      changesView(files, "/w")?.files.map(file => file.isMeanwhile),
      [true, undefined],
    );
  });

  it("marks the files that programs run", () => {
    const files = ["tasks.json", "package.json", "a.ts"].map(path => ({ path: `/w/${path}`, added: 1, removed: 0 }));
    const runs = { "/w/tasks.json": "byItself", "/w/package.json": "withBuild" } as const;
    const view = changesView(files, "/w", path => (path === "/w/a.ts" ? undefined : runs[path as keyof typeof runs]));
    assert.deepEqual(
      view?.files.map(file => file.runs),
      ["byItself", "withBuild", undefined],
    );
  });
});
