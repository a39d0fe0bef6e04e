// The report of a check of agents, as text to read and to copy. It contains no secrets.
import { t } from "../base/l10n.ts";
import { hiddenValue } from "../base/secrets/knownSecrets.ts";
import { maskText } from "../base/mask.ts";
import type { Environment } from "../base/platform.ts";
import { proxyVariables, variableOf } from "../base/programEnvironment.ts";
import { unwrappedValues } from "../base/secrets/secret.ts";
import type { NextStep } from "../base/errors.ts";
import { visibleLine } from "../base/lines.ts";
import { visibleText } from "../base/visibleText.ts";
import type { AgentInfo } from "../session/agent.ts";
import type { AgentCheck } from "./checkAgent.ts";
import { agentCommandLine } from "./launch.ts";
import { pathsText } from "./locateAgent.ts";
import type { AgentDefinition } from "./registry.ts";
import { startsInWorkspace } from "./variables.ts";
import { commaSeparated } from "../base/sentences.ts";

/** A checked agent. `started` is the definition with the values of its variables and keys. */
export interface CheckedAgent {
  readonly definition: AgentDefinition;
  readonly started?: AgentDefinition;
  readonly check: AgentCheck;
}

const maxOutputLines = 10;

/** The environment of VS Code, and that of the programs that a session starts. */
export interface CheckedEnvironment {
  readonly host: Environment;
  readonly programs: Environment;
}

/** The report. `system` names VS Code, Parley and the system. */
export function checkReport(
  agents: readonly CheckedAgent[],
  system: string,
  { host, programs }: CheckedEnvironment,
): string {
  const proxies = Object.entries(proxyVariables(programs));
  const head = [
    system,
    proxies.length === 0
      ? t("Proxy variables passed to agents: none")
      : t("Proxy variables passed to agents: {0}", proxies.map(([name, value]) => `${name}=${value}`).join(", ")),
  ];
  const sections = agents.map(agent =>
    withoutSecrets(section(agent, variableOf(host, "PATH") ?? ""), agent.started, programs),
  );
  return `${[maskText(head.join("\n")), ...sections].join("\n\n")}\n`;
}

function section({ definition, check }: CheckedAgent, path: string): string {
  const { located, info, problem } = check;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [definition.remote ? t("Server") : t("Command"), agentCommandLine(definition)],
    [t("Program"), definition.remote ? undefined : located ? located.path : t("not found")],
    [t("Found in"), located?.shell ? t("the PATH of your login shell ({0}) only", located.shell.shell) : undefined],
    [
      t("Working folder"),
      definition.cwd ?? (definition.remote ? t("the path of the workspace folder") : t("a folder of Parley")),
    ],
    [t("Version"), info && [info.name, info.version].filter(word => word !== "").join(" ")],
    [t("Protocol"), info && t("version {0}", info.protocolVersion)],
    [
      t("First answer"),
      check.initializeTime === undefined ? undefined : t("after {0}", milliseconds(check.initializeTime)),
    ],
    [
      t("Session"),
      check.sessionTime === undefined ? undefined : t("opened after another {0}", milliseconds(check.sessionTime)),
    ],
    [t("Accepts"), info && acceptsText(info, check)],
    [t("Sign-in"), signInText(check)],
    [
      t("Other output"),
      check.badLines === 0 ? undefined : t("{0} lines on stdout that are not messages", check.badLines),
    ],
    [t("Problem"), problem?.message],
    [t("Warning"), startsInWorkspace(definition) ? workspaceWarning() : undefined],
    [t("Next step"), nextStepText(check)],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(15)}${visibleLine(value)}`],
  );
  const paths = located?.shell ? pathsText(path, located.shell) : undefined;
  return [
    `${visibleLine(definition.name)} — ${workingText(check)}`,
    ...lines,
    ...block(t("PATHs"), paths),
    ...block(t("Details"), problem?.detail === check.stderr ? undefined : problem?.detail),
    ...block(t("Last output"), check.stderr),
  ].join("\n");
}

const workspaceWarning = (): string =>
  t(
    "The agent starts in the workspace folder, so settings and programs in it can run as part of the agent, with its keys.",
  );

function workingText({ problem, signIn }: AgentCheck): string {
  if (!problem) return t("works");
  return signIn === "needed" ? t("needs a sign-in") : t("does not work");
}

function signInText({ signIn, signInMethods = [] }: AgentCheck): string {
  const ways = signInMethods.length === 0 ? "" : ` ${t("(ways: {0})", signInMethods.join(", "))}`;
  switch (signIn) {
    case "needed":
      return t("needed") + ways;
    case "done":
      return t("signed in, or not needed") + ways;
    case "unknown":
      return t("unknown") + ways;
  }
}

function acceptsText({ capabilities }: AgentInfo, { continuesSessions }: AgentCheck): string {
  const { image, audio, embeddedContext } = capabilities;
  const words = [
    t("text"),
    ...(image ? [t("images")] : []),
    ...(audio ? [t("audio")] : []),
    ...(embeddedContext ? [t("contents of files")] : []),
  ];
  const all = commaSeparated(words);
  return continuesSessions ? t("{0}; can continue earlier sessions", all) : all;
}

const stepTexts: Readonly<Partial<Record<NextStep, () => string>>> = {
  openSettings: () => t("Correct its entry in the setting parley.agents."),
  restartAgent: () => t("Read its last output, then restart it."),
  retry: () => t("Try again."),
  setAgentHeader: () => t("Run “Set Header of Agent…”."),
  selectAgent: () => t("Select another agent."),
};

/** What to do next, as one sentence. */
export function nextStepText({ problem, signIn, located }: AgentCheck): string {
  if (signIn === "needed") return t("Start a session with the agent and sign in.");
  if (problem) {
    const order: readonly NextStep[] = [
      "setAgentHeader",
      ...(located ? ["restartAgent" as const] : []),
      "openSettings",
      "retry",
    ];
    const step = order.find(each => problem.next.includes(each)) ?? "selectAgent";
    return stepTexts[step]?.() ?? t("Select another agent.");
  }
  return t("Nothing to do.");
}

const milliseconds = (time: number): string =>
  time < 10_000 ? t("{0} ms", Math.round(time)) : t("{0} s", Math.round(time / 1000));

function block(title: string, text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split("\n").slice(-maxOutputLines);
  return [`  ${title}:`, ...lines.map(line => `    ${visibleText(line.trimEnd())}`)];
}

/** Also hides the values that the agent gets from its settings and its keys, wherever they are. */
function withoutSecrets(text: string, started: AgentDefinition | undefined, env: Environment): string {
  const own = Object.entries(started ? unwrappedValues({ ...started.env, ...started.remote?.headers }) : {}).filter(
    ([name, value]) => env[name] !== value && value.length >= 6,
  );
  const { args = [], argsInSettings } = started ?? {};
  const resolved = argsInSettings
    ? args.filter(argument => !argsInSettings.includes(argument) && argument.length >= 6)
    : [];
  const values = [...own.map(([, value]) => value), ...resolved].sort((a, b) => b.length - a.length);
  return maskText(values.reduce((masked, value) => masked.replaceAll(value, hiddenValue), text));
}
