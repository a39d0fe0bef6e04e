// A session with an agent built on the official SDK, through all of Parley except the panel: process, wire, session,
// session services and the editor's documents, assembled as in src/extension.ts. The agent runs the steps of a test:
// test/support/agents/sdkAgent.mjs.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { hostEnvironment } from "../../../src/base/windowEnvironment.ts";
import { AgentPool } from "../../../src/agents/pool.ts";
import type { AgentDefinition } from "../../../src/agents/registry.ts";
import { nullLog, systemClock, type Log } from "../../../src/base/log.ts";
import { Session } from "../../../src/session/session.ts";
import { isBusy, openQuestions, type Question, type SessionState } from "../../../src/session/state.ts";
import { EditorDocuments } from "../../../src/files/vscode/editorDocuments.ts";
import { FileEvents } from "../../../src/files/vscode/fileEvents.ts";
import { noFacts } from "../../../src/history/facts.ts";
import { ReviewStore } from "../../../src/review/vscode/reviewStore.ts";
import { createSessionServices, type SharedServices } from "../../../src/window/createSessionServices.ts";
import { readSettings, type Settings } from "../../../src/window/settings.ts";
import { openSessionStorage } from "../../../src/window/sessionStorage.ts";
import { AllEdits } from "../../../src/permissions/allEdits.ts";
import { AuditLog } from "../../../src/permissions/auditLog.ts";
import { ConversationPageFiles } from "../../../src/files/conversationPageFiles.ts";
import { nodePaths } from "../../../src/files/nodePaths.ts";

/** Error codes of JSON-RPC and of the spec page "Error". */
export const errorCodes = {
  invalidParams: -32602,
  resourceNotFound: -32002,
  requestCancelled: -32800,
  internalError: -32603,
} as const;

/** A step of the agent; see sdkAgent.mjs. */
export type Step =
  | { readonly request: string; readonly params?: Params; readonly as?: string }
  | { readonly update: Params }
  | { readonly terminal: Params };
export type Params = Readonly<Record<string, unknown>>;

/** The outcome of a step, as the agent received it. */
export interface Outcome {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A turn in progress. */
export interface Turn {
  /** The outcomes, after the turn has ended. */
  readonly done: Promise<readonly (Outcome | readonly Outcome[])[]>;
}

export class SdkSession {
  /** Replaces the user's settings. A test may change it. */
  settings: Settings;
  /** The errors in our own log. */
  readonly faults: string[] = [];
  readonly session: Session;
  readonly #pool: AgentPool;
  readonly #fileEvents = new FileEvents();
  readonly #reviews: ReviewStore;
  readonly #endings: Promise<void>[] = [];

