// The whole of Parley except VS Code: real agent processes, the pool, sessions with their services and logs, the
// projector, the channel, and the built panel in Chromium. The tests use the panel as a person does.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { transcriptText } from "../../src/acp/trafficRecorder.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import { RemoteAgents } from "../../src/agents/remote/remoteAgents.ts";
import { resolveAgents, type AgentDefinition } from "../../src/agents/registry.ts";
import { asProblem } from "../../src/base/errors.ts";
import { ConversationPageFiles } from "../../src/files/conversationPageFiles.ts";
import { DisposableStore, Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { createMcpServers, type McpServers } from "../../src/mcp/mcpServers.ts";
import type { OwnServer } from "../../src/mcp/ownServer.ts";
import { answerAgentForm, openSessionIntents, runSessionStep } from "../../src/panel/openSessionIntents.ts";
import type { HostMessage, ViewAgent } from "../../src/panel/protocol.ts";
import type { IntentHandlers } from "../../src/panel/intentHandlers.ts";
import type { PanelAction, ReplyTarget } from "../../src/panel/replyTarget.ts";
import { defaultProtection, withProtectedFiles } from "../../src/permissions/protectedFiles.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import { PromptFiles } from "../../src/promptFiles/promptFiles.ts";
import type { Session } from "../../src/session/session.ts";
import { emptySession, sessionTitle } from "../../src/session/state.ts";
import { chatViewSurface, OpenSessions } from "../../src/library/openSessions.ts";
import { SessionRegistry, type SessionAgents } from "../../src/library/sessionRegistry.ts";
import { Branching } from "../../src/library/branching.ts";
import { createBranchHead } from "../../src/library/branchHead.ts";
import { answerResume } from "../../src/library/answerResume.ts";
import { continueConversation, type ContinueConversationOptions } from "../../src/library/continueConversation.ts";
import { copyConversation } from "../../src/library/copyConversation.ts";
import type { StoredSessions } from "../../src/library/storedSessions.ts";
import { ResumeQuestions, type ResumeLimits } from "../../src/library/resumeQuestions.ts";
import type { ListedStatus } from "../../src/library/sessionGroups.ts";
import { SessionList } from "../../src/library/sessionList.ts";
import { SurfaceViews } from "../../src/library/surfaceViews.ts";
import { WaitingOrder } from "../../src/library/waitingOrder.ts";
import { openInSurface } from "../../src/library/vscode/showSession.ts";
import { WindowRecord } from "../../src/library/windowRecord.ts";
import { ChatPanel, type ChatPanelOptions, type WebviewHolder } from "../../src/window/chatPanel.ts";
import { AllEdits, allEditsHead, allEditsIntents } from "../../src/permissions/allEdits.ts";
import { mergeHead } from "../../src/window/mergeHead.ts";
import { emptyHeadValues, neverFires } from "../support/fakes/heads.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";
import { nodeServices } from "../support/fakes/nodeServices.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";
import { until } from "../support/fakes/until.ts";
import { openPanel, usePanel, type PanelPage } from "../webview/panelPage.ts";
import { JoinedPromptPlace } from "./joinedPrompts.ts";
import { JoinedReview } from "./joinedReview.ts";
import { joinedConversations, JoinedMentions } from "./joinedMentions.ts";
import { JoinedQuestions, JoinedSignIn, JoinedServerSettings, MapSecrets, mcpClient, newStates } from "./joinedMcp.ts";

/** The folder of all workspaces of the file. */
const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-joined-")));
after(() => rmSync(root, { recursive: true, force: true }));
const windows: JoinedWindow[] = [];
/**
 * Agents run on from one test to the next, because their start takes most of the time of a short test. Each test file is
 * a bundle with its own classes, so each file has its own pool.
 */
let pool: AgentPool | undefined;

/** Starts the browser that all tests of the process share. Ends the sessions after each test, and then the agents. */
export function useJoined(): void {
  usePanel();
  before(() => {
    const remote = new RemoteAgents(() => ({ connectToAgent, newCookies }));
    const folder = join(root, "agents");
    pool = new AgentPool(nullLog, systemClock, "joined", folder, undefined, hostEnvironment, remote);
  });
  afterEach("ends the sessions of the test", async () => {
    await Promise.all(windows.splice(0).map(window => window.close()));
  });
  after("ends the agents of the suite", () => pool?.dispose());
}

const agentPool = (): AgentPool => {
  assert.ok(pool, "call useJoined() in the suite");
  return pool;
};

/** Agents by their IDs, as in the setting `parley.agents`. */
export type AgentSettings = Readonly<Record<string, object>>;

/** A program of test/support/agents, with its arguments and further fields of the setting. */
export const testAgent = (program: string, args: readonly string[] = [], more: object = {}): object => ({
  command: process.execPath,
  args: [inProject("test", "support", "agents", program), ...args],
  ...more,
});

/** Agents of test/support/agents/bad.mjs with these behaviors. */
export const badAgents = (...behaviours: readonly string[]): AgentSettings =>
  Object.fromEntries(behaviours.map(id => [id, testAgent("bad.mjs", [id], { name: "Bad Agent", description: id })]));

/** Writes a program that is the agent of test/support/agents/bad.mjs with this behavior. */
export function badProgram(path: string, behaviour: string): void {
  const agent = inProject("test", "support", "agents", "bad.mjs");
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${agent}" ${behaviour}\n`, { mode: 0o755 });
}

/** A new file for an agent that keeps its sessions. */
export const agentFile = (): string => join(mkdtempSync(join(root, "kept-")), "sessions.json");

/** The demo agent, which answers without pauses. */
export const demoAgent: AgentSettings = {
  demo: {
    ...{ name: "Demo Agent", command: process.execPath, args: [inProject("dist", "demo-agent.mjs")] },
    env: { PARLEY_DEMO_SPEED: "0" },
  },
};

export interface JoinedOptions {
  /** The first session has the first agent. */
  readonly agents: AgentSettings;
  /** The files of the workspace folder, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** The user's permission rules. */
  readonly rules?: readonly Rule[];
  /** The setting `parley.mcpServers`. */
  readonly mcpServers?: Readonly<Record<string, object>>;
  /** The setting `parley.promptFiles.folder`, as a folder of the workspace folder. */
  readonly promptFolder?: string;
  /** Parley's own server. Absent: there is none. */
  readonly ownServer?: OwnServer;
  /** Above which size Parley asks before it resumes a conversation. Absent: it never asks. */
  readonly resume?: ResumeLimits;
}

/** Opens a window with one chat, whose first session starts. Use inside {@link useJoined}. */
export async function openJoined(options: JoinedOptions): Promise<JoinedWindow> {
  const window = new JoinedWindow(options);
  windows.push(window);
  await window.load();
  return window;
}

/** The sessions of the window, and their views. */
interface Library {
  readonly registry: SessionRegistry;
  readonly views: SurfaceViews;
  readonly list: SessionList;
  readonly waiting: WaitingOrder;
  readonly mcp: McpServers;
  readonly branching: Branching;
  readonly resume: IntentHandlers<"answerResume">;
}

/** A window with one chat, and what it was asked for that only VS Code can do. */
export class JoinedWindow {
  readonly folder = mkdtempSync(join(root, "workspace-"));
  readonly documents = new NodeDocuments();
  readonly pages = new ConversationPageFiles(join(root, "pages"));
  /** The next steps and other intents that only VS Code can follow. */
  readonly commands: string[] = [];
  /** The reasons why intents failed, as the user reads them. */
  readonly failures: string[] = [];
  /** What the user is asked about MCP servers. */
  readonly questions = new JoinedQuestions();
  readonly signIn = new JoinedSignIn();
  readonly serverSettings: JoinedServerSettings;
  /** Where its prompt files are. */
  readonly promptPlace: JoinedPromptPlace;
  readonly #allEdits = new AllEdits();
  readonly #mentions = new JoinedMentions(this.folder, this.documents, () =>
    joinedConversations(this.#library?.registry.open, new StoredFiles(this.#stored)),
  );
  readonly #states = newStates();
  readonly #secrets = new MapSecrets();
  readonly #rules: readonly Rule[];
  readonly #resume: ResumeLimits;
  readonly #ownServer: OwnServer | undefined;
  readonly #agents: readonly AgentDefinition[];
  /** The logs of the sessions, by their names. */
  readonly #stored = new Map<string, string>();
  readonly #endings: Promise<void>[] = [];
  #library: Library | undefined;
  #promptFiles: PromptFiles;
  #chat: ChatPanel | undefined;
  #received = new Emitter<unknown>();
  /** What the page sent before there was a chat. */
  #early: unknown[] = [];
  #panel: PanelPage | undefined;

  constructor({ agents, files = {}, rules = [], mcpServers = {}, promptFolder, ownServer, resume }: JoinedOptions) {
    this.promptPlace = new JoinedPromptPlace(this.folder, promptFolder);
    this.#promptFiles = new PromptFiles(this.promptPlace, nullLog);
    this.#ownServer = ownServer;
    this.#resume = resume ?? { tokens: 0, bytes: 0 };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
    this.#rules = rules;
    this.serverSettings = new JoinedServerSettings(this.folder, mcpServers);
    const resolved = resolveAgents([], agents);
    assert.deepEqual(resolved.bad, []);
    this.#agents = resolved.agents.filter(({ id }) => id in agents);
  }

  get #shown(): PanelPage {
    assert.ok(this.#panel, "the panel is not loaded");
    return this.#panel;
  }
  get page(): Page {
    return this.#shown.page;
  }
  /** The conversation. */
  get log(): Locator {
    return this.#shown.log;
  }
  get composer(): Locator {
    return this.#shown.composer;
  }
  /** The card of a problem that the user has to solve. */
  get problem(): Locator {
    return this.page.getByRole("group", { name: "Problem" });
  }
  get status(): Locator {
    return this.page.locator(".status-line");
  }
  /** The button that ends the turn. */
  get stop(): Locator {
    return this.page.getByRole("button", { name: "Stop", exact: true });
  }
  /** A prompt in the conversation. */
  prompt(text: string): Locator {
    return this.log.getByRole("heading", { name: `You: ${text}`, exact: true });
  }
  /** The session that the chat shows. */
  get session(): Session {
    const session = this.#library?.registry.open.selected(chatViewSurface);
    assert.ok(session, "no session is shown");
    return session;
  }

  /** What the list shows of the open sessions, by their ids, and which one has waited for the user the longest. */
  get shownInLists(): { readonly statuses: Readonly<Record<string, ListedStatus>>; readonly longest?: string } {
    assert.ok(this.#library, "the window is closed");
    const { list, waiting } = this.#library;
    return {
      statuses: Object.fromEntries(list.sessions().map(({ id, status }) => [id, status])),
      ...(waiting.longest && { longest: waiting.longest.id }),
    };
  }

  /** Types a prompt and sends it. */
  async send(text: string): Promise<void> {
    await this.composer.click();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }

  /** Resolves when no turn runs. */
  idle(): Promise<void> {
    return this.stop.waitFor({ state: "hidden" });
  }

  /** Resolves when the panel has asked VS Code for this. */
  asked(command: string): Promise<void> {
    return until(() => this.commands.includes(command));
  }

  /** Selects an agent in the menu of the panel, and waits for its session. */
  async chooseAgent(id: string): Promise<void> {
    const before = this.session.id;
    await this.page.getByRole("button", { name: /^Agent: / }).click();
    await this.page.getByRole("menu", { name: "Agent" }).locator(`[data-value="${id}"]`).click();
    await this.page.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
  }

  /** Starts another session with the button of the panel, waits until the panel shows it, and returns its ID. */
  async newSession(): Promise<string> {
    const before = this.session.id;
    await this.page.getByRole("button", { name: "New Session" }).click();
    await this.page.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
    return this.session.id;
  }

  /** Shows a session in the chat, as the lists of VS Code do, and opens it from its log if necessary. */
  async show(id: string): Promise<void> {
    assert.ok(this.#library, "the window is closed");
    const { registry } = this.#library;
    assert.ok(await openInSurface({ registry, stored: nothingStored }, id, chatViewSurface), "there is such a session");
    await this.page.locator(`main[data-session="${id}"]`).waitFor();
  }

  /** Attaches the passage at a hit to the message, as the page of the search does. */
  async attachPassage(...place: Parameters<JoinedMentions["passage"]>): Promise<void> {
    this.#chat?.reply({ type: "attached", attachments: [await this.#mentions.passage(...place)] });
  }

  /** Continues the shown conversation with another agent, as the command “Continue With…” does. */
  async continueWith(agent: string): Promise<void> {
    assert.ok(this.#library, "the window is closed");
    await continueConversation(this.#continuing(this.#library.registry), this.session.id, () =>
      Promise.resolve(this.#agents.find(({ id }) => id === agent)),
    );
  }

  #continuing(registry: SessionRegistry): ContinueConversationOptions {
    return {
      ...{ registry, stored: nothingStored, version: "joined", log: nullLog },
      storage: new StoredFiles(this.#stored),
      undecided: () => [],
      pages: this.pages,
      newId: () => randomUUID(),
      chat: {
        // The focus brings the panel up to date.
        focus: () => this.page.locator(`main[data-session="${this.session.id}"]`).waitFor(),
        reveal: message => Promise.resolve(this.#chat?.reply(message)),
      },
    };
  }

  /** Undoes the latest branch, as the command does. */
  async undoBranch(): Promise<void> {
    await this.#library?.branching.undo();
  }

  /** Deletes all values of servers, as the command “Remove Stored Values of MCP Servers” does. */
  async removeInputs(): Promise<void> {
    const mcp = this.#library?.mcp;
    if (!mcp) return;
    const keys = Object.keys(mcp.inputs.names);
    for (const key of keys) await mcp.inputs.forget(key);
    mcp.restart(keys);
  }

  /** What the agent and Parley have sent each other, as the user can save it. */
  traffic(agent: string): string {
    return transcriptText(agentPool().tap(agent)?.records ?? []);
  }

  /** Draws a picture of the panel, if `npm run pictures` runs. */
  async scene(name: string): Promise<void> {
    if (!process.env["PARLEY_PICTURES"]) return;
    await this.page.screenshot({ path: inProject("test", "scenes", `${name}.png`), animations: "disabled" });
  }

  /** Loads the panel and starts the first session. */
  async load(): Promise<void> {
    const library = this.#createLibrary();
    await library.registry.restoreOrStart();
    this.#panel = await openPanel([], {
      host: message => void (this.#chat ? this.#received.fire(message) : this.#early.push(message)),
    });
    this.#connect(library);
    await this.#whenShown();
  }

  /** Reloads the window: the agents end, and the session is opened again from its log. It connects with the next prompt. */
  async reload(): Promise<void> {
    await this.#end();
    await Promise.all(this.#agents.map(agent => agentPool().stop(agent.id)));
    const library = this.#createLibrary();
    await library.registry.restoreOrStart();
    await this.page.reload();
    this.#connect(library);
    await this.#whenShown();
  }

  /** Ends the sessions, and resolves when their commands have ended and their logs are stored. */
  async close(): Promise<void> {
    await this.#end();
    await Promise.all(this.#endings);
  }

  async #end(): Promise<void> {
    this.#chat?.dispose();
    this.#chat = undefined;
    this.#received.dispose();
    this.#received = new Emitter();
    this.#promptFiles.dispose();
    this.#library?.views.dispose();
    this.#library?.list.dispose();
    this.#library?.waiting.dispose();
    await this.#library?.registry.dispose();
    await this.#library?.mcp.whenEnded();
    this.#library?.mcp.dispose();
    this.#library = undefined;
  }

  async #whenShown(): Promise<void> {
    await this.page.locator(`main[data-session="${this.session.id}"]`).waitFor();
  }

  /** Connects the page to the sessions. */
  #connect({ views, ...parts }: Library): void {
    const { registry } = parts;
    const { page } = this;
    const postMessage = (message: HostMessage): Promise<boolean> =>
      page
        .evaluate(sent => window.play.post(sent), message)
        .then(
          () => true,
          // The page is closed.
          () => false,
        );
    const webview = { onDidReceiveMessage: this.#received.event, postMessage };
    const chat = new ChatPanel({ webview, visible: true } as unknown as WebviewHolder, {
      surface: chatViewSurface,
      pages: { open: () => this.#early.splice(0) } as unknown as ChatPanelOptions["pages"],
      log: nullLog,
      clock: systemClock,
      view: () => views.view(chatViewSurface),
      recentEntries: () => views.recentEntries(chatViewSurface),
      onSend: () => {},
      onShown: () => {},
      onIntent: (intent, replyTarget) => void this.#run(parts, intent, replyTarget),
    });
    registry.open.onDidChange(() => chat.changed());
    views.onDidChange(() => chat.changed());
    this.#chat = chat;
  }

  #createLibrary(): Library {
    const open = new OpenSessions();
    const storage = new StoredFiles(this.#stored);
    const agents = this.#createAgents();
    const mcp = this.#createMcp(open);
    const protection = withProtectedFiles(
      () => defaultProtection,
      () => mcp.serverFiles(),
    );
    const review = new JoinedReview(this.documents);
    const resumeQuestions = new ResumeQuestions({ open, storage, limits: () => this.#resume, log: nullLog });
    const registry = new SessionRegistry({
      ...{ open, agents, storage, resumeQuestions, version: "joined", clock: systemClock, log: nullLog },
      servers: mcp,
      folders: {
        obstacle: undefined,
        onDidChange: neverFires,
        usual: () => this.folder,
        choose: () => Promise.resolve(this.folder),
        additional: () => [],
        nameOf: () => undefined,
      },
      record: new WindowRecord({
        ...{ storage, clock: systemClock, log: nullLog, pid: process.pid },
        newId: () => randomUUID(),
        isRunning: () => false,
      }),
      createServices: ({ id, workspaceFolder }, definition, dispatch) =>
        nodeServices({
          ...{ session: id, allEdits: this.#allEdits, pages: this.pages },
          ...{ definition, workspaceFolder, documents: this.documents, dispatch },
          participants: [review.startSession(id)],
          rules: () => this.#rules,
          protection,
          onEnding: ended => this.#endings.push(ended),
        }),
    });
    open.onDidChange(change => {
      if (change.type === "closed") mcp.sessionClosed(change.session.id);
    });
    const {
      session: _s,
      folder: _f,
      problem: _p,
      prompts: _r,
      mcpServers: _m,
      ownQuestions: _o,
      allowsEdits: _e,
      changes: _c,
      branches: _b,
      resumeQuestion: _q,
      ...others
    } = emptyHeadValues;
    const values = { ...others, agents: () => this.#agents.map(viewAgent) };
    const titleOf = (id: string): string => sessionTitle(open.get(id)?.state ?? emptySession);
    const changes = (session: Session | undefined) => review.view(this.folder, session, titleOf);
    const reviewHead = { values: { changes }, onDidChange: review.onDidChange };
    const head = mergeHead([
      registry.head,
      mcp.head,
      allEditsHead(this.#allEdits),
      reviewHead,
      createBranchHead(new DisposableStore(), { open, stored: nothingStored }),
      resumeQuestions.head,
      { values, onDidChange: neverFires },
    ]);
    const branching = new Branching({
      registry,
      continueFrom: copyConversation({
        ...{ registry, servers: mcp, storage, clock: systemClock, log: nullLog },
        checkpoints: { copy: () => Promise.resolve() },
        newId: () => randomUUID(),
      }),
      show: async (id, surface) => {
        assert.ok(await openInSurface({ registry, stored: nothingStored }, id, surface), "there is such a session");
      },
      files: {
        bringBackFiles: () => Promise.resolve("kept"),
        undoTurns: () => Promise.resolve("kept"),
        undoBringBack: () => Promise.resolve(),
      },
      offerUndo: () => Promise.resolve(false),
      ...{ clock: systemClock, log: nullLog },
    });
    this.#library = {
      registry,
      list: new SessionList({
        ...{ open, stored: nothingStored, asked: resumeQuestions, clock: systemClock },
        agents: { definitions: () => this.#agents, canFork: () => false },
        changes: () => new Map(),
      }),
      waiting: new WaitingOrder(open, resumeQuestions),
      mcp,
      branching,
      resume: answerResume({ ...this.#continuing(registry), questions: resumeQuestions, agents }),
      views: new SurfaceViews({ open, head, isOutside: () => false, log: nullLog }),
    };
    return this.#library;
  }

  #createMcp(open: OpenSessions): McpServers {
    this.#promptFiles.dispose();
    this.#promptFiles = new PromptFiles(this.promptPlace, nullLog);
    return createMcpServers({
      promptFiles: this.#promptFiles,
      ...{ settings: this.serverSettings, questions: this.questions, states: this.#states, version: "joined" },
      secrets: this.#secrets,
      ...{ client: mcpClient, signInQuestions: this.signIn },
      startFolder: join(root, "servers"),
      userHome: homedir(),
      environment: hostEnvironment,
      folders: { usual: () => this.folder, roots: folder => [folder] },
      sessions: { open: () => open.sessions, stored: () => Promise.resolve([]) },
      agents: () => this.#agents,
      newId: () => randomUUID(),
      ...(this.#ownServer && { ownServer: this.#ownServer }),
      ...{ clock: systemClock, log: nullLog },
    });
  }

  #createAgents(): SessionAgents {
    let chosen = this.#agents[0]?.id;
    const definition = (id: string | undefined): AgentDefinition | undefined =>
      this.#agents.find(agent => agent.id === id);
    return {
      definition,
      of: session => definition(session?.state.agent?.id ?? chosen),
      choose: id => void (chosen = id),
      chooseIfNone: () => {},
      connect: (agent, onProgress) => agentPool().get(agent, onProgress),
      stop: id => agentPool().stop(id),
      initialChoices: ({ defaults = {} }) => ({ defaults, last: {} }),
    };
  }

  async #run(parts: Omit<Library, "views">, intent: PanelAction, replyTarget: ReplyTarget): Promise<void> {
    try {
      await this.#handle(parts, intent, replyTarget);
    } catch (error) {
      this.failures.push(asProblem(error).message);
    }
  }

  async #handle(
    { registry, mcp, branching, resume }: Omit<Library, "views">,
    intent: PanelAction,
    replyTarget: ReplyTarget,
  ): Promise<void> {
    const { open } = registry;
    const session = open.get("session" in intent ? intent.session : undefined);
    const handlers = {
      ...openSessionIntents(id => open.get(id)),
      ...allEditsIntents(this.#allEdits, id => open.get(id)),
      ...mcp.intents,
      ...this.#mentions.intents,
      ...branching.intents,
      ...resume,
      // There is only one panel.
      used: () => {},
    };
    const handle = (
      handlers as Readonly<Record<string, (given: PanelAction, to: ReplyTarget) => Promise<void> | void>>
    )[intent.type];
    if (handle) return handle(intent, replyTarget);
    switch (intent.type) {
      case "send":
        return void session?.send(await this.#mentions.content(intent.text.trimEnd(), intent.attachments ?? []));
      case "setOption":
        return session?.setOption(intent.option, intent.value);
      case "answerForm":
        if (mcp.questions.has(intent.question)) return mcp.answerForm(intent, replyTarget);
        return answerAgentForm(session, intent, replyTarget);
      case "openAddress":
        return void this.commands.push(
          `openAddress ${mcp.questions.openAddress(intent.question) ?? session?.forms.openAddress(intent.question) ?? ""}`,
        );
      case "selectAgent":
      case "newSession":
        await registry.startInChosenFolder(
          replyTarget.surface,
          intent.type === "selectAgent" ? intent.agent : undefined,
        );
        return replyTarget.reply({ type: "focus", target: "composer" });
      case "showSession":
        assert.ok(await openInSurface({ registry, stored: nothingStored }, intent.id, replyTarget.surface));
        return replyTarget.reply({ type: "focus", target: "composer" });
      case "nextStep":
        if (session && (intent.step === "retry" || intent.step === "restartAgent"))
          return runSessionStep(session, intent.step);
        return void this.commands.push(intent.step);
      default:
        this.commands.push(intent.type);
    }
  }
}

const nothingStored = { get: () => undefined, entries: [], onDidChange: neverFires } as object as StoredSessions;

const viewAgent = ({ id, name, startTimeout, description, icon }: AgentDefinition): ViewAgent => ({
  ...{ id, name, startTimeout },
  ...(description !== undefined && { description }),
  ...(icon !== undefined && { icon }),
});
