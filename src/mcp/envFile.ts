// Reads the file of environment variables that a definition of an MCP server names (`envFile`), as VS Code does.
import { isAbsolute, resolve } from "node:path";
import { parseEnv } from "node:util";
import { asError, isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { credentialsIn } from "../base/mask.ts";
import { hostPlatform } from "../base/platform.ts";
import { choosesProgram } from "../base/programVariables.ts";
import { rememberSecrets } from "../base/secrets/secret.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement, isInside, normalisePath } from "../files/paths.ts";
import { readRegularFile } from "../files/regularFile.ts";

/** In bytes. */
const maxSize = 1_000_000;

/** Which server names the file, and where the file may be. */
export interface EnvFilePlace {
  /** The name of the server. */
  readonly server: string;
  /** The workspace folder, from which a relative path starts. Empty if no folder is open. */
  readonly folder: string;
  /** The file must be in the folder, also through symbolic links. */
  readonly mustBeInside: boolean;
  /** The workspace folders. A file in one of them sets no variables that choose programs. Absent: only `folder`. */
  readonly roots?: readonly string[];
}

/** What was read of the file, in one go. */
export interface EnvFileContent {
  readonly variables: Readonly<Record<string, string>>;
  /** Identifies the bytes of the file. */
  readonly digest: string;
}

/** The full path of the file. Undefined if it is relative and no folder is open. */
export function envFilePath(file: string, folder: string): string | undefined {
  const path = folder === "" ? file : resolve(folder, file);
  return isAbsolute(path) ? path : undefined;
}

/**
 * Reads the variables of the file. Credentials among them are hidden in logs from now on. Rejects with a sentence, also
 * if a file of the workspace sets a variable that chooses programs.
 */
export async function readEnvFile(file: string, place: EnvFilePlace): Promise<EnvFileContent> {
  const { server, folder, mustBeInside } = place;
  const subject = t("The envFile {0} of the MCP server {1}", file, server);
  const path = envFilePath(file, folder);
  if (path === undefined) throw new Error(t("{0} is not a full path, and no folder is open.", subject));
  let read: Awaited<ReturnType<typeof readRegularFile>>;
  try {
    read = await readRegularFile(mustBeInside ? await pathInside(path, folder) : path, maxSize);
  } catch (error) {
    if (isNotFoundError(error)) throw new Error(t("{0} does not exist.", subject), { cause: error });
    throw new Error(t("{0} could not be read: {1}.", subject, asError(error).message.replace(/\.$/, "")), {
      cause: error,
    });
  }
  const variables: Record<string, string> = {};
  const text = new TextDecoder().decode(read.bytes);
  for (const [name, value = ""] of Object.entries(parseEnv(text.replace(/^\uFEFF/, "")))) {
    if (value.includes("\0")) throw new Error(t("{0} has a variable {1} with a NUL character.", subject, name));
    variables[name] = value;
    rememberSecrets(credentialsIn(name, value));
  }
  const choosing = Object.keys(variables).filter(name => choosesProgram(name));
  if (choosing.length > 0 && (mustBeInside || (await isOfWorkspace(path, place))))
    throw new Error(
      t(
        "{0} sets {1}, which can choose what runs. Remove it, or set it in env of the definition.",
        subject,
        choosing.join(", "),
      ),
    );
  return { variables, digest: read.digest };
}

/** The path with symbolic links resolved. */
async function pathInside(path: string, folder: string): Promise<string> {
  const located = await new Confinement(nodePaths(), [folder]).locate(path);
  if (!located.inside) throw new Error("it is outside the workspace folder");
  return located.path;
}

/** Whether the file is in a workspace folder, by its name or by the file that links lead to. */
async function isOfWorkspace(path: string, place: EnvFilePlace): Promise<boolean> {
  const { folder, roots = folder === "" ? [] : [folder] } = place;
  const { ignoresCase } = nodePaths();
  if (roots.some(root => isInside(path, normalisePath(root, hostPlatform), hostPlatform, ignoresCase))) return true;
  return (await new Confinement(nodePaths(), roots).locate(path)).inside;
}
