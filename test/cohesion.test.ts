// Checks that interfaces of options are no sets of callbacks, and that classes have few public members. The lists of
// exceptions may only shrink.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { classesOfManyMembers, interfacesOfCallbacks, type LargeDeclaration } from "./support/cohesionRules.ts";

/** Today's interfaces with more functions than the rule allows, and how many they have. */
const knownInterfaces: Readonly<Record<string, number>> = {
  ChangedFilesOptions: 6,
  PermissionPolicyOptions: 5,
  EarlierStatesOptions: 7,
  TurnComparisonOptions: 5,
  OpenedTextsOptions: 5,
  ChoiceApplierOptions: 5,
  PromptDeliveryOptions: 5,
  SessionOptions: 6,
  ChatPanelOptions: 5,
};

/** Today's classes with more public members than the rule allows, and how many they have. */
const knownClasses: Readonly<Record<string, number>> = {
  Checkpoints: 24,
  WindowReview: 35,
  Session: 24,
  ChatPanels: 21,
};

const sources = ["src", "webview-ui"].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".ts"))
    .map(name => join(folder, name)),
);

const found = (rule: (text: string) => readonly LargeDeclaration[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    sources.flatMap(file => rule(readFileSync(file, "utf8")).map(({ name, count }) => [name, count] as const)),
  );

describe("the cohesion of the code", () => {
  it("has no interface of options with more than four functions, but for known ones, which may only shrink", () => {
    assert.deepEqual(found(interfacesOfCallbacks), knownInterfaces);
  });

  it("has no class with more than 20 public members, but for known ones, which may only shrink", () => {
    assert.deepEqual(found(classesOfManyMembers), knownClasses);
  });

  it("counts functions of an interface in each notation, and no data", () => {
    const members = ["a(): void", "b: () => void", "c?: (() => void) | undefined", "d: string", "e: readonly number[]"];
    const text = (more: readonly string[]): string => `interface XOptions { ${[...members, ...more].join("; ")} }`;
    assert.deepEqual(interfacesOfCallbacks(text(["f: () => number"])), []);
    assert.deepEqual(interfacesOfCallbacks(text(["f: () => number", "g(): void"])), [{ name: "XOptions", count: 5 }]);
  });

  it("counts public members of a class once, and neither private ones nor the constructor", () => {
    const publicOnes = Array.from({ length: 19 }, (_, at) => `m${at}() {}`);
    const text = (more: readonly string[]): string =>
      `class X { constructor() {} #a = 1; private b = 2; protected c() {} ${[...publicOnes, ...more].join(" ")} }`;
    assert.deepEqual(classesOfManyMembers(text(["get v() { return 1; }", "set v(x) {}"])), []);
    assert.deepEqual(classesOfManyMembers(text(["get v() { return 1; }", "static s = 1;"])), [
      { name: "X", count: 21 },
    ]);
  });
});
