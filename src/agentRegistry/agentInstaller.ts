// Installs, updates, rolls back and removes agents of the registry. A version replaces another one only after it has
// answered `initialize`, so the last version that worked stays until then.
import { SequencerByKey } from "../base/async.ts";
import { t } from "../base/l10n.ts";
import type { Distribution } from "./distribution.ts";
import type { InstalledAgent, InstalledAgents, InstalledVersion, InstallRun } from "./installedAgents.ts";
import { isEntry, mergedSettingEntry, restoredEntry, type UserEntry } from "./installPlan.ts";
import type { RegistryAgent } from "./registryAgent.ts";

/** The entries of `parley.agents`. */
export interface AgentSettingEntries {
  /** The user's value for the agent. Undefined without one. */
  read(id: string): unknown;
  /** Writes the value, and waits until it is in effect. Undefined removes it. Rejects if it is not in effect. */
  write(id: string, entry: unknown): Promise<void>;
}

export interface AgentInstallerOptions {
  readonly installed: InstalledAgents;
  readonly entries: AgentSettingEntries;
  /** Starts an agent with this entry until it answers `initialize`, and ends it. Rejects with a sentence if it does not. */
  readonly check: (id: string, entry: UserEntry, run: InstallRun) => Promise<void>;
  /** Ends the agent if it runs. */
  readonly stop: (id: string) => Promise<void>;
}

export class AgentInstaller {
  readonly #options: AgentInstallerOptions;
  readonly #work = new SequencerByKey<string>();

  constructor(options: AgentInstallerOptions) {
    this.#options = options;
  }

  /**
   * Installs a version, in place of the installed one if there is one. Rejects with a sentence and changes nothing if the
   * version does not start.
   */
  install(agent: RegistryAgent, distribution: Distribution, run: InstallRun): Promise<void> {
    return this.#work.queue(agent.id, async () => {
      const { installed } = this.#options;
      const last = (await installed.read()).get(agent.id);
      // Without a record, which may be damaged, the entry in the setting can still name one of the folders.
      if (last || !isEntry(this.#options.entries.read(agent.id))) await installed.removeLeftovers(agent.id);
      const version = await installed.prepare(agent, distribution, run);
      try {
        run.onProgress({ phase: "check" });
        await this.#options.check(agent.id, this.#entryFor(agent.id, version, last), run);
        run.signal.throwIfAborted();
        await this.#use(agent.id, version);
      } catch (error) {
        await installed.discard(agent.id, version);
        throw error;
      }
      await this.#discardUnused(agent.id, [last, last?.previous]);
    });
  }

  /** Starts the previous version again from now on. The version that it replaces can be rolled back to, too. */
  rollBack(id: string): Promise<void> {
    return this.#work.queue(id, async () => {
      const current = (await this.#options.installed.read()).get(id);
      if (!current?.previous) throw new Error(t("There is no previous version to roll back to."));
      await this.#use(id, current.previous);
    });
  }

  /** Removes the agent: its entry, as far as Parley wrote it, and its files. */
  remove(id: string): Promise<void> {
    return this.#work.queue(id, async () => {
      const { installed, entries, stop } = this.#options;
      const current = (await installed.read()).get(id);
      const own = entries.read(id);
      if (current && isEntry(own)) await entries.write(id, restoredEntry(id, own, current.entry, current.before));
      await stop(id);
      await installed.remove(id);
    });
  }

  #entryFor(id: string, version: InstalledVersion, last: InstalledAgent | undefined): UserEntry {
    const own = this.#options.entries.read(id);
    return mergedSettingEntry(isEntry(own) ? own : {}, version.entry, last?.entry);
  }

  /**
   * The record first: a folder that the setting names is always one of a record. Both are read again, because another window
   * can have changed them since.
   */
  async #use(id: string, version: InstalledVersion): Promise<void> {
    const { installed, entries } = this.#options;
    await installed.assertPresent(id, version);
    const last = (await installed.read()).get(id);
    const before = last ? last.before : entries.read(id);
    // The same version again replaces itself, so the one before it stays to roll back to.
    const previous = last && (last.version === version.version ? last.previous : versionOf(last));
    const next = this.#entryFor(id, version, last);
    await installed.write({ id, ...version, ...(previous && { previous }), before });
    try {
      await entries.write(id, next);
    } catch (error) {
      if (last) await installed.write(last);
      else await installed.remove(id);
      throw error;
    }
  }

  /** Removes the folders of those versions that the record no longer names. */
  async #discardUnused(id: string, versions: readonly (InstalledVersion | undefined)[]): Promise<void> {
    const { installed } = this.#options;
    const record = (await installed.read()).get(id);
    const used = [record?.folder, record?.previous?.folder];
    for (const version of versions) if (!used.includes(version?.folder)) await installed.discard(id, version);
  }
}

function versionOf({ version, type, shown, entry, folder }: InstalledAgent): InstalledVersion {
  return { version, type, shown, entry, ...(folder !== undefined && { folder }) };
}
