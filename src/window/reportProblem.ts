// The command "Report a Problem": asks what the report contains, and opens it in an editor to read and to change.
import * as vscode from "vscode";
import { transcriptText } from "../acp/trafficRecorder.ts";
import type { CheckAgents } from "../agents/vscode/checkAgents.ts";
import type { AgentPool } from "../agents/pool.ts";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { showInformationMessage, showQuickPicks } from "../editor/editorUi.ts";
import type { RecentFaults } from "../editor/outputChannel.ts";
import type { OpenSessions } from "../library/openSessions.ts";
import { userSetting } from "../editor/userSettings.ts";
import { problemReport, type ReportedAgent } from "./problemReport.ts";

/** An agent by its id, as the user knows it. */
interface NamedAgent {
  readonly id: string;
  readonly name: string;
}

export interface ReportProblemSources {
  readonly pool: Pick<AgentPool, "tap" | "endOf" | "recordedAgents">;
  readonly open: Pick<OpenSessions, "sessions">;
  readonly log: RecentFaults;
  /** What happened to files. */
  readonly files: { readonly allTexts: readonly string[] };
  readonly check: CheckAgents;
  /** The agent of the active session, or of the next one, and all agents that have a name. */
  readonly agents: { current(): NamedAgent | undefined; all(): readonly NamedAgent[] };
}

/**
 * Handler of the command. The report has words of conversations only if the user selects them. Of the parts with paths, only
 * the check is selected at first.
 */
export function reportProblemCommand(
  extension: vscode.Extension<unknown>,
  { pool, open, log, files, check, agents }: ReportProblemSources,
): CommandHandlers<"parley.reportProblem"> {
  return {
    "parley.reportProblem": async () => {
      const agent = agents.current();
      const traffic = agent && pool.tap(agent.id);
      const parts = await chooseParts(agent, { hasTraffic: traffic !== undefined });
      if (!parts) return;
      const checked = parts.has("check") && agent ? await check.report(agent.id) : undefined;
      const nameOf = (id: string): string => agents.all().find(each => each.id === id)?.name ?? id;
      const report = problemReport({
        system: check.system,
        settings: changedSettings(extension),
        agents: pool.recordedAgents.flatMap(id => reported(pool, id, nameOf(id))),
        sessions: open.sessions.map(({ state }) => state),
        ...(parts.has("details") && { hasDetails: true }),
        ...(parts.has("log") && { log: log.recentFaults }),
        ...(checked !== undefined && { check: checked }),
        ...(parts.has("files") && { files: files.allTexts }),
        ...(parts.has("transcript") && traffic && { transcript: transcriptText(traffic.records) }),
      });
      const document = await vscode.workspace.openTextDocument({ content: report, language: "markdown" });
      await vscode.window.showTextDocument(document, { preview: false });
      await offerNext(document, issuePage(extension));
    },
  };
}

function reported(pool: ReportProblemSources["pool"], id: string, name: string): readonly ReportedAgent[] {
  const traffic = pool.tap(id);
  const end = pool.endOf(id);
  return traffic ? [{ name, traffic, ...(end && { end }) }] : [];
}

type Part = "check" | "details" | "log" | "files" | "transcript";

/** The parts that the user chose. Undefined if the user closed the list. */
async function chooseParts(
  agent: NamedAgent | undefined,
  { hasTraffic }: { readonly hasTraffic: boolean },
): Promise<ReadonlySet<Part> | undefined> {
  const { isTrusted } = vscode.workspace;
  const picks: readonly (vscode.QuickPickItem & { readonly part: Part })[] = [
    ...(agent && isTrusted
      ? [
          {
            part: "check" as const,
            label: vscode.l10n.t("Check of {0}", agent.name),
            description: vscode.l10n.t("starts it once more; contains paths and its output"),
            picked: true,
          },
        ]
      : []),
    {
      part: "details" as const,
      label: vscode.l10n.t("Words of the failures"),
      description: vscode.l10n.t("can quote prompts, output and paths"),
    },
    {
      part: "log" as const,
      label: vscode.l10n.t("Warnings and errors in the log"),
      description: vscode.l10n.t("contains paths"),
    },
    {
      part: "files" as const,
      label: vscode.l10n.t("What happened to files"),
      description: vscode.l10n.t("contains paths"),
    },
    ...(agent && hasTraffic
      ? [
          {
            part: "transcript" as const,
            label: vscode.l10n.t("Transcript of {0}", agent.name),
            description: vscode.l10n.t("contains prompts, file contents and paths"),
          },
        ]
      : []),
  ];
  const chosen = await showQuickPicks(picks, {
    title: vscode.l10n.t("Report a Problem"),
    placeHolder: vscode.l10n.t(
      "What the report contains besides versions, changed settings, failures, and names and sizes of messages",
    ),
  });
  return chosen && new Set(chosen.map(({ part }) => part));
}

interface Schema {
  readonly enum?: unknown;
}

/** Names of the settings that the user has changed. Texts and lists can contain secrets and paths, so they have no value. */
function changedSettings({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  const { contributes } = packageJSON as {
    readonly contributes: {
      readonly configuration: readonly { readonly properties: Readonly<Record<string, Schema>> }[];
    };
  };
  return contributes.configuration
    .flatMap(({ properties }) => Object.entries(properties))
    .flatMap(([name, schema]) => {
      const value = userSetting(name.replace("parley.", ""));
      if (value === undefined) return [];
      const isShort = typeof value === "boolean" || typeof value === "number" || Array.isArray(schema.enum);
      return [`${name}: ${isShort ? JSON.stringify(value) : vscode.l10n.t("set")}`];
    });
}

/** The page for problems in the manifest of a published package. */
function issuePage({ packageJSON }: vscode.Extension<unknown>): string | undefined {
  const { bugs } = packageJSON as { readonly bugs?: { readonly url?: unknown } };
  return typeof bugs?.url === "string" && bugs.url.startsWith("https://") ? bugs.url : undefined;
}

async function offerNext(document: vscode.TextDocument, page: string | undefined): Promise<void> {
  const copy = vscode.l10n.t("Copy Report");
  const openPage = vscode.l10n.t("Open Page for Problems");
  const chosen = await showInformationMessage(
    vscode.l10n.t(
      "Parley has sent nothing. Read the report, remove what you don't want to share, and copy or save it.",
    ),
    copy,
    ...(page === undefined ? [] : [openPage]),
  );
  if (chosen === copy) await vscode.env.clipboard.writeText(document.getText());
  if (chosen === openPage && page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page));
}
