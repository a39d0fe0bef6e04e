// What failed errors of sockets, TLS and HTTP mean.
import type { RemoteFailure } from "../remoteClient.ts";

/** Codes of OpenSSL and Node.js for certificates that are not trusted. */
const certificateCodes =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** The server and Parley have no version of HTTP in common. Servers that speak HTTP/2 only end the handshake so. */
const noProtocolCodes = /NO_APPLICATION_PROTOCOL/;

/** The other end is gone without a word. */
const lostCodes = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/;

/** The failure behind an error of a socket or a request. */
export function networkFailure(error: unknown): RemoteFailure {
  const { code, text } = deepestCause(error);
  if (code !== undefined && certificateCodes.test(code)) return { kind: "certificate", code, text };
  if (code !== undefined && noProtocolCodes.test(code)) return { kind: "http2Only" };
  if (code !== undefined && lostCodes.test(code)) return { kind: "closed", text };
  if (code?.startsWith("HPE_") === true && isHttp2(error)) return { kind: "http2Only" };
  return { kind: "unreachable", code, text };
}

/** A server that speaks HTTP/2 only begins with a frame of its settings, whatever it is asked. */
function isHttp2(error: unknown): boolean {
  const { rawPacket } = error as { readonly rawPacket?: unknown };
  const settingsFrame = 4;
  return Buffer.isBuffer(rawPacket) && rawPacket.length >= 9 && rawPacket[3] === settingsFrame && rawPacket[0] === 0;
}

/** The code and the message of the error, or of the first error below it that has a code. */
function deepestCause(error: unknown): { readonly code: string | undefined; readonly text: string } {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { code } = current as NodeJS.ErrnoException;
    if (typeof code === "string") return { code, text: current.message };
    const inner: unknown =
      current instanceof AggregateError ? (current.errors as readonly unknown[])[0] : current.cause;
    if (inner === undefined) return { code: undefined, text: current.message };
    current = inner;
  }
  return { code: undefined, text: current instanceof Error ? current.message : String(current) };
}
