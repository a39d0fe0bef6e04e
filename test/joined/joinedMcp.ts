// The MCP servers of a joined window: its settings, what it keeps, and the questions that VS Code asks.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { ExtensionStates, Memento, SecretStore } from "../../src/base/memento.ts";
import { allServersFor, readWorkspaceServers, type ConfiguredServers } from "../../src/mcp/configuredServers.ts";
import type { ConsentQuestion } from "../../src/mcp/consentQuestion.ts";
import type { McpQuestions } from "../../src/mcp/mcpServers.ts";
import type { McpClientModule } from "../../src/mcp/promptServer.ts";
import { readServers, type McpServer, type ServerInput, type ServersRead } from "../../src/mcp/servers.ts";
import type { SignInQuestions } from "../../src/mcp/signIn/serverSignIns.ts";
import type { SignInQuestion } from "../../src/mcp/signIn/signInQuestion.ts";
import { until } from "../support/fakes/until.ts";
import { browse } from "../support/mcp/authorizedServer.ts";

/** The client for MCP servers as it is built. */
export const { mcpClient } = createRequire(inProject("dist", "extension.js"))("./mcp.js") as McpClientModule;

/** A state of VS Code. It keeps values as JSON. */
class JsonMemento implements Memento {
  readonly #texts = new Map<string, string>();

  get<T>(key: string): T | undefined;
  get<T>(key: string, otherwise: T): T;
  get<T>(key: string, otherwise?: T): T | undefined {
    const text = this.#texts.get(key);
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  }
  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.#texts.delete(key);
    else this.#texts.set(key, JSON.stringify(value));
  }
}

/** The secret storage of VS Code. */
export class MapSecrets implements SecretStore {
  readonly #values = new Map<string, string>();

  async get(key: string): Promise<string | undefined> {
    return this.#values.get(key);
  }
  async store(key: string, value: string): Promise<void> {
    this.#values.set(key, value);
  }
  async delete(key: string): Promise<void> {
    this.#values.delete(key);
  }
}

/** New states, which the windows of one workspace share. */
export const newStates = (): ExtensionStates => ({ workspaceState: new JsonMemento(), globalState: new JsonMemento() });

/** The servers of the user, of agents, and of the file `.vscode/mcp.json` of one workspace folder. */
export class JoinedServerSettings implements ConfiguredServers {
  readonly #folder: string;
  readonly #user: ServersRead;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #workspace: ServersRead = { servers: [], problems: [] };

  constructor(folder: string, user: unknown) {
    this.#folder = folder;
    this.#user = readServers(user, "user", "parley.mcpServers");
    this.#read();
  }

  get workspaceProblems(): readonly string[] {
    return this.#workspace.problems;
  }
  get workspaceFiles(): readonly string[] {
    return [join(this.#folder, ".vscode", "mcp.json")];
  }
  servers(agent: AgentDefinition | undefined): readonly McpServer[] {
    return allServersFor(agent, this.#user.servers, this.#workspace.servers);
  }
  whenRead(): Promise<void> {
    return Promise.resolve();
  }

  /** Writes the file of the workspace. */
  write(text: string): void {
    const [file = ""] = this.workspaceFiles;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    this.#read();
    this.#changed.fire();
  }

  #read(): void {
    const [file = ""] = this.workspaceFiles;
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch {
      return; // The workspace has no such file.
    }
    this.#workspace = readWorkspaceServers(text, this.#folder, ".vscode/mcp.json");
  }
}

/** What VS Code asks the user about servers. A question waits until the test answers it. */
export class JoinedQuestions implements McpQuestions {
  /** The values that the user enters, by the ids of the inputs. */
  readonly entered = new Map<string, string>();
  /** The servers and the ids of the inputs that were asked for. */
  readonly inputs: string[] = [];
  readonly #consents: { readonly question: ConsentQuestion; readonly answer: (allows: boolean) => void }[] = [];
  readonly #reviews: { readonly message: string; readonly answer: (reviews: boolean) => void }[] = [];

  consent(question: ConsentQuestion): Promise<boolean> {
    return new Promise(answer => this.#consents.push({ question, answer }));
  }
  /** Asks for a value. The test enters those of {@link entered}, and cancels each other question. */
  input({ name }: McpServer, { id }: ServerInput): Promise<string | undefined> {
    this.inputs.push(`${name} ${id}`);
    return Promise.resolve(this.entered.get(id));
  }
  review(message: string): Promise<boolean> {
    return new Promise(answer => this.#reviews.push({ message, answer }));
  }

  /** The offers to review servers that are open. */
  get offers(): readonly string[] {
    return this.#reviews.map(({ message }) => message);
  }

  /** Presses a button of the open question, or waits for the next one. Resolves with its texts. */
  async answer(button: "Allow" | "Cancel"): Promise<ConsentQuestion> {
    await until(() => this.#consents.length > 0);
    const asked = this.#consents.shift();
    assert.ok(asked);
    asked.answer(button === "Allow");
    return asked.question;
  }

  /** Presses “Review…” in the oldest offer, or waits for it. Resolves with its text. */
  async startReview(): Promise<string> {
    await until(() => this.#reviews.length > 0);
    const offered = this.#reviews.shift();
    assert.ok(offered);
    offered.answer(true);
    return offered.message;
  }
}

/** What VS Code shows of a sign-in. A question waits until the test answers it, and the browser agrees to each page. */
export class JoinedSignIn implements SignInQuestions {
  readonly opened: string[] = [];
  /** What the browser does with a page. */
  browser: (href: string) => Promise<unknown> = href => browse(href);
  readonly #asked: { readonly question: SignInQuestion; readonly answer: (agrees: boolean) => void }[] = [];

  confirm(question: SignInQuestion): Promise<boolean> {
    return new Promise(answer => this.#asked.push({ question, answer }));
  }
  confirmToken(question: SignInQuestion): Promise<boolean> {
    return this.confirm(question);
  }
  async open(href: string): Promise<void> {
    this.opened.push(href);
    void this.browser(href);
  }
  whileWaiting(): void {}
  warn(): void {}
  externalAddress(address: string): Promise<string> {
    return Promise.resolve(address);
  }

  /** Answers the open question, or waits for the next one. Resolves with its texts. */
  async answer(agrees: boolean): Promise<SignInQuestion> {
    await until(() => this.#asked.length > 0);
    const asked = this.#asked.shift();
    assert.ok(asked);
    asked.answer(agrees);
    return asked.question;
  }
}
