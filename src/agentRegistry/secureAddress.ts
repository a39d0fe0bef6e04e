// Which web addresses Parley downloads from: `https:` only. A registry on this machine is an exception, for tests and for
// mirrors that a program on the machine provides.
import { t } from "../base/l10n.ts";
import { isLoopback } from "../base/loopback.ts";

/** Whether the address is `http:` on this machine. */
function isLoopbackAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && url.protocol === "http:" && isLoopback(url.hostname);
}

/**
 * The address, if Parley may download from it. `from` is the page or server that names it: only an address on this machine
 * may lead to `http:` on this machine, so that no server reaches programs of the machine. Throws a sentence.
 */
export function checkedAddress(address: string, from?: string): URL {
  const url = URL.canParse(address, from) ? new URL(address, from) : undefined;
  if (!url) throw new Error(t("“{0}” is not a web address.", address.slice(0, 200)));
  if (url.username !== "" || url.password !== "")
    throw new Error(t("The address of {0} contains a password.", url.host));
  if (url.protocol === "https:") return url;
  const isLocal = isLoopbackAddress(url.href) && (from === undefined || isLoopbackAddress(from));
  if (!isLocal) throw new Error(t("“{0}” is not an https address.", url.href.slice(0, 200)));
  return url;
}
