// One running process per agent and window, shared by its sessions. After a process exits, the next use starts another.
import { withTimeout } from "../base/async.ts";
import type { ReadPace } from "../acp/ndjson.ts";
import { asError, asProblem, ProblemError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { textWithSecrets } from "../base/secrets/secret.ts";
import { connect, type AgentConnection } from "../acp/connect.ts";
import { StreamEndedError, type ProtocolVersion } from "../acp/handshake.ts";
import { hostEnvironment, type WindowEnvironment } from "../base/windowEnvironment.ts";
import { TrafficRecorder } from "../acp/trafficRecorder.ts";
import type { Agent } from "../session/agent.ts";
import type { AgentTransport, TransportEnd } from "./agentTransport.ts";
import { closedOutputProblem, agentCommandLine } from "./launch.ts";
import { followNpmDownload } from "./npmDownload.ts";
import type { AgentDefinition } from "./registry.ts";
import type { RemoteAgents } from "./remote/remoteAgents.ts";
import { prepareStartFolder } from "./startFolder.ts";
import { agentPlace, startAgent } from "./startAgent.ts";

/** The progress of a start. `detail` is the latest line of stderr. */
export interface StartProgress {
  readonly state: "starting" | "connecting";
  readonly detail?: string;
}

/** An agent that is ready for sessions. */
export interface RunningAgent {
  readonly agent: Agent;
  readonly definition: AgentDefinition;
  /** Fires once when the process ends, with the reason, so that each of its sessions learns it. Not if the window closes. */
  readonly onDidDie: Event<Problem>;
  /** Its output has ended. `onDidDie` fires soon, whether the process has exited or still runs. */
  hasEnded(): boolean;
}

interface Slot {
  readonly definition: AgentDefinition;
  readonly stop: AbortController;
  readonly ready: Promise<RunningAgent>;
  readonly progress: Emitter<StartProgress>;
  readonly exit: Emitter<Problem>;
  latest: StartProgress;
  transport?: AgentTransport;
  connected?: AgentConnection;
}

/** After an agent exits, wait at most this long until its last output was processed (ms). */
const maxDrainTime = 5000;
/** After an agent's output ends, wait at most this long for its exit (ms). */
const maxExitWait = 1000;

/** Starts agents and keeps them running. Disposing kills every process tree and resolves when none is left. */
export class AgentPool {
  readonly #slots = new Map<string, Slot>();
  readonly #recorders = new Map<string, TrafficRecorder>();
  readonly #ends = new Map<string, TransportEnd>();
  readonly #ending = new Set<Promise<void>>();
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #startFolders: string;
  readonly #paceOf: ((agent: string) => ReadPace) | undefined;
  readonly #environment: WindowEnvironment;
  readonly #remote: Pick<RemoteAgents, "connect"> | undefined;
  /** The version of the protocol that each agent and command has chosen. */
  readonly #negotiated = new Map<string, number>();
  #isDisposed = false;
  readonly #recorded = new Emitter<string>();
  /** Fires with an agent's id when its traffic was recorded, and when its connection has ended. */
  readonly onDidRecord: Event<string> = this.#recorded.event;

  /**
   * Agents start in folders of `startFolders`, which is outside of every opened folder. `paceOf` limits how far
   * reading the agent with that id may be ahead of painting. `environment` is that of the window's programs.
   * `remote` connects to agents on servers.
   */
  constructor(
    log: Log,
    clock: Clock,
    clientVersion: string,
    startFolders: string,
    paceOf?: (agent: string) => ReadPace,
    environment: WindowEnvironment = hostEnvironment,
    remote?: Pick<RemoteAgents, "connect">,
  ) {
    this.#remote = remote;
    this.#paceOf = paceOf;
    this.#environment = environment;
    this.#log = log;
    this.#clock = clock;
    this.#version = clientVersion;
    this.#startFolders = startFolders;
  }

  /** The traffic of the agent's latest process, also after its exit. */
  tap(agent: string): TrafficRecorder | undefined {
    return this.#recorders.get(agent);
  }
  /** How the latest connection to the agent ended. Undefined if it runs, or if none has been started. */
  endOf(agent: string): TransportEnd | undefined {
    return this.#ends.get(agent);
  }
  /** The agents that have been started in this window. */
  get recordedAgents(): readonly string[] {
    return [...this.#recorders.keys()];
  }

  /**
   * The running agent, started if necessary. Rejects with a ProblemError. Calls `onProgress` until it settles.
   */
  async get(definition: AgentDefinition, onProgress: (progress: StartProgress) => void): Promise<RunningAgent> {
    // Nothing would end the process of a session that opens while the window closes.
    if (this.#isDisposed) throw new ProblemError(stoppedProblem(definition.name));
    const old = this.#slots.get(definition.id);
    const slot = old && textWithSecrets(old.definition) === textWithSecrets(definition) ? old : this.#start(definition);
    if (old && old !== slot) void this.#end(old, t("its settings have changed"));
    onProgress(slot.latest);
    const link = slot.progress.event(onProgress);
    try {
      return await slot.ready;
    } finally {
      link.dispose();
    }
  }

  /**
   * Stops the agent's process, if one runs. The next `get` starts another. `reason`: the end of the sentence that its
   * sessions show, after "was stopped because". Default: another session restarted it.
   */
  async stop(agent: string, reason = t("another session restarted it")): Promise<void> {
    const slot = this.#slots.get(agent);
    if (slot) await this.#end(slot, reason);
  }

  /** Stops all agents. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const slot of [...this.#slots.values()]) void this.#end(slot); // Awaited below.
    await Promise.all(this.#ending);
    this.#recorded.dispose();
  }

  #start(definition: AgentDefinition): Slot {
    const stop = new AbortController();
    const recorder = new TrafficRecorder(this.#clock);
    this.#recorders.set(definition.id, recorder);
    this.#ends.delete(definition.id);
    recorder.onDidRecord(() => this.#recorded.fire(definition.id));
    const progress = new Emitter<StartProgress>();
    const slot: Slot = {
      definition,
      stop,
      progress,
      exit: new Emitter<Problem>(),
      latest: { state: "starting" },
      ready: Promise.resolve().then(() => this.#run(slot, recorder)),
    };
    slot.ready.catch((error: unknown) => {
      this.#log.warn(`${definition.name} did not start.`, asProblem(error));
      this.#forget(slot);
    });
    this.#slots.set(definition.id, slot);
    return slot;
  }

  async #run(slot: Slot, recorder: TrafficRecorder): Promise<RunningAgent> {
    const { definition, stop } = slot;
    const report = (latest: StartProgress): void => {
      slot.latest = latest;
      slot.progress.fire(latest);
    };
    this.#log.info(`Starting ${definition.name}: ${agentCommandLine(definition)}`);
    const onStderr = (line: string): void => {
      recorder.recordText("err", line);
      this.#log.info(`[${definition.name}] ${line}`);
      if (slot.connected === undefined) report({ state: "connecting", detail: line.slice(0, 300) });
    };
    const transport = await startAgent(definition, {
      startFolder: () => this.#prepareFolder(definition),
      environment: this.#environment,
      remote: this.#remote,
      onStderr,
    });
    slot.transport = transport;
    // Starting fails when the agent ends, so that nothing waits for an agent that has ended.
    const start = new AbortController();
    const onStop = (): void => start.abort(stop.signal.reason);
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener("abort", onStop, { once: true });
    const handleLoss = (problem: Problem): void => {
      start.abort(new ProblemError(problem));
      this.#forget(slot);
      slot.connected?.dispose();
      if (!stop.signal.aborted) slot.exit.fire(problem);
      slot.exit.dispose();
    };
    void transport.whenEnded.then(async end => {
      if (this.#recorders.get(definition.id) === recorder) this.#ends.set(definition.id, end);
      this.#log.info(`${definition.name} ended.`, end.facts);
      // Its last messages may still wait to be processed.
      if (slot.connected) await this.#waitFor(slot.connected.closed, maxDrainTime);
      recorder.close();
      this.#recorded.fire(definition.id);
      handleLoss(end.problem(slot.connected !== undefined));
    });
    report({ state: "connecting" });
    const download = followNpmDownload(definition, this.#clock, detail => report({ state: "connecting", detail }));
    try {
      slot.connected = await connect(
        {
          stdin: transport.input,
          stdout: transport.output,
          recorder,
          log: this.#log,
          clientVersion: this.#version,
          agentName: definition.name,
          place: agentPlace(definition),
          protocol: this.#protocolOf(definition),
          ...(this.#paceOf && { pace: this.#paceOf(definition.id) }),
        },
        start.signal,
      );
    } catch (error) {
      this.#negotiated.delete(negotiationKey(definition));
      // The end of the output is noticed before the exit. Wait a moment for the exit code and the end of stderr.
      const end = error instanceof StreamEndedError ? await this.#waitFor(transport.whenEnded, maxExitWait) : undefined;
      if (end && !end.wasStopped) throw new ProblemError(end.problem(false));
      this.#forget(slot);
      await transport.stop();
      throw withStderr(error, transport.stderrTail());
    } finally {
      download.dispose();
    }
    const { agent, closed } = slot.connected;
    if (definition.protocol === "2") this.#negotiated.set(negotiationKey(definition), agent.info.protocolVersion);
    let ended = false;
    void closed.then(async () => {
      ended = true;
      if (await this.#waitFor(transport.whenEnded, maxExitWait)) return;
      if (stop.signal.aborted) return;
      handleLoss(closedOutputProblem(definition));
      await transport.stop();
    });
    this.#log.info(`${definition.name} is ready.`, agent.info);
    return { agent, definition, onDidDie: slot.exit.event, hasEnded: () => ended };
  }

  /** An agent that has chosen version 1 is asked for it at once, until a start with it fails. */
  #protocolOf(definition: AgentDefinition): ProtocolVersion {
    return definition.protocol === "2" && this.#negotiated.get(negotiationKey(definition)) !== 1 ? 2 : 1;
  }

  async #prepareFolder({ name }: AgentDefinition): Promise<string> {
    try {
      return await prepareStartFolder(this.#startFolders);
    } catch (error) {
      const detail = asError(error).message;
      const message = t(
        "Could not start {0}: there is no folder to start it in. Set parley.agents → cwd to a folder.",
        name,
      );
      throw new ProblemError({ message, detail, next: ["openSettings", "retry"] });
    }
  }

  #waitFor<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
    return withTimeout(promise, ms, () => undefined, this.#clock);
  }

  #forget(slot: Slot): void {
    if (this.#slots.get(slot.definition.id) === slot) this.#slots.delete(slot.definition.id);
    slot.progress.dispose();
  }

  /** Ends the process. Its sessions learn the reason; without one, nobody does. */
  #end(slot: Slot, reason?: string): Promise<void> {
    this.#forget(slot);
    const { name } = slot.definition;
    const problem: Problem =
      reason === undefined
        ? stoppedProblem(name)
        : {
            message: t("{0} was stopped because {1}. Retry, or send a message, to continue.", name, reason),
            next: ["retry"],
          };
    slot.stop.abort(new ProblemError(problem));
    if (reason !== undefined) slot.exit.fire(problem);
    slot.exit.dispose();
    slot.connected?.dispose();
    // Wait until a start in progress settles: only then is it known whether there is a process to stop.
    const ended = slot.ready
      .then(
        () => {},
        () => {}, // The caller of `get` reports it.
      )
      .then(() => slot.transport?.stop())
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return ended;
  }
}

const stoppedProblem = (name: string): Problem => ({ message: t("{0} was stopped.", name), next: ["restartAgent"] });

/** Another command of the same agent can speak another version. */
const negotiationKey = (definition: AgentDefinition): string =>
  JSON.stringify([definition.id, agentCommandLine(definition)]);

/** Adds the end of stderr to a problem that has no details. */
function withStderr(error: unknown, stderr: string): ProblemError {
  const problem = asProblem(error);
  return new ProblemError(problem.detail === undefined && stderr !== "" ? { ...problem, detail: stderr } : problem);
}
