// The entry of `dist/agentRegistry.js`: offers the agents of the registry, and installs, updates, rolls back and removes
// them. Nothing of an agent is downloaded or started before the user has agreed to exactly that.
import { join } from "node:path";
import * as vscode from "vscode";
import { agentPresets, resolveAgents, type AgentDefinition } from "../../agents/registry.ts";
import { replaceUserAgent, userAgents, userAgentValue } from "../../agents/vscode/agentSettings.ts";
import { asError } from "../../base/errors.ts";
import { setTranslator, t, type Translator } from "../../base/l10n.ts";
import { showInformationMessage, showQuickPick, withProgress } from "../../editor/editorUi.ts";
import { AgentInstaller } from "../agentInstaller.ts";
import { registryTarget, shownStart, type Distribution } from "../distribution.ts";
import { InstalledAgents, type InstalledAgent, type InstallProgress } from "../installedAgents.ts";
import { hasUpdate, isEntry, isEditedByUser } from "../installPlan.ts";
import type { RegistryAgent } from "../registryAgent.ts";
import { RegistryCache } from "../registryCache.ts";
import type { AddAgent, AddAgentOptions } from "./agentRegistryModule.ts";
import { confirmInstall, confirmRemoval, confirmRollBack, confirmUpdate } from "./installQuestion.ts";
import {
  includedRows,
  installedRows,
  isUsable,
  offlineRows,
  registryRows,
  type ProgramHelp,
  type RegistryRow,
} from "./registryRows.ts";

/** Icons that arrive later are shown by the next list (ms). */
const maxIconWait = 2000;
/** Of a line that an agent prints (characters). */
const maxReport = 100;

let isTranslated = false;

/** Sets what translates the texts of the bundle. */
export function translateRegistryWith(translator: Translator): void {
  if (isTranslated) return;
  isTranslated = true;
  setTranslator(translator);
}

/** Creates the command for one window. */
export const createAddAgent = (options: AddAgentOptions): AddAgent => new AddAgentCommand(options);

class AddAgentCommand implements AddAgent {
  readonly #options: AddAgentOptions;
  readonly #cache: RegistryCache;
  readonly #installed: InstalledAgents;
  readonly #installer: AgentInstaller;

