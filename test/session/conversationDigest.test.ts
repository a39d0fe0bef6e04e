// The digest of a conversation for another agent: goldens of recorded agents, hostile texts, and its limit.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { continuedConversation, maxContinuedBytes } from "../../src/session/conversation/continuedConversation.ts";
import { conversationDigest, maxDigestBytes } from "../../src/session/conversation/conversationDigest.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { hostileMarkdown } from "../support/fakes/hostileMarkdown.ts";
import { replay } from "../support/fakes/replay.ts";
import { processesOf, readTranscript, transcriptFolder } from "../support/fakes/transcript.ts";

const update = process.env["UPDATE"] === "1";

const fold = (events: readonly SessionEvent[]): SessionState =>
  logged(events).reduce<SessionState>(reduce, emptySession);
const opened: SessionEvent = { type: "opened", agent: "a", agentName: "Robo", cwd: "/w" };
const prompt = (id: string, text: string): readonly SessionEvent[] => [
  { type: "promptSent", submission: id, content: [{ type: "text", text }] },
  { type: "promptAccepted", submission: id, messageId: id },
  { type: "message", author: "user", messageId: id, content: [{ type: "text", text }] },
];
const answer = (id: string, text: string): readonly SessionEvent[] => [
  { type: "message", author: "agent", messageId: id, content: [{ type: "text", text }] },
  { type: "activity", state: "idle", stopReason: "end_turn" },
];
/** The lines that Parley writes itself. */
const ownLine =
  /^(?:|This is a digest .*|## (?:Earlier agent|Task|What the user wrote later|What the user decided|Changed files|Open: [a-z ]+|The last answer)|The user (?:rejected|allowed):|\d+ (?:earlier prompts|more) are left out\.|The rest of the digest is left out\.)$/;

function assertQuoted(digest: string): void {
  for (const line of digest.split("\n"))
    assert.ok(line === ">" || line.startsWith("> ") || ownLine.test(line), JSON.stringify(line));
  assert.doesNotMatch(digest, /[\v\f\r\x1c-\x1e\x85\u2028\u2029]/);
  assert.ok(Buffer.byteLength(digest) <= maxDigestBytes, String(Buffer.byteLength(digest)));
}

describe("the digest of a conversation", () => {
  for (const name of ["claude/tools", "claude/reject", "gemini/cancel", "claude/basics.rich", "qwen/tools"]) {
    it(`of ${name} is its golden`, async () => {
      const digests: string[] = [];
      for (const lines of processesOf(readTranscript(name))) {
        const run = await replay(name.split("/")[0] ?? name, lines);
        for (const { played } of run.sessions) digests.push(conversationDigest(played.session.state));
        run.dispose();
      }
      const text = digests.join("\n---\n\n");
      const file = join(transcriptFolder, `${name}.digest.md`);
      if (update) writeFileSync(file, text);
      assert.ok(existsSync(file), `${file} is missing. UPDATE=1 writes it; read it before you keep it.`);
      assert.equal(text, readFileSync(file, "utf8"));
    });
  }

  it("has the task, later prompts, decisions, files with lines, and what is open", () => {
    const ask = (id: string, title: string, option: string): readonly SessionEvent[] => [
      {
        type: "askOpened",
        ask: id,
        title,
        options: [
          { id: "y", name: "Allow", kind: "allow_once" },
          { id: "n", name: "Reject", kind: "reject_once" },
        ],
      },
      { type: "askClosed", ask: id, answer: { option } },
    ];
    const state = fold([
      opened,
      ...prompt("1", "Fix sum.js"),
      ...ask("q1", "npm test", "y"),
      ...ask("q2", "rm -rf /", "n"),
      {
        type: "tool",
        toolCallId: "t",
        patch: {
          title: "Edit",
          status: "completed",
          content: [{ type: "diff", path: "/w/src/sum.js", oldText: "a\nb\n", newText: "a\nc\nd\n" }],
        },
      },
      {
        type: "plan",
        planId: "p",
        entries: [
          { content: "Fix it", priority: "high", status: "completed" },
          { content: "Test it", priority: "high", status: "in_progress" },
        ],
      },
      ...answer("a1", "Done."),
      ...prompt("2", "Now add a test"),
      { type: "agentLost", problem: { message: "gone", next: [] } },
    ]);
    const digest = conversationDigest(state, { undecided: ["/w/src/sum.js"] });
    assertQuoted(digest);
    for (const part of [
      "## Earlier agent\n\n> Robo\n",
      "## Task\n\n> Fix sum.js\n",
      "## What the user wrote later\n\n> Now add a test\n",
      "The user rejected:\n> rm -rf /\nThe user allowed:\n> npm test\n",
      "## Changed files\n\n> src/sum.js (+2 −1)\n",
      "## Open: steps of the plan\n\n> Test it (in progress)\n",
      "## Open: changes that the user has not reviewed\n\n> src/sum.js\n",
      "## Open: the prompt without a complete answer\n\n> Now add a test\n",
      "## The last answer\n\n> Done.\n",
    ])
      assert.ok(digest.includes(part), `${part}\n—\n${digest}`);
  });

  it("has no secret", () => {
    const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    const digest = conversationDigest(fold([opened, ...prompt("1", `Use ${key}`), ...answer("a", `API_KEY=${key}`)]));
    assert.ok(!digest.includes(key));
    assert.ok(digest.includes("•••"));
  });

  it("quotes every line of others, whatever they wrote", () => {
    fc.assert(
      fc.property(hostileMarkdown(12), hostileMarkdown(12), (asked, answered) => {
        assertQuoted(
          conversationDigest(
            fold([opened, ...prompt("1", asked), ...answer("a1", answered), ...prompt("2", answered)]),
            {
              undecided: [asked],
            },
          ),
        );
      }),
    );
  });

  it("quotes every line of any session", () => {
    fc.assert(fc.property(eventsArb, events => assertQuoted(conversationDigest(fold([opened, ...events])))));
  });

  it("goes with a conversation that never exceeds its own limit, and has no secret", () => {
    const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    for (const text of [`${key}\n`.repeat(6000), "é".repeat(200_000), `password: ab\n`.repeat(20_000), "short"]) {
      const state = fold([opened, ...prompt("1", text), ...answer("a1", text), ...prompt("2", "go on")]);
      const conversation = continuedConversation(state);
      assert.ok(Buffer.byteLength(conversation) <= maxContinuedBytes, String(Buffer.byteLength(conversation)));
      assert.ok(!conversation.includes(key));
      assert.ok(conversation.endsWith("## User\n\n> go on\n"), conversation.slice(-80));
    }
  });

  it("never exceeds its limit", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).map(unit => unit.repeat(2000));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), texts => {
        const events = texts.flatMap((each, at) => [...prompt(`p${at}`, each), ...answer(`a${at}`, each)]);
        assertQuoted(conversationDigest(fold([opened, ...events]), { undecided: texts }));
      }),
      { numRuns: 30 },
    );
  });
});
