// The words of the page of permission rules for effects, conditions and requests.
import type { ruleTexts, TestedRequest } from "../../src/panel/rulesPage.ts";
import { t } from "../base/l10n.ts";

type Condition = (typeof ruleTexts)[number];

/** What a rule does. A rule of the settings can contain anything. */
export function effectName(effect: string): string {
  switch (effect) {
    case "allow":
      return t("Allow");
    case "ask":
      return t("Ask");
    case "deny":
      return t("Deny");
    default:
      return effect === "" ? t("Invalid rule") : effect;
  }
}

/** The codicon of an effect. */
export function effectIcon(effect: string): string {
  return { allow: "check", ask: "question", deny: "circle-slash" }[effect] ?? "warning";
}

/** The name of a condition. */
export function conditionName(condition: Condition): string {
  switch (condition) {
    case "command":
      return t("Commands");
    case "path":
      return t("Paths");
    case "domain":
      return t("Hosts");
    case "kind":
      return t("Kinds");
    case "agent":
      return t("Agents");
    default:
      return condition satisfies never;
  }
}

/** What a condition can contain, as sentences. */
export function conditionHint(condition: Condition): string {
  switch (condition) {
    case "command":
      return t("Words of a command, such as “npm test”. * stands for one word, ** for any number of words.");
    case "path":
      return t(
        "Globs, such as “src/**”, relative to the workspace folders. For commands: the folder that they run in.",
      );
    case "domain":
      return t("Hosts with their subdomains, such as “example.com”.");
    case "kind":
      return t("Kinds of requests: read, edit, delete, move, search, execute, fetch.");
    case "agent":
      return t("IDs of agents, as in the setting “parley.agents”. Empty: all agents.");
    default:
      return condition satisfies never;
  }
}

/** The name of a request in the test. */
export function requestName(request: TestedRequest): string {
  switch (request) {
    case "command":
      return t("Run a command");
    case "read":
      return t("Read a file");
    case "edit":
      return t("Change a file");
    case "fetch":
      return t("Open an address");
    default:
      return request satisfies never;
  }
}
