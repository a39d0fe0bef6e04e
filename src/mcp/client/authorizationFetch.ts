// `fetch` for authorization servers. The MCP server names them, and it may be hostile: it could lead Parley into the
// network of the user, to endless answers, or around in circles. So the addresses, the number, the time and the size of
// the requests are limited.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { FetchLike } from "@modelcontextprotocol/client";
import { untilAborted } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { isLoopback } from "../../base/loopback.ts";
import { unreachableReason } from "./errorSentence.ts";

export interface AuthorizationLimits {
  /** Of one answer (bytes). */
  readonly maxBody: number;
  /** For one request with its answer (ms). */
  readonly maxTime: number;
  /** Of one sign-in or refresh, with redirects. */
  readonly maxRequests: number;
}

export const authorizationLimits: AuthorizationLimits = { maxBody: 256_000, maxTime: 10_000, maxRequests: 20 };

/** A longer address is not opened or requested (characters). */
const maxAddress = 8_000;

/** A failure with a sentence for the user. The MCP client passes a `TypeError` on, and continues after other errors. */
export class SignInProblem extends TypeError {
  override name = "SignInProblem";
}

/** Addresses that only the machine or the network of the user can reach. */
const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  privateAddresses.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  privateAddresses.addSubnet(network, bits, "ipv6");

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

/** Which addresses of a host are private: by its name, or by what its name leads to. */
async function privacyOf(hostname: string): Promise<"none" | "some" | "all"> {
  const host = bare(hostname);
  if (isLoopback(host)) return "all";
  const family = isIP(host);
  // Behind a proxy, the machine itself may know no names. The proxy decides what it reaches.
  const found = family === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host, family }];
  const count = found.filter(({ address, family: each }) => isPrivateAddress(address, each)).length;
  return count === 0 ? "none" : count < found.length ? "some" : "all";
}

function isPrivateAddress(address: string, family: number): boolean {
  // `::ffff:10.0.0.1` is checked as an address of version 4.
  return privateAddresses.check(address, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Checks the address of an authorization server that the MCP server at `server` named. Rejects with a SignInProblem unless
 * it is https and public. What the MCP server itself has is allowed: a private network, or a connection without encryption
 * on this machine.
 */
export async function checkAuthorizationAddress(address: string | URL, server: URL): Promise<URL> {
  const text = String(address);
  const shown = text.slice(0, 200);
  if (text.length > maxAddress || !URL.canParse(text))
    throw new SignInProblem(t("The server named an address that cannot be used to sign in: {0}", shown));
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new SignInProblem(t("The server named an address with a user name to sign in: {0}", shown));
  const isOnMachine = url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(server.hostname);
  if (url.protocol !== "https:" && !isOnMachine)
    throw new SignInProblem(t("The server named an address without encryption to sign in: {0}", shown));
  // A server with a private address among public ones could let itself in.
  const isAllowed =
    url.hostname === server.hostname ||
    (await privacyOf(url.hostname)) === "none" ||
    (await privacyOf(server.hostname)) === "all";
  if (!isAllowed)
    throw new SignInProblem(t("The server named an address in your private network to sign in: {0}", shown));
  return url;
}

/** `fetch` for one sign-in or refresh at the server. It never sends cookies, and follows no redirects by itself. */
export function authorizationFetch(
  server: URL,
  signal: AbortSignal,
  limits: AuthorizationLimits = authorizationLimits,
): FetchLike {
  let requests = 0;
  return async (address, init) => {
    if (++requests > limits.maxRequests)
      throw new SignInProblem(t("The sign-in needs more than {0} requests, so Parley ended it.", limits.maxRequests));
    const late = AbortSignal.timeout(limits.maxTime);
    // A name server can be slow, too.
    const url = await untilAborted(checkAuthorizationAddress(address, server), [signal, late], () => {
      signal.throwIfAborted();
      throw lateProblem(String(address).slice(0, 200), limits);
    });
    try {
      const response = await fetch(url, {
        ...init,
        ...{ redirect: "manual", credentials: "omit" },
        signal: AbortSignal.any([signal, late]),
      });
      return await limited(response, url, limits.maxBody);
    } catch (error) {
      if (error instanceof SignInProblem) throw error;
      signal.throwIfAborted();
      if (late.aborted) throw lateProblem(url.host, limits);
      throw new SignInProblem(t("{0} could not be reached: {1}", url.host, unreachableReason(asError(error))), {
        cause: error,
      });
    }
  };
}

const lateProblem = (host: string, { maxTime }: AuthorizationLimits): SignInProblem =>
  new SignInProblem(t("{0} did not answer within {1} seconds.", host, maxTime / 1000));

/** The same response with its whole body, which is read up to the limit. */
async function limited(response: Response, url: URL, maxBody: number): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBody) throw new SignInProblem(t("{0} sent an answer of more than {1} kB.", url.host, maxBody / 1000));
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const body = size === 0 || [204, 205, 304].includes(status) ? null : Buffer.concat(chunks, size);
  return new Response(body, { status, statusText, headers });
}
