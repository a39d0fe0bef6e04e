// The variables in definitions of MCP servers: `${workspaceFolder}`, `${userHome}`, `${env:NAME}` and `${input:id}`.
import { t } from "../base/l10n.ts";
import { secretIfCredential, unwrapped, type PlainOrSecret } from "../base/secrets/secret.ts";
import type { McpServer, ServerInput, ServerLaunch } from "./servers.ts";

export interface VariableValues {
  readonly workspaceFolder: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's answers, by id. */
  readonly inputs: ReadonlyMap<string, PlainOrSecret>;
}

const knownVariables = ["${workspaceFolder}", "${userHome}", "${env:NAME}", "${input:id}"];
const variable = /\$\{([a-zA-Z]+)(?::([^}]*))?\}/g;

/** The inputs that a server needs. An input without a description is asked by its id, as a secret. */
export function inputsOf(server: McpServer): readonly ServerInput[] {
  const ids = new Set<string>();
  mapTexts(server, text => {
    for (const [, kind, id] of text.matchAll(variable)) if (kind === "input" && id) ids.add(id);
    return text;
  });
  return [...ids].map(id => server.inputs.find(input => input.id === id) ?? { id, secret: true });
}

/** How to start the server, with every variable replaced. Throws a sentence about a variable that has no value. */
export function resolveVariables(server: McpServer, values: VariableValues): ServerLaunch {
  return mapTexts(server, text =>
    text.replace(variable, (whole, kind: string, name: string | undefined) => {
      switch (kind) {
        case "workspaceFolder":
          return values.workspaceFolder;
        case "userHome":
          return values.userHome;
        case "env":
          return unwrapped(secretIfCredential(name ?? "", values.env[name ?? ""] ?? ""));
        case "input": {
          const value = values.inputs.get(name ?? "");
          if (value === undefined)
            throw new Error(t('The value "{0}" of the MCP server {1} is missing.', name ?? "", server.name));
          return unwrapped(value);
        }
        default:
          throw new Error(
            t("The MCP server {0} uses {1}. Parley only knows {2}.", server.name, whole, knownVariables.join(", ")),
          );
      }
    }),
  );
}

/** Applies to every text in which variables are replaced. Names of variables and headers stay as they are. */
function mapTexts(server: McpServer, map: (text: string) => string): ServerLaunch {
  const record = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]));
  if (server.type !== "stdio") {
    const { type, url, headers, oauth } = server;
    const launch = { type, url: map(url), headers: record(headers) };
    if (!oauth) return launch;
    const { clientId, clientSecret, scope } = oauth;
    return {
      ...launch,
      oauth: {
        ...oauth,
        clientId: map(clientId),
        ...(clientSecret !== undefined && { clientSecret: map(clientSecret) }),
        ...(scope !== undefined && { scope: map(scope) }),
      },
    };
  }
  return {
    type: "stdio",
    command: map(server.command),
    args: server.args.map(map),
    env: record(server.env),
    ...(server.envFile !== undefined && { envFile: map(server.envFile) }),
    ...(server.cwd !== undefined && { cwd: map(server.cwd) }),
  };
}
