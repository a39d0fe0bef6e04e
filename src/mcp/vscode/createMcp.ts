// Creates what the window needs of MCP: servers for agents, and prompts as slash commands.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import type { AgentDefinition } from "../../agents/registry.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { sessionFolder, sessionRoots } from "../../editor/folders.ts";
import { heldFields } from "../../panel/form/answerForm.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { WindowState } from "../../panel/projection/projector.ts";
import type { AgentInfo, AgentMcpServer } from "../../session/agent.ts";
import type { FormAnswer } from "../../session/forms/form.ts";
import { sessionOfLogFile } from "../../session/log/sessionStore.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { ArgumentCompletions } from "../argumentCompletions.ts";
import { PromptAsks } from "../promptAsks.ts";
import { readServerContent } from "../serverContent.ts";
import type { McpServer } from "../servers.ts";
import { serverKey } from "../storedConsent.ts";
import { WaitingSessions } from "../waitingSessions.ts";
import { importServers } from "./importServers.ts";
import { PromptServers } from "./promptServers.ts";
import { runPrompt } from "../promptRunner.ts";
import { ServerConsents } from "./serverConsents.ts";
import { forgetInputs, ServerInputs } from "./serverInputs.ts";
import { ServerLauncher } from "./serverLauncher.ts";
import { ServerSettings } from "./serverSettings.ts";
import { SessionServers } from "./sessionServers.ts";

type McpIntents = "listPrompts" | "usePrompt" | "completeArgument" | "answerPreview" | "setMcpServer";

/** A session whose agent gets servers. It need not be open. */
export interface McpSession {
  readonly id: string;
  readonly state: Pick<SessionState, "agent" | "workspaceFolder">;
  addNotice(title: string): void;
}

export interface McpFeature {
  /** What a panel of the session shows. The parts stay the same objects until they change. */
  view(session: Session | undefined): NonNullable<WindowState["mcp"]>;
  /** The servers for an agent whose session opens. Never rejects. */
  serversFor(session: McpSession, agentName: string, agent: AgentInfo): Promise<readonly AgentMcpServer[]>;
  /** The files of the workspace folders that configured servers run or read, and that configure them. Full paths. */
  serverFiles(): readonly string[];
  readonly asks: PromptAsks;
  /** Answers a form of this feature. Returns whether it is one. */
  readonly answerForm: IntentHandlers<"answerForm">["answerForm"];
  readonly intents: IntentHandlers<McpIntents>;
  readonly commands: CommandHandlers<"parley.importMcpServers" | "parley.removeMcpInputs">;
  /** Cancels what the session asks, and ends servers that no other session has. */
  sessionClosed(session: string): void;
  /** Resolves when every server has ended. */
  whenEnded(): Promise<void>;
}

interface McpOptions {
  /** The open sessions. */
  readonly sessions: () => readonly Session[];
  readonly agents: () => readonly AgentDefinition[];
  readonly onDidChange: () => void;
}

