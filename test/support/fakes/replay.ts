// Replays a transcript through the real connect(), Session and Projector, with the actions of the recorded user.
import type { FormValue } from "../../../src/session/forms/form.ts";
import type { Session } from "../../../src/session/session.ts";
import { isDeepStrictEqual } from "node:util";
import { connect, type AgentConnection } from "../../../src/acp/connect.ts";
import { TrafficRecorder } from "../../../src/acp/trafficRecorder.ts";
import { parseContent, contentToWire } from "../../../src/acp/parse.ts";
import { V1Agent } from "../../../src/acp/v1/v1Agent.ts";
import { asError } from "../../../src/base/errors.ts";
import { nullLog } from "../../../src/base/log.ts";
import type { ContentBlock } from "../../../src/session/events.ts";
import { promptContentForAgent } from "../../../src/session/promptContentForAgent.ts";
import { isBusy, openQuestions, type SessionState } from "../../../src/session/state.ts";
import { FakeAgent, type Barrier, type StandIn } from "./fakeAgent.ts";
import { FakeClock } from "./fakePorts.ts";
import { ReplayedSession } from "./played.ts";
import { isObject, messageOf, type RecordedMessage, type Recording, type JsonObject } from "./transcript.ts";

/** An action of the recorded client that Parley does not support. The test sends it on the same connection. */
export interface DirectRequest {
  readonly method: string;
  readonly why: string;
  readonly outcome: string;
}

/** The end of a replay, with all data for the comparison. */
export interface ReplayResult {
  readonly sessions: readonly { readonly id: string; readonly opened: string; readonly played: ReplayedSession }[];
  readonly direct: readonly DirectRequest[];
  /** Requests of the agent that Parley answered differently from the recorded client. */
  readonly answeredOtherwise: readonly { readonly method: string; readonly answer: string }[];
  /** Options that the agent did not accept. */
  readonly refusedOptions: readonly string[];
  /** Notifications of the agent other than `session/update`. */
  readonly notifications: readonly RecordedMessage[];
  /** Updates for sessions that are not open. */
  readonly elsewhere: readonly unknown[];
  /** Lines of the agent's stdout that are not messages. */
  readonly badLines: readonly string[];
  readonly stderrLines: number;
  readonly unexpectedMessages: readonly RecordedMessage[];
  dispose(): void;
}

const opening = new Set(["session/new", "session/load", "session/resume", "session/fork"]);
const setters: Readonly<Record<string, { readonly field: string; readonly option?: string }>> = {
  "session/set_mode": { field: "modeId", option: "parley.mode" },
  "session/set_model": { field: "modelId", option: "parley.model" },
  "session/set_config_option": { field: "value" },
};

/** Replays the recording of one process, leaving out line `without`. */
export async function replay(name: string, lines: Recording, without?: number): Promise<ReplayResult> {
  const run = new ReplayRun(name, lines, without);
  await run.play();
  return run;
}

class ReplayRun implements ReplayResult {
  readonly sessions: { id: string; opened: string; played: ReplayedSession }[] = [];
  readonly direct: { method: string; why: string; outcome: string }[] = [];
  readonly answeredOtherwise: { method: string; answer: string }[] = [];
  readonly refusedOptions: string[] = [];
  stderrLines = 0;
  readonly #clock = new FakeClock();
  readonly #tap = new TrafficRecorder(this.#clock);
  readonly #agent: FakeAgent;
  readonly #name: string;
  readonly #ids = new Map<unknown, unknown>();
  readonly #cut = new AbortController();
  #connecting: Promise<AgentConnection> | undefined;
  #taken = 0;

