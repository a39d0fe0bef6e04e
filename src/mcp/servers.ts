// The MCP servers that are configured: their definitions, and reading them from settings and files.
import { t } from "../base/l10n.ts";

/** A server as it is configured, before its variables are resolved. Commands are not yet absolute. */
export type McpServer = {
  /** Unique among all servers. Shown, and part of the names of prompts. */
  readonly name: string;
  readonly source: ServerSource;
  readonly inputs: readonly ServerInput[];
  /** The workspace folder whose file configures the server. */
  readonly folder?: string;
} & ServerLaunch;

export type ServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** A file of further variables. Those of `env` have precedence. */
      readonly envFile?: string;
      readonly cwd?: string;
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth?: OAuthSettings;
    };

/** A client that the user has registered at the authorization server of an MCP server, which then needs no registration. */
export interface OAuthSettings {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The permissions to ask for, instead of those that the server names. */
  readonly scope?: string;
  /** The port of the redirect address, if the authorization server accepts only one. */
  readonly callbackPort?: number;
}

/** Where a server is configured. Servers of a workspace need the user's consent. */
export type ServerSource = "user" | "agent" | "workspace";

/** A value that Parley asks the user for, `${input:id}` in a definition. */
export interface ServerInput {
  readonly id: string;
  readonly description?: string;
  readonly secret: boolean;
  readonly default?: string;
  readonly options?: readonly string[];
}

export interface ServersRead {
  readonly servers: readonly McpServer[];
  /** Why entries are left out, as sentences. */
  readonly problems: readonly string[];
}

/** Of a name, and of a whole definition as JSON (characters). Parts of both are kept. */
const maxNameLength = 200;
const maxEntryLength = 200_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === "string");
const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(item => typeof item === "string");

/** Reads an object of servers by name. `where` is its place in sentences, such as `parley.mcpServers`. */
export function readServers(
  value: unknown,
  source: ServerSource,
  where: string,
  shared: readonly ServerInput[] = [],
): ServersRead {
  if (value === undefined) return { servers: [], problems: [] };
  if (!isRecord(value)) return { servers: [], problems: [t("{0} must be an object of servers by name.", where)] };
  const servers: McpServer[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(value)) {
    const read = readServer(name, entry, source, shared);
    if (typeof read === "string")
      problems.push(t('The MCP server "{0}" in {1} {2}', name.slice(0, maxNameLength), where, read));
    else servers.push(read);
  }
  return { servers, problems };
}

/**
 * Reads a file of servers: `servers` with `inputs` as in VS Code, or `mcpServers` as in many other programs. The text is
 * JSON that was parsed already.
 */
export function readServerFile(value: unknown, source: ServerSource, where: string): ServersRead {
  if (!isRecord(value)) return { servers: [], problems: [t("{0} must contain an object.", where)] };
  const list = value["servers"] ?? value["mcpServers"];
  if (list === undefined) return { servers: [], problems: [t("{0} contains neither servers nor mcpServers.", where)] };
  return readServers(list, source, where, readInputs(value["inputs"]));
}

