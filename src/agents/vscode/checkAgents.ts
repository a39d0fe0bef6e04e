// The command that checks whether agents start, and shows what it found as a document to read and to copy.
import * as vscode from "vscode";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";
import { checkReport, type CheckedAgent } from "../checkReport.ts";
import type { AgentDefinition } from "../registry.ts";
import type { RemoteAgents } from "../remote/remoteAgents.ts";
import { showInformationMessage, showQuickPicks, withProgress } from "../../editor/editorUi.ts";
import { checkInWindow } from "./checkInWindow.ts";
import type { StoredKeys } from "./storedKeys.ts";

interface CheckAgentsOptions {
  readonly agents: () => readonly AgentDefinition[];
  /** The agent of the session, or of the next one. */
  readonly current: () => AgentDefinition | undefined;
  readonly keys: Pick<StoredKeys, "values">;
  readonly environment: WindowEnvironment;
  readonly remote: Pick<RemoteAgents, "connect">;
}

/** Checks of agents for a report of a problem. */
export interface CheckAgents {
  /** Names and versions of Parley, VS Code and the system, and whether VS Code keeps secrets. */
  readonly system: string;
  /** Starts the agent, and resolves with the report. Undefined if the user cancels, or if there is no such agent. */
  report(agent: string): Promise<string | undefined>;
}

/** {@link CheckAgents} of a window. */
export const createAgentChecks = (
  platform: ExtensionPlatform,
  { agents, ...tools }: Omit<CheckAgentsOptions, "current">,
): CheckAgents => ({
  get system() {
    return environmentText(platform);
  },
  report: async agent => {
    const checked = agents().filter(({ id }) => id === agent);
    return checked.length > 0 ? checkWithProgress(platform, checked, tools) : undefined;
  },
});

/** Handler of the command. With `current` or the id of an agent as argument, it checks this agent without asking. */
export function checkAgentsCommands(
  platform: ExtensionPlatform,
  { agents, current, ...tools }: CheckAgentsOptions,
): CommandHandlers<"parley.checkAgents"> {
  const texts = new ReadOnlyTexts({
    scheme: "parley-check",
    maxTexts: 5,
    placeholder: vscode.l10n.t("This report is no longer available. Run Parley: Check Agents again."),
  });
  platform.store.add(texts);
  return {
    "parley.checkAgents": async (which: unknown) => {
      if (!vscode.workspace.isTrusted) {
        void showInformationMessage(
          vscode.l10n.t("Parley doesn't start agents in untrusted workspaces. Trust this workspace to check agents."),
        );
        return;
      }
      const chosen = current();
      const named = which === "current" ? chosen : agents().find(({ id }) => id === which);
      const checked = named ? [named] : await pickAgents(agents(), chosen?.id);
      if (checked.length === 0) return;
      const report = await checkWithProgress(platform, checked, tools);
      if (report === undefined) return;
      const document = await vscode.workspace.openTextDocument(texts.add("/Agent Check.txt", report));
      await vscode.window.showTextDocument(document, { preview: true });
      void offerCopy(report);
    },
  };
}

async function pickAgents(
  agents: readonly AgentDefinition[],
  current: string | undefined,
): Promise<readonly AgentDefinition[]> {
  const picks = agents.map(agent => ({
    label: agent.name,
    description: agent.description ?? agent.remote?.url ?? agent.command,
    picked: agent.id === current,
    agent,
  }));
  const picked = await showQuickPicks(picks, {
    title: vscode.l10n.t("Check Agents"),
    placeHolder: vscode.l10n.t("The agents to start for a check. npx downloads an agent that it does not have yet."),
  });
  return (picked ?? []).map(({ agent }) => agent);
}

/** Undefined if the user cancelled. */
function checkWithProgress(
  platform: ExtensionPlatform,
  agents: readonly AgentDefinition[],
  tools: Pick<CheckAgentsOptions, "keys" | "environment" | "remote">,
): Thenable<string | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t("Checking agents"),
    cancellable: true,
  };
  return withProgress(options, async (progress, token) => {
    const cancel = new AbortController();
    const listener = token.onCancellationRequested(() => cancel.abort());
    try {
      const checked: CheckedAgent[] = [];
      for (const definition of agents) {
        const report = (line?: string): void =>
          progress.report({
            message: line === undefined ? definition.name : `${definition.name}: ${line.slice(0, 100)}`,
          });
        report();
        checked.push(await checkInWindow(platform, definition, { ...tools, signal: cancel.signal, report }));
      }
      const { environment } = tools;
      const programs = await environment.of(shared => shared);
      return checkReport(checked, environmentText(platform), { host: environment.host, programs });
    } catch (error) {
      if (cancel.signal.aborted) return undefined;
      throw error;
    } finally {
      listener.dispose();
    }
  });
}

const environmentText = ({ context, secrets }: ExtensionPlatform): string => {
  const versions = [
    `Parley ${String((context.extension.packageJSON as { version?: unknown }).version)}`,
    `VS Code ${vscode.version}${vscode.env.remoteName === undefined ? "" : ` (${vscode.env.remoteName})`}`,
    `${process.platform} ${process.arch}`,
  ];
  return [versions.join(" · "), secrets.report].join("\n");
};

async function offerCopy(report: string): Promise<void> {
  const copy = vscode.l10n.t("Copy Report");
  const chosen = await showInformationMessage(
    vscode.l10n.t("The report contains no values of environment variables and no keys."),
    copy,
  );
  if (chosen === copy) await vscode.env.clipboard.writeText(report);
}