  constructor(name: string, lines: Recording, without: number | undefined) {
    this.#name = name;
    this.#tap.onDidRecord(record => {
      if (record.dir === "a>c" || record.dir === "out") this.#taken++;
    });
    this.#agent = new FakeAgent(lines, {
      onBarrier: barrier => this.#act(barrier),
      onLifted: (barrier, sent) => this.#lifted(barrier, sent),
      onStderr: () => this.stderrLines++,
      whenSettled: count => this.#settled(count),
      without,
    });
  }

  play(): Promise<void> {
    return this.#agent.play();
  }

  get notifications(): readonly RecordedMessage[] {
    return this.#fromAgent().filter(message => message.id === undefined && message.method !== "session/update");
  }
  get elsewhere(): readonly unknown[] {
    const updates = this.#fromAgent().filter(message => message.method === "session/update");
    return updates.map(message => message.params).filter(params => !this.#session(params?.["sessionId"]));
  }
  get badLines(): readonly string[] {
    return this.#tap.records.filter(record => record.dir === "out").map(record => record.text ?? "");
  }
  get unexpectedMessages(): readonly RecordedMessage[] {
    return this.#agent.unexpectedMessages;
  }
  #fromAgent(): readonly RecordedMessage[] {
    return this.#tap.records.filter(record => record.dir === "a>c").map(record => messageOf(record) ?? {});
  }

  /** The client has read this number of lines and, some turns of the event loop later, processed them. */
  async #settled(count: number): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (this.#taken < count) {
      if (Date.now() > deadline) throw new Error(`The client took in ${this.#taken} of ${count} lines.`);
      await turn();
    }
    // One turn for vscode-jsonrpc's queue, the others for the promises of its handlers.
    for (let i = 0; i < 5; i++) await turn();
  }

  /** Performs the recorded user's next action. */
  async #act({ message, answer, request }: Barrier): Promise<StandIn | undefined> {
    const { method, params = {} } = message;
    if (method === undefined) return this.#respond(message, request);
    if (method === "initialize") return this.#connect(answer);
    if (opening.has(method)) return this.#open(method, params, answer, message);
    const session = this.#session(params["sessionId"])?.played.session;
    switch (method) {
      case "session/prompt": {
        const prompt = asPrompt(params["prompt"]);
        const why =
          session === undefined
            ? "the session is not open"
            : prompt === undefined
              ? "Parley sends no such prompt"
              : isBusy(session.state)
                ? "a turn is running, and Parley would wait"
                : !agentTakes(session.state, prompt)
                  ? "the agent does not say that it takes such content"
                  : undefined;
        if (why !== undefined || !session || !prompt) return this.#send(message, why ?? "");
        // The recorded client gave up prompts that the agent refused until a sign-in.
        for (const { id } of session.state.pendingPrompts) session.queue.withdraw(id);
        return void session.send(prompt);
      }
      case "session/cancel":
        if (!session || !isBusy(session.state))
          return this.#send(message, "no turn is running, so there is nothing to stop");
        return void session.stop();
      case "session/set_mode":
      case "session/set_model":
      case "session/set_config_option": {
        const { field, option = String(params["configId"]) } = setters[method] ?? { field: "" };
        const value = params[field];
        const known = session?.state.options.find(one => one.id === option);
        const fits = known && (known.type === "boolean" ? typeof value === "boolean" : typeof value === "string");
        if (!session || !fits) return this.#send(message, "the session offers no such option");
        if (known.value === value) return this.#send(message, "the option has this value already");
        session.setOption(option, value as string | boolean).catch((error: unknown) => {
          this.refusedOptions.push(`${option} = ${String(value)}: ${asError(error).message}`);
        });
        return undefined;
      }
      default:
        return this.#send(message, "Parley has no use for it");
    }
  }

  async #connect(answer: RecordedMessage | undefined): Promise<undefined> {
    const info = isObject(answer?.result) && isObject(answer.result["agentInfo"]) ? answer.result["agentInfo"] : {};
    this.#connecting = connect(
      {
        stdin: this.#agent.stdin,
        stdout: this.#agent.stdout,
        recorder: this.#tap,
        log: nullLog,
        clientVersion: "1.0.0",
        agentName: typeof info["title"] === "string" ? info["title"] : this.#name,
        place: { program: { command: "agent", args: ["--acp"] } },
        timeout: 15_000,
      },
      this.#cut.signal,
    );
    // The code that needs the connection reports the error.
    this.#connecting.catch(() => {});
    return undefined;
  }

  async #v1(): Promise<V1Agent> {
    const { agent } = (await this.#connecting) ?? {};
    if (agent instanceof V1Agent) return agent;
    throw new Error("There is no v1 agent.");
  }

  /** Opens a session of any kind by `session/new`. test/acp/continuedSessions.test.ts continues the recorded sessions. */
  async #open(
    method: string,
    params: JsonObject,
    answer: RecordedMessage | undefined,
    message: RecordedMessage,
  ): Promise<StandIn | undefined> {
    const given = isObject(answer?.result) ? answer.result["sessionId"] : undefined;
    const id = String(given ?? params["sessionId"]);
    if (this.#session(id)) return this.#send(message, "the session is open already");
    const cwd = typeof params["cwd"] === "string" ? params["cwd"] : "/workspace/demo";
    const played = new ReplayedSession(id, { id: this.#name, name: this.#name, cwd }, this.#clock, () => this.#v1());
    this.sessions.push({ id: answer?.error ? "none" : id, opened: method, played });
    void played.session.open();
    return method === "session/new"
      ? undefined
      : { method: "session/new", amend: result => ({ sessionId: id, ...result }) };
  }

  #session(id: unknown): { readonly played: ReplayedSession } | undefined {
    return this.sessions.find(session => session.id === id);
  }

  /** Sends the recorded request, and lets the agent's lines continue. */
  async #send(message: RecordedMessage, why: string): Promise<undefined> {
    const agent = await this.#v1();
    const { method = "", params = {} } = message;
    const done = { method, why, outcome: "sent" };
    this.direct.push(done);
    if (method === "$/cancel_request") {
      agent.notify("$/cancelRequest", { id: this.#ids.get(params["requestId"]) });
    } else if (message.id === undefined) agent.notify(method, params);
    else {
      agent.request(method, params).then(
        () => (done.outcome = "answered"),
        (error: unknown) => (done.outcome = `refused: ${asError(error).message}`),
      );
    }
    return undefined;
  }

  /**
   * The recorded client answered the agent. The user answers questions, and the session services answer requests for
   * files and terminals.
   */
  #respond(message: RecordedMessage, request: RecordedMessage | undefined): undefined {
    const played = this.#session(request?.params?.["sessionId"])?.played;
    if (request?.method === "session/request_permission" && played) {
      const toolCall = request.params?.["toolCall"];
      const toolCallId = isObject(toolCall) ? toolCall["toolCallId"] : undefined;
      const ask = openQuestions(played.session.state).find(open => open.toolCallId === toolCallId);
      const outcome = isObject(message.result) ? message.result["outcome"] : undefined;
      const option = isObject(outcome) ? outcome["optionId"] : undefined;
      if (ask && typeof option === "string") played.session.answer(ask.id, option);
      else if (ask) played.cancelQuestions();
    } else if (request?.method === "elicitation/create" && played) answerForm(played.session, message.result);
    else if (/^(fs|terminal)\//.test(request?.method ?? "") && request && played) played.answer(request, message);
    return undefined;
  }

  #lifted({ message, request }: Barrier, sent: RecordedMessage): void {
    if (message.id !== undefined && message.method !== undefined) this.#ids.set(message.id, sent.id);
    if (message.method === "session/prompt" && !isDeepStrictEqual(sent.params, message.params)) {
      throw new Error(`A prompt was sent otherwise than recorded: ${JSON.stringify(sent.params).slice(0, 300)}`);
    }
    if (message.method !== undefined) return;
    const outcomeOf = (given: RecordedMessage): unknown => given.error?.code ?? given.result;
    if (isDeepStrictEqual(outcomeOf(sent), outcomeOf(message))) return;
    this.answeredOtherwise.push({
      method: request?.method ?? "",
      answer: sent.error ? `${sent.error.code} ${sent.error.message}` : JSON.stringify(sent.result),
    });
  }

  dispose(): void {
    this.#cut.abort(new Error("The replay is over."));
    for (const { played } of this.sessions) played.dispose();
    this.#connecting?.then(connected => connected.dispose()).catch(() => {});
    this.#agent.end();
  }
}

/** Answers the open form as the recorded client did. */
function answerForm(session: Session, result: unknown): void {
  const form = openQuestions(session.state).find(open => open.kind === "form");
  if (!form || !isObject(result)) return;
  const content = isObject(result["content"]) ? result["content"] : {};
  if (result["action"] === "accept")
    session.forms.accept(form.id, new Map(Object.entries(content) as [string, FormValue][]));
  else if (result["action"] === "decline") session.forms.decline(form.id);
  else session.forms.cancel(form.id);
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** The prompt as Parley's own content; undefined if Parley would not send it unchanged. */
function asPrompt(prompt: unknown): readonly ContentBlock[] | undefined {
  if (!Array.isArray(prompt) || prompt.length === 0) return undefined;
  const blocks = prompt.map(parseContent).filter(block => block !== undefined);
  return isDeepStrictEqual(blocks.map(contentToWire), prompt) ? blocks : undefined;
}

/** Whether Parley would send the prompt to the agent unchanged. */
function agentTakes({ accepts }: SessionState, prompt: readonly ContentBlock[]): boolean {
  const fitted = accepts && promptContentForAgent(prompt, accepts, "");
  return !fitted || ("content" in fitted && isDeepStrictEqual(fitted.content, prompt));
}
