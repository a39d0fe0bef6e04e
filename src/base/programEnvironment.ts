// The environment that all programs of a window share: that of VS Code, the PATH of the user's login shell, and the proxy
// of VS Code's settings. Each kind of program adds its own variables to it. Pure.
import { hostPlatform, type Environment, type Platform } from "./platform.ts";
import { credentialsIn } from "./mask.ts";
import { rememberSecrets } from "./secrets/secret.ts";

/** The PATH of a login shell, or why it is not known. */
export type ShellPath =
  | { readonly shell: string; readonly path: string; readonly reason?: never }
  | { readonly shell: string; readonly path?: never; readonly reason: string };

/** The proxy of VS Code's settings. Empty if programs get none from there. */
export interface ProxySettings {
  readonly proxy?: string;
  /** Hosts and domains that are reached without the proxy. */
  readonly noProxy?: readonly string[];
}

/** Local servers, such as MCP servers and the page at the end of a sign-in, are never reached through a proxy. */
const loopback = ["localhost", "127.0.0.1", "::1"];

/** A longer value is no address. */
const maxProxyLength = 2000;
const maxNoProxyItems = 500;

/**
 * Reads the values of `http.proxy`, `http.noProxy` and `http.proxySupport`. `off` stands for extensions without a proxy,
 * so their programs get none either. A password in the address is hidden from now on.
 */
export function readProxySettings(proxy: unknown, noProxy: unknown, support: unknown): ProxySettings {
  if (support === "off") return {};
  const address = typeof proxy === "string" ? proxy.trim() : "";
  const isAddress = address !== "" && address.length <= maxProxyLength && !/[\s\p{Cc}]/u.test(address);
  const hosts = (Array.isArray(noProxy) ? noProxy : [])
    .slice(0, maxNoProxyItems)
    .flatMap(host => (typeof host === "string" ? listedHosts(host) : []))
    // VS Code also accepts `*.example.com`. Programs know `.example.com`.
    .map(host => host.replace(/^\*\./, "."));
  if (isAddress) rememberSecrets(credentialsIn("", address).flatMap(secret => [secret, decoded(secret)]));
  return { ...(isAddress && { proxy: address }), ...(hosts.length > 0 && { noProxy: hosts }) };
}

const listedHosts = (text: string): readonly string[] => text.split(/[\s,\p{Cc}]+/u).filter(host => host !== "");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}

/**
 * The environment with the proxy of the settings. A variable for a proxy that is already set, in upper or lower case, wins:
 * it is of the user's environment or of the program's own configuration. So does `ALL_PROXY`. A `NO_PROXY` that is set gets
 * the loopback hosts if a proxy is added.
 */
export function withProxy(
  env: Environment,
  settings: ProxySettings,
  platform: Platform = hostPlatform,
): Readonly<Record<string, string>> {
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  // Most programs prefer the lower case, and some read nothing else.
  const valueOf = (name: string): string | undefined =>
    given.find(([other]) => other === name.toLowerCase())?.[1] ??
    given.findLast(([other]) => other.toUpperCase() === name)?.[1];
  const { proxy } = settings;
  const missing = ["HTTP_PROXY", "HTTPS_PROXY"].filter(name => valueOf(name) === undefined);
  const added = proxy === undefined || valueOf("ALL_PROXY") !== undefined ? [] : missing;
  // An empty list of one case must not hide the hosts of the other.
  const lists = given.flatMap(([name, value]) => (name.toUpperCase() === "NO_PROXY" ? [value] : []));
  const own = lists.length > 0 ? lists.join(",") : undefined;
  const direct = directHosts(own, settings.noProxy, added.length > 0);
  const values = new Map(added.map(name => [name, proxy ?? ""]));
  if (direct !== undefined) values.set("NO_PROXY", direct);
  const kept = given.filter(([name]) => !values.has(name.toUpperCase()));
  // Windows ignores the case of names.
  const both = [...values].flatMap(([name, value]) =>
    platform === "windows" ? [[name, value] as const] : [[name, value] as const, [name.toLowerCase(), value] as const],
  );
  return Object.fromEntries([...kept, ...both]);
}

