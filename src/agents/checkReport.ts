// The report of a check of agents, as text to read and to copy. It contains no secrets.
import { hiddenValue } from "../base/secrets/knownSecrets.ts";
import { maskText } from "../base/mask.ts";
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

/** A checked agent. `started` is the definition with the values of its variables and keys. */
export interface CheckedAgent {
  readonly definition: AgentDefinition;
  readonly started?: AgentDefinition;
  readonly check: AgentCheck;
}

const maxOutputLines = 10;
const proxyVariable = /^(?:https?|all|no|ftp)_proxy$/i;

/** The report. `environment` names VS Code, Parley and the system; `env` is the environment of VS Code. */
export function checkReport(
  agents: readonly CheckedAgent[],
  environment: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const proxies = Object.entries(env).filter(([name, value]) => proxyVariable.test(name) && value !== undefined);
  const head = [
    environment,
    proxies.length === 0
      ? "Proxy variables passed to agents: none"
      : `Proxy variables passed to agents: ${proxies.map(([name, value]) => `${name}=${value}`).join(", ")}`,
  ];
  const sections = agents.map(agent => withoutSecrets(section(agent, env["PATH"] ?? ""), agent.started, env));
  return `${[maskText(head.join("\n")), ...sections].join("\n\n")}\n`;
}

function section({ definition, check }: CheckedAgent, path: string): string {
  const { located, info, problem } = check;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Command", agentCommandLine(definition)],
    ["Program", located ? located.path : "not found"],
    ["Found in", located?.shell ? `the PATH of your login shell (${located.shell.shell}) only` : undefined],
    ["Working folder", definition.cwd ?? "a folder of Parley"],
    ["Version", info && [info.name, info.version].filter(word => word !== "").join(" ")],
    ["Protocol", info && `version ${info.protocolVersion}`],
    ["First answer", check.initializeTime === undefined ? undefined : `after ${milliseconds(check.initializeTime)}`],
    [
      "Session",
      check.sessionTime === undefined ? undefined : `opened after another ${milliseconds(check.sessionTime)}`,
    ],
    ["Accepts", info && acceptsText(info, check)],
    ["Sign-in", signInText(check)],
    ["Other output", check.badLines === 0 ? undefined : `${check.badLines} lines on stdout that are not messages`],
    ["Problem", problem?.message],
    ["Warning", startsInWorkspace(definition) ? workspaceWarning : undefined],
    ["Next step", nextStepText(check)],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(15)}${visibleLine(value)}`],
  );
  const paths = located?.shell ? pathsText(path, located.shell) : undefined;
  return [
    `${visibleLine(definition.name)} — ${problem ? (check.signIn === "needed" ? "needs a sign-in" : "does not work") : "works"}`,
    ...lines,
    ...block("PATHs", paths),
    ...block("Details", problem?.detail === check.stderr ? undefined : problem?.detail),
    ...block("Last output", check.stderr),
  ].join("\n");
}

const workspaceWarning =
  "The agent starts in the workspace folder, so settings and programs in it can run as part of the agent, with its keys.";

function signInText({ signIn, signInMethods = [] }: AgentCheck): string {
  const ways = signInMethods.length === 0 ? "" : ` (ways: ${signInMethods.join(", ")})`;
  switch (signIn) {
    case "needed":
      return `needed${ways}`;
    case "done":
      return `signed in, or not needed${ways}`;
    case "unknown":
      return `unknown${ways}`;
  }
}

function acceptsText({ capabilities }: AgentInfo, { continuesSessions }: AgentCheck): string {
  const { image, audio, embeddedContext } = capabilities;
  const words = [
    "text",
    ...(image ? ["images"] : []),
    ...(audio ? ["audio"] : []),
    ...(embeddedContext ? ["contents of files"] : []),
  ];
  return `${words.join(", ")}${continuesSessions ? "; can continue earlier sessions" : ""}`;
}

const stepTexts: Readonly<Partial<Record<NextStep, string>>> = {
  openSettings: "Correct its entry in the setting parley.agents.",
  restartAgent: "Read its last output, then restart it.",
  retry: "Try again.",
  selectAgent: "Select another agent.",
};

/** What to do next, as one sentence. */
export function nextStepText({ problem, signIn, located }: AgentCheck): string {
  if (signIn === "needed") return "Start a session with the agent and sign in.";
  if (problem) {
    const order: readonly NextStep[] = located ? ["restartAgent", "openSettings", "retry"] : ["openSettings", "retry"];
    const step = order.find(each => problem.next.includes(each)) ?? "selectAgent";
    return stepTexts[step] ?? "Select another agent.";
  }
  if (located?.shell)
    return `Set parley.agents → command to ${located.path}, so that Parley does not have to ask the shell.`;
  return "Nothing to do.";
}

const milliseconds = (time: number): string =>
  time < 10_000 ? `${Math.round(time)} ms` : `${Math.round(time / 1000)} s`;

function block(title: string, text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split("\n").slice(-maxOutputLines);
  return [`  ${title}:`, ...lines.map(line => `    ${visibleText(line.trimEnd())}`)];
}

/** Also hides the values that the agent gets from its settings and its keys, wherever they are. */
function withoutSecrets(
  text: string,
  started: AgentDefinition | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const own = Object.entries(started ? unwrappedValues(started.env) : {}).filter(
    ([name, value]) => env[name] !== value && value.length >= 6,
  );
  const { args = [], argsInSettings } = started ?? {};
  const resolved = argsInSettings
    ? args.filter(argument => !argsInSettings.includes(argument) && argument.length >= 6)
    : [];
  const values = [...own.map(([, value]) => value), ...resolved].sort((a, b) => b.length - a.length);
  return maskText(values.reduce((masked, value) => masked.replaceAll(value, hiddenValue), text));
}
