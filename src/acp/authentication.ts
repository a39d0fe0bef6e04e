// The problem for an agent that requires sign-in, and the command line that signs in. Parley shows it and never runs
// it.
import type { Problem } from "../base/errors.ts";
import { optionalField, asArray, asString, asObject, type JsonObject } from "./parse.ts";

/** The problem for an agent that answered "Authentication required" (-32000), with its `authMethods`. */
export function authenticationProblem(
  agentName: string,
  commandLine: string,
  methods: readonly JsonObject[],
  agentMessage: string,
): Problem {
  const command = methods.map(method => signInCommand(method, commandLine)).find(line => line !== undefined);
  const offers = methods.map(describeMethod).filter(words => words !== "");
  const how = offers.length > 0 ? ` Sign-in methods: ${offers.join(", ")}.` : "";
  const where =
    command === undefined ? "Sign in with its command-line program" : "Run its sign-in command in a terminal";
  return {
    message: `${agentName} needs you to sign in. ${where}, then restart the agent here.${how}`,
    ...optionalField(
      "detail",
      agentMessage === "" || agentMessage === "Authentication required" ? undefined : agentMessage,
    ),
    ...optionalField("command", command),
    next: ["restartAgent", "showTraffic"],
  };
}

function describeMethod(method: JsonObject): string {
  const name = asString(method["name"]) ?? asString(method["id"]) ?? "";
  const description = asString(method["description"]);
  return description === undefined || description === name ? name : `${name} (${description.replace(/\.$/, "")})`;
}

/**
 * The command line that signs in. Some agents send a complete one (`_meta["terminal-auth"]`, a de-facto extension).
 * Otherwise the agent's own command line gets the arguments and variables of a terminal method (spec page
 * "Authentication").
 */
function signInCommand(method: JsonObject, commandLine: string): string | undefined {
  const terminalAuth = asObject(asObject(method["_meta"])["terminal-auth"]);
  const command = asString(terminalAuth["command"]);
  if (command !== undefined)
    return [...quotedVariables(terminalAuth["env"]), quoted(command), ...words(terminalAuth["args"])].join(" ");
  if (method["type"] !== "terminal") return undefined;
  return [...quotedVariables(method["env"]), commandLine, ...words(method["args"])].join(" ");
}

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
