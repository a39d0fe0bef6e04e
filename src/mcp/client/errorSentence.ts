// What failed in a connection to an MCP server, as a sentence for the user.
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { cutText } from "./readPrompt.ts";
import { AnswerTimeout } from "./serverAnswerLimit.ts";
import { asSentence } from "../../base/sentences.ts";

const invalidParams = -32602;
const internalError = -32603;

/** The error with a message that a user can read. */
export function errorSentence(thrown: unknown): Error {
  const error = asError(thrown);
  // A problem of the start or of a sign-in is a sentence already.
  if (["ProblemError", "SignInProblem"].includes(error.name) || error instanceof AnswerTimeout) return error;
  return new Error(messageOf(error), { cause: error });
}

function messageOf(error: Error): string {
  // The client puts the code before the server's own words.
  const words = cutText(error.message.replace(/^MCP error -?\d+: /, ""));
  // The transport for SSE has the status in words only.
  const status = error instanceof SdkHttpError ? error.status : /Non-200 status code \((\d+)\)/.exec(words)?.[1];
  if (error instanceof UnauthorizedError || [401, 403].includes(Number(status)))
    return t("The server requires you to sign in. Add the header that it needs to its settings.");
  if (error instanceof SdkHttpError || status !== undefined)
    return t("The server answered with the HTTP status {0}.", status ?? t("unknown"));
  if (error instanceof UrlElicitationRequiredError)
    return t("The server needs something from a web page first. Use the prompt again when you are done there.");
  if (error instanceof ProtocolError) {
    if (error.code === invalidParams)
      return t("The server does not accept the prompt or its arguments: {0}", asSentence(words));
    if (error.code === internalError) return t("The server failed: {0}", asSentence(words));
    return t("The server refused the request: {0}", asSentence(words));
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return t("The server did not answer in time.");
    if (error.code === SdkErrorCode.ConnectionClosed) return t("The server ended the connection.");
    if (error.code === SdkErrorCode.InvalidResult) return t("The server sent an answer that Parley cannot read.");
  }
  if (error.name === "ZodError" || error.name === "$ZodError")
    return t("The server sent an answer that Parley cannot read.");
  if (error.name === "AbortError") return t("The request was cancelled.");
  return t("The server could not be reached: {0}", asSentence(unreachableReason(error)));
}

/** Words for the errors of a connection that users meet with a wrong address. */
const addressFaults: Readonly<Record<string, () => string>> = {
  ECONNREFUSED: () => t("nothing listens at this address"),
  ENOTFOUND: () => t("there is no host of this name"),
  EAI_AGAIN: () => t("the name of the host could not be looked up"),
};

/** What the innermost error says: `fetch` and the client only say that something failed. */
export function unreachableReason(error: Error): string {
  let inner = error;
  for (let depth = 0; depth < 10 && inner.cause instanceof Error; depth++) inner = inner.cause;
  // One error for each address of the host.
  const [first] = inner instanceof AggregateError ? (inner.errors as readonly unknown[]) : [];
  if (first instanceof Error) inner = first;
  // The transport for SSE has only the words of the inner error.
  const words = inner.message.replace(/^(?:SSE error: |TypeError: |fetch failed: )+/, "");
  const fault = Object.keys(addressFaults).find(code => words.includes(code));
  return cutText(fault === undefined ? words : `${addressFaults[fault]?.() ?? ""} (${words})`);
}
