// A turn of a real agent on a server, with a question and an edited file, whose connection is cut at every message.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentDefinition } from "../../../src/agents/registry.ts";
import { asError } from "../../../src/base/errors.ts";
import { contentText, isBusy } from "../../../src/session/state.ts";
import { presetOf, type RealAgent } from "../agents.ts";
import { Conversation } from "../conversation.ts";
import { messageText } from "../scenario.ts";
import { CuttingProxy } from "./cuttingProxy.ts";
import { startDaemon, type Daemon } from "./daemon.ts";

/** A lost connection, and the next prompt. */
export interface Cut {
  /** The message in whose place the connection ended, counted from 1. 0: after the turn, because the server was restarted. */
  readonly at: number;
  /** From the cut to the end of the next turn (ms). */
  readonly took: number;
  /** How the conversation went on, as its notice says. Undefined if it had none. */
  readonly goesOn: "loaded" | "attached" | undefined;
  /** The cut turn has edited the file. */
  readonly isEdited: boolean;
  /** The agent repeated a part of the cut turn after the next prompt. */
  readonly repeats: boolean;
  /** Why the session was not usable, or what was left running. */
  readonly failure?: string;
}

/** All cuts over one transport. */
export interface CutTurns {
  readonly kind: Transport;
  /** The messages of the turn without a cut. */
  readonly messages: number;
  /** Until the session was open, and of the turn without a cut (ms). */
  readonly opened: number;
  readonly took: number;
  /** One for each of these messages. */
  readonly cuts: readonly Cut[];
  readonly restart: Cut;
}

export type Transport = "ws" | "http";

export interface CutTurnsOptions {
  readonly kind: Transport;
  readonly agent: RealAgent;
  readonly installed: string;
  readonly node: string;
  readonly model: string;
  /** A folder whose copy is the workspace. */
  readonly workspace: string;
  /** Called after each cut. `of`: the number of cuts. */
  readonly onCut: (cut: Cut, of: number) => void;
}

const untouched = "let i = 1;";
const edited = "let i = 0;";
const nextPrompt = "[[say:Still here.]]";

/**
 * Starts the agent's server, and plays the turn once, and then once for each of its messages. In the end, the server is
 * restarted after a turn. Rejects if the turn without a cut fails.
 */
