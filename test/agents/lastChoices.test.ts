// The last choices of options, whose ids and values agents choose.
import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { LastChoices } from "../../src/agents/vscode/lastChoices.ts";

describe("the last choices for an agent", () => {
  const stored = new Map<string, unknown>();
  const globalState = {
    get: (key: string, otherwise: unknown) => stored.get(key) ?? otherwise,
    update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, JSON.parse(JSON.stringify(value)))),
  } as unknown as vscode.ExtensionContext["globalState"];
  const choices = new LastChoices({ globalState });
  beforeEach(() => stored.clear());
  const bytes = (): number => Buffer.byteLength(JSON.stringify([...stored]));

  it("are kept by agent and option, and forgotten without a value", async () => {
    await choices.set("a", "model", "big");
    await choices.set("b", "model", "small");
    await choices.set("a", "fast", true);
    assert.deepEqual(choices.of("a"), { model: "big", fast: true });
    await choices.set("a", "model", undefined);
    assert.deepEqual([choices.of("a"), choices.of("b")], [{ fast: true }, { model: "small" }]);
    for (const name of ["constructor", "__proto__", "toString"]) assert.deepEqual(choices.of(name), {}, name);
  });

  it("have a bounded size, however long the ids and values of an agent are", async () => {
    await choices.set("a", "x".repeat(5_000_000), "v");
    await choices.set("a", "model", "ä".repeat(5_000_000));
    assert.deepEqual(choices.of("a"), {});
    for (let at = 0; at < 200; at++) await choices.set("a", `option${at}`, "v".repeat(1500));
    assert.ok(bytes() < 25_000, `${bytes()} bytes`);
    assert.equal(choices.of("a")["option199"], "v".repeat(1500), "the newest stay");
    assert.equal(choices.of("a")["option100"], undefined);
  });

  it("have a bounded size in total, and those of the agent that was used last stay", async () => {
    for (let at = 0; at < 45; at++)
      for (let option = 0; option < 10; option++) await choices.set(`agent${at}`, `o${option}`, "v".repeat(1500));
    assert.ok(bytes() < 520_000, `${bytes()} bytes`);
    assert.equal(Object.keys(choices.of("agent44")).length, 10);
    assert.deepEqual(choices.of("agent0"), {});
  });
});
