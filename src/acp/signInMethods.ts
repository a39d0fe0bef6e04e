// The ways to sign in that an agent announced in `initialize`, as Parley can run them (spec page "Authentication").
import type { AgentProgram, SignInMethod, SignInVariable } from "../session/signIn.ts";
import { asArray, asObject, asString, isObject, optionalField, type JsonObject } from "./parse.ts";

/**
 * The methods in the agent's order. Methods without an id, with a known id, or of an unknown type are left out. `agent`: its
 * program. Without one, the agent runs on a server, where Parley neither runs programs nor sets variables.
 */
export function signInMethods(
  authMethods: readonly unknown[],
  agent: AgentProgram | undefined,
): readonly SignInMethod[] {
  const methods = new Map<string, SignInMethod>();
  for (const method of authMethods.filter(isObject)) {
    const read = readMethod(method, agent);
    if (read && !methods.has(read.id)) methods.set(read.id, read);
  }
  return [...methods.values()];
}

function readMethod(method: JsonObject, agent: AgentProgram | undefined): SignInMethod | undefined {
  const id = asString(method["id"]);
  if (id === undefined || id === "") return undefined;
  const name = asString(method["name"]);
  const base = {
    id,
    name: name === undefined || name === "" ? id : name,
    ...optionalField("description", asString(method["description"])),
  };
  // A terminal precedes `authenticate`, which clients must not call with a terminal method.
  const terminal = agent && terminalProgram(method, agent);
  if (terminal) return { ...base, type: "terminal", ...terminal };
  switch (method["type"]) {
    case undefined:
    case null:
    case "agent":
      return { ...base, type: "agent" };
    case "env_var": {
      if (!agent) return undefined;
      const asked = asArray(method["vars"]).filter(isObject).flatMap(readVariable);
      return asked.length === 0 ? undefined : { ...base, type: "environment", variables: asked };
    }
    default:
      return undefined;
  }
}

type TerminalProgram = Omit<Extract<SignInMethod, { type: "terminal" }>, "id" | "name" | "description" | "type">;

/** The program of the specification comes first, because it is the agent's own. Others are de-facto extensions. */
function terminalProgram(method: JsonObject, agent: AgentProgram): TerminalProgram | undefined {
  if (method["type"] === "terminal") return ownProgram(agent, agent.args, method);
  const meta = asObject(method["_meta"]);
  const complete = asObject(meta["terminal-auth"]);
  const command = asString(complete["command"]);
  if (command !== undefined && command !== "")
    return { command, args: texts(complete["args"]), env: variables(complete["env"]) };
  return meta["type"] === "terminal" ? ownProgram(agent, withoutAcpArgument(agent.args), meta) : undefined;
}

const ownProgram = (
  { command }: AgentProgram,
  args: readonly string[],
  { args: further, env }: JsonObject,
): TerminalProgram => ({ command, args: [...args, ...texts(further)], env: variables(env) });

/** Before the specification had terminal methods, their arguments replaced the one that starts the ACP agent. */
const withoutAcpArgument = (args: readonly string[]): readonly string[] =>
  /^(?:--(?:experimental-)?)?acp$/.test(args.at(-1) ?? "") ? args.slice(0, -1) : args;

const texts = (value: unknown): readonly string[] => asArray(value).filter(item => typeof item === "string");

/** The variables with a name that a process can have, and a text as value. */
const variables = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asObject(value)).filter(
      (entry): entry is [string, string] => /^[^=\0]+$/.test(entry[0]) && typeof entry[1] === "string",
    ),
  );

/** A variable whose name is not a usual one is left out. A value counts as secret unless the agent denies it. */
function readVariable(variable: JsonObject): readonly SignInVariable[] {
  const name = asString(variable["name"]);
  if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) return [];
  const label = asString(variable["label"]);
  return [
    {
      name,
      label: label === undefined || label === "" ? name : label,
      secret: variable["secret"] !== false,
      optional: variable["optional"] === true,
    },
  ];
}