  constructor(cwd: string, storage: string) {
    const extension = vscode.extensions.getExtension("parley.parley");
    assert.ok(extension, "Parley is not installed in this VS Code.");
    const context = {
      asAbsolutePath: (path: string) => join(extension.extensionPath, path),
      storageUri: vscode.Uri.file(storage),
    } as vscode.ExtensionContext;
    const log: Log = { ...nullLog, error: (message, data) => this.faults.push(`${message} ${String(data ?? "")}`) };
    this.settings = readSettings(context);
    const storing = openSessionStorage(context);
    this.#reviews = new ReviewStore({
      facts: noFacts,
      fileEvents: this.#fileEvents,
      onDidChangeRoots: () => ({ dispose: () => {} }),
      roots: () => [cwd],
      touches: { touched: () => {}, written: () => {} },
      beginTurn: () => Promise.resolve(),
      treesOf: () => Promise.resolve(undefined),
      maxIgnoredBytes: () => 0,
      storage: storing,
      clock: systemClock,
      log,
    });
    const services: SharedServices = {
      environment: hostEnvironment,
      protection: () => this.settings.protection,
      sessionTitle: () => "A session",
      documents: new EditorDocuments(nodePaths(), { saveUnsaved: () => this.settings.saveUnsaved }),
      fileEvents: this.#fileEvents,
      settings: () => this.settings,
      rules: () => ({ rules: [], problems: [] }),
      audit: new AuditLog(storing, log),
      allEdits: new AllEdits(),
      agentChanges: this.#reviews.onDidChangeFile,
      review: () => {
        // Without preparation, turns begin at once.
        const { beforeTurn: _, ...review } = this.#reviews.startSession();
        return review;
      },
      pages: new ConversationPageFiles(join(storage, "pages")),
      clock: systemClock,
      log,
    };
    const definition: AgentDefinition = {
      id: "sdk",
      name: "SDK Agent",
      command: process.execPath,
      args: [context.asAbsolutePath("test/support/agents/sdkAgent.mjs")],
      env: { ELECTRON_RUN_AS_NODE: "1" },
      missingFiles: "error",
      startTimeout: 30,
    };
    this.#pool = new AgentPool(log, systemClock, "0.0.0", join(storage, "agents"));
    const onEnding = (ended: Promise<void>): void => void this.#endings.push(ended);
    this.session = new Session({
      id: "sdk-session",
      agent: { id: definition.id, name: definition.name },
      workspaceFolder: cwd,
      clock: systemClock,
      log,
      newId: () => randomUUID(),
      connection: {
        connect: onProgress => this.#pool.get(definition, ({ state, detail }) => onProgress(state, detail)),
        restart: () => this.#pool.stop(definition.id),
      },
      createServices: dispatch => {
        const session = { id: "sdk-session", workspaceFolder: cwd };
        return createSessionServices(services, { session, definition, dispatch, onEnding });
      },
    });
  }

  get state(): SessionState {
    return this.session.state;
  }

  async open(): Promise<void> {
    await this.session.open();
    assert.equal(this.state.connection?.state, "ready", this.state.lost?.message);
  }

  /** Starts a turn with these steps. */
  begin(...steps: readonly (Step | readonly Step[])[]): Turn {
    assert.ok(!isBusy(this.state), "The last turn has not ended.");
    this.session.send([{ type: "text", text: JSON.stringify(steps) }]);
    assert.ok(isBusy(this.state));
    return { done: this.until(state => !isBusy(state)).then(() => this.#outcomes()) };
  }

  /** Runs the steps one after the other. */
  async play(...steps: readonly Step[]): Promise<readonly Outcome[]> {
    return (await this.begin(...steps).done) as readonly Outcome[];
  }

  /** The client's response to one request of the agent. */
  async sendRequest(request: string, params: Params = {}): Promise<Outcome> {
    const [outcome] = await this.play({ request, params });
    assert.ok(outcome);
    return outcome;
  }

  /** The result of one request, which must succeed. */
  async get<T = unknown>(request: string, params: Params = {}): Promise<T> {
    const { result, error } = await this.sendRequest(request, params);
    assert.equal(error, undefined, error?.message);
    return result as T;
  }

  /** Passes if the request is refused with this code and a message that matches. */
  async assertRefused(request: string, params: Params, code: number, words: RegExp): Promise<void> {
    const { result, error } = await this.sendRequest(request, params);
    assert.ok(error, `it was served: ${JSON.stringify(result)}`);
    assert.deepEqual([error.code, words.test(error.message)], [code, true], error.message);
  }

  /** The open questions, once there are this many. */
  async waitForQuestions(count: number): Promise<readonly Question[]> {
    await this.until(state => openQuestions(state).length === count);
    return openQuestions(this.state);
  }

  /** Resolves once the condition holds for the state. */
  until(condition: (state: SessionState) => boolean): Promise<void> {
    return new Promise(resolve => {
      if (condition(this.state)) return resolve();
      const link = this.session.onDidChange(state => {
        if (!condition(state)) return;
        link.dispose();
        resolve();
      });
    });
  }

  #outcomes(): readonly (Outcome | readonly Outcome[])[] {
    const answer = this.state.entries.findLast(entry => entry.kind === "message" && entry.author === "agent");
    assert.ok(answer?.kind === "message" && answer.content[0]?.type === "text", "The agent sent no message.");
    return JSON.parse(answer.content[0].text) as readonly Outcome[];
  }

  async dispose(): Promise<void> {
    this.session.dispose();
    await this.#pool.dispose();
    await Promise.all(this.#endings);
    this.#reviews.dispose();
  }
}

/** The session of a suite, and the folder in the workspace that each of its tests gets. */
export interface SdkSuite {
  readonly sdk: SdkSession;
  /** The folder of the session's own storage, outside the workspace. */
  readonly storage: string;
  /** A fresh folder in the workspace, for each test. */
  readonly folder: string;
  path(this: void, name: string): string;
  put(this: void, name: string, content: string | Uint8Array): Promise<void>;
  /** The text of a file, as the agent reads it. */
  read(this: void, name: string, window?: Params): Promise<string>;
}

/** Registers the hooks of a suite that shares one session. Call it in `describe`; its values are set when tests run. */
export function sdkSuite(): SdkSuite {
  let sdk: SdkSession;
  let storage: string;
  let folder: string;
  const root = (): Promise<string> => {
    const found = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(found, "the tests run in a workspace");
    return realpath(found);
  };

  before(async () => {
    storage = await mkdtemp(join(tmpdir(), "parley-storage-"));
    sdk = new SdkSession(await root(), storage);
    await sdk.open();
  });
  after(async () => {
    await sdk.dispose();
    await rm(storage, { recursive: true, force: true });
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(await root(), "methods-"));
  });
  afterEach(async () => {
    await discardFolder(folder);
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(sdk.faults.splice(0), []);
  });

  const path = (name: string): string => join(folder, name);
  return {
    get sdk() {
      return sdk;
    },
    get storage() {
      return storage;
    },
    get folder() {
      return folder;
    },
    path,
    async put(name, content) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
    },
    async read(name, window = {}) {
      return (await sdk.get<{ readonly content: string }>("fs/read_text_file", { path: path(name), ...window }))
        .content;
    },
  };
}