  constructor(options: AddAgentOptions) {
    const { folder, unpackScript, clock, log, host } = options;
    this.#options = options;
    this.#cache = new RegistryCache({ folder: join(folder, "index"), clock, log });
    this.#installed = new InstalledAgents({ folder: join(folder, "agents"), unpackScript, clock, log });
    this.#installer = new AgentInstaller({
      installed: this.#installed,
      entries: { read: userAgentValue, write: replaceUserAgent },
      check: (id, entry, { signal, onProgress }) =>
        host.check(id, entry, { signal, report: output => onProgress({ phase: "check", output }) }),
      stop: id => host.stop(id),
    });
  }

  async run(address: string): Promise<void> {
    const cancel = new AbortController();
    try {
      const picked = await showQuickPick(this.#rows(address, cancel.signal), {
        title: t("Add Agent"),
        placeHolder:
          address === ""
            ? t("Select an agent (parley.agentRegistry is empty)")
            : t("Select an agent of {0}", hostOf(address)),
        matchOnDescription: true,
        matchOnDetail: true,
      });
      await this.#choose(picked);
    } finally {
      cancel.abort();
    }
  }

  /** Rejects only if the disk cannot be read. */
  async #rows(address: string, signal: AbortSignal): Promise<readonly RegistryRow[]> {
    const { log } = this.#options;
    const installed = await this.#installed.read();
    const withoutIndex = [...installedRows(installed), ...includedRows(included())];
    if (address === "") return withoutIndex;
    const source = { address, target: registryTarget(process.platform, process.arch) };
    try {
      const { index, time, offline } = await this.#cache.read(source, signal);
      const addresses = index.agents.flatMap(({ icon }) => icon ?? []);
      const rows = registryRows({
        index,
        installed,
        icons: await this.#cache.icons(addresses, AbortSignal.any([signal, AbortSignal.timeout(maxIconWait)])),
        programs: await this.#programs(),
      });
      if (offline === undefined) return rows;
      const note = t("The list is from {0}. {1}", new Date(time).toLocaleString(vscode.env.language), offline);
      return [...offlineRows(note), ...rows];
    } catch (error) {
      // The user has closed the list.
      if (signal.aborted) return [];
      log.warn("The registry of agents could not be read.", asError(error).message);
      return [...offlineRows(asError(error).message), ...withoutIndex];
    }
  }

  async #choose(picked: RegistryRow | undefined): Promise<void> {
    if (!picked) return;
    const { choice } = picked;
    if (!choice) return void vscode.commands.executeCommand("parley.addAgent");
    switch (choice.type) {
      case "included":
        return this.#startSession(choice.id, choice.name);
      case "unavailable":
        return explain(choice.label, choice.reason, choice.help);
      case "gone":
        return this.#manage(choice.installed, undefined);
      case "agent":
        return choice.installed ? this.#manage(choice.installed, choice.agent) : this.#add(choice.agent);
    }
  }

  /** `last`: the installed version whose entry is no longer in the settings. */
  async #add(agent: RegistryAgent, last?: InstalledAgent): Promise<void> {
    const distribution = await this.#pickDistribution(agent);
    if (!distribution) return;
    const own = userAgentValue(agent.id);
    const isIncluded = agentPresets.some(({ id }) => id === agent.id);
    const replaced = {
      agent: isEntry(own) ? "own" : isIncluded ? "included" : "none",
      variables: [...new Set([...this.#options.storedNames(agent.id), ...variableNames(own)])],
    } as const;
    if (await confirmInstall(agent, distribution, replaced)) await this.#install(agent, distribution, last);
  }

  async #pickDistribution(agent: RegistryAgent): Promise<Distribution | undefined> {
    const programs = await this.#programs();
    const [first, ...others] = agent.distributions.filter(each => isUsable(each, programs));
    if (!first || others.length === 0) return first;
    const rows = [first, ...others].map(each => ({
      label: { npx: t("Package for npx"), uvx: t("Package for uvx"), binary: t("Program") }[each.type],
      description: each.type === "binary" ? shownStart(each).command : each.package,
      distribution: each,
    }));
    const title = t("How to install {0}", agent.name);
    return (await showQuickPick(rows, { title }))?.distribution;
  }

  async #manage(installed: InstalledAgent, agent: RegistryAgent | undefined): Promise<void> {
    const { id, entry, previous } = installed;
    const update = agent && (await this.#updateOf(installed, agent));
    const page = agent?.website;
    const hasEntry = isEntry(userAgentValue(id));
    const rows = [
      ...(update && agent
        ? [{ label: t("Update to {0}…", agent.version), icon: "arrow-up", run: "update" as const }]
        : []),
      ...(hasEntry ? [{ label: t("Start Session"), icon: "comment-discussion", run: "start" as const }] : []),
      ...(agent && !update && !hasEntry
        ? [{ label: t("Install Again…"), icon: "cloud-download", run: "again" as const }]
        : []),
      ...(previous
        ? [{ label: t("Roll Back to {0}…", previous.version), icon: "history", run: "rollBack" as const }]
        : []),
      { label: t("Remove…"), icon: "trash", run: "remove" as const },
      ...(page === undefined ? [] : [{ label: t("Open Website"), icon: "link-external", run: "open" as const }]),
    ].map(({ icon, ...row }) => ({ ...row, iconPath: new vscode.ThemeIcon(icon) }));
    const picked = await showQuickPick(rows, { title: t("{0} {1}", entry.name, installed.version) });
    const own = userAgentValue(id);
    const isEdited = isEntry(own) && isEditedByUser(own, entry);
    switch (picked?.run) {
      case "update":
        if (!agent || !update) return;
        if (await confirmUpdate(agent, update, installed, isEdited)) await this.#install(agent, update, installed);
        return;
      case "start":
        return this.#startSession(id, entry.name);
      case "again":
        return void (agent && (await this.#add(agent, installed)));
      case "rollBack":
        if (!previous || !(await confirmRollBack(installed, previous, isEdited))) return;
        await this.#installer.rollBack(id);
        return this.#offerSession(
          { id, name: entry.name },
          t("{0} is version {1} again.", entry.name, previous.version),
        );
      case "remove":
        if (!(await confirmRemoval(installed))) return;
        await this.#installer.remove(id);
        return void showInformationMessage(t("{0} was removed.", entry.name));
      case "open":
        return void (page !== undefined && (await vscode.env.openExternal(vscode.Uri.parse(page))));
      case undefined:
        return;
    }
  }

  /** The way to update: the same as before, if the registry still has it. */
  async #updateOf(installed: InstalledAgent, agent: RegistryAgent): Promise<Distribution | undefined> {
    if (!hasUpdate(installed.version, agent.version)) return undefined;
    const programs = await this.#programs();
    const usable = agent.distributions.filter(distribution => isUsable(distribution, programs));
    return usable.find(({ type }) => type === installed.type) ?? usable[0];
  }

  /** Those programs that start packages and are on this machine. */
  async #programs(): Promise<ReadonlySet<string>> {
    const { host } = this.#options;
    const found = await Promise.all(["npx", "uvx"].map(async name => ((await host.hasProgram(name)) ? [name] : [])));
    return new Set(found.flat());
  }

  async #install(agent: RegistryAgent, distribution: Distribution, last: InstalledAgent | undefined): Promise<void> {
    const { name, version } = agent;
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: t("Installing {0} {1}", name, version),
      cancellable: true,
    };
    const isDone = await withProgress(options, async (progress, token) => {
      const cancel = new AbortController();
      const listener = token.onCancellationRequested(() => cancel.abort());
      const onProgress = (step: InstallProgress): void => progress.report({ message: progressText(step) });
      try {
        await this.#installer.install(agent, distribution, { signal: cancel.signal, onProgress });
        return true;
      } catch (error) {
        if (cancel.signal.aborted) return false;
        throw failure(agent, last, asError(error).message);
      } finally {
        listener.dispose();
      }
    });
    if (isDone) await this.#offerSession(agent, t("{0} {1} is installed.", name, version));
  }

  async #offerSession({ id, name }: Pick<RegistryAgent, "id" | "name">, message: string): Promise<void> {
    const start = t("Start Session");
    if ((await showInformationMessage(message, start)) === start) await this.#startSession(id, name);
  }

  /** Without the agent in the settings, a session would start with another one. */
  #startSession(id: string, name: string): Promise<void> {
    if (resolveAgents([], userAgents()).agents.some(agent => agent.id === id))
      return this.#options.host.startSession(id);
    throw new Error(
      t(
        "{0} cannot start, because it is missing, hidden or not valid in parley.agents. Change the setting, or install the agent again.",
        name,
      ),
    );
  }
}

