// A prompt of an MCP server that the user has chosen.
import { t } from "../base/l10n.ts";
import { visibleText } from "../base/visibleText.ts";
import { embedLinkedResources } from "./linkedResources.ts";
import { promptForm, promptValues } from "./promptForm.ts";
import type { NamedPrompt } from "./promptNames.ts";
import type { PromptRun, PromptSource, ReadPrompt } from "./promptRunner.ts";
import type { ServerConnection } from "./serverConnection.ts";

interface ChosenPrompt {
  readonly named: NamedPrompt;
  readonly connection: ServerConnection;
  /** Runs a request during which the server can ask the user. */
  readonly whileWaiting: <T>(request: () => Promise<T>) => Promise<T>;
}

/** The prompt of a server. */
export function serverPrompt(chosen: ChosenPrompt): PromptSource {
  const { prompt, command, server } = chosen.named;
  const origin = t("From the MCP server {0}.", visibleText(server));
  return { command, origin, takesText: prompt.arguments.length === 0, read: run => getPrompt(chosen, origin, run) };
}

/** Undefined if the user cancelled. */
async function getPrompt(
  { named, connection, whileWaiting }: ChosenPrompt,
  origin: string,
  run: PromptRun,
): Promise<ReadPrompt | undefined> {
  const { text, questions, signal } = run;
  const { prompt, command } = named;
  return connection.use(async server => {
    const complete = async (
      field: string,
      { [field]: value = "", ...others }: Readonly<Record<string, string>>,
      completeSignal: AbortSignal,
    ): Promise<readonly string[]> =>
      server.complete({ prompt: prompt.name, name: field, value }, others, AbortSignal.any([signal, completeSignal]));
    const form = promptForm(command, prompt, server.offersCompletions, text);
    const answer =
      form.fields.length === 0
        ? { action: "accept" as const }
        : await questions.askForm(form, { session: run.session.id, origin, signal, complete });
    const values = promptValues(answer);
    if (!values) return undefined;
    return whileWaiting(async () => {
      const result = await server.getPrompt(prompt.name, values, signal);
      return { ...result, ...(await embedLinkedResources(result.messages, server, signal)) };
    });
  });
}
