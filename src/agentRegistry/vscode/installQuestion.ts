// What the user reads before an agent of the registry is downloaded, started or changed.
import * as vscode from "vscode";
import { commandLineText } from "../../base/commandLineText.ts";
import { exactLine, withoutMiddle } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import { shownStart, type Distribution } from "../distribution.ts";
import type { InstalledAgent, InstalledVersion } from "../installedAgents.ts";
import { installCaveats, startDifferences, type StartDifference } from "../installPlan.ts";
import type { RegistryAgent } from "../registryAgent.ts";

/** Characters. What the user agrees to is shown as a whole: `readDistributions` refuses what is too long. */
const maxWebsite = 200;

/** What the user has under the ID of the agent. */
export interface Replaced {
  readonly agent: "none" | "included" | "own";
  /** The names of the user's variables, which the new program gets. */
  readonly variables: readonly string[];
}

/** Asks before the first installation. */
export async function confirmInstall(
  agent: RegistryAgent,
  distribution: Distribution,
  replaced: Replaced,
): Promise<boolean> {
  const { args, env, command } = shownStart(distribution);
  const install = t("Install");
  const pressed = await showWarningMessage(
    t("Install {0} {1}?", agent.name, agent.version),
    {
      modal: true,
      detail: [
        ...aboutLines(agent),
        "",
        t("Command: {0}", exactLine(commandLineText(command, args))),
        ...Object.entries(env).map(([name, value]) => t("Variable: {0}", exactLine(`${name}=${value}`))),
        ...sourceLines(distribution),
        "",
        t("Parley adds the agent to your settings once it has started and answered. It runs with your permissions."),
        ...placeLines(),
        ...(replaced.agent === "none" ? [] : [replacedLine(agent, replaced.agent)]),
        ...(replaced.variables.length === 0
          ? []
          : [t("It gets these variables of yours: {0}", replaced.variables.map(exactLine).join(", "))]),
      ],
    },
    install,
  );
  return pressed === install;
}

/**
 * Asks before an update: what changes in command, arguments and environment. `isEdited`: the user has changed what Parley
 * wrote.
 */
export async function confirmUpdate(
  agent: RegistryAgent,
  distribution: Distribution,
  last: InstalledAgent,
  isEdited: boolean,
): Promise<boolean> {
  const update = t("Update");
  const pressed = await showWarningMessage(
    t("Update {0} from {1} to {2}?", agent.name, last.version, agent.version),
    {
      modal: true,
      detail: [
        ...changeLines(startDifferences(last.shown, shownStart(distribution)), isEdited),
        ...sourceLines(distribution),
        "",
        t("Version {0} stays until {1} has started and answered.", last.version, agent.version),
      ],
    },
    update,
  );
  return pressed === update;
}

/** Asks before the previous version replaces the current one, with what changes. `isEdited`: as for an update. */
export async function confirmRollBack(
  { entry, version, shown }: InstalledAgent,
  previous: InstalledVersion,
  isEdited: boolean,
): Promise<boolean> {
  const rollBack = t("Roll Back");
  const pressed = await showWarningMessage(
    t("Roll back {0} from {1} to {2}?", entry.name, version, previous.version),
    { modal: true, detail: changeLines(startDifferences(shown, previous.shown), isEdited) },
    rollBack,
  );
  return pressed === rollBack;
}

/** Asks before an agent is removed. */
export async function confirmRemoval({ entry, folder }: InstalledAgent): Promise<boolean> {
  const remove = t("Remove");
  const pressed = await showWarningMessage(
    t("Remove {0}?", entry.name),
    {
      modal: true,
      detail: [
        t("Parley ends the agent and removes it from your settings. Its conversations stay."),
        ...(folder === undefined ? [] : [t("Its files are deleted.")]),
      ],
    },
    remove,
  );
  return pressed === remove;
}

function aboutLines({ description, authors, license, website }: RegistryAgent): readonly string[] {
  const by = authors.length > 0 ? t("By {0}", authors.join(", ")) : "";
  const under = license === undefined ? t("No license is named.") : t("License: {0}", license);
  return [
    ...(description === "" ? [] : [description]),
    [by, under].filter(text => text !== "").join(" · "),
    ...(website === undefined ? [] : [withoutMiddle(exactLine(website), maxWebsite)]),
  ];
}

const sourceLines = (distribution: Distribution): readonly string[] => [
  ...(distribution.type === "binary" ? [t("Archive: {0}", exactLine(distribution.archive))] : []),
  ...installCaveats(distribution),
];

const placeLines = (): readonly string[] =>
  vscode.env.remoteName === undefined ? [] : [t("It is installed on the remote machine, where the folder is.")];

const replacedLine = ({ name }: RegistryAgent, replaced: "included" | "own"): string =>
  replaced === "own"
    ? t("It replaces the command of your own entry for {0}. Removing the agent restores it.", name)
    : t("It replaces the command of the {0} that Parley includes. Removing the agent restores it.", name);

const changeLines = (differences: readonly StartDifference[], isEdited: boolean): readonly string[] => [
  ...(differences.length === 0
    ? [t("Command, arguments and environment stay the same.")]
    : [t("What changes:"), ...differences.flatMap(differenceLines)]),
  ...(isEdited ? [t("Your own changes of the command and the arguments are replaced.")] : []),
];

function differenceLines({ part, before, after }: StartDifference): readonly string[] {
  const names = { command: t("command"), args: t("arguments"), env: t("variable") };
  return [
    ...(before === undefined ? [] : [`− ${names[part]}: ${exactLine(before)}`]),
    ...(after === undefined ? [] : [`+ ${names[part]}: ${exactLine(after)}`]),
  ];
}
