// Reads a permission request of version 1: options, and the tool call that the user decides about.
import { Refusal } from "../../base/errors.ts";
import type { PermissionQuestion } from "../../session/agent.ts";
import { asObject, asString, optionalField, parseQuestionOptions, type JsonObject } from "../parse.ts";

/** The question, and the tool call to apply before it is shown. Refuses a request that is incomplete. */
export function readV1Permission(params: JsonObject): {
  readonly question: PermissionQuestion;
  readonly toolCall: JsonObject;
} {
  const options = parseQuestionOptions(params["options"]);
  if (options.length === 0) throw new Refusal("invalid", "A permission request needs at least one option.");
  const toolCall = asObject(params["toolCall"]);
  const toolCallId = asString(toolCall["toolCallId"]);
  const title = asString(toolCall["title"]);
  if (toolCallId === undefined && title === undefined) {
    throw new Refusal("invalid", "A permission request needs a tool call with an id.", { field: "toolCall" });
  }
  return { question: { title: title ?? "", ...optionalField("toolCallId", toolCallId), options }, toolCall };
}