/** Creates the feature. Nothing starts before the user types `/`, or a session opens. */
export function createMcp(platform: ExtensionPlatform, { sessions, agents, onDidChange }: McpOptions): McpFeature {
  const { context, store, log, clock, storage } = platform;
  const find = (id: string | undefined): Session | undefined => sessions().find(session => session.id === id);
  const agentOf = (session: McpSession | undefined): AgentDefinition | undefined =>
    agents().find(({ id }) => id === session?.state.agent?.id);
  /** The session that used a server last. A server that starts gets its folder. */
  let lastUser = "";
  const waiting = new WaitingSessions();
  const asks = new PromptAsks(randomUUID, onDidChange);
  const settings = store.add(new ServerSettings(log));
  const inputs = new ServerInputs(context);
  const workspaceFolder = (): string => find(lastUser)?.state.workspaceFolder ?? sessionFolder() ?? "";
  const roots = (): readonly string[] => sessionRoots(workspaceFolder()).filter(root => root !== "");
  const consents = store.add(
    new ServerConsents({
      context,
      contentOf: async server =>
        readServerContent(server, {
          ...{ folder: server.folder ?? workspaceFolder(), roots: roots(), userHome: homedir(), env: process.env },
          inputs: await inputs.stored(server),
        }),
    }),
  );
  /** The servers of every agent that has a session, and of the next one. */
  const allServers = (): readonly McpServer[] =>
    [undefined, ...sessions()].flatMap(session => settings.servers(agentOf(session)));
  let serverFiles: readonly string[] = [];
  const updateFiles = (): void =>
    void (serverFiles = [...new Set([...settings.workspaceFiles, ...consents.files(allServers())])]);
  const checkAll = async (): Promise<void> => {
    await Promise.all(allServers().map(server => consents.check(server)));
    updateFiles();
  };
  const launcher = new ServerLauncher({
    context,
    inputs,
    consents,
    log,
    workspaceFolder,
    roots,
    askForm: (server, form, signal) =>
      waiting.ask<FormAnswer>(serverKey(server), "cancelled", (session, whileWaiting) =>
        asks.askForm(form, { session, asker: server.name, signal: AbortSignal.any([signal, whileWaiting]) }),
      ),
  });
  const existing = async (): Promise<ReadonlySet<string>> => {
    const stored = (await storage.list()).map(({ name }) => sessionOfLogFile(name)).filter(id => id !== undefined);
    return new Set([...stored, ...sessions().map(({ id }) => id)]);
  };
  const sessionServers = new SessionServers({ context, existing, consents, launcher, log });
  const prompts = new PromptServers({
    state: context.globalState,
    settings: session => settings.servers(agentOf(find(session))),
    consents,
    launcher,
    sessionServers,
    sessions: () => sessions().map(({ id }) => id),
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
  store.add(
    consents.onDidChange(() => {
      updateFiles();
      prompts.serversChanged();
    }),
  );
  const completions = new ArgumentCompletions(clock);
  const ended = new AbortController();
  const runs = new Map<string, AbortController>();

  return {
    asks,
    serverFiles: () => serverFiles,
    view: session => ({ ...prompts.view(session?.id), asks: asks.views(session?.id) }),
    async serversFor(opened, agentName, info) {
      try {
        await settings.whenRead();
        await checkAll();
        const servers = settings.servers(agentOf(opened));
        prompts.offerConsent(opened.id);
        const read = { servers, problems: settings.workspaceProblems };
        const { servers: given, notice } = await sessionServers.open(opened.id, read, {
          agent: info,
          agentName,
          workspaceFolder: opened.state.workspaceFolder,
        });
        if (notice !== undefined) opened.addNotice(notice);
        prompts.serversChanged();
        return given;
      } catch (error) {
        log.error("The MCP servers could not be prepared.", asError(error).stack);
        return [];
      }
    },
    answerForm({ ask, action, answers = [], unchecked }, replyTarget) {
      const form = asks.form(ask);
      if (!form) return;
      const values = new Map(answers.map(({ field, value }) => [field, value]));
      const held = action === "accept" ? heldFields(form, values, unchecked) : undefined;
      if (held) replyTarget.reply({ type: "formHeld", ask, ...held });
      else asks.answer(ask, action, values);
    },
    intents: {
      listPrompts: ({ session }) => {
        lastUser = session ?? lastUser;
        return prompts.startAll(session);
      },
      usePrompt: async ({ session, prompt, text }, replyTarget) => {
        const shown = find(session);
        const found = shown && prompts.find(shown.id, prompt);
        if (!shown || !found) return;
        lastUser = shown.id;
        const run = runs.get(shown.id) ?? new AbortController();
        runs.set(shown.id, run);
        const signal = AbortSignal.any([run.signal, ended.signal]);
        const agentName = shown.state.agent?.name ?? t("The agent");
        const whileWaiting = <T>(request: () => Promise<T>): Promise<T> =>
          waiting.whileWaiting(found.key, shown.id, signal, request);
        await runPrompt({ ...found, session: shown, agentName, text, replyTarget, asks, signal, whileWaiting });
      },
      completeArgument: async ({ ask, field, typed, others }, replyTarget) => {
        const complete = asks.completer(ask);
        if (!complete) return;
        const values = await completions.complete(complete, field, typed, others).catch((error: unknown) => {
          log.warn("An argument could not be completed.", asError(error).message);
          return [];
        });
        if (values) replyTarget.reply({ type: "argumentValues", ask, field, typed, values });
      },
      answerPreview: ({ ask, answer }) => asks.choose(ask, answer),
      setMcpServer: ({ session, server, action }) => prompts.set(session, server, action),
    },
    commands: {
      "parley.importMcpServers": () => importServers(context),
      "parley.removeMcpInputs": async () => prompts.restart(await forgetInputs(inputs)),
    },
    sessionClosed(session) {
      runs.get(session)?.abort(new Error("The session has ended."));
      runs.delete(session);
      prompts.serversChanged();
    },
    async whenEnded() {
      ended.abort(new Error("The window is closing."));
      await prompts.end();
    },
  };
}
