// The address of an agent on a server, as the setting may have it.
import { t } from "../../base/l10n.ts";
import { isLoopback } from "../../base/loopback.ts";

/** Why the address cannot be used, as the end of a sentence. Undefined if it can. */
export function addressFault(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return t("has a url that is not an address.");
  const { protocol, hostname, username, password, hash } = new URL(url);
  if (!["wss:", "https:", "ws:", "http:"].includes(protocol))
    return t("has a url that begins neither with wss:// nor with https://.");
  // Anyone on the way could read the code and the keys, and answer in place of the agent.
  if ((protocol === "ws:" || protocol === "http:") && !isLoopback(hostname))
    return t(
      "has a url without encryption. Use wss:// or https://. Only addresses of this machine, such as ws://127.0.0.1, work without.",
    );
  if (username !== "" || password !== "")
    return t("has a url with a password. Remove it, and set a header with the command “Set Header of Agent…”.");
  return hash === "" ? undefined : t("has a url with a fragment (#), which servers do not get.");
}

/** Why the folder cannot be one on a server, as the end of a sentence. Undefined if it can. */
export const serverFolderFault = (folder: string): string | undefined =>
  /^(\/|\\\\|[A-Za-z]:[\\/])/.test(folder)
    ? undefined
    : t("has a cwd that is not the full path of a folder on the server.");

/** The fault of a header, as the end of a sentence. Undefined if it can be sent. */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return t('has a header with the name "{0}", which is no name of a header.', name);
  if (reservedHeaders.test(name)) return t('has the header "{0}", which Parley sets itself.', name);
  return /[^\t\x20-\x7e\x80-\xff]/.test(value)
    ? t('has a value for the header "{0}" with characters that headers cannot have.', name)
    : undefined;
}

/** Headers of the connection, and those of the transport of the protocol. */
const reservedHeaders =
  /^(host|connection|upgrade|content-(length|type|encoding)|transfer-encoding|accept|te|trailer|keep-alive|proxy-.*|sec-websocket-.*|acp-(connection|session)-id)$/i;

/** Where the headers of an agent are sent. A header that the user stored is sent to no other place. */
export const serverOrigin = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol === "wss:" || protocol === "https:" ? "https" : "http"}://${host}`;
};
