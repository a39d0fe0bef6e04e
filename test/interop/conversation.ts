// One session with a real agent through all of Parley except the editor: pool, wire, session, session services,
// projection and channel. The scenarios check the view of a panel, composed from the channel's messages.
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import { RemoteAgents } from "../../src/agents/remote/remoteAgents.ts";
import { transcriptText, type TrafficRecord } from "../../src/acp/trafficRecorder.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { ConversationPageFiles } from "../../src/files/conversationPageFiles.ts";
import { setProcessGuard } from "../../src/base/processTree.ts";
import type { Problem } from "../../src/base/errors.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { PanelChannel } from "../../src/panel/panelChannel.ts";
import { appendToLast, applyViewPatches } from "../../src/panel/patch.ts";
import type { HostMessage, View, ViewQuestion, ViewEntry, ViewPatch } from "../../src/panel/protocol.ts";
import { WholeProjector, replayAtOnce } from "../support/fakes/wholeViews.ts";
import { serversForAgent, type ResolvedServer } from "../../src/mcp/agentServers.ts";
import type { Agent } from "../../src/session/agent.ts";
import type { ContentBlock, LoggedEvent } from "../../src/session/events.ts";
import { Session } from "../../src/session/session.ts";
import { hostPlatform } from "../../src/base/platform.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";
import { nodeServices } from "../support/fakes/nodeServices.ts";
import { emptyHead } from "../support/fakes/heads.ts";

/** The time limit for any action of an agent (ms). */
const patience = 60_000;

export type Answer = "allow" | "reject";

/** The user's answer to each question of a turn. */
export type Answers = Answer | ((question: ViewQuestion) => Answer);

/** A finished turn: the entries after the prompt, and the questions that were answered. */
export interface Turn {
  readonly entries: readonly ViewEntry[];
  readonly questions: readonly ViewQuestion[];
}

/** One window's part of the conversation: it ends when the window is reloaded. */
interface Window {
  readonly pool: AgentPool;
  readonly session: Session;
  readonly channel: PanelChannel;
}

export class Conversation {
  readonly #definition: AgentDefinition;
  readonly #folder: string;
  readonly #records: TrafficRecord[] = [];
  readonly #log: LoggedEvent[] = [];
  readonly #endings: Promise<void>[] = [];
  #window: Window;
  readonly #waiting = new Set<() => void>();
  #view: View | undefined;
  readonly documents = new NodeDocuments();
  /** The pages of long conversations, which the agent may read. */
  readonly pages: ConversationPageFiles;
  /** The user's permission rules. */
  rules: readonly Rule[] = [];
  /** The MCP servers of the user. */
  mcpServers: readonly ResolvedServer[] = [];
  /** A failure of the whole session does not end a wait. */
  toleratesProblems = false;
  /** Another conversation ends the agent. */
  readonly #sharedPool: AgentPool | undefined;

  constructor(definition: AgentDefinition, folder: string, sharedPool?: AgentPool) {
    this.#definition = definition;
    this.#folder = folder;
    this.pages = new ConversationPageFiles(join(dirname(folder), "pages"));
    this.#sharedPool = sharedPool;
    this.#window = this.#openWindow();
  }

