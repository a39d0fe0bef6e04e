// The mode in which an agent only reads, found by its words.
import assert from "node:assert/strict";
import type { SessionOption } from "../../src/session/events.ts";
import { readOnlyMode } from "../../src/session/readOnlyMode.ts";

type Mode = readonly [value: string, name: string, description?: string];

const option = (modes: readonly Mode[], category: SessionOption["category"] = "mode"): SessionOption => ({
  ...{ id: "mode", name: "Mode", category, type: "select", value: modes[0]?.[0] ?? "" },
  choices: modes.map(([value, name, description]) => ({ value, name, ...(description && { description }) })),
});
const found = (modes: readonly Mode[]): string | undefined => readOnlyMode([option(modes)])?.value;

describe("the read-only mode of an agent", () => {
  it("is found by its name or its id, and before a mode that plans", () => {
    assert.equal(
      found([
        ["default", "Default"],
        ["plan", "Plan Mode"],
        ["read-only", "Read Only"],
      ]),
      "read-only",
    );
    assert.equal(
      found([
        ["auto", "Auto"],
        ["readOnly", "Chat"],
      ]),
      "readOnly",
    );
    assert.equal(
      found([
        ["code", "Code"],
        ["architect", "Architect"],
        ["ask", "Ask"],
      ]),
      "ask",
    );
    assert.equal(
      found([
        ["default", "Default"],
        ["plan", "Plan"],
      ]),
      "plan",
    );
  });

  it("is not found by a description, which can speak of another mode", () => {
    assert.equal(found([["build", "Build", "Unlike the read-only mode, this mode edits files."]]), undefined);
  });

  it("is not a mode that asks before it edits, or one that approves everything", () => {
    assert.equal(
      found([
        ["default", "Ask before edits"],
        ["acceptEdits", "Accept Edits"],
      ]),
      undefined,
    );
    assert.equal(found([["yolo", "Plan", "Approves everything without asking."]]), undefined);
    assert.equal(found([]), undefined);
  });

  it("is no value of another option", () => {
    assert.equal(readOnlyMode([option([["plan", "Plan"]], "model")]), undefined);
    const switchable: SessionOption = { id: "plan", name: "Plan", category: "mode", type: "boolean", value: false };
    assert.equal(readOnlyMode([switchable]), undefined);
  });
});
