// Lines of agents of version 2 that were once shown wrongly, replayed over the wire into the view of the panel.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { isBusy } from "../../src/session/state.ts";
import type { SentMessage } from "../support/fakes/wireAgent.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

/** What happens, in order. `accept` and `refuse` answer the last prompt that was sent. */
type Step =
  | { readonly send: string; readonly queues?: true }
  | { readonly agent: string; readonly [field: string]: unknown }
  | { readonly accept: object }
  | { readonly refuse: number }
  | { readonly user: "stops" | "signs in" }
  | { readonly parley: "sends nothing" }
  /** `resumes`: the agent answers the request of the new window to resume the session. */
  | { readonly window: "reloads" | "resumes" };

/** `sent`: the prompts that the agent received, in order. It received no other request, and no prompt waits. */
interface Script {
  readonly steps: readonly Step[];
  readonly shown: readonly string[];
  readonly sent: readonly string[];
  /** The agent works in the background at the end. */
  readonly works?: true;
}

const text = (words: string): object => ({ type: "text", text: words });
const running: Step = { agent: "state_update", state: "running" };
const idle: Step = { agent: "state_update", state: "idle", stopReason: "end_turn" };
const idleAgain: Step = { agent: "state_update", state: "idle", background: [] };
const refusal: Step = { agent: "state_update", state: "idle", stopReason: "refusal" };
const sendsNothing: Step = { parley: "sends nothing" };
const signIn = { code: -32000, message: "Sign in." };
const needsSignIn: Step = { agent: "state_update", state: "idle", stopReason: "error", error: signIn };
const user = (messageId: string, words: string): Step => ({ agent: "user_message", messageId, content: [text(words)] });
const says = (messageId: string, words: string): Step => ({
  ...{ agent: "agent_message", messageId, content: [text(words)] },
});
const piece = (messageId: string, words: string): Step => ({
  ...{ agent: "agent_message_chunk", messageId, content: text(words) },
});
const call = (status: string, ...output: string[]): Step => ({
  ...{ agent: "tool_call_update", toolCallId: "t", title: "npm test", kind: "execute", status },
  content: output.map(words => ({ type: "content", content: text(words) })),
});
const child = (fields: object): Step => ({
  agent: "subagent_update",
  sessionId: "c",
  title: "Explore",
  ...fields,
});
const steps = (...all: readonly Step[]): readonly Step[] => all;
const subAgent = { type: "subagent", sessionId: "c" };
const childCall = (status: string): Step => ({ ...call(status), in: "c" });
const accepted = (messageId: string, words: string): readonly Step[] =>
  steps({ send: words }, { accept: { messageId } }, user(messageId, words));
const turn = (messageId: string, words: string, answer: string): readonly Step[] => [
  ...accepted(messageId, words),
  ...[running, says(`answer to ${messageId}`, answer), idle],
];

const scripts: Readonly<Record<string, Script>> = {
  "an answer and a command that go on while the window reloads": {
    steps: [
      ...steps(...accepted("u1", "one"), running, piece("m", "The quick "), call("in_progress"), { window: "reloads" }),
      ...steps(user("u1", "one"), call("completed", "42 passed"), says("m", "The quick brown "), running),
      ...steps({ window: "resumes" }, piece("m", "fox."), idle),
    ],
    shown: ["user: one", "agent: The quick brown fox.", "npm test (done): 42 passed"],
    sent: ["one"],
  },
  "an answer and a command that end while the window reloads": {
    steps: [
      ...steps(...accepted("u1", "one"), running, piece("m", "The quick "), call("in_progress"), { window: "reloads" }),
      ...steps(user("u1", "one"), call("completed", "42 passed"), says("m", "The quick brown fox."), idle),
      ...steps({ window: "resumes" }),
    ],
    shown: ["user: one", "agent: The quick brown fox.", "npm test (done): 42 passed", "turnEnd"],
    sent: ["one"],
  },
  "work of the agent itself that needs a sign-in": {
    steps: [...turn("u1", "deploy it", "Deployed."), running, needsSignIn, { user: "signs in" }],
    shown: ["user: deploy it", "agent: Deployed."],
    sent: ["deploy it"],
  },
  "work for another client that the agent refuses": {
    steps: [...turn("u1", "one", "First."), user("o1", "of another client"), running, refusal],
    shown: ["user: one", "agent: First.", "user: of another client", "turnEnd"],
    sent: ["one"],
  },
  "background work that is reported again before a turn begins": {
    steps: [
      ...steps(...turn("u1", "one", "First."), ...accepted("u2", "second"), { send: "third", queues: true }),
      ...steps(idleAgain, sendsNothing, running, says("a2", "Second."), idle),
      ...steps({ accept: { messageId: "u3" } }, user("u3", "third"), running, idle),
    ],
    shown: ["user: one", "agent: First.", "user: second", "agent: Second.", "user: third"],
    sent: ["one", "second", "third"],
  },
  "an end of a turn that is reported again after a reload": {
    steps: [
      ...steps(...turn("u1", "one", "First."), { window: "reloads" }, idleAgain, { window: "resumes" }),
      ...steps(
        ...accepted("u2", "second"),
        { send: "third", queues: true },
        idle,
        sendsNothing,
        running,
        says("a2", "Second."),
        idle,
      ),
      ...steps({ accept: { messageId: "u3" } }, user("u3", "third"), running, idle),
    ],
    shown: ["user: one", "agent: First.", "user: second", "agent: Second.", "user: third"],
    sent: ["one", "second", "third"],
  },
  "the end of a turn that the agent reports only after a reload and the next prompt": {
    steps: [
      ...steps(...turn("u1", "one", "First."), { window: "reloads" }, idleAgain, { window: "resumes" }),
      ...steps(...accepted("u2", "second"), { send: "third", queues: true }),
      ...steps({ ...idle, stopReason: "max_tokens" }, sendsNothing, running, idle),
      ...steps({ accept: { messageId: "u3" } }, user("u3", "third"), running, idle),
    ],
    shown: ["user: one", "agent: First.", "user: second", "user: third"],
    sent: ["one", "second", "third"],
  },
  "a call of a sub-agent that begins in the background": {
    steps: [
      ...steps(...accepted("u1", "one"), running, child({ state: { state: "running" } })),
      ...steps(
        { agent: "state_update", state: "idle", stopReason: "end_turn", background: [subAgent] },
        childCall("in_progress"),
      ),
      ...steps(childCall("completed"), child({ state: { state: "idle", stopReason: "end_turn" } }), idleAgain),
    ],
    shown: ["user: one", "Explore (done)", "npm test (done)"],
    sent: ["one"],
  },
  "a prompt that the agent holds while another turn begins and ends": {
    steps: [
      ...steps(...turn("u1", "one", "First."), { send: "held" }, user("o1", "of another client"), running, idle),
      ...steps({ send: "later", queues: true }, { accept: { messageId: "u2" } }, user("u2", "held"), running, idle),
      ...steps({ accept: { messageId: "u3" } }, user("u3", "later"), running, idle),
    ],
    shown: ["user: one", "agent: First.", "user: of another client", "user: held", "user: later"],
    sent: ["one", "held", "later"],
  },
  "Stop while only work runs that cannot be stopped": {
    steps: [
      ...steps(...turn("u1", "one", "First."), child({ state: { state: "running" } }), call("in_progress")),
      ...steps({ agent: "state_update", state: "idle", background: [{ type: "tool_call", toolCallId: "t" }] }),
      { user: "stops" },
    ],
    shown: ["user: one", "agent: First.", "Explore (running)", "npm test (running)"],
    sent: ["one"],
    works: true,
  },
  "a prompt that the agent refuses until a sign-in, and one behind it": {
    steps: [
      ...steps(...turn("u1", "one", "First."), { send: "two" }, { send: "three", queues: true }),
      ...steps({ refuse: -32000 }, { user: "signs in" }),
      ...steps({ accept: { messageId: "u2" } }, user("u2", "two"), running, idle),
      ...steps({ accept: { messageId: "u3" } }, user("u3", "three"), running, idle),
    ],
    shown: ["user: one", "agent: First.", "user: two", "user: three"],
    sent: ["one", "two", "two", "three"],
  },
};

