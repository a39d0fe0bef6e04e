// Reads the fields of an entry in `parley.agents` that name a server.
import { t } from "../../base/l10n.ts";
import { secretCredentials, type PlainOrSecretValues } from "../../base/secrets/secret.ts";
import { addressFault, headerFault, serverFolderFault } from "./serverAddress.ts";

/** A server with an agent. */
export interface RemoteServer {
  readonly url: string;
  readonly headers: PlainOrSecretValues;
  /** The server works with the files of this machine. */
  readonly sameFolder: boolean;
}

type Entry = Readonly<Record<string, unknown>>;

/** The fields that belong to a program. */
const programFields = ["command", "args", "env"];

const startsWithVariable = /^\$\{(env:[^}]*|userHome|workspaceFolder)\}/;

/** The server that the entry names, or what is wrong with it as the end of a sentence. Undefined: it names none. */
export function readRemoteServer(
  entry: Entry,
  base: RemoteServer | undefined,
): RemoteServer | { readonly fault: string } | undefined {
  const { url = base?.url, headers = base?.headers ?? {}, sameFolder = base?.sameFolder ?? false } = entry;
  if (url === undefined) {
    const field = ["headers", "sameFolder"].find(name => entry[name] !== undefined);
    return field === undefined ? undefined : { fault: t('has "{0}", which only an agent with a url can have.', field) };
  }
  const fault = addressFault(url);
  if (fault !== undefined) return { fault };
  const other = programFields.find(name => entry[name] !== undefined);
  if (other !== undefined)
    return {
      fault: t('has a url and "{0}". Parley does not start an agent on a server, so remove one of them.', other),
    };
  const { cwd } = entry;
  // A path that begins with a variable is checked when the variable has its value.
  const folderFault = typeof cwd === "string" && !startsWithVariable.test(cwd) ? serverFolderFault(cwd) : undefined;
  if (folderFault !== undefined) return { fault: folderFault };
  if (typeof sameFolder !== "boolean") return { fault: t("has a sameFolder that is neither true nor false.") };
  if (!isTexts(headers)) return { fault: t("has headers whose values are not all strings.") };
  for (const [name, value] of Object.entries(headers)) {
    const wrong = headerFault(name, value);
    if (wrong !== undefined) return { fault: wrong };
  }
  return { url: url as string, headers: secretCredentials(headers), sameFolder };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(item => typeof item === "string");
}
