// The words for an agent that wants a sign-in, and the command line that does it: shown, never run.
import type { Problem } from "../base/errors.ts";
import { optionalField, asArray, asString, asObject, type JsonObject } from "./parse.ts";

/** The problem of an agent that answered "Authentication required" (-32000), with what it offers in `authMethods`. */
export function authenticationProblem(
  agentName: string,
  commandLine: string,
  methods: readonly JsonObject[],
  agentMessage: string,
): Problem {
  const command = methods.map(method => signInCommand(method, commandLine)).find(line => line !== undefined);
  const offers = methods.map(describeMethod).filter(words => words !== "");
  const how = offers.length > 0 ? ` It offers: ${offers.join(", ")}.` : "";
  const where = command === undefined ? "Sign in with its own command-line program" : "Run its sign-in in a terminal";
  return {
    message: `${agentName} needs you to sign in. ${where}, then restart it here.${how}`,
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
 * The command that signs in: the one the agent gives ready to run (`_meta["terminal-auth"]`, de facto), or its own with
 * the arguments and variables of a terminal method appended (spec page "Authentication").
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
