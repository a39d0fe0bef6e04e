// The user's agents in the setting `parley.agents`: reads and changes their entries.
import * as vscode from "vscode";
import { Sequencer, withTimeout } from "../../base/async.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { t } from "../../base/l10n.ts";
import { updateUserSetting, userSetting } from "../../editor/userSettings.ts";

/** An entry of the setting as the user wrote it. */
export type AgentEntry = Readonly<Record<string, unknown>>;

/** A changed setting is waited for at most this long (ms). */
const maxSettingWait = 5000;

/** The entries of the user's agents by their ids, not validated. */
export const userAgents = (): AgentEntry => asRecord(userSetting("agents"));

/** The value of one agent, not validated. Undefined if the user has none. */
export function userAgentValue(id: string): unknown {
  const agents = userAgents();
  return Object.hasOwn(agents, id) ? agents[id] : undefined;
}

/** The entry of one agent. Empty if the user has none. */
export const userAgent = (id: string): AgentEntry => asRecord(userAgentValue(id));

/** All entries are one value of the settings, so a change must not begin before the one before it is in effect. */
const changes = new Sequencer();

/**
 * Replaces the values of some agents, and waits until they are in effect. Undefined removes one. The other agents stay as
 * they are then. Rejects if the values are not in effect.
 */
function change(values: () => AgentEntry): Promise<void> {
  return changes.queue(async () => {
    const changed = values();
    const isMet = (): boolean => Object.entries(changed).every(([id, value]) => jsonEqual(userAgentValue(id), value));
    // The update can resolve before the changed value is in effect.
    const inEffect = whenChanged(isMet);
    try {
      const agents = Object.entries({ ...userAgents(), ...changed }).filter(([, value]) => value !== undefined);
      await updateUserSetting("agents", Object.fromEntries(agents));
      if (!isMet()) await withTimeout(inEffect.done, maxSettingWait, () => undefined);
      if (!isMet()) throw new Error(t("The setting parley.agents was not changed. Check your settings file."));
    } finally {
      inEffect.dispose();
    }
  });
}

/** Adds or replaces entries, and waits until they are in effect. Rejects if they are not. */
export const updateUserAgents = (entries: Readonly<Record<string, AgentEntry>>): Promise<void> => change(() => entries);

/** Replaces the value of one agent, and waits until it is in effect. Undefined removes it. Rejects if it is not in effect. */
export const replaceUserAgent = (id: string, value: unknown): Promise<void> => change(() => ({ [id]: value }));

/** Sets the version of the protocol for an agent, and waits until it is in effect. Rejects if it is not. */
export const setAgentProtocol = (id: string, protocol: "1" | "2"): Promise<void> =>
  change(() => ({ [id]: { ...userAgent(id), protocol } }));

/** `done` resolves when a change of the settings meets the condition. */
function whenChanged(isMet: () => boolean): vscode.Disposable & { readonly done: Promise<void> } {
  let listener: vscode.Disposable | undefined;
  const done = new Promise<void>(resolve => {
    listener = vscode.workspace.onDidChangeConfiguration(() => {
      if (isMet()) resolve();
    });
  });
  return { done, dispose: () => listener?.dispose() };
}

const asRecord = (value: unknown): AgentEntry =>
  typeof value === "object" && value !== null ? (value as AgentEntry) : {};
