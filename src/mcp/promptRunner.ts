// Uses a prompt of an MCP server: asks for its arguments, gets it, shows it, and sends it or puts it into the composer.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { visibleText } from "../base/visibleText.ts";
import { viewPart } from "../panel/projection/contentParts.ts";
import type { Attachment } from "../panel/protocol.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import type { ContentBlock } from "../session/events.ts";
import { nameOfUri } from "../session/promptContentForAgent.ts";
import type { Session } from "../session/session.ts";
import type { PromptQuestions } from "./promptQuestions.ts";
import { embedLinkedResources } from "./linkedResources.ts";
import { fitPrompt, promptBlocks } from "./promptBlocks.ts";
import { promptForm, promptValues } from "./promptForm.ts";
import type { NamedPrompt } from "./promptNames.ts";
import type { McpMessage, McpPromptResult } from "./promptServer.ts";
import type { ServerConnection } from "./serverConnection.ts";

export interface PromptRun {
  readonly named: NamedPrompt;
  readonly connection: ServerConnection;
  readonly session: Session;
  readonly agentName: string;
  /** What the user typed after the name of the prompt. */
  readonly text: string;
  readonly replyTarget: ReplyTarget;
  readonly questions: PromptQuestions;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Runs a request during which the server can ask the user. */
  readonly whileWaiting: <T>(request: () => Promise<T>) => Promise<T>;
}

/** Runs to the end: the prompt was sent, is in the composer, or was cancelled. Never rejects. */
export async function runPrompt(run: PromptRun): Promise<void> {
  const { named, text, replyTarget, signal } = run;
  const draft = [`/${named.command}`, text].filter(Boolean).join(" ");
  try {
    const result = await getPrompt(run);
    if (signal.aborted) return;
    const isUsed = result !== undefined && (await confirm(run, result));
    // The user cancelled, and keeps what was typed.
    if (!isUsed && text !== "" && !signal.aborted) replyTarget.reply({ type: "draft", text: draft, attachments: [] });
  } catch (error) {
    if (signal.aborted) return;
    const reason = t("{0} was not sent. {1}", `/${named.command}`, visibleText(asError(error).message));
    replyTarget.reply({ type: "unsent", text: draft, attachments: [], reason });
  }
}

/** What the server returned, with the resources that it linked. */
interface ReadPrompt extends McpPromptResult {
  readonly notes: readonly string[];
}

/** Undefined if the user cancelled. */
async function getPrompt(run: PromptRun): Promise<ReadPrompt | undefined> {
  const { named, connection, text, questions, signal } = run;
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
        : await questions.askForm(form, { session: run.session.id, asker: named.server, signal, complete });
    const values = promptValues(answer);
    if (!values) return undefined;
    return run.whileWaiting(async () => {
      const result = await server.getPrompt(prompt.name, values, signal);
      return { ...result, ...(await embedLinkedResources(result.messages, server, signal)) };
    });
  });
}

/** Resolves with whether the prompt was sent, or is in the composer. */
async function confirm(run: PromptRun, { messages, description, notes }: ReadPrompt): Promise<boolean> {
  const { named, session, agentName, text, replyTarget, questions, signal } = run;
  // A prompt without arguments takes no text, so the text follows it.
  const isText = named.prompt.arguments.length === 0 && text !== "";
  const typed: readonly McpMessage[] = isText ? [{ role: "user", content: { type: "text", text } }] : [];
  const fitted = fitPrompt([...messages, ...typed], session.state.accepts ?? undefined, agentName);
  const blocks = promptBlocks(fitted);
  if (blocks.length === 0) throw new Error(t("The server returned an empty prompt."));
  const preview = {
    title: `/${named.command}`,
    sections: fitted.sections.map(section => ({ role: section.role, parts: section.blocks.map(viewPart) })),
    notes: [...(description === undefined ? [] : [description]), ...notes, ...fitted.notes],
  };
  const answer = await questions.preview(preview, { session: session.id, asker: named.server, signal });
  if (answer === "send") session.send(blocks);
  else if (answer === "edit") replyTarget.reply({ type: "draft", ...draftOf(blocks) });
  return answer === "send" || answer === "edit";
}

/** The text of the composer, and everything else as attachments. Links become text, because the panel attaches none. */
function draftOf(blocks: readonly ContentBlock[]): {
  readonly text: string;
  readonly attachments: readonly Attachment[];
} {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const [at, block] of blocks.entries()) {
    const id = `mcp-${Date.now()}-${at}`;
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "link") texts.push(visibleLine(block.uri));
    else if (block.type === "image" || block.type === "audio") {
      const { mimeType, data } = block;
      attachments.push({ id, kind: block.type, label: mimeType, source: { type: "data", mimeType, data } });
    } else if (block.type === "resource" && block.text !== undefined) {
      const { uri, text, mimeType } = block;
      const source = { type: "text" as const, text, uri, ...(mimeType !== undefined && { mimeType }) };
      attachments.push({ id, kind: "file", label: nameOfUri(uri), source });
    } else if (block.type === "resource") texts.push(visibleLine(block.uri));
  }
  return { text: texts.join("\n\n"), attachments };
}
