// The user's mode, model and other options: every session of the agent gets them before it gets a prompt.
import assert from "node:assert/strict";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { LoggedEvent, SessionOption } from "../../src/session/events.ts";
import { openQuestions } from "../../src/session/state.ts";
import { SessionBench, exitedProblem } from "../support/fakes/sessionBench.ts";
import { StubAgent, type StubSession } from "../support/fakes/stubAgent.ts";

const select = (id: string, category: string | undefined, value: string, values: readonly string[]): SessionOption => ({
  id,
  name: `${id.toUpperCase()}`,
  ...(category !== undefined && { category }),
  type: "select",
  value,
  choices: values.map(each => ({ value: each, name: `${each.toUpperCase()}` })),
});
const effort = select("effort", "thought_level", "low", ["low", "high"]);
const mode = select("mode", "mode", "ask", ["ask", "plan", "read"]);
const fast: SessionOption = { id: "fast", name: "Fast", category: "model_config", type: "boolean", value: false };
const model = select("model", "model", "small", ["small", "large"]);
const all = [effort, mode, fast, model];

const isQuestion = { title: "Leave the plan?", toolCallId: "t", options: [
  { id: "y", name: "Yes", kind: "allow_once" },
  { id: "n", name: "No", kind: "reject_once" },
] }; // prettier-ignore

