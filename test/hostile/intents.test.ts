// Messages of a panel with random changes: what is accepted has the shape of a valid intent in every place.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseIntent, type Intent } from "../../src/panel/intents.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { fuzz, leaveNothingBehind } from "./fuzz.ts";
import { changeJson, jsonChange } from "./mutations.ts";

const sources: readonly Attachment["source"][] = [
  { type: "path", path: "/w/a.ts", line: 1, endLine: 2 },
  { type: "text", text: "x", uri: "file:///w/a.ts", mimeType: "text/plain" },
  { type: "data", mimeType: "image/png", data: "AAAA" },
];
const attachments = sources.map((source, at): Attachment => ({
  id: `a${at}`,
  kind: "file",
  label: "a.ts",
  detail: "w",
  bytes: 1,
  source,
  mentions: ["@a.ts"],
  secret: true,
  stays: true,
}));

/** Intents with every optional field. */
const intents: readonly (Intent & { readonly session?: string })[] = [
  { type: "hello", revision: 0, whole: true },
  { type: "send", text: "x", attachments, session: "s" },
  { type: "preview", request: 1, target: { type: "path", path: "/w/a.ts", line: 1, endLine: 2 } },
  { type: "attachUris", uris: ["file:///w/a.ts", "file:///w/b.ts"] },
  { type: "find", request: 1, query: "x", matchCase: false, wholeWord: true, regex: false },
  { type: "moveQueued", prompt: "s", before: "t", session: "s" },
  { type: "answer", question: "q", option: "y", session: "s" },
  { type: "settleFile", path: "/w/a.ts", how: "save" },
  { type: "undoChanges", path: "/w/a.ts" },
  { type: "openFile", path: "/a", line: 3, column: 5, endLine: 9 },
  { type: "openContent", entry: "m:1", part: 2, session: "s" },
  { type: "applyCode", text: "x", path: "/w/a.ts" },
  { type: "openLink", href: "https://example.com" },
  { type: "nextStep", step: "retry" },
  { type: "report", kind: "csp", text: "x" },
];

/** The type of each value inside, by its place. The items of a list have the same place. */
function shapeOf(value: unknown, place: string, found = new Map<string, Set<string>>()): Map<string, Set<string>> {
  found.set(place, (found.get(place) ?? new Set()).add(Array.isArray(value) ? "list" : typeof value));
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    shapeOf(inner, Array.isArray(value) ? place : `${place}.${key}`, found);
  }
  return found;
}

describe("a panel that sends anything", () => {
  leaveNothingBehind();

  it("is obeyed only if each value in the message has the type of its place", async () => {
    const known = new Map<string, Set<string>>();
    for (const intent of intents) shapeOf(intent, intent.type, known);
    let accepted = 0;
    const property = fc.property(
      fc.constantFrom(...intents),
      fc.array(jsonChange, { minLength: 1, maxLength: 3 }),
      (intent, changes) => {
        const message = changeJson(intent, changes);
        const parsed = parseIntent(message);
        if (parsed === undefined) return;
        accepted++;
        assert.equal(parsed, message);
        for (const [place, types] of shapeOf(parsed, parsed.type)) {
          for (const type of types) {
            const fits = !known.has(parsed.type) || known.get(place)?.has(type);
            assert.ok(fits, `${place} is a ${type}: ${JSON.stringify(parsed)}`);
          }
        }
      },
    );
    await fuzz(property, 1500);
    assert.ok(accepted > 20, `only ${accepted} messages were accepted`);
  });
});
