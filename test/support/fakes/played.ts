// A session under replay: the real Session, its panel, and session services that answer like the recorded client.
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { Refusal, type RefusalKind } from "../../../src/base/errors.ts";
import { nullLog, type Clock } from "../../../src/base/log.ts";
import { Emitter } from "../../../src/base/lifecycle.ts";
import { applyViewPatches, diffViews } from "../../../src/panel/patch.ts";
import type { View } from "../../../src/panel/protocol.ts";
import { WholeProjector } from "./wholeViews.ts";
import type { Agent, WriteResult } from "../../../src/session/agent.ts";
import type { LoggedEvent } from "../../../src/session/events.ts";
import type { Replayed } from "../../../src/session/log/replay.ts";
import { Session } from "../../../src/session/session.ts";
import type { SessionServices } from "../../../src/session/sessionServices.ts";
import { History } from "./history.ts";
import { isObject, type RecordedMessage } from "./transcript.ts";
import { emptyHead } from "./heads.ts";

const codes: Readonly<Record<number, RefusalKind>> = {
  [-32002]: "notFound",
  [-32602]: "invalid",
  [-32800]: "cancelled",
};

export class ReplayedSession {
  readonly session: Session;
  readonly log: LoggedEvent[] = [];
  readonly history = new History();
  readonly #projector = new WholeProjector();
  readonly #services: RecordedServices;
  readonly #died = new Emitter<never>();
  #view: View;
  #panel: View;

  constructor(
    name: string,
    agent: { readonly id: string; readonly name: string; readonly cwd: string },
    clock: Clock,
    connect: () => Promise<Agent>,
    earlier?: Replayed,
  ) {
    // Never reuse an id of an earlier run.
    let minted = earlier?.nextSeq ?? 0;
    let room: RecordedServices | undefined;
    let isConnected = false;
    this.session = new Session({
      id: name,
      agent,
      workspaceFolder: agent.cwd,
      clock,
      log: nullLog,
      newId: () => `s${++minted}`,
      connection: {
        // The recorded client did not open a session again when the agent no longer had it.
        connect: async () =>
          isConnected
            ? new Promise<never>(() => {})
            : ((isConnected = true),
              { agent: await connect(), onDidDie: this.#died.event, hasEnded: (): boolean => false }),
        restart: () => Promise.resolve(),
      },
      createServices: dispatch =>
        (room = new RecordedServices(new PermissionBroker({ report: dispatch, newId: () => `q${++minted}` }))),
      onLog: logged => this.log.push(logged),
      ...(earlier && { earlier }),
    });
    if (!room) throw new Error("The session made no room.");
    this.#services = room;
    this.#view = this.#project();
    this.#panel = this.#view;
    this.session.onDidChange(() => this.#paint());
  }

  get view(): View {
    return this.#view;
  }
  /** The view of a panel that only ever received patches. */
  get panel(): View {
    return this.#panel;
  }

  /** The recorded client answered the agent's request, so the session services answer it too. */
  answer(request: RecordedMessage, answer: RecordedMessage): void {
    this.#services.answerFile(request, answer);
  }

  cancelQuestions(): void {
    this.#services.cancelQuestions();
  }

  #project(): View {
    return this.#projector.project(this.session.state, emptyHead);
  }

  #paint(): void {
    const now = this.#project();
    const patches = diffViews(this.#view, now);
    if (patches.length === 0) return;
    this.history.note(this.#view, now);
    this.#view = now;
    this.#panel = applyViewPatches(this.#panel, JSON.parse(JSON.stringify(patches)) as typeof patches);
  }

  dispose(): void {
    this.session.dispose();
    this.#died.dispose();
  }
}

interface Waiting {
  readonly method: string;
  readonly path: string;
  readonly settle: (answer: RecordedMessage) => void;
}

/** File requests are answered when and as the recorded client did, and questions by the code that plays the user. */
class RecordedServices implements SessionServices {
  readonly #broker: PermissionBroker;
  readonly #waiting: Waiting[] = [];
  readonly requestPermission: SessionServices["requestPermission"];

  constructor(broker: PermissionBroker) {
    this.#broker = broker;
    this.requestPermission = (question, signal) => broker.requestPermission(question, signal);
  }

  answerFile(request: RecordedMessage, answer: RecordedMessage): void {
    const at = this.#waiting.findIndex(
      one => one.method === request.method && one.path === String(request.params?.["path"]),
    );
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!waiting) throw new Error(`The room was not asked for ${JSON.stringify(request).slice(0, 200)}`);
    waiting.settle(answer);
  }

  async readTextFile(request: { readonly path: string }): Promise<string> {
    const result = await this.#recorded("fs/read_text_file", request.path);
    return isObject(result) && typeof result["content"] === "string" ? result["content"] : "";
  }
  async writeTextFile(request: { readonly path: string }): Promise<WriteResult> {
    await this.#recorded("fs/write_text_file", request.path);
    return { saved: true };
  }

  #recorded(method: string, path: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = ({ error, result }: RecordedMessage): void => {
        if (error) reject(new Refusal(codes[error.code] ?? "failed", error.message, error.data));
        else resolve(result);
      };
      this.#waiting.push({ method, path, settle });
    });
  }

  answer(ask: string, option: string): void {
    this.#broker.answer(ask, option);
  }
  cancelQuestions(): void {
    this.#broker.cancelAll();
  }
  endTerminals(): void {}
  question(ask: string): ReturnType<SessionServices["question"]> {
    return this.#broker.question(ask);
  }
  dispose(): void {
    this.#broker.dispose();
  }

  // No recorded agent uses the client's terminals. A recording that does fails here.
  createTerminal(): Promise<string> {
    return Promise.reject(new Refusal("failed", "The recording has no terminals."));
  }
  terminalOutput(): Promise<never> {
    return Promise.reject(new Refusal("failed", "The recording has no terminals."));
  }
  waitForTerminalExit(): Promise<never> {
    return Promise.reject(new Refusal("failed", "The recording has no terminals."));
  }
  killTerminal(): Promise<never> {
    return Promise.reject(new Refusal("failed", "The recording has no terminals."));
  }
  releaseTerminal(): Promise<never> {
    return Promise.reject(new Refusal("failed", "The recording has no terminals."));
  }
}