/** The agents that Parley includes, with their descriptions. */
function included(): readonly AgentDefinition[] {
  const ids = new Set(agentPresets.map(({ id }) => id));
  return resolveAgents([], {}).agents.filter(({ id }) => ids.has(id));
}

const variableNames = (entry: unknown): readonly string[] =>
  isEntry(entry) && isEntry(entry["env"]) ? Object.keys(entry["env"]) : [];

const failure = ({ name, version }: RegistryAgent, last: InstalledAgent | undefined, reason: string): Error =>
  new Error(
    last
      ? t("{0} {1} was not installed, and version {2} stays. {3}", name, version, last.version, reason)
      : t("{0} {1} was not installed. {2}", name, version, reason),
  );

async function explain(label: string, reason: string, help: ProgramHelp | undefined): Promise<void> {
  const message = t("{0} cannot be added. {1}", label, reason);
  if (!help) return void showInformationMessage(message);
  const open = t("How to Install {0}", help.program);
  if ((await showInformationMessage(message, open)) === open)
    await vscode.env.openExternal(vscode.Uri.parse(help.page));
}

function progressText({ phase, bytes, total, output }: InstallProgress): string {
  if (output !== undefined) return output.slice(0, maxReport);
  const megabytes = (count: number): string => (count / 1_000_000).toFixed(1);
  if (phase === "unpack") return t("Unpacking");
  if (phase === "check") return t("Starting it once");
  if (bytes === undefined) return t("Downloading");
  return total === undefined
    ? t("Downloading, {0} MB", megabytes(bytes))
    : t("Downloading, {0} of {1} MB", megabytes(bytes), megabytes(total));
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);
