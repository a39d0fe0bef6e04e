// Reads the file of environment variables that a definition of an MCP server names (`envFile`), as VS Code does.
import { readFile, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { parseEnv } from "node:util";
import { asError, isNotFoundError } from "../base/errors.ts";
import { credentialsIn } from "../base/mask.ts";
import { rememberSecrets } from "../base/secrets/secret.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement } from "../files/paths.ts";

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
}

/** The variables of the file. Credentials among them are hidden in logs from now on. Rejects with a sentence. */
export async function readEnvFile(file: string, place: EnvFilePlace): Promise<Readonly<Record<string, string>>> {
  const { server, folder, mustBeInside } = place;
  const subject = `The envFile ${file} of the MCP server ${server}`;
  const path = folder === "" ? file : resolve(folder, file);
  if (!isAbsolute(path)) throw new Error(`${subject} is not a full path, and no folder is open.`);
  let text: string;
  try {
    text = await readSmallFile(mustBeInside ? await pathInside(path, folder) : path);
  } catch (error) {
    if (isNotFoundError(error)) throw new Error(`${subject} does not exist.`, { cause: error });
    throw new Error(`${subject} could not be read: ${asError(error).message.replace(/\.$/, "")}.`, { cause: error });
  }
  const variables: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(parseEnv(text.replace(/^\uFEFF/, "")))) {
    if (value.includes("\0")) throw new Error(`${subject} has a variable ${name} with a NUL character.`);
    variables[name] = value;
    rememberSecrets(credentialsIn(name, value));
  }
  return variables;
}

/** The path with symbolic links resolved. */
async function pathInside(path: string, folder: string): Promise<string> {
  const located = await new Confinement(nodePaths(), [folder]).locate(path);
  if (!located.inside) throw new Error("it is outside the workspace folder");
  return located.path;
}

async function readSmallFile(path: string): Promise<string> {
  // Checked before it is opened, because opening a pipe waits for its writer.
  const info = await stat(path);
  if (!info.isFile()) throw new Error("it is not a file");
  if (info.size > maxSize) throw new Error(`it has more than ${maxSize / 1_000_000} MB`);
  return readFile(path, "utf8");
}
