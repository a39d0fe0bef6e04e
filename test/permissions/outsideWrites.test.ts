// Which files outside the session's folders are reported as allowed to be written.
import assert from "node:assert/strict";
import { Confinement } from "../../src/files/paths.ts";
import { OutsideWrites } from "../../src/permissions/outsideWrites.ts";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { Gate, Operation } from "../../src/files/gate.ts";

const options = [
  { id: "yes", name: "Yes", kind: "allow_once" },
  { id: "no", name: "No", kind: "reject_once" },
] as const;

describe("files outside the session's folders that an agent may write", () => {
  const reported: string[] = [];
  const resolver = { real: (path: string) => Promise.resolve(path.replace("/work/link", "/etc")), ignoresCase: false };
  const confinement = new Confinement(resolver, ["/work"], "posix");
  const outside = new OutsideWrites(confinement, path => Promise.resolve(void reported.push(path)));
  beforeEach(() => void (reported.length = 0));

  const admit = async (operation: Operation, path: string, gate: Gate): Promise<boolean> =>
    outside.reported(gate).admit({ operation, path, located: await confinement.locate(path) });
  const answered = (tool: PermissionQuestion["tool"], option = "yes"): Promise<void> =>
    outside.reportAnswered({ title: "?", options, ...(tool && { tool }) }, { option });

  it("are those that the gate admits for writing, by their resolved paths", async () => {
    const allow: Gate = { admit: () => Promise.resolve(true) };
    assert.equal(await admit("write", "/work/link/a.txt", allow), true);
    await admit("write", "/work/a.txt", allow);
    await admit("read", "/etc/b.txt", allow);
    await admit("run", "/etc", allow);
    await assert.rejects(admit("write", "/etc/c.txt", { admit: () => Promise.reject(new Error("refused")) }));
    assert.deepEqual(reported, ["/etc/a.txt"]);
  });

  it("are those in the diffs and moves of an allowed question, and the places of an edit", async () => {
    const content = [
      { type: "diff", path: "/etc/a.txt", newText: "" },
      { type: "changes", changes: [{ operation: "move", path: "/etc/c.txt", oldPath: "/etc/b.txt" }] },
      { type: "diff", path: "/work/in.txt", newText: "" },
    ] as const;
    await answered({ kind: "edit", content, locations: [{ path: "/etc/d.txt" }, { path: "relative" }] });
    assert.deepEqual(reported.toSorted(), ["/etc/a.txt", "/etc/b.txt", "/etc/c.txt", "/etc/d.txt"]);
  });

  it("are none if the answer does not allow, or the call does not write", async () => {
    await answered({ kind: "edit", locations: [{ path: "/etc/a.txt" }] }, "no");
    await outside.reportAnswered({ title: "?", options, tool: { kind: "edit" } }, "cancelled");
    await answered({ kind: "read", locations: [{ path: "/etc/a.txt" }] });
    await answered({ kind: "execute", locations: [{ path: "/etc/a.txt" }] });
    await answered(undefined);
    assert.deepEqual(reported, []);
  });
});
