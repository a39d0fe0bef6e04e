// The form for the arguments of an MCP prompt, and its answers.
import type { Form, FormAnswer } from "../session/forms/form.ts";
import type { McpPrompt } from "./promptServer.ts";

/** The form that asks for the arguments. `first` is text that the user typed after the command. */
export function promptForm(command: string, prompt: McpPrompt, completes: boolean, first?: string): Form {
  return {
    message: `/${command}`,
    ...(prompt.title !== undefined && { title: prompt.title }),
    ...(prompt.description !== undefined && { description: prompt.description }),
    fields: prompt.arguments.map(({ name, title, description, required }, at) => ({
      type: "text" as const,
      name,
      title: title ?? name,
      ...(description !== undefined && { description }),
      required,
      ...(completes && { completes: true as const }),
      ...(at === 0 && first !== undefined && first !== "" && { default: first }),
    })),
  };
}

/** The values for the server. Undefined if the user cancelled. */
export function promptValues(answer: FormAnswer): Readonly<Record<string, string>> | undefined {
  if (answer === "cancelled" || answer.action !== "accept") return undefined;
  return textValues(answer.values ?? []);
}

/** The texts among the answers of a form. Empty ones are left out. */
export const textValues = (values: Iterable<readonly [string, unknown]>): Readonly<Record<string, string>> =>
  Object.fromEntries([...values].filter((one): one is [string, string] => typeof one[1] === "string" && one[1] !== ""));
