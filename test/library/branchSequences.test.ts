// Any sequence of prompts, edits, retries, branches, switches and deletions on real logs: no message is lost.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { copyConversation } from "../../src/library/copyConversation.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { readEvents } from "../../src/session/log/openLog.ts";
import { SessionWriter, sessionFileName } from "../../src/session/log/sessionStore.ts";
import type { Session } from "../../src/session/session.ts";
import { isPrompt, type SessionState } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;
/** A turn of the agent, which can be stopped or lost before its end. */
const turn = (words: string, end: string | undefined): readonly SessionEvent[] => [
  { type: "promptSent", submission: `s-${words}`, content: [text(words)] },
  { type: "promptSubmitted", submission: `s-${words}` },
  { type: "promptAccepted", submission: `s-${words}`, messageId: `p-${words}` },
  { type: "message", author: "user", messageId: `p-${words}`, content: [text(words)], unnamed: true },
  { type: "activity", state: "running" },
  { type: "messageChunk", author: "agent", messageId: `a-${words}`, content: text(`answer to ${words}`) },
  ...(end === undefined ? [] : [{ type: "activity", state: "idle", stopReason: end } as const]),
];
const messagesOf = (state: SessionState): readonly string[] =>
  [...state.entries].flatMap(entry =>
    entry.kind === "message" ? entry.content.map(block => ("text" in block ? (block.text ?? "") : "")) : [],
  );

/** Logs in a storage, and what each of them must have. */
class Logs {
  readonly files = new StoredFiles(new Map());
  readonly expected = new Map<string, readonly string[]>();
  readonly #clock = new FakeClock();
  #ids = 0;
  #words = 0;

  async state(id: string): Promise<SessionState> {
    const read = await readEvents(this.files, sessionFileName(id));
    assert.ok(read, `${id} has a log`);
    return replayAtOnce(read.events, nullLog).state;
  }

  async #append(id: string, isNew: boolean, events: readonly SessionEvent[]): Promise<void> {
    const writer = new SessionWriter({ storage: this.files, session: id, isNew, clock: this.#clock, log: nullLog });
    const read = await readEvents(this.files, sessionFileName(id));
    const from = (read?.events.at(-1)?.seq ?? -1) + 1;
    for (const [at, event] of events.entries()) writer.write({ seq: from + at, at: this.#clock.now(), event });
    await writer.flush();
    writer.dispose();
  }

  async begin(): Promise<string> {
    const id = `session-${this.#ids++}`;
    await this.#append(id, true, [{ type: "opened", agent: "demo", agentName: "Demo", cwd: "/w", choices: true }]);
    this.expected.set(id, []);
    return id;
  }

  /** The agent's session opens, and a turn runs. */
  async prompt(id: string, end: string | undefined, words = `words ${this.#words++}`): Promise<void> {
    await this.#append(id, false, [{ type: "agentSession", sessionId: `agent-${this.#words}` }, ...turn(words, end)]);
    this.expected.set(id, [...(this.expected.get(id) ?? []), words, `answer to ${words}`]);
  }

  /** Continues before the prompt at this position, or at the end. Resolves with the branch and the words of the prompt. */
  async branch(id: string, pick: number): Promise<{ readonly id: string; readonly words: string | undefined }> {
    const state = await this.state(id);
    const prompts = [...state.entries].filter(isPrompt);
    const prompt = prompts[pick % (prompts.length + 1)];
    const continueFrom = copyConversation({
      registry: {
        flushLog: () => Promise.resolve(),
        openStored: ({ id: opened }: { readonly id: string }) => Promise.resolve({ id: opened } as Session),
      },
      servers: { copyChoices: () => Promise.resolve() },
      checkpoints: { copy: () => Promise.resolve() },
      ...{ storage: this.files, newId: () => `session-${this.#ids++}`, clock: this.#clock, log: nullLog },
    });
    const branch = await continueFrom({ id, state } as Session, prompt?.id, "view");
    const all = this.expected.get(id) ?? [];
    const words = prompt?.kind === "message" ? messagesOf(state)[2 * prompts.indexOf(prompt)] : undefined;
    this.expected.set(branch.id, words === undefined ? all : all.slice(0, all.indexOf(words)));
    return { id: branch.id, words };
  }
}

const stepArb = fc.record({
  do: fc.constantFrom("prompt", "edit", "retry", "branch", "switch", "delete"),
  session: fc.nat(),
  message: fc.nat(),
  end: fc.constantFrom("end_turn", "cancelled", "refusal", undefined),
});

describe("any sequence of edits, retries and branches", () => {
  it("loses no message: each log has what it had, and each branch what stood before its message", async () => {
    const property = fc.asyncProperty(fc.array(stepArb, { maxLength: 14 }), async steps => {
      const logs = new Logs();
      let shown = await logs.begin();
      await logs.prompt(shown, "end_turn");
      for (const step of steps) {
        const before = new Map(logs.files.texts);
        const ids = [...logs.expected.keys()];
        const other = ids[step.session % ids.length] ?? shown;
        // Refused turns are no part of the conversation, but stay in the log as well.
        if (step.do === "prompt") await logs.prompt(shown, step.end);
        else if (step.do === "switch") shown = other;
        else if (step.do === "delete") {
          if (other === shown) continue;
          await logs.files.remove(sessionFileName(other));
          logs.expected.delete(other);
        } else {
          const { id, words } = await logs.branch(shown, step.message);
          shown = id;
          if (step.do === "retry" && words !== undefined) await logs.prompt(id, step.end, words);
          else if (step.do === "edit") await logs.prompt(id, step.end);
        }
        for (const [id, messages] of logs.expected) assert.deepEqual(messagesOf(await logs.state(id)), messages, id);
        for (const [name, log] of before) {
          const now = logs.files.texts.get(name);
          assert.ok(now === undefined || now.startsWith(log), `${name} keeps every byte`);
        }
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
