// Reads a permission request of version 2: a title, a description, and the subject that the user decides about.
import { Refusal } from "../../base/errors.ts";
import type { PermissionQuestion } from "../../session/agent.ts";
import { asObject, asString, optionalField, parseQuestionOptions, type JsonObject } from "../parse.ts";

/** The question, and the tool call to apply before it is shown. Refuses a request that is incomplete. */
export function readV2Permission(params: JsonObject): {
  readonly question: PermissionQuestion;
  readonly toolCall?: JsonObject;
} {
  const options = parseQuestionOptions(params["options"]);
  if (options.length === 0) throw new Refusal("invalid", "A permission request needs at least one option.");
  const title = asString(params["title"]);
  if (title === undefined) {
    throw new Refusal("invalid", "A permission request needs a string in `title`.", { field: "title" });
  }
  const question = { title, options, ...optionalField("description", asString(params["description"])) };
  const subject = asObject(params["subject"]);
  switch (subject["type"]) {
    case "tool_call": {
      const toolCall = asObject(subject["toolCall"]);
      const toolCallId = asString(toolCall["toolCallId"]);
      if (toolCallId === undefined)
        throw new Refusal("invalid", "The subject needs a tool call with an id.", { field: "subject" });
      return { question: { ...question, toolCallId }, toolCall };
    }
    case "command": {
      const command = asString(subject["command"]);
      if (command === undefined)
        throw new Refusal("invalid", "The subject needs a string in `command`.", { field: "subject" });
      return {
        question: {
          ...question,
          subject: { kind: "execute", command, ...optionalField("cwd", asString(subject["cwd"])) },
          ...optionalField("toolCallId", asString(subject["toolCallId"])),
        },
      };
    }
    // A subject that Parley does not know is described by the title and the description.
    default:
      return { question };
  }
}
