// What a sign-in in a terminal runs: the agent's own program, or another one, which the user must see first.
import { createHash } from "node:crypto";
import { exactLine } from "../base/inertText.ts";
import { hostPlatform, type Environment, type Platform } from "../base/platform.ts";
import { proxyVariables, variableOf } from "../base/programEnvironment.ts";
import { choosesProgram } from "../base/programVariables.ts";
import { unwrappedValues } from "../base/secrets/secret.ts";
import type { SignInMethod } from "../session/signIn.ts";
import type { AgentDefinition } from "./registry.ts";

export type TerminalMethod = Extract<SignInMethod, { type: "terminal" }>;

/** A program that a sign-in would run. */
export interface SignInProgram {
  readonly method: TerminalMethod;
  /** The agent as its process is started. */
  readonly agent: AgentDefinition;
  readonly cwd: string;
}

/** How to start the program: as the agent, with the arguments and variables of the method. */
export const signInDefinition = ({ method, agent }: SignInProgram): AgentDefinition => ({
  ...agent,
  command: method.command,
  args: method.args,
  env: { ...agent.env, ...method.env },
});

/**
 * The variables for a terminal of VS Code, which adds them to its own environment: what the program has of its own, and
 * the PATH and the proxy that it shares with the agent; null removes one. `env` is the environment of the program, `host`
 * that of VS Code. A terminal in a remote window has other variables of VS Code, which open a browser on the user's
 * machine, so those stay.
 */
export function signInEnvironment(
  definition: AgentDefinition,
  env: Environment,
  host: Environment,
  platform: Platform = hostPlatform,
): Readonly<Record<string, string | null>> {
  const path = variableOf(env, "PATH", platform);
  const removed = Object.keys(proxyVariables(host)).filter(name => variableOf(env, name, platform) === undefined);
  return {
    ...Object.fromEntries(removed.map(name => [name, null])),
    ...(path !== undefined && { PATH: path }),
    ...proxyVariables(env),
    ...Object.fromEntries(
      Object.entries(unwrappedValues(definition.env)).filter(([name]) => name.toUpperCase() !== "PATH"),
    ),
  };
}

/** Why the user must see the program first. */
export type ProgramConcern = "otherProgram" | "startsPrograms" | "variables";

/** More arguments and variables do not fit a dialog. */
const maxShownItems = 40;
/** Nor do more characters in all texts together. None is left out: what is not shown could be what runs. */
const maxShownLength = 2_000;

/**
 * Programs that run the agent somewhere else or as someone else. They read arguments as their own if the configured
 * ones end before the agent's program, as in `ssh host`, and then a sign-in could run a program here.
 */
const programsThatStartPrograms = new Set(
  `ssh autossh mosh et plink docker podman nerdctl lima limactl colima kubectl oc crictl wsl vagrant lxc incus lxc-attach
  machinectl systemd-run systemd-nspawn bwrap firejail flatpak snap distrobox distrobox-enter toolbox devcontainer devpod
  coder gh gcloud az aws chroot nsenter unshare sudo su doas runuser pkexec`.split(/\s+/),
);

/** Why the user must see the program first. Undefined for the program of the agent, with the arguments of the method. */
export function programConcern({ method, agent }: SignInProgram): ProgramConcern | undefined {
  if (!isOwnProgram(method, agent)) return "otherProgram";
  if (Object.keys(method.env).some(name => choosesProgram(name))) return "variables";
  const isExtended = method.args.length > agent.args.length;
  return isExtended && [agent.command, ...agent.args].some(startsPrograms) ? "startsPrograms" : undefined;
}

/** Whether the program has too many arguments and variables, or too long ones, for the user to read them. */
export function isTooLong(program: SignInProgram): boolean {
  const { command, args, env } = program.method;
  if (args.length + Object.keys(env).length > maxShownItems) return true;
  // Long texts are not made visible first.
  const size = [command, ...args, ...Object.entries(env).flat()].reduce((sum, text) => sum + text.length, 0);
  if (size > 100 * maxShownLength) return true;
  const shown = programTexts(program);
  const texts = [shown.program, ...shown.args, shown.cwd, ...shown.variables];
  return texts.reduce((sum, text) => sum + text.length, 0) > maxShownLength;
}

/** Whether a file in one of these folders takes part. The agent can change it after the user has allowed the program. */
export const usesFilesOf = ({ method, cwd }: SignInProgram, folders: readonly string[]): boolean =>
  [method.command, ...method.args, ...Object.values(method.env), cwd].some(text =>
    folders.some(folder => text.includes(folder)),
  );

function startsPrograms(word: string): boolean {
  const [, name = ""] = /([^\\/]*?)(?:\.(?:exe|cmd|bat))?$/i.exec(word) ?? [];
  return programsThatStartPrograms.has(name.toLowerCase());
}

const isOwnProgram = (method: TerminalMethod, { command, args }: AgentDefinition): boolean =>
  method.command === command && args.every((argument, i) => method.args[i] === argument);

/** The texts of the program as a user reads them. Nothing is left out. */
export interface ProgramTexts {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables: readonly string[];
}

/** The program, its arguments, folder and variables, each in one line. */
export function programTexts({ method, agent, cwd }: SignInProgram): ProgramTexts {
  // A value that the user's settings put in the place of a variable can be a secret.
  const own = isOwnProgram(method, agent) ? (agent.argsInSettings ?? agent.args) : [];
  return {
    program: exactLine(method.command),
    args: [...own, ...method.args.slice(own.length)].map(exactLine),
    cwd: exactLine(cwd),
    variables: Object.entries(method.env).map(([name, value]) => exactLine(`${name}=${value}`)),
  };
}

/** A short key of exactly this program, its arguments, folder and variables. */
export function programKey({ method, cwd }: SignInProgram): string {
  const variables = Object.entries(method.env).sort(([a], [b]) => (a < b ? -1 : 1));
  const definition = JSON.stringify([method.command, method.args, cwd, variables]);
  return createHash("sha256").update(definition).digest("hex");
}

/** The variables of a form for keys that choose programs. Parley does not ask for them. */
export const refusedVariables = (method: Extract<SignInMethod, { type: "environment" }>): readonly string[] =>
  method.variables.flatMap(({ name }) => (choosesProgram(name) ? [name] : []));
