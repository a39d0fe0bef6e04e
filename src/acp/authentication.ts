// The words for an agent that wants a sign-in, and the command line that does it: shown, never run.
import type { Problem } from "../base/errors.ts";
import { given, list, text, wire, type Wire } from "./parse.ts";

/** The problem of an agent that answered "Authentication required" (-32000), with what it offers in `authMethods`. */
export function signInNeeded(agentName: string, commandLine: string, methods: readonly Wire[], said: string): Problem {
  const command = methods.map(method => signInCommand(method, commandLine)).find(line => line !== undefined);
  const offers = methods.map(offer).filter(words => words !== "");
  const how = offers.length > 0 ? ` It offers: ${offers.join(", ")}.` : "";
  const where = command === undefined ? "Sign in with its own command-line program" : "Run its sign-in in a terminal";
  return {
    message: `${agentName} needs you to sign in. ${where}, then restart it here.${how}`,
    ...given("detail", said === "" || said === "Authentication required" ? undefined : said),
    ...given("command", command),
    next: ["restartAgent", "showTraffic"],
  };
}

function offer(method: Wire): string {
  const name = text(method["name"]) ?? text(method["id"]) ?? "";
  const description = text(method["description"]);
  return description === undefined || description === name ? name : `${name} (${description.replace(/\.$/, "")})`;
}

/**
 * The command that signs in: the one the agent gives ready to run (`_meta["terminal-auth"]`, de facto), or its own with
 * the arguments and variables of a terminal method appended (spec page "Authentication").
 */
function signInCommand(method: Wire, commandLine: string): string | undefined {
  const ready = wire(wire(method["_meta"])["terminal-auth"]);
  const command = text(ready["command"]);
  if (command !== undefined) return [...variables(ready["env"]), quoted(command), ...words(ready["args"])].join(" ");
  if (method["type"] !== "terminal") return undefined;
  return [...variables(method["env"]), commandLine, ...words(method["args"])].join(" ");
}

const words = (value: unknown): readonly string[] =>
  list(value)
    .filter(word => typeof word === "string")
    .map(quoted);

const variables = (env: unknown): readonly string[] =>
  Object.entries(wire(env)).flatMap(([name, value]) => (typeof value === "string" ? [`${name}=${quoted(value)}`] : []));

const quoted = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, "\\$1")}"`;
