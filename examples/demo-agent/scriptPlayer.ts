// Plays a script. Its messages go over the wire unchanged, valid or not, and bypass the SDK where the SDK would reject
// them.
import { readFileSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RequestError, type AgentContext, type ContentBlock, type StopReason } from "@agentclientprotocol/sdk";
import { parseScript, ScriptError, type Script, type Step } from "./script.ts";
import type { Output } from "./stdio.ts";
import type { DemoSession } from "./turn.ts";

/** A script, and the folder for its relative paths. */
export interface LoadedScript {
  readonly script: Script;
  readonly folder: string;
}

/** The environment in which a script plays. */
export interface Stage {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly signal: AbortSignal;
  readonly output: Output;
}

const environmentFile = process.env["PARLEY_DEMO_SCRIPT"];

/** The script that the environment names, for its fields of `initialize` and `session/new`. */
export function startupScript(): Script | undefined {
  if (!environmentFile) return undefined;
  try {
    return parseScript(readFileSync(environmentFile, "utf8"));
  } catch (error) {
    // The response to the prompt contains the full reason.
    process.stderr.write(`${wrong(environmentFile, error)}\n`);
    return undefined;
  }
}

/** The script of a prompt (`#script file`) or of the environment, or undefined. */
export async function scriptFor(cwd: string, prompt: readonly ContentBlock[]): Promise<LoadedScript | undefined> {
  const words = prompt.map(block => (block.type === "text" ? block.text : "")).join("\n");
  const named = /^\s*#script\s+(\S.*?)\s*$/m.exec(words);
  const file = named?.index === 0 ? resolve(cwd, named[1] ?? "") : environmentFile && resolve(environmentFile);
  if (!file) return undefined;
  try {
    return { script: parseScript(await readFile(file, "utf8")), folder: dirname(file) };
  } catch (error) {
    throw new RequestError(-32602, wrong(file, error));
  }
}

function wrong(file: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const what = error instanceof ScriptError ? "is invalid" : "could not be read";
  return `The script ${file} ${what}. ${reason}`;
}

/** Plays a script to its end. Resolves with the reason why the turn stopped. */
export async function playScript(loaded: LoadedScript, stage: Stage): Promise<StopReason> {
  return new Player(loaded, stage).play();
}

class Player {
  readonly #script: Script;
  readonly #folder: string;
  readonly #stage: Stage;
  readonly #results = new Map<string, unknown>();
  readonly #pending = new Map<string, Promise<void>>();
  #n = 0;

  constructor({ script, folder }: LoadedScript, stage: Stage) {
    this.#script = script;
    this.#folder = folder;
    this.#stage = stage;
  }