describe("lines of version 2 that were once shown wrongly", () => {
  let wire: WireSession;
  let sent: string[];
  let last: SentMessage | undefined;
  let resume: SentMessage | undefined;
  let opening: Promise<void> | undefined;
  beforeEach(async () => {
    trackLeaks();
    wire = await new WireSession().opened();
    sent = [];
  });
  afterEach(() => {
    wire.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  async function takePrompt(): Promise<void> {
    last = await wire.agent.request("session/prompt");
    sent.push((last.params?.["prompt"] as readonly { readonly text: string }[]).map(block => block.text).join(""));
  }

  async function perform(step: Step): Promise<void> {
    if ("agent" in step) {
      const { agent: sessionUpdate, in: session = "s", ...fields } = step;
      wire.agent.update(String(session), { sessionUpdate, ...fields });
    } else if ("send" in step) {
      wire.session.send([{ type: "text", text: step.send }]);
      if (!step.queues) await takePrompt();
    } else if ("accept" in step) {
      if (!last) await takePrompt();
      if (last) wire.agent.answer(last, step.accept);
      last = undefined;
    } else if ("refuse" in step) {
      if (last) wire.agent.fail(last, step.refuse, "Sign in.");
      last = undefined;
    } else if ("parley" in step) assert.deepEqual(wire.sent, []);
    else if ("window" in step) await (step.window === "reloads" ? reload() : resumed());
    else if (step.user === "stops") wire.session.stop();
    else await wire.session.signedIn(false);
    if (!resume) await wire.processed();
  }

  async function reload(): Promise<void> {
    await wire.processed();
    wire = wire.reloaded();
    opening = wire.session.open();
    resume = await wire.agent.request("session/resume");
  }

  async function resumed(): Promise<void> {
    if (resume) wire.agent.answer(resume, {});
    resume = undefined;
    await opening;
  }

  for (const [title, script] of Object.entries(scripts))
    it(`: ${title}`, async () => {
      for (const step of script.steps) await perform(step);
      assert.deepEqual(wire.view.entries.flatMap(asWords), script.shown);
      assert.deepEqual(sent, script.sent);
      assert.deepEqual([wire.queued, wire.sent], [[], []]);
      assert.equal(wire.state.background !== null, script.works === true);
      assert.ok(!isBusy(wire.state));
    });
});

/** The entry as the user reads it. Notices are left out, because the test itself sends some. */
function asWords(entry: ViewEntry): readonly string[] {
  const excluded = entry.excluded ? " (excluded)" : "";
  if (entry.kind === "notice" || ("over" in entry && entry.over)) return [];
  if (entry.kind === "tool") {
    const parts = entry.parts.map(part => ("text" in part ? part.text : part.type));
    return [`${entry.title} (${entry.status})${parts.length > 0 ? `: ${parts.join(" ")}` : ""}${excluded}`];
  }
  if (!("parts" in entry)) return [`${entry.kind}${excluded}`];
  return [`${entry.kind}: ${entry.parts.map(part => ("text" in part ? part.text : part.type)).join("")}${excluded}`];
}
