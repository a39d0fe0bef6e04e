// What users see when the connection to a server fails or ends.
import { unreachable as neverHappens, type NextStep, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { maskText } from "../../base/mask.ts";
import type { RemoteFailure } from "./remoteClient.ts";

/** The agent as messages name it. */
interface NamedServer {
  readonly name: string;
  readonly url: string;
}

/** The problem. `ready`: the agent was ready, so there is a conversation that can go on. */
export function remoteProblem({ name, url }: NamedServer, failure: RemoteFailure, ready: boolean): Problem {
  const server = new URL(url).host;
  const { text, detail = "", next = ready ? lostSteps : failedSteps } = failureText(name, server, failure, ready);
  const shown = maskText(detail).trim();
  return {
    message: text,
    ...(shown !== "" && { detail: shown }),
    next,
    ...(canPass(failure) && { reconnects: true as const }),
  };
}

/** Whether the same connection can work a moment later. */
function canPass(failure: RemoteFailure): boolean {
  switch (failure.kind) {
    case "refused":
      // Balancers and servers that start answer so: with `406` a server that does not yet have its WebSocket, and with `404`
      // one that has forgotten the connection.
      return failure.status >= 500 || [404, 406, 408, 410, 425, 429].includes(failure.status);
    case "unreachable":
    case "late":
    case "silent":
    case "closed":
      return true;
    case "certificate":
    case "http2Only":
    case "broken":
      return false;
  }
}

/** The code of a WebSocket whose other end is gone without a word. */
const lostCode = 1006;

const failedSteps: readonly NextStep[] = ["retry", "openSettings", "selectAgent", "showLog"];
const lostSteps: readonly NextStep[] = ["retry", "showLog", "showTraffic"];
const headerSteps: readonly NextStep[] = ["setAgentHeader", "retry", "openSettings", "selectAgent"];

interface FailureText {
  readonly text: string;
  readonly detail?: string;
  readonly next?: readonly NextStep[];
}

function failureText(name: string, server: string, failure: RemoteFailure, ready: boolean): FailureText {
  switch (failure.kind) {
    case "refused":
      return refusalText(name, server, failure, ready);
    case "unreachable":
      return { text: unreachableText(name, server, failure.code), detail: failure.text };
    case "certificate":
      return { text: certificateText(name, server, failure.code), detail: `${failure.code}: ${failure.text}` };
    case "http2Only":
      return {
        text: t(
          "Could not connect to {0}: {1} speaks only HTTP/2, which Parley does not support. Let the server or its proxy also speak HTTP/1.1, or use its wss:// address.",
          name,
          server,
        ),
      };
    case "late":
    case "silent":
      return {
        text:
          ready || failure.kind === "silent"
            ? t("The connection to {0} was lost: {1} no longer answers.", name, server)
            : t("Could not connect to {0}: {1} did not answer in time. Check the url in parley.agents.", name, server),
      };
    case "closed":
      return {
        text:
          failure.code === undefined || failure.code === lostCode
            ? t("The connection to {0} at {1} was lost.", name, server)
            : t("{0} ended the connection at {1}.", name, server),
        detail: [failure.code, failure.text].filter(part => part !== undefined && part !== "").join(" "),
      };
    case "broken":
      return {
        text: t(
          "The connection to {0} ended, because {1} sent something that the protocol does not allow.",
          name,
          server,
        ),
        detail: failure.text,
      };
    default:
      throw neverHappens(failure);
  }
}

function refusalText(
  name: string,
  server: string,
  { status, text }: Extract<RemoteFailure, { kind: "refused" }>,
  ready: boolean,
): FailureText {
  if (status === 401 || status === 403)
    return {
      text: t(
        "{0} needs a sign-in: {1} refused the connection ({2}). Set the header that signs in, such as Authorization.",
        name,
        server,
        status,
      ),
      detail: text,
      next: headerSteps,
    };
  if (status >= 300 && status < 400)
    return {
      text: t(
        "Could not connect to {0}: {1} redirects to another address ({2}). Set that address as url in parley.agents.",
        name,
        server,
        status,
      ),
    };
  return {
    text: ready
      ? t("The connection to {0} was lost: {1} answered with HTTP status {2}.", name, server, status)
      : t(
          "Could not connect to {0}: {1} answered with HTTP status {2}. Check the url in parley.agents.",
          name,
          server,
          status,
        ),
    detail: text,
  };
}

function unreachableText(name: string, server: string, code: string | undefined): string {
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return t("Could not connect to {0}: there is no server with the name {1}, or no network.", name, server);
    case "ECONNREFUSED":
      return t("Could not connect to {0}: nothing answers at {1}. Check that the server runs.", name, server);
    default:
      return t("The connection to {0} failed: {1} is out of reach.", name, server);
  }
}

function certificateText(name: string, server: string, code: string): string {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return t(
        "Could not connect to {0}: the certificate of {1} has expired. Its operator must renew it.",
        name,
        server,
      );
    case "CERT_NOT_YET_VALID":
      return t(
        "Could not connect to {0}: the certificate of {1} is not valid yet. Check the clock of this machine.",
        name,
        server,
      );
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return t(
        "Could not connect to {0}: the certificate of {1} is for another name. Check the url in parley.agents.",
        name,
        server,
      );
    default:
      return t(
        "Could not connect to {0}: this machine does not trust the certificate of {1}. If it is from your organization, add its authority to the certificates of the system.",
        name,
        server,
      );
  }
}