/** Replaces the editor's whole text without saving, like a user. */
export async function type({ document }: vscode.TextEditor, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(document.isDirty);
}

/** Closes all editors without saving the folder's files. */
async function discardFolder(folder: string): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || !document.uri.fsPath.startsWith(folder)) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** Runs `run` with these user settings of `files`. */
export async function withFiles(settings: Params, run: () => Promise<void>): Promise<void> {
  const files = vscode.workspace.getConfiguration("files");
  const set = async (name: string, value: unknown): Promise<void> =>
    files.update(name, value, vscode.ConfigurationTarget.Global);
  const earlier = Object.keys(settings).map(name => [name, files.inspect(name)?.globalValue] as const);
  for (const [name, value] of Object.entries(settings)) await set(name, value);
  try {
    await run();
  } finally {
    for (const [name, value] of earlier) await set(name, value);
  }
}

/**
 * A program whose child starts a grandchild. With the argument "starter" it starts the child and exits once the
 * grandchild runs; otherwise it is the child itself. The grandchild ignores SIGTERM, is in a process group of its own,
 * and keeps the output open.
 */
export const processTreeScript = `
const { spawn } = require("child_process");
const { existsSync, writeFileSync } = require("fs");
const [, file, role = "child"] = process.argv;
const start = (next, detached) => spawn(process.execPath, [file, next], { stdio: "inherit", detached });
if (role === "grandchild") process.on("SIGTERM", () => {});
else start(role === "starter" ? "child" : "grandchild", role === "child");
if (role !== "starter") writeFileSync(role + ".pid", String(process.pid));
console.log(role);
setInterval(() => role === "starter" && existsSync("grandchild.pid") && process.exit(), 50);
`;