describe("the user's choices", () => {
  const benches: SessionBench[] = [];
  /** The log that a bench began with. */
  const pasts = new Map<SessionBench, readonly LoggedEvent[]>();
  beforeEach(trackLeaks);
  afterEach(() => {
    for (const bench of benches.splice(0)) {
      bench.session.dispose();
      bench.died.dispose();
    }
    assert.deepEqual(findLeaks(), []);
  });

  function newBench(past: readonly LoggedEvent[] = [], options: readonly SessionOption[] = all): SessionBench {
    const bench = new SessionBench(past.length > 0 ? past : undefined);
    bench.agent.options = options;
    benches.push(bench);
    pasts.set(bench, past);
    return bench;
  }
  /** The window is reloaded: the same log, and an agent that starts with its defaults. */
  function reloaded(bench: SessionBench, options?: readonly SessionOption[]): SessionBench {
    bench.session.dispose();
    return newBench([...(pasts.get(bench) ?? []), ...bench.log], options);
  }
  async function prompted(bench: SessionBench, text = "go"): Promise<SessionBench> {
    bench.send(text);
    await bench.flushPromises();
    return bench;
  }
  const valuesOf = (bench: SessionBench): object =>
    Object.fromEntries(bench.session.state.options.map(({ id, value }) => [id, value]));
  const statusesOf = (bench: SessionBench): object =>
    Object.fromEntries(bench.session.state.choices.map(({ id, status }) => [id, status]));
  async function withChoices(...choices: readonly (readonly [string, string | boolean])[]): Promise<SessionBench> {
    const bench = await newBench().openReady();
    for (const [id, value] of choices) await bench.session.setOption(id, value);
    return bench;
  }

  it("begin a new session: the defaults of the settings, otherwise what the user chose last", async () => {
    const bench = newBench();
    bench.initialChoices = { defaults: { effort: "high" }, last: { effort: "low", mode: "plan", fast: true } };
    await prompted(await bench.openReady());
    assert.deepEqual(valuesOf(bench), { effort: "high", mode: "plan", fast: true, model: "small" });
    assert.deepEqual(bench.remote.requests, ["mode = plan", "effort = high", "fast = true", "prompt go"]);
    assert.deepEqual(statusesOf(bench), { mode: "set", fast: "set", effort: "set" });
  });

  it("begin a new session without a last choice that approves everything or is no longer offered", async () => {
    const bench = newBench([], [select("mode", "mode", "ask", ["ask", "bypassPermissions"]), model]);
    bench.initialChoices = { defaults: {}, last: { mode: "bypassPermissions", model: "huge" } };
    await prompted(await bench.openReady());
    assert.deepEqual(bench.remote.requests, ["prompt go"]);
    assert.deepEqual(statusesOf(bench), {});
  });

  it("begin a new session with a default that approves everything, because the user wrote it into the settings", async () => {
    const bench = newBench([], [select("mode", "mode", "ask", ["ask", "bypassPermissions"])]);
    bench.initialChoices = { defaults: { mode: "bypassPermissions" }, last: {} };
    await prompted(await bench.openReady());
    assert.deepEqual(bench.remote.requests, ["mode = bypassPermissions", "prompt go"]);
  });

  it("let prompts wait if the agent does not offer a default of the settings", async () => {
    const bench = newBench();
    bench.initialChoices = { defaults: { effort: "extreme" }, last: {} };
    await prompted(await bench.openReady());
    assert.deepEqual(bench.remote.requests, []);
    assert.deepEqual(statusesOf(bench), { effort: "refused" });
  });

  it("are asked for only once, so that later changes of the settings do not change a session", async () => {
    const bench = newBench();
    bench.initialChoices = { defaults: { effort: "high" }, last: {} };
    await bench.openReady();
    await bench.session.setOption("effort", "low");
    bench.initialChoices = { defaults: { effort: "high", fast: true }, last: {} };
    await bench.session.restart();
    await prompted(bench);
    assert.deepEqual(valuesOf(bench), { effort: "low", mode: "ask", fast: false, model: "small" });
  });

  it("are set in a new session of the agent before the prompt: the model, the mode, then the rest in its order", async () => {
    const first = await withChoices(["fast", true], ["effort", "high"], ["mode", "read"], ["model", "large"]);
    const bench = await prompted(reloaded(first));
    assert.deepEqual(bench.remote.requests, [
      "model = large",
      "mode = read",
      "effort = high",
      "fast = true",
      "prompt go",
    ]);
    assert.deepEqual(valuesOf(bench), { effort: "high", mode: "read", fast: true, model: "large" });
  });

  it("are set one after the other, and the prompt waits for the last one", async () => {
    const bench = reloaded(await withChoices(["model", "large"], ["mode", "read"]));
    const accept: (() => void)[] = [];
    bench.agent.onOpen = session => {
      session.onSetOption = (id, value) =>
        new Promise(resolve => {
          accept.push(() => {
            session.report({ type: "option", id, value });
            resolve();
          });
        });
    };
    await prompted(bench);
    assert.deepEqual(bench.remote.requests, ["model = large"]);
    accept.shift()?.();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, ["model = large", "mode = read"]);
    accept.shift()?.();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests.at(-1), "prompt go");
  });

  it("are set again after the agent was restarted, and are not sent if the agent has them already", async () => {
    const bench = await withChoices(["mode", "read"]);
    const restarted = bench.session.restart();
    bench.agent.options = [{ ...mode, value: "read" } as SessionOption];
    await restarted;
    await prompted(bench);
    assert.deepEqual(bench.remote.requests, ["prompt go"]);
    assert.deepEqual(statusesOf(bench), { mode: "set" });
    await bench.session.restart();
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, []);
  });

  it("are the last reported values in a log that does not record choices", async () => {
    const first = await withChoices(["mode", "read"]);
    first.remote.report({ type: "option", id: "model", value: "large" });
    const old = first.log
      .filter(({ event }) => event.type !== "chosen")
      .map(one => {
        if (one.event.type !== "opened") return one;
        const { choices: _, ...event } = one.event;
        return { ...one, event };
      });
    first.session.dispose();
    const bench = await prompted(newBench(old));
    assert.deepEqual(bench.remote.requests, ["model = large", "mode = read", "prompt go"]);
    // From then on, a value that only the agent reports is no choice.
    bench.remote.report({ type: "option", id: "mode", value: "plan" });
    bench.remote.end();
    const again = await prompted(reloaded(bench));
    assert.deepEqual(again.remote.requests, ["model = large", "mode = read", "prompt go"]);
  });

  it("do not include what the agent switched by itself", async () => {
    const first = await prompted(await newBench().openReady());
    first.remote.report({ type: "option", id: "mode", value: "plan" });
    first.remote.end();
    const bench = await prompted(reloaded(first));
    assert.deepEqual(bench.remote.requests, ["prompt go"]);
  });

  for (const [answer, kind, chosen] of [
    ["y", "switch_mode", true],
    ["n", "switch_mode", false],
    ["y", "edit", false],
  ] as const) {
    const words = `${answer === "y" ? "allowed" : "rejected"} a question about a call of kind ${kind}`;
    it(`${chosen ? "include" : "do not include"} the mode that the agent reports after the user ${words}`, async () => {
      const first = await prompted(await withChoices(["mode", "plan"]));
      first.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Leave the plan", kind } });
      const answered = first.remote.client.requestPermission(isQuestion, new AbortController().signal);
      first.session.answer(openQuestions(first.session.state)[0]?.id ?? "", answer);
      await answered;
      first.remote.report({ type: "option", id: "mode", value: "ask" });
      first.remote.report({ type: "option", id: "mode", value: "read" });
      first.remote.end();
      const bench = await prompted(reloaded(first, [{ ...mode, value: "read" } as SessionOption]));
      assert.deepEqual(bench.remote.requests, [chosen ? "mode = ask" : "mode = plan", "prompt go"]);
    });
  }

  it("no longer follow the agent's mode after the turn in which the user allowed the switch", async () => {
    const first = await prompted(await withChoices(["mode", "plan"]));
    first.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Leave the plan", kind: "switch_mode" } });
    const answered = first.remote.client.requestPermission(isQuestion, new AbortController().signal);
    first.session.answer(openQuestions(first.session.state)[0]?.id ?? "", "y");
    await answered;
    first.remote.end();
    first.remote.report({ type: "option", id: "mode", value: "ask" });
    const bench = await prompted(reloaded(first));
    assert.deepEqual(bench.remote.requests, ["mode = plan", "prompt go"]);
  });

  it("are skipped if the new model has no such option, and set once it has", async () => {
    const bench = await prompted(reloaded(await withChoices(["effort", "high"]), [mode, model]));
    assert.deepEqual(bench.remote.requests, ["prompt go"]);
    bench.remote.report({ type: "options", options: all });
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, ["prompt go", "effort = high"]);
  });

  for (const [what, options] of [
    ["the mode", [effort, model]],
    ["every option", []],
    ["the value of the mode", [select("mode", "mode", "ask", ["ask", "plan"])]],
  ] as const) {
    it(`keep the prompt in the queue if the agent no longer has ${what}`, async () => {
      const bench = await prompted(reloaded(await withChoices(["mode", "read"]), options));
      assert.deepEqual([bench.remote.requests, bench.queued], [[], ["go"]]);
      const [choice] = bench.session.state.choices;
      assert.deepEqual(choice, {
        id: "mode", name: "MODE", category: "mode", value: "read", valueName: "READ",
        status: "refused", refusal: { reason: "missing" },
      }); // prettier-ignore
      bench.session.sendAnyway();
      await bench.flushPromises();
      assert.deepEqual(bench.remote.requests, ["prompt go"]);
      // What the agent does not offer is no choice any more.
      bench.remote.end();
      const later = await prompted(reloaded(bench, options));
      assert.deepEqual(later.remote.requests, ["prompt go"]);
    });
  }

  it("keep the prompt in the queue if the agent refuses one, until the user sends it anyway", async () => {
    const refuse = (session: StubSession): void => {
      session.onSetOption = async id => {
        if (id === "mode") throw new ProblemError({ message: "Stub rejected this setting: No.", next: [] });
      };
    };
    const first = reloaded(await withChoices(["mode", "read"], ["effort", "high"]));
    first.agent.onOpen = refuse;
    await prompted(first);
    assert.deepEqual([first.remote.requests, first.queued], [["mode = read", "effort = high"], ["go"]]);
    assert.deepEqual(first.session.state.choices[0]?.refusal, {
      reason: "refused",
      message: "Stub rejected this setting: No.",
    });
    first.session.sendAnyway();
    await first.flushPromises();
    assert.deepEqual(first.remote.texts, ["go"]);
    first.remote.end();
    // The next session of the agent may accept it.
    const second = await prompted(reloaded(first));
    assert.deepEqual(second.remote.requests.slice(0, 1), ["mode = read"]);
    assert.deepEqual(second.remote.texts, ["go"]);
  });

  for (const message of [
    "Stub rejected this setting: Already in that mode.",
    "Stub rejected this setting: Session is already in read mode.",
    "Stub rejected this setting: Cannot switch, already set to “read”.",
    "Stub rejected this setting: Mode 'read' is already active.",
    "Stub rejected this setting: mode already set",
  ]) {
    it(`are set if the agent refuses one because it has it already: ${message}`, async () => {
      const bench = reloaded(await withChoices(["mode", "read"]));
      bench.agent.onOpen = session => {
        session.onSetOption = () => Promise.reject(new ProblemError({ message, next: [] }));
      };
      await prompted(bench);
      assert.deepEqual(bench.remote.requests, ["mode = read", "prompt go"]);
      assert.deepEqual(
        [statusesOf(bench), valuesOf(bench)],
        [{ mode: "set" }, { effort: "low", mode: "read", fast: false, model: "small" }],
      );
    });
  }

  for (const message of [
    "Stub rejected this setting: Already in ask mode.",
    "Stub rejected this setting: Already in mode ask.",
    "Stub rejected this setting: The mode is already set to plan.",
    "Stub rejected this setting: A mode change is already in progress.",
    "Stub rejected this setting: The mode cannot change while a turn is already active.",
    "Stub rejected this setting: Already in use.",
    "Stub rejected this setting: Another session is already in read mode.",
    "Stub rejected this setting: Not already in that mode.",
  ]) {
    it(`count as refused for any other reason: ${message}`, async () => {
      const bench = reloaded(await withChoices(["mode", "read"]));
      bench.agent.onOpen = session => {
        session.onSetOption = () => Promise.reject(new ProblemError({ message, next: [] }));
      };
      await prompted(bench);
      assert.deepEqual([bench.remote.requests, bench.queued], [["mode = read"], ["go"]]);
    });
  }

  it("are shown as set if the agent refuses a change of the user because it has it already", async () => {
    const bench = await newBench().openReady();
    bench.remote.onSetOption = () => Promise.reject(new ProblemError({ message: "Already in that mode.", next: [] }));
    await bench.session.setOption("mode", "read");
    assert.deepEqual(statusesOf(bench), { mode: "set" });
    const refuse = (message: string) => (): Promise<void> => Promise.reject(new ProblemError({ message, next: [] }));
    bench.remote.onSetOption = refuse("FAST is already disabled.");
    await assert.rejects(bench.session.setOption("fast", true), /already disabled/);
    bench.remote.onSetOption = refuse("FAST is already enabled.");
    await bench.session.setOption("fast", true);
    assert.deepEqual(statusesOf(bench), { mode: "set", fast: "set" });
  });

  it("free the prompt when the user chooses a value that the agent accepts", async () => {
    const few = [select("mode", "mode", "ask", ["ask", "plan"])];
    const bench = await prompted(reloaded(await withChoices(["mode", "read"]), few));
    assert.deepEqual(bench.queued, ["go"]);
    await bench.session.setOption("mode", "plan");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, ["mode = plan", "prompt go"]);
  });

  it("count as refused if the agent accepts the value but keeps another one", async () => {
    const bench = reloaded(await withChoices(["mode", "read"]));
    bench.agent.onOpen = session => {
      session.onSetOption = async () => {};
    };
    await prompted(bench);
    assert.deepEqual([bench.remote.requests, bench.queued], [["mode = read"], ["go"]]);
    assert.equal(bench.session.state.choices[0]?.refusal?.message, "Stub kept another value.");
  });

  it("count as refused if the agent does not answer for 30 seconds", async () => {
    const bench = reloaded(await withChoices(["mode", "read"]));
    bench.agent.onOpen = session => {
      session.onSetOption = () => new Promise(() => {});
    };
    await prompted(bench);
    assert.deepEqual(statusesOf(bench), { mode: "pending" });
    bench.clock.advance(30_000);
    await bench.flushPromises();
    assert.match(bench.session.state.choices[0]?.refusal?.message ?? "", /did not answer within 30 seconds/);
    assert.deepEqual(bench.queued, ["go"]);
  });

  it("are set when the agent reports its options late, or under another id", async () => {
    const bench = await prompted(reloaded(await withChoices(["mode", "read"]), []));
    assert.deepEqual(statusesOf(bench), { mode: "refused" });
    bench.remote.report({ type: "options", options: [{ ...mode, id: "session-mode" }] });
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, ["session-mode = read", "prompt go"]);
    assert.deepEqual(statusesOf(bench), { mode: "set" });
    // The option under its new id replaces the earlier choice.
    await bench.session.setOption("session-mode", "plan");
    assert.deepEqual(statusesOf(bench), { "session-mode": "set" });
  });

  it("are kept while the agent is not connected, pending until it is", async () => {
    const bench = reloaded(await withChoices(["mode", "read"]));
    await bench.session.setOption("mode", "plan");
    await bench.session.setOption("fast", true);
    assert.deepEqual(statusesOf(bench), { mode: "pending", fast: "pending" });
    await prompted(bench);
    assert.deepEqual(bench.remote.requests, ["mode = plan", "fast = true", "prompt go"]);
    assert.deepEqual(statusesOf(bench), { mode: "set", fast: "set" });
    bench.died.fire(exitedProblem);
    await bench.session.setOption("mode", "ask");
    assert.deepEqual(statusesOf(bench), { mode: "pending", fast: "pending" });
  });

  it("stay if the agent is lost before it has answered", async () => {
    const bench = await newBench().openReady();
    let fail = (_error: Error): void => {};
    bench.remote.onSetOption = () => new Promise((_, reject) => (fail = reject));
    const setting = bench.session.setOption("mode", "read");
    // The end of its output arrives before the exit of its process, and fails the request.
    bench.ended = true;
    fail(new Error("The connection has ended."));
    await bench.flushPromises();
    bench.died.fire(exitedProblem);
    await setting;
    bench.ended = false;
    bench.agent = new StubAgent();
    bench.agent.options = all;
    await prompted(bench);
    assert.deepEqual(bench.remote.requests, ["mode = read", "prompt go"]);
  });

  it("return to the earlier value if the agent refuses a change, and the user learns the reason", async () => {
    const bench = await withChoices(["mode", "plan"]);
    bench.remote.onSetOption = () => Promise.reject(new ProblemError({ message: "Stub rejected it.", next: [] }));
    await assert.rejects(bench.session.setOption("mode", "read"), /Stub rejected it\./);
    await assert.rejects(bench.session.setOption("effort", "high"), /Stub rejected it\./);
    await assert.rejects(bench.session.setOption("no such option", "high"), /no longer offers this option/);
    const again = await prompted(reloaded(bench));
    assert.deepEqual(again.remote.requests, ["mode = plan", "prompt go"]);
  });

  it("hold back the prompt while the agent has not accepted a change", async () => {
    const bench = await newBench().openReady();
    let accept = (): void => {};
    bench.remote.onSetOption = () => new Promise(resolve => (accept = resolve));
    const setting = bench.session.setOption("mode", "read");
    await prompted(bench);
    assert.deepEqual(bench.remote.requests, ["mode = read"]);
    bench.remote.report({ type: "option", id: "mode", value: "read" });
    accept();
    await setting;
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests, ["mode = read", "prompt go"]);
  });
});
