// The pages of a conversation that is too long for a prompt: nothing is lost, text of others is in quotes, and each is bounded.
import assert from "node:assert/strict";
import fc from "fast-check";
import { continuedConversation, maxContinuedBytes } from "../../src/session/conversation/continuedConversation.ts";
import { conversationForAgent } from "../../src/session/conversation/conversationForAgent.ts";
import { conversationPages, maxPageBytes } from "../../src/session/conversation/conversationPages.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { hostileMarkdown } from "../support/fakes/hostileMarkdown.ts";

const fold = (events: readonly SessionEvent[]): SessionState =>
  logged(events).reduce<SessionState>(reduce, emptySession);
const opened: SessionEvent = { type: "opened", agent: "a", agentName: "Robo", cwd: "/w" };
const say = (author: "user" | "agent", id: string, text: string): SessionEvent => ({
  ...{ type: "message", author, messageId: id, content: [{ type: "text", text }] },
});
const tool = (id: string): SessionEvent => ({
  ...{ type: "tool", toolCallId: id, patch: { title: `Read ${id}`, status: "completed" } },
});
const noPause = (): Promise<void> => Promise.resolve();
const pagesOf = (state: SessionState, before?: string): Promise<readonly string[]> =>
  conversationPages(state, before, noPause);
/** The headings and quotes of the pages, without what each page begins with. */
const bodyOf = (pages: readonly string[]): string =>
  pages
    .map(page => page.replace(/^# .*\n\nParley wrote .*\n\n(?:## .*\n\n\*Continued from the page before\.\*\n\n)?/, ""))
    .join("\n");

describe("the pages of a conversation", () => {
  it("have every line once, in order, and begin with a title and the heading of what they continue", async () => {
    const lines = (from: string): string => Array.from({ length: 3000 }, (_, at) => `${from} line ${at}`).join("\n");
    const state = fold([opened, say("user", "u1", lines("question")), say("agent", "a1", lines("answer")), tool("x")]);
    const pages = await pagesOf(state);
    const words = pages.join("\n").match(/^> (?:question|answer) line \d+$/gm);
    assert.deepEqual(words, [lines("question"), lines("answer")].join("\n").split("\n").map(line => `> ${line}`)); // prettier-ignore
    assert.ok(pages.length >= 3, String(pages.length));
    for (const [at, page] of pages.entries()) {
      assert.ok(page.startsWith("# Conversation “question line 0"), page.slice(0, 100));
      assert.match(page, new RegExp(`^# .*, page ${at + 1} of ${pages.length}\\n`));
      assert.match(page, /^## (?:User \(reported by the agent\)|Agent: Robo)$\n\n(?:\*Continued.*\n\n)?> /m);
    }
    assert.match(pages.at(-1) ?? "", /- Read x \(done\)\n$/);
  });

  it("begin with a message rather than cut it, if the message fits a page", async () => {
    const answer = "word ".repeat(6000);
    const turns = [1, 2, 3].flatMap(at => [say("user", `u${at}`, `question ${at}`), say("agent", `a${at}`, answer)]);
    const pages = await pagesOf(fold([opened, ...turns]));
    assert.equal(pages.length, 3);
    for (const page of pages) assert.doesNotMatch(page, /Continued from/);
  });

  it("are bounded, quote what others wrote, and have the same texts as the whole conversation, whatever that is", async () => {
    const text = fc.oneof(hostileMarkdown(6), fc.string({ unit: "binary", maxLength: 60 }));
    const long = fc
      .tuple(text, fc.integer({ min: 1, max: 4000 }))
      .map(([part, times]) => part.repeat(times).slice(0, 150_000));
    const turn = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: long });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async texts => {
        const state = fold([opened, ...texts.map((each, at) => say(at % 2 === 0 ? "user" : "agent", `m${at}`, each))]);
        const pages = await pagesOf(state);
        for (const page of pages) {
          assert.ok(Buffer.byteLength(page) <= maxPageBytes, String(Buffer.byteLength(page)));
          for (const line of page.split("\n"))
            assert.ok(
              /^(?:$|> ?|# Conversation|## (?:User|Agent)|Parley wrote|\*Continued|\*Attached)/.test(line),
              line,
            );
        }
        const whole = conversationForAgent(state, undefined, Number.MAX_SAFE_INTEGER).sections.map(each => each.text);
        const squeezed = (all: string): string => all.replace(/[\s>]/g, "");
        assert.equal(squeezed(bodyOf(pages)), squeezed(whole.join("\n")));
      }),
      { numRuns: 40 },
    );
  });

  it("hide secrets, also of several lines, and leave out what comes after the entry", async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(20)}-----END PRIVATE KEY-----`;
    const state = fold([opened, say("user", "u1", key), say("agent", "a1", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"), say("user", "u2", "later")]); // prettier-ignore
    const [page = ""] = await pagesOf(state, state.entries.at(2)?.id);
    assert.doesNotMatch(page, /MIIEvQ|abcdefghij|later/);
    assert.match(page, /## Agent: Robo/);
  });

  it("pause often enough for other work", async () => {
    const turns = Array.from({ length: 400 }, (_, at) =>
      say("agent", `a${at}`, "some words of an answer\n".repeat(400)),
    );
    let longest = 0;
    let last = performance.now();
    const pages = await conversationPages(fold([opened, ...turns]), undefined, () => {
      longest = Math.max(longest, performance.now() - last);
      return new Promise(resolve =>
        setImmediate(() => {
          last = performance.now();
          resolve();
        }),
      );
    });
    assert.ok(pages.length > 50);
    assert.ok(longest < 200, `${longest} ms`);
  });

  it("are named where the end of a long conversation is attached, within its limit", () => {
    const state = fold([opened, say("user", "u1", "a"), say("agent", "a1", "word\n".repeat(40_000))]);
    const paths = Array.from({ length: 30 }, (_, at) => `/p/conversation-page-${at + 1}-of-30.md`);
    const text = continuedConversation(state, paths);
    assert.match(
      text,
      /in 30 pages of Markdown.*:\n\n- \/p\/conversation-page-1-of-30\.md\n- …\n- \/p\/conversation-page-30-of-30\.md\n/,
    );
    assert.ok(Buffer.byteLength(text) <= maxContinuedBytes);
  });
});
