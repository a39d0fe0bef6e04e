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

  it("names the sessions other than the shown one, with the title of their latest turn", () => {
    const changed = (name: string, ...turns: readonly string[]) => ({
      path: `/w/${name}`,
      added: 1,
      removed: 0,
      turns,
    });
    const files = [changed("a", "t1"), changed("b", "t1", "t2"), changed("c", "t4"), changed("d", "t3")];
    const turns = [
      { id: "t1", title: "", session: { id: "one", title: "One" } },
      { id: "t2", title: "", session: { id: "two", title: "Two" } },
      { id: "t3", title: "", session: { id: "two", title: "Fix sum" } },
      { id: "t4", title: "" },
    ];
    const others = (shown: string | undefined) => changesView(files, "/w", undefined, { shown, turns })?.others;
    const two = { id: "two", title: "Fix sum" };
    assert.deepEqual(others("one"), { files: 2, sessions: [two] });
    assert.deepEqual(others("two"), { files: 2, sessions: [{ id: "one", title: "One" }] });
    assert.deepEqual(others("new"), { files: 3, sessions: [{ id: "one", title: "One" }, two] });
    const titleOf = (id: string): string => (id === "two" ? "Sums" : "");
    const open = changesView(files, "/w", undefined, { shown: "new", turns, titleOf })?.others;
    assert.deepEqual(
      open?.sessions.map(({ title }) => title),
      ["One", "Sums"],
      "an open session has its title of now",
    );
    const own = { shown: "one", turns: turns.slice(0, 1) };
    assert.equal(changesView(files, "/w", undefined, own)?.others, undefined);
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
