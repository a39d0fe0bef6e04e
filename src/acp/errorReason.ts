// What an agent's error says to the user. Agents put the reason into different fields, and some send JSON as text.
import { maskKnownIn, maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import { ResponseError } from "vscode-jsonrpc/node";
import { authRequired } from "./errorCodes.ts";
import { asArray, asObject, asString, isObject, optionalField } from "./parse.ts";

/** The reason for an error, as the agent gave it. */
export interface ErrorReason {
  /** One line; empty if the agent gave no reason. */
  readonly sentence: string;
  /** What the sentence does not contain. */
  readonly detail?: string;
  /** The user has to sign in, or to provide a key. */
  readonly isAuthentication: boolean;
  /** Environment variables for a key that an authentication error names. */
  readonly variables: readonly string[];
}

/** Texts are read up to this length. */
const maxTextLength = 4000;
const maxSentenceLength = 500;

/** The titles of JSON-RPC and ACP error codes, which say nothing before a reason (spec page "Error"). */
const codeTitle =
  /^(?:internal error|invalid params|invalid request|server error|authentication required)(?:\s*:\s*|$)/i;

/**
 * Reads the reason: `data` as a string, `data.message`, `data.details` or `data.error.message`, otherwise the message
 * after the title of its code. JSON inside is unpacked once. `variables` are those that sign-in methods of the agent name.
 */
export function errorReason(error: Error, variables: readonly string[] = []): ErrorReason {
  // Masked before they are cut, because a part of a secret is not recognized.
  const data: unknown = error instanceof ResponseError ? maskKnownIn<unknown>(error.data) : undefined;
  const message = maskKnownSecrets(error.message).slice(0, maxTextLength).trim();
  const titleless = message.replace(codeTitle, "");
  const fromData = typeof data === "string" && data.trim() !== "" ? data : reasonIn(data);
  const text = (fromData ?? (titleless === "" ? message : titleless)).slice(0, maxTextLength).trim();
  const unpacked = unpack(text);
  const [line = ""] = unpacked.split("\n");
  const sentence = line.trim().slice(0, maxSentenceLength);
  const all = `${message} ${dataText(data) ?? ""}`;
  const missing = asArray(asObject(data)["envVars"]).filter(name => typeof name === "string");
  const isAuthentication =
    (error instanceof ResponseError && error.code === authRequired) ||
    missing.length > 0 ||
    variables.some(name => all.includes(name)) ||
    saysAuthentication(all);
  const rest = fromData !== undefined ? (text.includes(titleless) ? undefined : titleless) : dataText(data);
  // The data of an authentication error lists what the problem for sign-in says in words.
  const other = isAuthentication && fromData === undefined ? undefined : rest;
  return {
    sentence,
    ...optionalField("detail", unpacked === sentence ? other : text),
    isAuthentication,
    variables: isAuthentication ? [...new Set([...missing, ...(all.match(keyVariable) ?? [])])] : [],
  };
}

/** The name of an environment variable that holds a key. */
const keyVariable = /\b[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN)\b/g;

/** The text of the first of these fields that has one. */
function reasonIn(value: unknown): string | undefined {
  const { message, details, error } = asObject(value);
  return [message, details, asObject(error)["message"]]
    .map(asString)
    .find(text => text !== undefined && text.trim() !== "");
}

/** The text with JSON in it replaced by the reason that the JSON contains. */
function unpack(text: string): string {
  const from = text.search(/[{[]/);
  if (from < 0) return text;
  try {
    const json = JSON.parse(text.slice(from)) as unknown;
    const value: unknown = Array.isArray(json) ? json[0] : json;
    const reason = reasonIn(value) ?? (isObject(value) ? asString(value["error"]) : undefined);
    return reason === undefined ? text : `${text.slice(0, from)}${reason.trim()}`;
  } catch {
    return text;
  }
}

function dataText(data: unknown): string | undefined {
  if (data === undefined || data === null) return undefined;
  return (typeof data === "string" ? data : JSON.stringify(data, null, 2)).slice(0, maxTextLength);
}

/**
 * Whether an error is about a missing or invalid account or key. Most agents report it with the general code, so words
 * decide. A wrong guess costs little: the agent's own words are shown too.
 */
function saysAuthentication(text: string): boolean {
  return [
    /(?:^|[^\w.])401(?=[\s:,.;)}"]|$)(?!\s*(?:tokens?|files?|lines?|ms|bytes|times)\b)/,
    /\bunauthori[sz]ed\b|\bUNAUTHENTICATED\b|\bnot authenticated\b/i,
    /\bauthenticat(?:e|ion)[\s_-]*(?:error|fail(?:ed|ure)|required|first)\b/i,
    /\b(?:invalid|incorrect|missing|expired|no|wrong)[\s\w_-]{0,20}\b(?:api[\s_-]?key|credentials)\b/i,
    /\bapi[\s_-]?key\b.{0,40}\b(?:invalid|incorrect|missing|expired|required|not (?:set|found|valid|provided))\b/i,
    /\bnot (?:logged|signed) in\b|\bplease (?:log|sign) ?in\b|\b(?:log|sign)[ -]?in required\b/i,
    /\b(?:[Mm]issing|[Ss]et|[Pp]rovide)\b.{0,40}\b[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN)\b/,
    /\b[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN)\b.{0,40}\b(?:not set|missing|required|not found|undefined|invalid)\b/,
  ].some(pattern => pattern.test(text));
}