  /** A further session in the same window, in another folder. */
  beside(folder: string): Conversation {
    return new Conversation(this.#definition, folder, this.#window.pool);
  }

  /** Opens a window in which the session continues from its log, as after a reload of VS Code. */
  #openWindow(): Window {
    const definition = this.#definition;
    const folder = this.#folder;
    const pool = this.#sharedPool ?? newPool(join(dirname(folder), "agents"));
    this.#record(pool, definition.id);
    const session = new Session({
      id: "interop",
      agent: { id: definition.id, name: definition.name },
      workspaceFolder: folder,
      clock: systemClock,
      log: nullLog,
      newId: () => randomUUID(),
      connection: {
        connect: onProgress => pool.get(definition, ({ state, detail }) => onProgress(state, detail)),
        restart: () => pool.stop(definition.id),
      },
      mcpServers: ({ mcpServers: accepts = { http: false, sse: false } }) => {
        const options = { agentName: definition.name, accepts, env: process.env, platform: hostPlatform };
        return Promise.resolve(serversForAgent(this.mcpServers, { ...options, workspaceFolder: folder }).servers);
      },
      createServices: dispatch =>
        nodeServices({
          ...{ definition, workspaceFolder: folder, documents: this.documents, dispatch },
          ...{ session: "interop", pages: this.pages },
          rules: () => this.rules,
          onEnding: ended => this.#endings.push(ended),
        }),
      earlier: replayAtOnce(this.#log, nullLog),
      onLog: logged => this.#log.push(logged),
    });
    const projector = new WholeProjector();
    const channel = new PanelChannel({
      clock: systemClock,
      view: () => projector.project(session.state, emptyHead),
      post: message => Promise.resolve(this.#posted(message)),
    });
    session.onDidChange(() => channel.changed());
    channel.hello(0);
    return { pool, session, channel };
  }

  /** Reloads the window: the agent ends, and the session continues from its log with a new agent process. */
  async reload(): Promise<void> {
    await this.reloadWithoutWaiting();
    await this.open();
  }

  /** Reloads the window. The session opens as soon as a prompt is sent. */
  async reloadWithoutWaiting(): Promise<void> {
    await this.end();
    this.#window = this.#openWindow();
  }

  /** The session in the window now. */
  get session(): Session {
    return this.#window.session;
  }

  /** The panel's current view. */
  get view(): View {
    if (!this.#view) throw new Error("The panel has got no view.");
    return this.#view;
  }

  /** The traffic so far. */
  get records(): readonly TrafficRecord[] {
    return this.#records;
  }

  /** The traffic as newline-delimited JSON, with secrets masked. */
  get transcript(): string {
    return transcriptText(this.#records);
  }

  /** Starts the agent and waits until it is ready. */
  async open(): Promise<void> {
    void this.#window.session.open();
    await this.until("the agent is ready", view => view.head.connection?.state === "ready");
  }

  /** Starts the agent. Resolves when it is ready, or with the reason why the session did not open. */
  async start(): Promise<Problem | undefined> {
    this.toleratesProblems = true;
    void this.#window.session.open();
    const outcome = await this.until(
      "the agent is ready or has failed",
      ({ head }) => head.problem ?? head.connection?.state === "ready",
    );
    this.toleratesProblems = false;
    return outcome === true ? undefined : outcome;
  }

  /** The running agent, for what concerns no open session. */
  async agent(): Promise<Agent> {
    return (await this.#window.pool.get(this.#definition, () => {})).agent;
  }

  /** Kills the agent's process, as if it had crashed. */
  killAgent(): void {
    const pids: number[] = [];
    setProcessGuard({ add: pid => pids.push(pid), delete: () => {} }).dispose();
    // The agent has started before its commands.
    const [pid] = pids;
    if (pid === undefined) throw new Error("No agent is running.");
    process.kill(pid, "SIGKILL");
  }

  /** Sends a prompt and resolves when it is in the transcript. */
  prompt(text: string, ...more: readonly ContentBlock[]): Promise<void> {
    return this.prompted(() => void this.#window.session.send([{ type: "text", text }, ...more]));
  }

  /** Resolves when the prompt that `send` sends is in the transcript. */
  async prompted(send: () => void | Promise<void>): Promise<void> {
    const before = prompts(this.view).length;
    await send();
    await this.until("the prompt was taken", view => prompts(view).length > before && view.head.queue.length === 0);
  }

  /** Sends a prompt, answers every question of the turn, and resolves when the turn is over. */
  async turn(text: string, answer?: Answers): Promise<Turn> {
    await this.prompt(text);
    return this.finish(answer);
  }

  /** Answers every question until the turn is over. */
  async finish(answer?: Answers): Promise<Turn> {
    const questions: ViewQuestion[] = [];
    for (;;) {
      const ask = await this.until("the turn ends", ({ head }) =>
        head.activity.state === "idle" ? "over" : head.questions[0],
      );
      if (ask === "over") return { entries: lastTurn(this.view), questions };
      if (!answer) throw new Error(`The scenario does not expect the question “${ask.title}”.`);
      questions.push(ask);
      await this.answer(ask, typeof answer === "string" ? answer : answer(ask));
    }
  }

  /** Waits for an open question. */
  ask(): Promise<ViewQuestion> {
    return this.until("a question is open", view => view.head.questions[0]);
  }

  /** Answers a question with the option for one time, and waits until it is closed. */
  async answer(ask: ViewQuestion, answer: Answer): Promise<void> {
    const option = ask.options.find(({ kind }) => kind === `${answer}_once`);
    if (!option) throw new Error(`“${ask.title}” has no option of the kind ${answer}_once.`);
    this.#window.session.answer(ask.id, option.id);
    await this.until("the question is closed", view => view.head.questions.every(({ id }) => id !== ask.id));
  }

  /** Selects a value of an option in the composer, and waits until the panel shows it. */
  async choose(option: string, value: string | boolean): Promise<void> {
    await this.#window.session.setOption(option, value);
    await this.until("the option is set", view => view.head.options.find(({ id }) => id === option)?.value === value);
  }

  /** Presses Stop. */
  stop(): void {
    this.#window.session.stop();
  }

  /** Resolves with the first result of `look` that is neither undefined nor false. */
  until<T>(what: string, look: (view: View) => T | undefined | false, limit = patience): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        settle();
      };
      const timer = setTimeout(
        () => done(() => reject(new Error(`Waited in vain until ${what}. ${brief(this.view)}`))),
        limit,
      );
      const check = (): void => {
        const problem = this.toleratesProblems ? null : this.view.head.problem;
        if (problem) return done(() => reject(new Error(`${problem.message} ${problem.detail ?? ""}`.trim())));
        const found = look(this.view);
        if (found !== undefined && found !== false) done(() => resolve(found));
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Ends the session and the agent; resolves when none of their processes is left. */
  async end(): Promise<void> {
    const { channel, session, pool } = this.#window;
    channel.dispose();
    session.dispose();
    if (!this.#sharedPool) await pool.dispose();
    await Promise.all(this.#endings);
  }

  #posted(message: HostMessage): boolean {
    if (message.type === "snapshot") this.#view = message.view;
    // Through JSON, as on the way to a webview.
    if (message.type === "patch")
      this.#view = applyViewPatches(this.view, JSON.parse(JSON.stringify(message.patches)) as readonly ViewPatch[]);
    if (message.type === "text") this.#view = applyViewPatches(this.view, [appendToLast(this.view, message.text)]);
    for (const check of [...this.#waiting]) check();
    return true;
  }

  #record(pool: AgentPool, agent: string): void {
    const link = pool.onDidRecord(() => {
      const tap = pool.tap(agent);
      if (!tap) return;
      link.dispose();
      this.#records.push(...tap.records);
      tap.onDidRecord(record => this.#records.push(record));
    });
  }
}

function newPool(startFolders: string): AgentPool {
  const remote = new RemoteAgents(() => ({ connectToAgent, newCookies }));
  return new AgentPool(nullLog, systemClock, "interop", startFolders, undefined, hostEnvironment, remote);
}

const prompts = (view: View): readonly ViewEntry[] => view.entries.filter(entry => entry.kind === "user");

/** The entries after the last prompt. */
export function lastTurn(view: View): readonly ViewEntry[] {
  return view.entries.slice(view.entries.findLastIndex(entry => entry.kind === "user") + 1);
}

function brief({ head, entries }: View): string {
  const last = entries.slice(-3).map(entry => JSON.stringify(entry).slice(0, 400));
  const { connection, activity, questions } = head;
  const about = { connection: connection?.state, activity: activity.state, questions: questions.map(ask => ask.title) };
  return `The panel: ${JSON.stringify(about)}, and last ${last.join(", ")}`;
}
