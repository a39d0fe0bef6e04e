// Uses a prompt that the user has chosen: gets it, shows it, and sends it or puts it into the composer.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { visibleText } from "../base/visibleText.ts";
import { viewPart } from "../panel/projection/contentParts.ts";
import type { Attachment, PanelMessage } from "../panel/protocol.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import type { ContentBlock } from "../session/events.ts";
import { nameOfUri } from "../session/promptContentForAgent.ts";
import type { Session } from "../session/session.ts";
import type { PromptQuestions } from "./promptQuestions.ts";
import { fitPrompt, promptBlocks } from "./promptBlocks.ts";
import type { McpMessage, McpPromptResult } from "./promptServer.ts";

/** A prompt that the user has chosen: of an MCP server, or of a file. */
export interface PromptSource {
  readonly command: string;
  /** Where it comes from, as a sentence. */
  readonly origin: string;
  /** The prompt has no arguments, so the text after its name follows it. */
  readonly takesText: boolean;
  /** Asks for the arguments, and gets the content. Resolves with undefined if the user cancelled. */
  read(run: PromptRun): Promise<ReadPrompt | undefined>;
}

/** What a prompt consists of, with sentences about what it lacks. */
export interface ReadPrompt extends McpPromptResult {
  readonly notes: readonly string[];
}

export interface PromptRun {
  readonly session: Session;
  readonly agentName: string;
  /** What the user typed after the name of the prompt. */
  readonly text: string;
  readonly replyTarget: ReplyTarget;
  readonly questions: PromptQuestions;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/** Runs to the end: the prompt was sent, is in the composer, or was cancelled. Never rejects. */
export async function runPrompt(source: PromptSource, run: PromptRun): Promise<void> {
  const { text, replyTarget, signal } = run;
  try {
    const result = await source.read(run);
    if (signal.aborted) return;
    const isUsed = result !== undefined && (await confirm(source, run, result));
    // The user cancelled, and keeps what was typed.
    if (!isUsed && text !== "" && !signal.aborted)
      replyTarget.reply({ type: "draft", text: draftText(source.command, text), attachments: [] });
  } catch (error) {
    if (!signal.aborted) replyTarget.reply(unsentPrompt(source.command, text, visibleText(asError(error).message)));
  }
}

/** Returns what the user typed to the composer, and says why it was not sent. */
export function unsentPrompt(command: string, text: string, why: string): PanelMessage {
  const reason = t("{0} was not sent. {1}", `/${command}`, why);
  return { type: "unsent", text: draftText(command, text), attachments: [], reason };
}

const draftText = (command: string, text: string): string => [`/${command}`, text].filter(Boolean).join(" ");

/** Resolves with whether the prompt was sent, or is in the composer. */
async function confirm(
  { command, origin, takesText }: PromptSource,
  run: PromptRun,
  { messages, description, notes }: ReadPrompt,
): Promise<boolean> {
  const { session, agentName, text, replyTarget, questions, signal } = run;
  const isText = takesText && text !== "";
  const typed: readonly McpMessage[] = isText ? [{ role: "user", content: { type: "text", text } }] : [];
  const fitted = fitPrompt([...messages, ...typed], session.state.accepts ?? undefined, agentName);
  const blocks = promptBlocks(fitted);
  if (blocks.length === 0) throw new Error(t("The server returned an empty prompt."));
  const preview = {
    title: `/${command}`,
    sections: fitted.sections.map(section => ({ role: section.role, parts: section.blocks.map(viewPart) })),
    notes: [...(description === undefined ? [] : [description]), ...notes, ...fitted.notes],
  };
  const answer = await questions.preview(preview, { session: session.id, origin, signal });
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