export async function cutTurns(options: CutTurnsOptions): Promise<CutTurns> {
  const { kind, agent, workspace, onCut } = options;
  const place = realpathSync(mkdtempSync(join(tmpdir(), "parley-interop-")));
  const folder = join(place, "workspace");
  const home = join(place, "home");
  mkdirSync(home);
  cpSync(workspace, folder, { recursive: true });
  const daemons: Daemon[] = [];
  const start = async (started = agent): Promise<Daemon> => {
    const daemon = await startDaemon(started, { ...options, home }, folder);
    daemons.push(daemon);
    return daemon;
  };
  let proxy: CuttingProxy | undefined;
  try {
    const first = await start();
    proxy = await CuttingProxy.start(first.origin);
    const stage = new Stage({ kind, agent, folder, daemon: first, proxy });
    const whole = await stage.whole();
    const cuts: Cut[] = [];
    for (let at = 1; at <= whole.messages; at++) {
      const cut = await stage.cut(at);
      cuts.push(cut);
      onCut(cut, whole.messages);
    }
    // Parley connects to the new server as soon as it listens.
    const restart = await stage.restart(() =>
      start({ ...agent, ...(agent.daemon && { daemon: { ...agent.daemon, ready: "" } }) }),
    );
    onCut(restart, whole.messages);
    return { kind, ...whole, cuts, restart };
  } finally {
    await proxy?.stop();
    await Promise.all(daemons.map(daemon => daemon.stop()));
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Loss {
  readonly at: number;
  /** Resolves when the connection has been cut. */
  readonly lose: () => Promise<void>;
}

interface StageOptions {
  readonly kind: Transport;
  readonly agent: RealAgent;
  readonly folder: string;
  readonly daemon: Daemon;
  readonly proxy: CuttingProxy;
}

/** A server, and the turns with it. */
class Stage {
  readonly #definition: AgentDefinition;
  readonly #folder: string;
  readonly #file: string;
  readonly #text: string;
  readonly #proxy: CuttingProxy;
  #daemon: Daemon;

  constructor({ kind, agent, folder, daemon, proxy }: StageOptions) {
    const url = `${kind}://${proxy.host}${agent.daemon?.path}`;
    const remote = { url, headers: {}, sameFolder: true };
    this.#definition = { ...presetOf(agent), command: "", args: [], env: {}, remote };
    this.#folder = folder;
    this.#file = join(folder, "src", "sum.js");
    this.#text = readFileSync(this.#file, "utf8");
    this.#daemon = daemon;
    this.#proxy = proxy;
  }

  get #prompt(): string {
    const edit = `[[tool:edit ${this.#file}|${untouched}|${edited}]]`;
    return `[[tool:read ${this.#file}]][[say:Read.]]${edit}[[say:Edited.]]`;
  }

  get #isEdited(): boolean {
    const text = readFileSync(this.#file, "utf8");
    assert.ok([this.#text, this.#text.replace(untouched, edited)].includes(text), "the file has no other change");
    return text !== this.#text;
  }

  /** The turn without a cut. */
  whole(): Promise<Pick<CutTurns, "messages" | "opened" | "took">> {
    return this.#with(async conversation => {
      const began = performance.now();
      await conversation.open();
      const opened = performance.now() - began;
      const before = this.#proxy.messages;
      await this.#play(conversation);
      const messages = this.#proxy.messages - before;
      return { opened, took: performance.now() - began - opened, messages };
    });
  }

  async #play(conversation: Conversation): Promise<void> {
    const turn = await conversation.turn(this.#prompt, "allow");
    assert.equal(turn.questions.length, 1, "the agent asks once");
    assert.equal(messageText(turn.entries), "Read.Edited.");
    assert.ok(this.#isEdited, "the file is edited");
  }

  /** The turn with a cut in place of its message `at`, and the next turn. */
  cut(at: number): Promise<Cut> {
    return this.#with(async conversation => {
      await conversation.open();
      this.#proxy.cutAfter(at - 1);
      const link = conversation.session.onDidChange(({ questions }) => {
        const open = questions.find(({ answer }) => answer === undefined);
        const once = open?.options.find(({ kind }) => kind === "allow_once");
        if (open && once) queueMicrotask(() => conversation.session.answer(open.id, once.id));
      });
      conversation.session.send([{ type: "text", text: this.#prompt }]);
      const lose = (): Promise<void> => this.#lose(conversation);
      return this.#next(conversation, { at, lose }).finally(() => link.dispose());
    });
  }

  /** Resolves after the cut. Some turns have fewer messages than others, so the last ones can be cut after the turn. */
  async #lose(conversation: Conversation): Promise<void> {
    const isOver = (): boolean => isIdle(conversation) && texts(conversation).some(text => text.endsWith("Edited."));
    await conversation.until("the connection is cut", () => this.#proxy.hasCut || isOver());
    if (!this.#proxy.hasCut) this.#proxy.cut();
  }

  /** The turn, another server in place of this one, and the next turn. */
  restart(start: () => Promise<Daemon>): Promise<Cut> {
    return this.#with(async conversation => {
      await conversation.open();
      await this.#play(conversation);
      const started = this.#daemon.stop().then(async () => {
        this.#daemon = await start();
        return this.#daemon.origin;
      });
      this.#proxy.leadTo(started);
      return this.#next(conversation, { at: 0, lose: () => Promise.resolve() });
    });
  }

  /** Waits until the connection is lost and there is another one, and plays the next turn. */
  async #next(conversation: Conversation, { at, lose }: Loss): Promise<Cut> {
    conversation.toleratesProblems = true;
    let began = performance.now();
    let isEdited = false;
    const played = async (): Promise<void> => {
      await lose();
      // The notice appears with the next connection.
      const isLost = (): boolean => conversation.session.state.lost !== null;
      await conversation.until(
        "the loss shows",
        () => isLost() || notices(conversation).some(title => title.includes("lost")),
      );
      began = performance.now();
      await conversation.until("it is connected again", ({ head }) => head.connection?.state === "ready" && !isLost());
      isEdited = this.#isEdited;
      conversation.session.send([{ type: "text", text: nextPrompt }]);
      conversation.session.resumeQueue();
      await conversation.until("the next prompt is answered", () =>
        answered(conversation).at(-1)?.endsWith("Still here."),
      );
      await conversation.until("nothing is open", ({ head }) => isIdle(conversation) && head.questions.length === 0);
      assert.deepEqual(await this.#daemon.work(), { prompts: 0, questions: 0 }, "the server works on nothing");
      assert.equal(this.#isEdited, isEdited, "the cut turn has not gone on");
      assert.ok(goesOn(conversation), `the conversation says how it goes on: ${JSON.stringify(notices(conversation))}`);
    };
    const failure = await played().then(
      () => undefined,
      (thrown: unknown) => asError(thrown).message.replaceAll(this.#folder, "…"),
    );
    const took = performance.now() - began;
    const repeats = answered(conversation).join("") !== "Still here.";
    return { at, took, goesOn: goesOn(conversation), isEdited, repeats, ...(failure !== undefined && { failure }) };
  }

  async #with<T>(play: (conversation: Conversation) => Promise<T>): Promise<T> {
    writeFileSync(this.#file, this.#text);
    const conversation = new Conversation(this.#definition, this.#folder);
    try {
      return await play(conversation);
    } finally {
      await conversation.end();
    }
  }
}

const isIdle = ({ session }: Conversation): boolean =>
  !isBusy(session.state) && session.state.pendingPrompts.length === 0;

/** The messages of both sides. */
const texts = ({ session }: Conversation): readonly string[] =>
  [...session.state.entries].flatMap(entry => (entry.kind === "message" ? [contentText(entry.content)] : []));

/** The texts after the next prompt, also those of the user that the agent repeats. */
function answered(conversation: Conversation): readonly string[] {
  const all = texts(conversation);
  const at = all.lastIndexOf(nextPrompt);
  return at === -1 ? [] : all.slice(at + 1);
}

const notices = ({ session }: Conversation): readonly string[] =>
  [...session.state.entries].flatMap(entry => (entry.kind === "notice" ? [entry.title] : []));

function goesOn(conversation: Conversation): Cut["goesOn"] {
  const all = notices(conversation);
  if (all.some(title => title.endsWith("loaded this conversation."))) return "loaded";
  return all.some(title => title.endsWith("Parley attaches it to your next prompt.")) ? "attached" : undefined;
}