  get #cancelled(): boolean {
    return this.#stage.signal.aborted && !this.#script.ownsCancel;
  }

  async play(): Promise<StopReason> {
    for (const step of this.#script.steps) {
      if (this.#cancelled) return "cancelled";
      const reason = await this.#perform(step);
      if (reason !== undefined) return reason;
    }
    return this.#cancelled ? "cancelled" : "end_turn";
  }

  async #perform(step: Step): Promise<StopReason | undefined> {
    const { output, signal } = this.#stage;
    switch (step.do) {
      case "update":
      case "chunk":
        await this.#repeat(step);
        return undefined;
      case "request":
        await this.#request(step);
        return undefined;
      case "notify":
        await this.#push({ method: step.method, params: this.#fill(step.params) });
        return undefined;
      case "await":
        await this.#pending.get(step.name);
        return undefined;
      case "echo": {
        const text = JSON.stringify(this.#results.get(step.name) ?? null);
        await this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
        return undefined;
      }
      case "raw":
        await output.push(`${String(this.#fill(step.text))}\n`);
        return undefined;
      case "stderr":
        for (this.#n = 0; this.#n < step.times; this.#n += 1) await writeError(`${String(this.#fill(step.text))}\n`);
        return undefined;
      case "waitMs":
        await this.#wait(step.milliseconds);
        return undefined;
      case "waitForCancel":
        if (!signal.aborted) await aborted(signal);
        return undefined;
      case "mark": {
        await output.flush();
        const line = JSON.stringify({ name: step.name, at: output.lastWritten });
        await appendFile(resolve(this.#folder, String(this.#fill(step.file))), `${line}\n`);
        return undefined;
      }
      case "write":
        await this.#write(step);
        return undefined;
      case "error":
        throw new RequestError(step.code, String(this.#fill(step.message)), this.#fill(step.data));
      case "stop":
        // The parser of the script accepts only valid stop reasons.
        return step.reason as StopReason;
      case "exit":
        await output.flush();
        process.exit(step.code);
        break;
      case "crash":
        await output.flush();
        process.kill(process.pid, "SIGKILL");
        return never();
      case "hang":
        return never();
      default:
        step satisfies never;
    }
    return undefined;
  }

  async #repeat(step: Extract<Step, { readonly do: "update" | "chunk" }>): Promise<void> {
    for (this.#n = 0; this.#n < step.times && !this.#cancelled; this.#n += 1) {
      if (step.do === "update") {
        await this.#update(this.#fill(step.update));
      } else {
        const sessionUpdate = step.thought ? "agent_thought_chunk" : "agent_message_chunk";
        const id = step.messageId === undefined ? {} : { messageId: String(this.#fill(step.messageId)) };
        await this.#update({ sessionUpdate, content: { type: "text", text: String(this.#fill(step.text)) }, ...id });
      }
      if (step.delayMs > 0) await this.#wait(step.delayMs);
    }
    await this.#stage.output.flush();
  }

  async #request(step: Extract<Step, { readonly do: "request" }>): Promise<void> {
    const { client, signal } = this.#stage;
    const options = this.#script.ownsCancel ? {} : { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answered = client.request<unknown, unknown>(step.method, this.#fill(step.params), options).then(
      result => this.#store(step.as, result),
      (error: unknown) => this.#store(step.as, { error: describe(error) }),
    );
    if (step.background && step.as !== undefined) this.#pending.set(step.as, answered);
    else await answered;
  }

  /** Sends earlier messages first, so that the client receives them before the edit happens. */
  async #write({ path, text }: Extract<Step, { readonly do: "write" }>): Promise<void> {
    await this.#stage.output.flush();
    const file = resolve(this.#stage.session.cwd, String(this.#fill(path)));
    if (text === undefined) return rm(file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, String(this.#fill(text)));
  }

  #store(name: string | undefined, value: unknown): void {
    if (name !== undefined) this.#results.set(name, value);
  }

  async #update(update: unknown): Promise<void> {
    await this.#push({ method: "session/update", params: { sessionId: this.#stage.session.id, update } });
  }

  async #push(message: { readonly method: string; readonly params: unknown }): Promise<void> {
    await this.#stage.output.push(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#stage;
    const watched = this.#script.ownsCancel ? undefined : signal;
    await new Promise<void>(done => {
      const end = (): void => {
        clearTimeout(timer);
        watched?.removeEventListener("abort", end);
        done();
      };
      const timer = setTimeout(end, milliseconds);
      watched?.addEventListener("abort", end);
      if (watched?.aborted) end();
    });
  }

  /** Replaces `$session`, `$cwd`, `$dir`, `$n` and `$name.field` with their values. */
  #fill(value: unknown): unknown {
    if (typeof value === "string") return this.#fillText(value);
    if (Array.isArray(value)) return value.map(item => this.#fill(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#fill(item)]));
  }

  #fillText(text: string): unknown {
    if (!text.includes("$")) return text;
    const whole = /^\$([A-Za-z_]\w*(?:\.\w+)*)$/.exec(text)?.[1];
    if (whole !== undefined) return this.#lookUp(whole) ?? text;
    return text.replace(/\$([A-Za-z_]\w*(?:\.\w+)*)/g, (all, name: string) => {
      const value = this.#lookUp(name);
      if (value === undefined) return all;
      return typeof value === "string" ? value : JSON.stringify(value);
    });
  }

  #lookUp(path: string): unknown {
    const [first = "", ...rest] = path.split(".");
    const { session } = this.#stage;
    const fixed: Readonly<Record<string, unknown>> = {
      session: session.id,
      cwd: session.cwd,
      dir: this.#folder,
      n: this.#n,
    };
    let value = Object.hasOwn(fixed, first) ? fixed[first] : this.#results.get(first);
    for (const key of rest) {
      value =
        typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
    }
    return value;
  }
}

function describe(error: unknown): unknown {
  if (error instanceof RequestError) return { code: error.code, message: error.message, data: error.data };
  return { message: error instanceof Error ? error.message : String(error) };
}

async function writeError(text: string): Promise<void> {
  await new Promise<void>(resolve => process.stderr.write(text, () => resolve()));
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
