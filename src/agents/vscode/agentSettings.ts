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

/** The entry of one agent. Empty if the user has none. */
export function userAgent(id: string): AgentEntry {
  const agents = userAgents();
  return Object.hasOwn(agents, id) ? asRecord(agents[id]) : {};
}

/** All entries are one value of the settings, so a change must not begin before the one before it is in effect. */
const changes = new Sequencer();

/** Adds or replaces entries. The other ones stay as they are now. */
export function updateUserAgents(entries: Readonly<Record<string, AgentEntry>>): Promise<void> {
  return changes.queue(() => updateUserSetting("agents", { ...userAgents(), ...entries }));
}

/** Replaces the value of one agent, and waits until it is in effect. Undefined removes it. Rejects if it is not in effect. */
export function replaceUserAgent(id: string, value: unknown): Promise<void> {
  return changes.queue(async () => {
    const isMet = (): boolean => jsonEqual(Object.hasOwn(userAgents(), id) ? userAgents()[id] : undefined, value);
    const inEffect = whenChanged(isMet);
    try {
      const { [id]: _replaced, ...others } = userAgents();
      await updateUserSetting("agents", value === undefined ? others : { ...others, [id]: value });
      if (!isMet()) await withTimeout(inEffect.done, maxSettingWait, () => undefined);
      if (!isMet()) throw new Error(t("The setting parley.agents was not changed. Check your settings file."));
    } finally {
      inEffect.dispose();
    }
  });
}

/** Sets the version of the protocol for an agent, and waits until the setting is in effect. */
export function setAgentProtocol(id: string, protocol: "1" | "2"): Promise<void> {
  return changes.queue(async () => {
    // The update can resolve before the changed value is in effect.
    const inEffect = whenChanged(() => userAgent(id)["protocol"] === protocol);
    try {
      await updateUserSetting("agents", { ...userAgents(), [id]: { ...userAgent(id), protocol } });
      await withTimeout(inEffect.done, maxSettingWait, () => undefined);
    } finally {
      inEffect.dispose();
    }
  });
}

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
