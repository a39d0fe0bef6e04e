// The conversations that the composer offers after `@`, by what was typed.
import assert from "node:assert/strict";
import {
  conversationDetail,
  conversationLabel,
  matchingConversations,
  type MentionedConversation,
} from "../../src/mentions/mentionedConversations.ts";

const titles = ["Reparse everything", "Fix the parser", "", "parse-tree of JSON", "Write docs"];
const list = titles.map((title, n): MentionedConversation => ({
  ...{ id: `${n}`, title, agentName: "Demo Agent", updated: 10 - n },
}));
/** The titles that are found, with the matching letters in capitals. */
const found = (words: string, options: { limit: number; atWordStart?: boolean } = { limit: 10 }): readonly string[] =>
  matchingConversations(words, list, options).map(({ conversation, matches }) =>
    [...conversationLabel(conversation.title).toLowerCase()]
      .map((char, at) => (matches.includes(at) ? char.toUpperCase() : char))
      .join(""),
  );

describe("mentioned conversations", () => {
  it("are found by any part of their title, those with a word that begins so first", () => {
    assert.deepEqual(found("PARS"), ["fix the PARSer", "PARSe-tree of json", "rePARSe everything"]);
    assert.deepEqual(found("pars", { limit: 10, atWordStart: true }), ["fix the PARSer", "PARSe-tree of json"]);
    assert.deepEqual(found("pars", { limit: 1 }), ["fix the PARSer"]);
    assert.deepEqual(found("zebra"), []);
  });

  it("are found with a hyphen instead of a blank, which ends a mention", () => {
    assert.deepEqual(found("the-parser"), ["fix THE PARSER"]);
    assert.deepEqual(found("parse-tree"), ["PARSE-TREE of json"]);
  });

  it("are all listed before anything is typed, the latest first, also one without a title", () => {
    assert.deepEqual(found("").length, 5);
    assert.deepEqual(found("", { limit: 3 }).at(-1), "new conversation");
  });

  it("have a title on one short line without invisible characters", () => {
    assert.equal(conversationLabel("a\n\u202eb"), "a [U+202E]b");
    assert.equal(conversationLabel("x".repeat(100)), `${"x".repeat(60)}…`);
    assert.equal(conversationDetail("Demo\nAgent", new Date(2026, 0, 5).getTime()), "Demo Agent · 2026-01-05");
  });
});
