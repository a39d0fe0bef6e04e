// A session under replay: the real Session, its panel, and session services that answer like the recorded client.
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { Refusal, type RefusalKind } from "../../../src/base/errors.ts";
import { nullLog, type Clock } from "../../../src/base/log.ts";
import { Emitter } from "../../../src/base/lifecycle.ts";
import { applyViewPatches, diffViews } from "../../../src/panel/patch.ts";
import type { View } from "../../../src/panel/protocol.ts";
import { WholeProjector } from "./wholeViews.ts";
import type { Agent, TerminalRequest, WriteResult } from "../../../src/session/agent.ts";
import type { ExitStatus, LoggedEvent, SessionEvent } from "../../../src/session/events.ts";
import { commandLineText } from "../../../src/base/commandLineText.ts";
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
        (room = new RecordedServices(
          new PermissionBroker({ report: dispatch, newId: () => `q${++minted}` }),
          dispatch,
        )),
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
    this.#services.answerRequest(request, answer);
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
  /** The path, the ID of the terminal, or the command. */
  readonly subject: string;
  readonly settle: (answer: RecordedMessage) => void;
}

/**
 * Requests for files and terminals are answered when and as the recorded client did, and questions by the code that
 * plays the user.
 */
class RecordedServices implements SessionServices {
  readonly #broker: PermissionBroker;
  readonly #report: (event: SessionEvent) => void;
  readonly #waiting: Waiting[] = [];
  readonly requestPermission: SessionServices["requestPermission"];

  constructor(broker: PermissionBroker, report: (event: SessionEvent) => void) {
    this.#broker = broker;
    this.#report = report;
    this.requestPermission = (question, signal) => broker.requestPermission(question, signal);
  }

  answerRequest(request: RecordedMessage, answer: RecordedMessage): void {
    const { path, terminalId, command } = request.params ?? {};
    const subject = String(path ?? terminalId ?? command);
    const at = this.#waiting.findIndex(one => one.method === request.method && one.subject === subject);
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!waiting) throw new Error(`The services were not asked for ${JSON.stringify(request).slice(0, 200)}`);
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

  async createTerminal({ command, args, cwd }: TerminalRequest): Promise<string> {
    const result = await this.#recorded("terminal/create", command);
    const terminalId = String(isObject(result) ? result["terminalId"] : undefined);
    const line = commandLineText(command, args);
    this.#report({ type: "terminal", terminalId, own: true, command: line, ...(cwd !== undefined && { cwd }) });
    return terminalId;
  }
  /** A recording holds the output of a command only in this answer. */
  async terminalOutput(terminalId: string): ReturnType<SessionServices["terminalOutput"]> {
    const result = await this.#recorded("terminal/output", terminalId);
    const { output, truncated, exitStatus } = isObject(result) ? result : {};
    const text = String(output);
    this.#report({ type: "terminal", terminalId, output: text, truncated: truncated === true });
    return { output: text, truncated: truncated === true, ...(isObject(exitStatus) && { exit: asExit(exitStatus) }) };
  }
  async waitForTerminalExit(terminalId: string): ReturnType<SessionServices["waitForTerminalExit"]> {
    const exit = asExit(await this.#recorded("terminal/wait_for_exit", terminalId));
    this.#report({ type: "terminal", terminalId, exit });
    return exit;
  }
  async killTerminal(terminalId: string): Promise<void> {
    await this.#recorded("terminal/kill", terminalId);
  }
  async releaseTerminal(terminalId: string): Promise<void> {
    await this.#recorded("terminal/release", terminalId);
  }

  #recorded(method: string, subject: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = ({ error, result }: RecordedMessage): void => {
        if (error) reject(new Refusal(codes[error.code] ?? "failed", error.message, error.data));
        else resolve(result);
      };
      this.#waiting.push({ method, subject, settle });
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
}

function asExit(status: unknown): ExitStatus {
  const { exitCode, signal } = isObject(status) ? status : {};
  return {
    ...(typeof exitCode === "number" && { exitCode }),
    ...(typeof signal === "string" && { signal }),
  };
}
