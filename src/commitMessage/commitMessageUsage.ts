// What the commit messages of a workspace have used. The Sessions view does not list their sessions, so the counts have a file
// of their own: a line for each turn, which each window appends.
import { usageRows } from "../library/sessionUsage.ts";
import type { AgentUsage } from "../library/usageReport.ts";
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { isFiniteNumber, isRecordWith, isString, optional } from "../base/validators.ts";
import type { LogStorage } from "../session/log/sessionStore.ts";
import type { TurnSpending } from "../session/state.ts";

const isLine = isRecordWith({
  agent: isString,
  at: isFiniteNumber,
  model: optional(isString),
  input: optional(isFiniteNumber),
  output: optional(isFiniteNumber),
  tokens: optional(isFiniteNumber),
  cost: optional(isRecordWith({ amount: isFiniteNumber, currency: isString })),
});

const fileName = "commit-messages.usage";

export class CommitMessageUsage implements Disposable {
  readonly #storage: Pick<LogStorage, "append" | "read">;
  readonly #log: Log;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  #entries: readonly AgentUsage[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: Pick<LogStorage, "append" | "read">, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** As read last, by agent. */
  get entries(): readonly AgentUsage[] {
    return this.#entries;
  }

  /** Reads the counts of all windows. Never rejects. */
  async load(): Promise<void> {
    try {
      await this.#writing;
      const byAgent = new Map<string, TurnSpending[]>();
      for (const line of ((await this.#storage.read(fileName)) ?? "").split("\n")) {
        const found = parseLine(line);
        if (found) byAgent.set(found.agent, [...(byAgent.get(found.agent) ?? []), found.turn]);
      }
      this.#entries = [...byAgent].map(([agentName, turns]) => ({ agentName, usage: usageRows(turns) }));
      this.#changed.fire();
    } catch (error) {
      this.#log.error("The usage of commit messages could not be read.", asError(error).message);
    }
  }

  /** Counts the turns. Never rejects. */
  async add(agent: string, turns: readonly TurnSpending[]): Promise<void> {
    if (turns.length === 0) return;
    // What another window wrote last can be damaged, and then has no end.
    const text = turns.map(turn => `\n${JSON.stringify({ agent, ...turn })}\n`).join("");
    this.#writing = this.#writing
      .then(() => this.#storage.append(fileName, text))
      .catch((error: unknown) =>
        this.#log.error("The usage of a commit message could not be stored.", asError(error).message),
      );
    await this.#writing;
    await this.load();
  }

  /** Resolves when all counts are stored. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Undefined: the line is damaged, for example because the disk was full. */
function parseLine(line: string): { readonly agent: string; readonly turn: TurnSpending } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isLine(value)) return undefined;
    const { agent, ...turn } = value as TurnSpending & { readonly agent: string };
    return { agent, turn };
  } catch {
    return undefined;
  }
}
