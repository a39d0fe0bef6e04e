// What a window does with MCP servers: servers for agents, and prompts as slash commands, with those of prompt files.
import type { AgentDefinition } from "../agents/registry.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { DisposableStore, Emitter, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import type { ExtensionStates, SecretStore } from "../base/memento.ts";
import { heldFields } from "../panel/form/answerForm.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { IntentHandlers } from "../panel/intentHandlers.ts";
import type { NamedPromptFile } from "../promptFiles/promptFileNames.ts";
import type { PromptFiles } from "../promptFiles/promptFiles.ts";
import type { AgentInfo, AgentMcpServer } from "../session/agent.ts";
import type { FormAnswer } from "../session/forms/form.ts";
import type { Session } from "../session/session.ts";
import type { SessionState } from "../session/state.ts";
import { ArgumentCompletions } from "./argumentCompletions.ts";
import type { ConfiguredServers } from "./configuredServers.ts";
import type { ConsentQuestion } from "./consentQuestion.ts";
import { PromptQuestions } from "./promptQuestions.ts";
import { filePrompt } from "./filePrompt.ts";
import { runPrompt, unsentPrompt, type PromptSource } from "./promptRunner.ts";
import type { OwnServer } from "./ownServer.ts";
import type { McpClient } from "./promptServer.ts";
import { PromptServers } from "./promptServers.ts";
import { ServerConsents } from "./serverConsents.ts";
import { readServerContent } from "./serverContent.ts";
import { ServerInputs } from "./serverInputs.ts";
import { ServerLauncher } from "./serverLauncher.ts";
import { serverPrompt } from "./serverPrompt.ts";
import type { McpServer, ServerInput } from "./servers.ts";
import { SessionServers } from "./sessionServers.ts";
import { SlashPrompts } from "./slashPrompts.ts";
import { serverKey } from "./storedConsent.ts";
import { ServerSignIns, type SignInQuestions } from "./signIn/serverSignIns.ts";
import { SignInActions } from "./signIn/signInActions.ts";
import { TokenConsents } from "./signIn/tokenConsents.ts";
import { WaitingSessions } from "./waitingSessions.ts";

type McpIntents =
  | "listPrompts"
  | "usePrompt"
  | "completeArgument"
  | "answerPreview"
  | "setMcpServer"
  | "signInToServer";

/** A session whose agent gets servers. It need not be open. */
export interface McpSession {
  readonly id: string;
  readonly state: Pick<SessionState, "agent" | "workspaceFolder">;
  addNotice(title: string): void;
}

/** The servers of a window, which its sessions share. */
export interface McpServers extends Disposable {
  readonly head: HeadPart<"prompts" | "mcpServers" | "ownQuestions">;
  /** Whether a form of a server waits for the user in the session. */
  isAsking(session: string): boolean;
  /** The servers for an agent whose session opens. Never rejects. */
  serversFor(session: McpSession, agentName: string, agent: AgentInfo): Promise<readonly AgentMcpServer[]>;
  /** A branch has the choices of the session that it is copied from. */
  copyChoices(from: string, to: string): Promise<void>;
  /** The files of the workspace folders that configured servers run or read, and that configure them. Full paths. */
  serverFiles(): readonly string[];
  readonly questions: PromptQuestions;
  /** Answers a form in `questions`. */
  readonly answerForm: IntentHandlers<"answerForm">["answerForm"];
  readonly intents: IntentHandlers<McpIntents>;
  /** The values that the user has entered. */
  readonly inputs: ServerInputs;
  /** The user's sign-ins, by the keys of their servers. */
  readonly signIns: { readonly names: ServerSignIns["names"]; signOut(key: string): Promise<void> };
  /** Ends the connections to these servers, which start again with their next use. */
  restart(keys: readonly string[]): void;
  /** The session, whose agent was given servers, will not open. */
  notOpened(session: string): void;
  /** Cancels what the session asks, and ends servers that no other session has. */
  sessionClosed(session: string): void;
  /** Resolves when every server has ended. */
  whenEnded(): Promise<void>;
}

