// The ways to sign in that an agent announced in `initialize`, as Parley can run them (spec page "Authentication").
import type { AgentProgram, SignInMethod, SignInVariable } from "../session/signIn.ts";
import { asArray, asObject, asString, isObject, optionalField, type JsonObject } from "./parse.ts";

/** The methods in the agent's order. Methods without an id, with a known id, or of an unknown type are left out. */
export function signInMethods(authMethods: readonly unknown[], agent: AgentProgram): readonly SignInMethod[] {
  const methods = new Map<string, SignInMethod>();
  for (const method of authMethods.filter(isObject)) {
    const read = readMethod(method, agent);
    if (read && !methods.has(read.id)) methods.set(read.id, read);
  }
  return [...methods.values()];
}

function readMethod(method: JsonObject, agent: AgentProgram): SignInMethod | undefined {
  const id = asString(method["id"]);
  if (id === undefined || id === "") return undefined;
  const name = asString(method["name"]);
  const base = {
    id,
    name: name === undefined || name === "" ? id : name,
    ...optionalField("description", asString(method["description"])),
  };
  // A terminal precedes `authenticate`, which clients must not call with a terminal method.
  const terminal = terminalProgram(method, agent);
  if (terminal) return { ...base, type: "terminal", ...terminal };
  switch (method["type"]) {
    case undefined:
    case null:
    case "agent":
      return { ...base, type: "agent" };
    case "env_var": {
      const variables = asArray(method["vars"]).filter(isObject).flatMap(readVariable);
      return variables.length === 0 ? undefined : { ...base, type: "environment", variables };
    }
    default:
      return undefined;
  }
}

type TerminalProgram = Omit<Extract<SignInMethod, { type: "terminal" }>, "id" | "name" | "description" | "type">;

function terminalProgram(method: JsonObject, agent: AgentProgram): TerminalProgram | undefined {
  const meta = asObject(method["_meta"]);
  // A complete program, a de-facto extension.
  const complete = asObject(meta["terminal-auth"]);
  const command = asString(complete["command"]);
  if (command !== undefined && command !== "")
    return { command, args: texts(complete["args"]), env: textValues(complete["env"]) };
  if (method["type"] === "terminal")
    return {
      command: agent.command,
      args: [...agent.args, ...texts(method["args"])],
      env: textValues(method["env"]),
    };
  if (meta["type"] !== "terminal") return undefined;
  return {
    command: agent.command,
    args: [...withoutAcpArgument(agent.args), ...texts(meta["args"])],
    env: textValues(meta["env"]),
  };
}

/** Before the specification had terminal methods, their arguments replaced the one that starts the ACP agent. */
const withoutAcpArgument = (args: readonly string[]): readonly string[] =>
  /^(?:--(?:experimental-)?)?acp$/.test(args.at(-1) ?? "") ? args.slice(0, -1) : args;

const texts = (value: unknown): readonly string[] => asArray(value).filter(item => typeof item === "string");

const textValues = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
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
