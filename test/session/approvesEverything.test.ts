// Which values of options approve everything, by their words: the rows of approving-values.json.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { SessionOption } from "../../src/session/events.ts";
import { approvesEverything } from "../../src/session/approvesEverything.ts";

interface Row {
  readonly approves: boolean;
  readonly option?: { readonly id?: string; readonly name: string; readonly description?: string };
  readonly value?: string | boolean;
  readonly name?: string;
  readonly description?: string;
}

describe("a value that approves everything", () => {
  it("is recognized by its words, and by those of its option if it is only “on”", async () => {
    const rows = JSON.parse(await readFile("test/support/data/approving-values.json", "utf8")) as readonly Row[];
    const wrong = rows.filter(row => {
      const { value = "x", name = "", description } = row;
      const shared = { id: "o", name: "Mode", ...row.option };
      const other = { value: "other", name: "Bypass everything" };
      const choices = [other, { value: String(value), name, ...(description !== undefined && { description }) }];
      const option: SessionOption =
        typeof value === "boolean"
          ? { ...shared, type: "boolean", value }
          : { ...shared, type: "select", value: "other", choices };
      return approvesEverything(option, value) !== row.approves;
    });
    assert.deepEqual(wrong, []);
    assert.ok(rows.some(row => row.approves) && rows.some(row => !row.approves));
  });

  it("is also recognized if the agent does not list it", () => {
    const option: SessionOption = { id: "mode", name: "Mode", type: "select", value: "yolo", choices: [] };
    assert.equal(approvesEverything(option, "yolo"), true);
    assert.equal(approvesEverything(option, "ask"), false);
  });
});