/** The value of `NO_PROXY`. Undefined if it stays as it is. */
function directHosts(
  own: string | undefined,
  setting: readonly string[] | undefined,
  addsProxy: boolean,
): string | undefined {
  if (own !== undefined && !addsProxy) return undefined;
  if (own === undefined && !addsProxy && setting === undefined) return undefined;
  const hosts = own === undefined ? (setting ?? []) : listedHosts(own);
  if (hosts.includes("*")) return "*";
  return [...new Set([...hosts, ...loopback])].join(",");
}

/**
 * The environment of an agent, which reaches the loopback hosts without a proxy. Otherwise a proxy of the user's environment
 * would get the requests to the server of the editor's tools, with their token. Programs differ in which list of hosts they
 * read, so each gets the hosts of all lists.
 */
export function withDirectLoopback(
  env: Readonly<Record<string, string>>,
  platform: Platform = hostPlatform,
): Readonly<Record<string, string>> {
  const valuesOf = (pattern: RegExp): readonly string[] =>
    Object.entries(env).flatMap(([name, value]) => (pattern.test(name) ? [value] : []));
  if (valuesOf(/^(?:https?|all)_proxy$/i).every(value => value === "")) return env;
  const lists = valuesOf(/^no_proxy$/i).map(listedHosts);
  const isDirect = (list: readonly string[]): boolean => list.includes("*") || list.includes("127.0.0.1");
  if (lists.length > 0 && lists.every(isDirect)) return env;
  const hosts = new Set([...lists.flat(), ...loopback]);
  // Many programs know “*” only alone.
  const direct = hosts.has("*") ? "*" : [...hosts].join(",");
  const kept = Object.entries(env).filter(([name]) => name.toUpperCase() !== "NO_PROXY");
  const names = platform === "windows" ? ["NO_PROXY"] : ["NO_PROXY", "no_proxy"];
  return Object.fromEntries([...kept, ...names.map(name => [name, direct] as const)]);
}

const isProxyVariable = (name: string): boolean => /^(?:https?|all|no|ftp)_proxy$/i.test(name);

/** The variables for a proxy, as they are in the environment. */
export const proxyVariables = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isProxyVariable(name) ? [[name, value] as const] : [],
    ),
  );

/**
 * What identifies a variable. Windows ignores the case of names: with both `Path` and `PATH` set, a process could get
 * either. Programs read the variables for a proxy in either case.
 */
export const variableKey = (name: string, platform: Platform = hostPlatform): string =>
  platform === "windows" || isProxyVariable(name) ? name.toUpperCase() : name;

/**
 * The PATH of programs from those of VS Code and of the login shell. An editor that was started from the desktop has
 * nothing that the shell has not, so the shell decides the order. One that was started in a terminal can have more, such
 * as the folder of a virtual environment: that stays first, and what only the shell has follows.
 */
export function joinedPath(host: string | undefined, shell: string): string {
  const folders = (path: string): readonly string[] => path.split(":").filter(folder => folder !== "");
  const known = new Set(folders(shell));
  const own = folders(host ?? "");
  if (own.every(folder => known.has(folder))) return shell;
  return [...new Set([...own, ...known])].join(":");
}

/** The environment with other values of variables; null removes one. Variables are compared by {@link variableKey}. */
export function changedEnvironment(
  env: Environment,
  changes: Readonly<Record<string, string | null>>,
  platform: Platform = hostPlatform,
): Environment {
  const changed = new Set(Object.keys(changes).map(name => variableKey(name, platform)));
  const kept = Object.entries(env).filter(([name]) => !changed.has(variableKey(name, platform)));
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...(set as readonly [string, string][])]);
}

/** The value of a variable. On Windows, names are compared without case, and the variable that was added last wins. */
export const variableOf = (env: Environment, name: string, platform: Platform = hostPlatform): string | undefined =>
  platform === "windows"
    ? Object.entries(env).findLast(([key]) => key.toUpperCase() === name.toUpperCase())?.[1]
    : env[name];