/** What the user is asked outside the panel. */
export interface McpQuestions {
  /** Whether the server may start. */
  consent(question: ConsentQuestion, server: McpServer): Promise<boolean>;
  /** A value that the server needs. Resolves with undefined if the user enters none. */
  input(server: McpServer, input: ServerInput): Promise<string | undefined>;
  /** Whether the user wants to review the servers that wait for consent. */
  review(message: string): Promise<boolean>;
}

/** The folders of the workspace, as servers use them. */
export interface McpFolders {
  /** The folder of a new session. */
  usual(): string | undefined;
  /** The folders in which the agent of a session with this folder may work. */
  roots(workspaceFolder: string): readonly string[];
}

/** The sessions of the window, as servers use them. */
export interface McpSessions {
  /** The open sessions. */
  open(): readonly Session[];
  /** The ids of the sessions that are stored. */
  stored(): Promise<readonly string[]>;
}

interface McpOptions {
  readonly settings: ConfiguredServers;
  readonly promptFiles: PromptFiles;
  readonly questions: McpQuestions;
  readonly signInQuestions: SignInQuestions;
  readonly states: ExtensionStates;
  readonly secrets: SecretStore;
  readonly client: Omit<McpClient, "translateWith">;
  /** The version of Parley. */
  readonly version: string;
  /** Servers of the user start here if they name no folder. */
  readonly startFolder: string;
  readonly userHome: string;
  readonly environment: WindowEnvironment;
  /** Parley's own server. Absent: there is none. */
  readonly ownServer?: OwnServer;
  readonly folders: McpFolders;
  readonly sessions: McpSessions;
  readonly agents: () => readonly AgentDefinition[];
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the servers of a window. Nothing starts before the user types `/`, or a session opens. */
export function createMcpServers(options: McpOptions): McpServers {
  const { settings, promptFiles, questions, states, userHome, environment, folders, sessions, agents, clock, log } =
    options;
  const store = new DisposableStore();
  const changed = store.add(new Emitter<void>());
  const onDidChange = (): void => changed.fire();
  const find = (id: string | undefined): Session | undefined => sessions.open().find(session => session.id === id);
  const agentOf = (session: McpSession | undefined): AgentDefinition | undefined =>
    agents().find(({ id }) => id === session?.state.agent?.id);
  /** The session that used a server last. A server that starts gets its folder. */
  let lastUser = "";
  const waiting = new WaitingSessions();
  const promptQuestions = new PromptQuestions(options.newId, onDidChange);
  const inputs = new ServerInputs({
    secrets: options.secrets,
    states,
    ask: (server, input) => questions.input(server, input),
  });
  const workspaceFolder = (): string => find(lastUser)?.state.workspaceFolder ?? folders.usual() ?? "";
  const roots = (): readonly string[] => folders.roots(workspaceFolder()).filter(root => root !== "");
  const consents = store.add(
    new ServerConsents({
      states,
      ask: (question, server) => questions.consent(question, server),
      contentOf: async server =>
        readServerContent(server, {
          ...{ folder: server.folder ?? workspaceFolder(), roots: roots(), userHome },
          env: await environment.shared(),
          inputs: await inputs.stored(server),
        }),
    }),
  );
  /** The servers of every agent that has a session, and of the next one. */
  const allServers = (): readonly McpServer[] =>
    [undefined, ...sessions.open()].flatMap(session => settings.servers(agentOf(session)));
  let serverFiles: readonly string[] = [];
  const updateFiles = (): void =>
    void (serverFiles = [...new Set([...settings.workspaceFiles, ...consents.files(allServers())])]);
  const checkAll = async (): Promise<void> => {
    await Promise.all(allServers().map(server => consents.check(server)));
    updateFiles();
  };
  const { client, signInQuestions } = options;
  const signIns = store.add(
    new ServerSignIns({ ...{ client, states, clock, log }, secrets: options.secrets, questions: signInQuestions }),
  );
  const tokenConsents = store.add(new TokenConsents(states));
  const launcher = new ServerLauncher({
    ...{ states, inputs, consents, log, userHome, environment, client, signIns },
    ...{ version: options.version, startFolder: options.startFolder },
    workspaceFolder,
    roots,
    askForm: (server, request, signal) =>
      waiting.ask<FormAnswer>(serverKey(server), "cancelled", (session, whileWaiting) => {
        const from = { session, asker: server.name, signal: AbortSignal.any([signal, whileWaiting]) };
        if (request.type === "form") return promptQuestions.askForm(request.form, from);
        return promptQuestions.askAddress(request.message, request.address, from);
      }),
  });
  const { ownServer } = options;
  const own = ownServer && { ownServer };
  const sessionServers = new SessionServers({
    ...{ states, consents, launcher, log, environment, ...own },
    tokenFor: async (agent, url) => (tokenConsents.has(agent, url) ? signIns.token(url) : undefined),
    existing: async () => new Set([...(await sessions.stored()), ...sessions.open().map(({ id }) => id)]),
  });
  const signInActions = new SignInActions({
    ...{ signIns, consents: tokenConsents, launcher, sessionServers, log },
    agentOf: session => agentOf(find(session)),
    confirmToken: question => signInQuestions.confirmToken(question),
    offerReview: message => questions.review(message),
  });
  const prompts = new PromptServers({
    signIns: signInActions,
    state: states.globalState,
    offerReview: message => questions.review(message),
    settings: session => settings.servers(agentOf(find(session))),
    consents,
    launcher,
    sessionServers,
    ...(ownServer && {
      ownServer: {
        tools: session => ownServer.tools(find(session)?.state.agent?.id),
        setOn: (session, on) => ownServer.setOn(session, on),
      },
    }),
    sessions: () => sessions.open().map(({ id }) => id),
    onDidChange,
    clock,
    log,
  });
  store.add(
    settings.onDidChange(() => {
      prompts.serversChanged();
      checkAll().catch((error: unknown) => log.error("The MCP servers could not be checked.", asError(error).stack));
    }),
  );
  for (const { onDidChange: event } of [signIns, tokenConsents]) store.add(event(() => prompts.serversChanged()));
  if (ownServer) store.add(ownServer.onDidChange(() => prompts.serversChanged()));
  store.add(
    consents.onDidChange(() => {
      updateFiles();
      prompts.serversChanged();
    }),
  );
  const slashPrompts = new SlashPrompts(prompts, promptFiles);
  store.add(promptFiles.onDidChange(onDidChange));
  const completions = new ArgumentCompletions(clock);
  const ended = new AbortController();
  const runs = new Map<string, AbortController>();
  const sourceOfServer = (session: string, command: string, signal: AbortSignal): PromptSource | undefined => {
    const found = prompts.find(session, command);
    if (!found) return undefined;
    lastUser = session;
    const whileWaiting = <T>(request: () => Promise<T>): Promise<T> =>
      waiting.whileWaiting(found.key, session, signal, request);
    return serverPrompt({ ...found, whileWaiting });
  };
  /** A file that cannot be used is shown, and rejects with the reason when it is read. */
  const sourceOfFile = async (named: NamedPromptFile, workspaceFolder: string): Promise<PromptSource> => {
    const { found, command } = named;
    if ("file" in found) return filePrompt(named, found.file, await promptFiles.place.values(workspaceFolder));
    await promptFiles.place.show(found).catch((error: unknown) => {
      log.warn("A prompt file could not be shown.", asError(error).message);
    });
    const read = (): Promise<never> => Promise.reject(new Error(found.problem));
    return { command, origin: "", takesText: true, read };
  };

  const sourceOf = async (
    session: Session,
    command: string,
    signal: AbortSignal,
  ): Promise<PromptSource | undefined> => {
    try {
      const file = await slashPrompts.findFile(session, command);
      if (file) return await sourceOfFile(file, session.state.workspaceFolder);
      return sourceOfServer(session.id, command, signal);
    } catch (error) {
      // The prompt gives back what the user typed when it is read.
      return { command, origin: "", takesText: true, read: () => Promise.reject(asError(error)) };
    }
  };

  return {
    questions: promptQuestions,
    serverFiles: () => serverFiles,
    head: {
      values: {
        prompts: session => slashPrompts.view(session),
        mcpServers: session => prompts.view(session?.id).mcpServers,
        ownQuestions: session => promptQuestions.views(session?.id),
      },
      onDidChange: changed.event,
    },
    isAsking: session => promptQuestions.views(session).length > 0,
    copyChoices: (from, to) => sessionServers.copyChoices(from, to),
    async serversFor(opened, agentName, info) {
      try {
        await settings.whenRead();
        await checkAll();
        const definition = agentOf(opened);
        const servers = settings.servers(definition);
        prompts.offerConsent(opened.id);
        const read = { servers, problems: settings.workspaceProblems };
        const { servers: given, notice } = await sessionServers.open(opened.id, read, {
          agentId: opened.state.agent?.id,
          definition,
          agent: info,
          agentName,
          agentEnv: definition?.env ?? {},
          workspaceFolder: opened.state.workspaceFolder,
        });
        if (notice !== undefined) opened.addNotice(notice);
        signInActions.offer(opened.id, servers);
        prompts.serversChanged();
        return given;
      } catch (error) {
        log.error("The MCP servers could not be prepared.", asError(error).stack);
        return [];
      }
    },
    answerForm({ question, action, answers = [], unchecked }, replyTarget) {
      const form = promptQuestions.form(question);
      // A web address has no values.
      if (!form) return promptQuestions.answer(question, action);
      const values = new Map(answers.map(({ field, value }) => [field, value]));
      const held = action === "accept" ? heldFields(form, values, unchecked) : undefined;
      if (held) replyTarget.reply({ type: "formHeld", question, ...held });
      else promptQuestions.answer(question, action, values);
    },
    intents: {
      listPrompts: async ({ session }) => {
        lastUser = session ?? lastUser;
        await Promise.all([promptFiles.refresh(), prompts.startAll(session)]);
      },
      usePrompt: async ({ session, prompt, text }, replyTarget) => {
        const shown = find(session);
        if (!shown) return;
        const run = runs.get(shown.id) ?? new AbortController();
        runs.set(shown.id, run);
        const signal = AbortSignal.any([run.signal, ended.signal]);
        const source = await sourceOf(shown, prompt, signal);
        if (signal.aborted) return;
        if (!source) return replyTarget.reply(unsentPrompt(prompt, text, t("This prompt no longer exists.")));
        const agentName = shown.state.agent?.name ?? t("The agent");
        await runPrompt(source, {
          ...{ session: shown, agentName, text, replyTarget, questions: promptQuestions, signal },
        });
      },
      completeArgument: async ({ question, field, typed, others }, replyTarget) => {
        const complete = promptQuestions.completer(question);
        if (!complete) return;
        const values = await completions.complete(complete, field, typed, others).catch((error: unknown) => {
          log.warn("An argument could not be completed.", asError(error).message);
          return [];
        });
        if (values) replyTarget.reply({ type: "argumentValues", question, field, typed, values });
      },
      answerPreview: ({ question, answer }) => promptQuestions.choose(question, answer),
      setMcpServer: ({ session, server, action }) => prompts.set(session, server, action),
      signInToServer: ({ session, server, action }) => prompts.signIn(session, server, action),
    },
    inputs,
    signIns: {
      get names() {
        return signIns.names;
      },
      signOut: key => signInActions.signOut(key),
    },
    restart: keys => prompts.restart(keys),
    notOpened: session => ownServer?.end(session),
    sessionClosed(session) {
      runs.get(session)?.abort(new Error("The session has ended."));
      runs.delete(session);
      prompts.serversChanged();
    },
    async whenEnded() {
      ended.abort(new Error("The window is closing."));
      await prompts.end();
    },
    dispose: () => store.dispose(),
  };
}
