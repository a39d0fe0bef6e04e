// What the definition of an MCP server runs and reads in the workspace folders: the variables of its `envFile`, and the
// content of the files that it names. The consent to a server of the workspace holds for this content.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Environment } from "../base/platform.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement } from "../files/paths.ts";
import { digestRegularFile } from "../files/regularFile.ts";
import { envFilePath, readEnvFile } from "./envFile.ts";
import { findNamedFiles } from "./namedFiles.ts";
import type { McpServer } from "./servers.ts";
import type { PlainOrSecret } from "../base/secrets/secret.ts";
import { inputsOf, resolveVariables } from "./serverVariables.ts";

/** What was read at one moment. */
export interface ServerContent {
  /** The variables of `envFile`. A start uses these, so that it never reads others than were allowed. */
  readonly variables: Readonly<Record<string, string>>;
  /** Why the server cannot start, as a sentence. */
  readonly problem?: string;
  /** What identifies the content of each file, by its full path. */
  readonly digests: ReadonlyMap<string, string>;
  /** The files of the workspace folders that the server runs or reads, under all their names. Full paths. */
  readonly files: readonly string[];
}

/** Where a server is configured, and the values of its variables. */
export interface ContentPlace {
  readonly folder: string;
  /** All workspace folders. */
  readonly roots: readonly string[];
  readonly userHome: string;
  readonly env: Environment;
  /** The user's answers that are stored, by id. */
  readonly inputs: ReadonlyMap<string, PlainOrSecret>;
}

/** All files of a server together are not larger, unless its problem says so (bytes). */
const maxTotalSize = 200_000_000;

const noContent: ServerContent = { variables: {}, digests: new Map(), files: [] };

/** Reads the content. Never rejects: a problem is part of the content. */
export async function readServerContent(server: McpServer, place: ContentPlace): Promise<ServerContent> {
  if (server.type !== "stdio") return noContent;
  const { folder, roots, userHome, env } = place;
  const files: string[] = [];
  const digests = new Map<string, string>();
  const problems: string[] = [];
  let variables: Readonly<Record<string, string>> = {};
  /** A problem with one part does not hide the others. */
  const attempt = async (read: () => Promise<void>): Promise<void> =>
    read().catch((error: unknown) => {
      const { message } = asError(error);
      const isSentence = /\.$/.test(message);
      problems.push(isSentence ? message : t("The MCP server {0} cannot start: {1}.", server.name, message));
    });
  await attempt(async () => {
    // The place of a value that is not entered yet shows that it is missing.
    const missing = inputsOf(server).map(({ id }) => [id, `\${input:${id}}`] as const);
    const inputs = new Map<string, PlainOrSecret>([...missing, ...place.inputs]);
    const launch = resolveVariables(server, { workspaceFolder: folder, userHome, env, inputs });
    if (launch.type !== "stdio") return;
    const { envFile } = launch;
    if (envFile !== undefined)
      await attempt(async () => {
        const path = envFilePath(envFile, folder);
        if (path !== undefined) files.push(path, (await new Confinement(nodePaths(), roots).locate(path)).path);
        const mustBeInside = server.source === "workspace";
        const read = await readEnvFile(envFile, { server: server.name, folder, mustBeInside, roots });
        variables = read.variables;
        digests.set(path ?? envFile, read.digest);
      });
    const named = await findNamedFiles(
      { ...launch, env: { ...variables, ...launch.env } },
      { folder, roots, env, home: userHome },
    );
    files.push(...named.files.flatMap(({ path, real }) => [path, real]), ...named.missing);
    let size = 0;
    for (const { path, use } of named.files) {
      if (use === "data" || digests.has(path)) continue;
      const read = await digestRegularFile(path, maxTotalSize);
      if ((size += read.size) > maxTotalSize)
        throw new Error(`its files have more than ${maxTotalSize / 1_000_000} MB`);
      digests.set(path, read.digest);
    }
  });
  const [problem] = problems;
  return { variables, digests, files: [...new Set(files)], ...(problem !== undefined && { problem }) };
}
