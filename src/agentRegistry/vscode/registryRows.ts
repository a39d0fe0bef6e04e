// The rows of the list of agents: what each agent is, what it needs, and its state on this machine.
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { packageOfNpx } from "../../agents/npmDownload.ts";
import { t } from "../../base/l10n.ts";
import type { Distribution } from "../distribution.ts";
import type { InstalledAgent } from "../installedAgents.ts";
import { hasUpdate } from "../installPlan.ts";
import type { RegistryAgent, RegistryIndex } from "../registryAgent.ts";

/** What a row stands for. */
export type RegistryChoice =
  | { readonly type: "agent"; readonly agent: RegistryAgent; readonly installed?: InstalledAgent }
  | { readonly type: "gone"; readonly installed: InstalledAgent }
  | { readonly type: "unavailable"; readonly label: string; readonly reason: string; readonly help?: ProgramHelp }
  | { readonly type: "included"; readonly id: string; readonly name: string };

export interface RegistryRow extends vscode.QuickPickItem {
  readonly choice?: RegistryChoice;
}

/** The page that says how to install a program. */
export interface ProgramHelp {
  readonly program: string;
  readonly page: string;
}

const helpPages: Readonly<Record<"npx" | "uvx", ProgramHelp>> = {
  npx: { program: "Node.js", page: "https://nodejs.org/en/download" },
  uvx: { program: "uv", page: "https://docs.astral.sh/uv/getting-started/installation/" },
};

/** What the rows show. */
export interface RegistryState {
  readonly index: RegistryIndex;
  readonly installed: ReadonlyMap<string, InstalledAgent>;
  /** The SVG texts by their addresses. */
  readonly icons: ReadonlyMap<string, string>;
  /** The programs that are on the PATH. */
  readonly programs: ReadonlySet<string>;
}

/** Whether what starts the distribution is on this machine. */
export const isUsable = ({ type }: Distribution, programs: ReadonlySet<string>): boolean =>
  type === "binary" || programs.has(type);

/** The rows, in groups: updates, installed and other agents, and those that cannot be installed. */
export function registryRows({ index, installed, icons, programs }: RegistryState): readonly RegistryRow[] {
  const updates: RegistryRow[] = [];
  const current: RegistryRow[] = [];
  const available: RegistryRow[] = [];
  const unavailable: RegistryRow[] = [];
  for (const agent of index.agents) {
    const own = installed.get(agent.id);
    const common = {
      label: agent.name,
      iconPath: iconOf(agent.icon === undefined ? undefined : icons.get(agent.icon)),
    };
    const canInstall = agent.distributions.some(distribution => isUsable(distribution, programs));
    const row: RegistryRow = {
      ...common,
      description: stateText(agent, own),
      detail: [agent.description, canInstall ? needText(agent) : missingText(agent)]
        .filter(text => text !== "")
        .join(" · "),
      choice: { type: "agent", agent, ...(own && { installed: own }) },
    };
    if (own) (canInstall && hasUpdate(own.version, agent.version) ? updates : current).push(row);
    else if (canInstall) available.push(row);
    else unavailable.push(unavailableRow(agent.name, missingText(agent), helpOf(agent)));
  }
  for (const own of installed.values())
    if (!index.agents.some(({ id }) => id === own.id)) {
      const unusable = index.unusable.find(({ id }) => id === own.id);
      const state = unusable
        ? t("{0} installed, its entry in the registry cannot be used", own.version)
        : t("{0} installed, no longer in the registry", own.version);
      current.push(installedRow(own, state, unusable?.reason));
    }
  for (const { label, reason } of index.unusable) unavailable.push(unavailableRow(label, reason, undefined));
  return [
    ...group(t("Updates"), updates),
    ...group(t("Installed"), current),
    ...group(t("Available"), available),
    ...group(t("Not available"), unavailable),
  ];
}

/** The rows of the installed agents, for a window without a registry. */
export const installedRows = (installed: ReadonlyMap<string, InstalledAgent>): readonly RegistryRow[] =>
  group(
    t("Installed"),
    [...installed.values()].map(own => installedRow(own, t("{0} installed", own.version))),
  );

/** The row of an installed agent without an entry in the index. */
const installedRow = (installed: InstalledAgent, description: string, reason?: string): RegistryRow => ({
  label: installed.entry.name,
  iconPath: iconOf(undefined),
  description,
  detail: reason ?? installed.entry.description ?? "",
  choice: { type: "gone", installed },
});

/** The rows of the agents that Parley includes, for a window without a registry. */
export const includedRows = (agents: readonly AgentDefinition[]): readonly RegistryRow[] =>
  group(
    t("Included in Parley"),
    agents.map(agent => ({
      label: agent.name,
      iconPath: new vscode.ThemeIcon(agent.icon ?? "hubot"),
      detail: [agent.description, packageOfNpx(agent)].filter(text => text !== undefined).join(" · "),
      choice: { type: "included", id: agent.id, name: agent.name },
    })),
  );

/** The row that asks the registry again. `reason`: why the rows below are not those of the registry now. */
export const offlineRows = (reason: string): readonly RegistryRow[] =>
  group(t("Offline"), [{ label: t("Try Again"), detail: reason, iconPath: new vscode.ThemeIcon("refresh") }]);

/** Rows below a line with a label. */
const group = (label: string, rows: readonly RegistryRow[]): readonly RegistryRow[] =>
  rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];

const unavailableRow = (label: string, reason: string, help: ProgramHelp | undefined): RegistryRow => ({
  label,
  iconPath: new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("disabledForeground")),
  detail: reason,
  choice: { type: "unavailable", label, reason, ...(help && { help }) },
});

function stateText({ version, license }: RegistryAgent, own: InstalledAgent | undefined): string {
  const about = license === undefined ? version : `${version} · ${license}`;
  if (!own) return about;
  return hasUpdate(own.version, version) ? t("{0} · {1} installed", about, own.version) : t("{0} · installed", about);
}

/** What the agent needs, or how it comes. */
function needText({ distributions }: RegistryAgent): string {
  const texts = { npx: t("needs npx"), uvx: t("needs uvx"), binary: t("has its own program") };
  return distributions.map(({ type }) => texts[type]).join(t(" or "));
}

const missingPrograms = ({ distributions }: RegistryAgent): readonly ("npx" | "uvx")[] =>
  distributions.flatMap(({ type }) => (type === "binary" ? [] : [type]));

const missingText = (agent: RegistryAgent): string =>
  t(
    "Needs {0}, which is not on the PATH. Install {1} first.",
    missingPrograms(agent).join(t(" or ")),
    missingPrograms(agent)
      .map(program => helpPages[program].program)
      .join(t(" or ")),
  );

function helpOf(agent: RegistryAgent): ProgramHelp | undefined {
  const [program] = missingPrograms(agent);
  return program && helpPages[program];
}

/** The colors that VS Code's icons have in light and dark themes. The registry asks for icons in `currentColor`. */
const iconColors = { light: "#424242", dark: "#c5c5c5" };

/** A picture of the SVG for both kinds of themes. It is an image, so nothing in it runs or loads. */
function iconOf(svg: string | undefined): vscode.IconPath {
  if (svg === undefined) return new vscode.ThemeIcon("hubot");
  const picture = (color: string): vscode.Uri => {
    const colored = svg.replaceAll("currentColor", color);
    return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(colored, "utf8").toString("base64")}`);
  };
  return { light: picture(iconColors.light), dark: picture(iconColors.dark) };
}