function readServer(
  name: string,
  entry: unknown,
  source: ServerSource,
  shared: readonly ServerInput[],
): McpServer | string {
  if (name.trim() === "") return t("has no name.");
  if (name.length > maxNameLength) return t("has a name of more than {0} characters.", maxNameLength);
  if (!isRecord(entry)) return t("must be an object with a command or a url.");
  if (JSON.stringify(entry).length > maxEntryLength) return t("has more than {0} characters.", maxEntryLength);
  const { type, command, args = [], env = {}, envFile, cwd, url, headers = {}, oauth } = entry;
  const inputs = [...readInputs(entry["inputs"]), ...shared].filter(input =>
    JSON.stringify(entry).includes(`\${input:${input.id}}`),
  );
  const facts = { name, source, inputs };
  if (type === undefined && command === undefined && url === undefined) return t("has neither a command nor a url.");
  if (type === undefined && command !== undefined && url !== undefined)
    return t('has both a command and a url. Name its type: "stdio", "http" or "sse".');
  const kind = type ?? (url === undefined ? "stdio" : "http");
  switch (kind) {
    case "stdio":
    case "local":
      if (typeof command !== "string" || command.trim() === "")
        return t("has no command. Name the program that starts it.");
      if (!isTexts(args)) return t("has args that are not a list of strings.");
      if (!isTextRecord(env)) return t("has an env whose values are not all strings.");
      if (envFile !== undefined && typeof envFile !== "string") return t("has an envFile that is not a string.");
      if (cwd !== undefined && typeof cwd !== "string") return t("has a cwd that is not a string.");
      return {
        ...facts,
        ...{ type: "stdio", command, args, env },
        ...(envFile !== undefined && { envFile }),
        ...(cwd !== undefined && { cwd }),
      };
    case "http":
    case "streamable-http":
    case "sse":
      if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url))
        return t("has no url that begins with http:// or https://.");
      if (!isTextRecord(headers)) return t("has headers whose values are not all strings.");
      if (oauth !== undefined && !isOAuthSettings(oauth))
        return t("has an oauth that is not an object with a clientId, or that has a part of another type.");
      return {
        ...facts,
        ...{ type: kind === "sse" ? "sse" : "http", url, headers },
        ...(oauth !== undefined && { oauth: oauthOf(oauth) }),
      };
    default:
      return t('has a type that is none of "stdio", "http" and "sse".');
  }
}

function isOAuthSettings(value: unknown): value is OAuthSettings {
  if (!isRecord(value) || typeof value["clientId"] !== "string" || value["clientId"] === "") return false;
  const { clientSecret, scope, callbackPort } = value;
  const isPort = Number.isInteger(callbackPort) && Number(callbackPort) > 0 && Number(callbackPort) < 65_536;
  const areTexts = [clientSecret, scope].every(part => part === undefined || typeof part === "string");
  return areTexts && (callbackPort === undefined || isPort);
}

/** Only the known parts, because everything in a definition counts as the definition. */
const oauthOf = ({ clientId, clientSecret, scope, callbackPort }: OAuthSettings): OAuthSettings => ({
  clientId,
  ...(clientSecret !== undefined && { clientSecret }),
  ...(scope !== undefined && { scope }),
  ...(callbackPort !== undefined && { callbackPort }),
});

function readInputs(value: unknown): readonly ServerInput[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).filter(isRecord).flatMap(input => {
    const { id, description, password, default: preset, options } = input;
    if (typeof id !== "string" || id === "") return [];
    return [
      {
        id,
        secret: password === true,
        ...(typeof description === "string" && { description }),
        ...(typeof preset === "string" && { default: preset }),
        ...(isTexts(options) && options.length > 0 && { options }),
      },
    ];
  });
}

/** The definition of a server as JSON for the setting `parley.mcpServers`. */
export function serverSetting({ name: _, source: __, folder: ___, inputs, ...launch }: McpServer): object {
  const asked = inputs.map(({ secret, ...input }) => ({ ...input, ...(secret && { password: true }) }));
  return { ...launch, ...(asked.length > 0 && { inputs: asked }) };
}

/** Identifies a definition: it changes if anything in the definition does. */
export const serverFingerprint = (server: McpServer): string =>
  JSON.stringify([server.name, serverSetting(server), ...(server.folder === undefined ? [] : [server.folder])]);

/**
 * All servers with distinct names. A server of the workspace never takes the place of the user's own, and gets another
 * name.
 */
export function mergeServers(...lists: readonly (readonly McpServer[])[]): readonly McpServer[] {
  const names = new Set<string>();
  return lists.flat().map(server => {
    let { name } = server;
    for (let n = 2; names.has(name); n++) name = `${server.name} ${n}`;
    names.add(name);
    return name === server.name ? server : { ...server, name };
  });
}
