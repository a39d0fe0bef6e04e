// Whether an error of an agent says that it no longer knows a session. Agents answer with a code of their own choice.
import { ResponseError } from "vscode-jsonrpc/node";
import { resourceNotFound } from "./errorCodes.ts";
import { isConnectionClosed } from "./agentProblems.ts";
import { asObject, asString } from "./parse.ts";

/** The error of a prompt: its code says that the session was not found, or its text or data contains the session's id. */
export function saysSessionIsGone(error: Error, sessionId: string): boolean {
  if (!(error instanceof ResponseError) || isConnectionClosed(error)) return false;
  const data: unknown = error.data;
  const text = `${error.message} ${typeof data === "string" ? data : (JSON.stringify(data) ?? "")}`;
  if (containsId(text, sessionId)) return true;
  // The code is also used for files that were not found. Those are named by an address.
  return error.code === resourceNotFound && asString(asObject(data)["uri"]) === undefined;
}

/** A shorter id can be a usual word. */
const minIdLength = 6;

/** Whether the text contains the id, not only as a part of a longer word. */
function containsId(text: string, id: string): boolean {
  if (id.length < minIdLength) return false;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = [text[at - 1] ?? "", text[at + id.length] ?? ""];
    if (!around.some(character => /[\w-]/.test(character))) return true;
  }
  return false;
}
