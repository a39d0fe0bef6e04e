// The problem for an agent that requires sign-in, and the command line that signs in. Parley shows it and never runs
// it.
import type { Problem } from "../base/errors.ts";
import type { ErrorReason } from "./errorReason.ts";
import { optionalField, asArray, asString, asObject, type JsonObject } from "./parse.ts";

/** What the problem for sign-in says about the agent. */
export interface SignInOffer {
  readonly agentName: string;
  /** The command line that starts the agent. */
  readonly commandLine: string;
  /** The ways to sign in that the agent announced in `initialize`. */
  readonly authMethods: readonly JsonObject[];
}

/** The problem for an agent that needs the user to sign in, or to provide a key. */
export function authenticationProblem(
  { agentName, commandLine, authMethods }: SignInOffer,
  { sentence, detail, variables }: Pick<ErrorReason, "sentence" | "detail" | "variables">,
): Problem {
  const command = authMethods.map(method => signInCommand(method, commandLine)).find(line => line !== undefined);
  const named = authMethods.map(variablesOf).filter(names => names.length > 0);
  const others = variables.filter(name => !named.flat().includes(name)).map(name => [name]);
  const wanted = [...named, ...others].slice(0, maxChoices).map(names => names.join(" and "));
  const offers = authMethods.map(describeMethod).filter(words => words !== "");
  const methods = offers.length > 0 ? ` Sign-in methods: ${offers.join(", ")}.` : "";
  const ways = [
    ...(command === undefined ? [] : ["run its sign-in command in a terminal"]),
    ...(wanted.length === 0 ? [] : [`set ${wanted.join(" or ")} in the agent's \`env\` in Settings`]),
  ];
  const how = ways.length === 0 ? "sign in with its command-line program" : ways.join(", or ");
  const words = [sentence, detail].filter(
    text => text !== undefined && !/^(?:authentication required\.?)?$/i.test(text),
  );
  return {
    message: `${agentName} needs you to sign in. ${capitalized(how)}, then restart the agent here.${methods}`,
    ...optionalField("detail", words.length === 0 ? undefined : words.join("\n\n")),
    ...optionalField("command", command),
    next: ["restartAgent", ...(wanted.length > 0 ? (["openSettings"] as const) : []), "showTraffic"],
  };
}

const maxChoices = 5;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The environment variables of the sign-in methods of type `env_var`. */
export const signInVariables = (methods: readonly JsonObject[]): readonly string[] => methods.flatMap(variablesOf);

const variablesOf = (method: JsonObject): readonly string[] =>
  asArray(method["type"] === "env_var" ? method["vars"] : undefined)
    .map(asObject)
    .flatMap(variable => (variable["optional"] === true ? [] : (asString(variable["name"]) ?? [])));

function describeMethod(method: JsonObject): string {
  const name = asString(method["name"]) ?? asString(method["id"]) ?? "";
  const variables = variablesOf(method).filter(variable => !name.includes(variable));
  const description =
    asString(method["description"]) ?? (variables.length > 0 ? `set ${variables.join(" and ")}` : undefined);
  return description === undefined || description === name ? name : `${name} (${description.replace(/\.$/, "")})`;
}

/**
 * The command line that signs in. Some agents send a complete one (`_meta["terminal-auth"]`, a de-facto extension).
 * Otherwise the agent's own command line gets the arguments and variables of a terminal method (spec page
 * "Authentication"), which some agents put into `_meta`.
 */
function signInCommand(method: JsonObject, commandLine: string): string | undefined {
  const terminalAuth = asObject(asObject(method["_meta"])["terminal-auth"]);
  const command = asString(terminalAuth["command"]);
  if (command !== undefined)
    return [...quotedVariables(terminalAuth["env"]), quoted(command), ...words(terminalAuth["args"])].join(" ");
  if (method["type"] === "terminal")
    return [...quotedVariables(method["env"]), commandLine, ...words(method["args"])].join(" ");
  const meta = asObject(method["_meta"]);
  if (meta["type"] !== "terminal") return undefined;
  return [...quotedVariables(meta["env"]), withoutAcpSwitch(commandLine), ...words(meta["args"])].join(" ");
}

/** Before the specification had terminal methods, their arguments replaced the one that starts the ACP agent. */
const withoutAcpSwitch = (commandLine: string): string => commandLine.replace(/ (?:--(?:experimental-)?)?acp$/, "");

const words = (value: unknown): readonly string[] =>
  asArray(value)
    .filter(word => typeof word === "string")
    .map(quoted);

const quotedVariables = (env: unknown): readonly string[] =>
  Object.entries(asObject(env)).flatMap(([name, value]) =>
    typeof value === "string" ? [`${name}=${quoted(value)}`] : [],
  );

const quoted = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, "\\$1")}"`;
