// The command that stores a header for the server of an agent, such as the one that signs in.
import { t } from "../../base/l10n.ts";
import { withNote } from "../../base/secrets/watchedSecrets.ts";
import { Secret } from "../../base/secrets/secret.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage, showInputBox, showQuickPick } from "../../editor/editorUi.ts";
import type { AgentDefinition } from "../registry.ts";
import { headerFault } from "../remote/serverAddress.ts";
import { keyOwner } from "./definitionToStart.ts";
import type { StoredKeys } from "./storedKeys.ts";

interface AgentHeadersOptions {
  readonly keys: Pick<StoredKeys, "store" | "values" | "note">;
  readonly agents: () => readonly AgentDefinition[];
  /** The agent of the session, or of the next one. */
  readonly current: () => AgentDefinition | undefined;
  /** Called when a header of the agent was stored. */
  readonly onStored: (agent: AgentDefinition) => Promise<void>;
}

/** Handler of the command. With `current` as argument, it sets a header of the current agent without asking for which. */
export const agentHeaderCommands = ({
  keys,
  agents,
  current,
  onStored,
}: AgentHeadersOptions): CommandHandlers<"parley.setAgentHeader"> => ({
  "parley.setAgentHeader": async (which: unknown) => {
    const shown = which === "current" ? current() : undefined;
    const agent = shown?.remote ? shown : await chooseAgent(agents().filter(({ remote }) => remote !== undefined));
    if (!agent?.remote) return;
    const { remote } = agent;
    const title = t("Set Header of {0}", agent.name);
    const name = await showInputBox({
      title,
      prompt: t("The name of the header"),
      value: Object.keys(remote.headers)[0] ?? "Authorization",
      ignoreFocusOut: true,
      validateInput: value => faultOf(value.trim(), ""),
    });
    if (name === undefined) return;
    const value = await showInputBox({
      title,
      prompt: withNote(
        t(
          "The value of {0}, such as a token after the word Bearer. VS Code stores it as a secret, and Parley sends it only to {1}.",
          name.trim(),
          new URL(remote.url).host,
        ),
        keys.note,
      ),
      password: true,
      ignoreFocusOut: true,
      validateInput: text => (text.trim() === "" ? t("Enter a value.") : faultOf(name.trim(), text.trim())),
    });
    if (value === undefined) return;
    const owner = keyOwner(agent);
    // The case of a name has no meaning, and two values would contradict.
    const stored = Object.keys(await keys.values(owner)).find(each => each.toLowerCase() === name.trim().toLowerCase());
    await keys.store(owner, new Map([[stored ?? name.trim(), new Secret(value.trim())]]));
    await onStored(agent);
  },
});

async function chooseAgent(remote: readonly AgentDefinition[]): Promise<AgentDefinition | undefined> {
  if (remote.length === 1) return remote[0];
  if (remote.length === 0) {
    void showInformationMessage(t("No agent of parley.agents has a url, so there is no server for a header."));
    return undefined;
  }
  const picks = remote.map(agent => ({ label: agent.name, description: agent.remote?.url ?? "", agent }));
  return (await showQuickPick(picks, { title: t("Set Header of Agent") }))?.agent;
}

function faultOf(name: string, value: string): string | undefined {
  const fault = headerFault(name, value);
  return fault === undefined ? undefined : t("The agent {0}", fault);
}
