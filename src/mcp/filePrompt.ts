// A prompt file as a prompt that the user has chosen.
import { t } from "../base/l10n.ts";
import { visibleText } from "../base/visibleText.ts";
import type { NamedPromptFile } from "../promptFiles/promptFileNames.ts";
import type { PromptFile } from "../promptFiles/promptFile.ts";
import { replaceVariables, type EditorValues } from "../promptFiles/promptVariables.ts";
import { beginsAsCommand } from "../session/commandStart.ts";
import { promptForm, promptValues } from "./promptForm.ts";
import type { PromptRun, PromptSource } from "./promptRunner.ts";
import type { McpPrompt } from "./promptServer.ts";

/** The prompt of a file. `values`: what the variables stood for when the user chose it. */
export function filePrompt({ command, found }: NamedPromptFile, file: PromptFile, values: EditorValues): PromptSource {
  const prompt: McpPrompt = {
    name: file.name,
    ...(file.description !== undefined && { description: file.description }),
    arguments: file.inputs.map(({ name, placeholder }) => ({
      ...{ name, required: true },
      ...(placeholder !== undefined && { description: placeholder }),
    })),
  };
  const origin =
    found.folder.source === "user"
      ? t("From your prompt file {0}.", visibleText(found.label))
      : t("From the prompt file {0} of the workspace.", visibleText(found.label));
  const ignored = file.ignored.map(key => `“${key}”`).join(", ");
  return {
    ...{ command, origin, takesText: file.inputs.length === 0 },
    read: async ({ session, text, questions, signal }: PromptRun) => {
      const form = promptForm(command, prompt, false, text);
      const answer =
        form.fields.length === 0
          ? { action: "accept" as const }
          : await questions.askForm(form, { session: session.id, origin, signal });
      const inputs = promptValues(answer);
      if (!inputs) return undefined;
      const filled = replaceVariables(file.body, inputs, values);
      // The path of a file, or selected code, is no command.
      const isCommand = file.body.startsWith("${") && beginsAsCommand(filled.text);
      return {
        ...(file.description !== undefined && { description: file.description }),
        messages: [
          { role: "user", content: { type: "text", text: isCommand ? `Prompt: ${filled.text}` : filled.text } },
        ],
        notes: [...filled.notes, ...(ignored === "" ? [] : [t("Parley does not use {0} of the file.", ignored)])],
      };
    },
  };
}
