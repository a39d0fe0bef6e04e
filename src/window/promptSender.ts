// Sends prompts. Attachments are read when the prompt is sent; it is sent with all of them or not at all.
import * as vscode from "vscode";
import { Sequencer } from "../base/async.ts";
import { asError, Refusal } from "../base/errors.ts";
import {
  promptContent,
  type PathContent,
  type PromptContent,
  type PromptContentOptions,
  type ReadPath,
} from "../mentions/promptContent.ts";
import type { PromptDraft } from "../mentions/promptDraft.ts";
import { sliceLines } from "../files/lineWindow.ts";
import type { Documents } from "../files/ports.ts";
import type { ActiveFile, ActiveFileContent } from "../mentions/vscode/activeFile.ts";
import type { AskingExtension, Attachments } from "../mentions/vscode/attachments.ts";
import type { IntentOf } from "../panel/intentHandlers.ts";
import type { Session } from "../session/session.ts";
import type { SessionState } from "../session/state.ts";
import type { Attachment } from "../panel/protocol.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import type { NewProblemActions } from "../turnProblems/vscode/newProblemActions.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";

type SendIntent = IntentOf<"send">;

/** The agent that reads a prompt. */
export type PromptReader = Pick<PromptContentOptions, "accepts" | "agentName">;

export interface PromptSenderOptions {
  readonly registry: Pick<SessionRegistry, "open" | "restoreOrStart">;
  readonly documents: Documents;
  readonly attaching: Attachments;
  readonly activeFile: Pick<ActiveFile, "content">;
  readonly newProblems: Pick<NewProblemActions, "content">;
}

const nothing: ActiveFileContent = { links: [], attachments: [] };

/**
 * Whether a message goes without the active file and new problems. One to an agent that works corrects that work, wherever the
 * user looks, and a command of the agent would take them for its arguments.
 */
function goesAlone({ activity, commands }: SessionState, text: string): boolean {
  const command = /^\/(\S+)/.exec(text)?.[1];
  return activity.state !== "idle" || commands.some(({ name }) => name === command);
}

/** Sends prompts in the order in which they were written, regardless of how long their attachments take to read. */
export class PromptSender {
  readonly #options: PromptSenderOptions;
  readonly #sequencer = new Sequencer();

  constructor(options: PromptSenderOptions) {
    this.#options = options;
  }

  /** Never rejects. A prompt that cannot be sent is returned to the panel, with the reason. */
  send(intent: SendIntent, replyTarget: ReplyTarget): Promise<void> {
    return this.#sequencer
      .queue(() => this.#send(intent, replyTarget))
      .catch((error: unknown) => returnDraft(intent, replyTarget, asError(error).message));
  }

  async #send(intent: SendIntent, replyTarget: ReplyTarget): Promise<void> {
    const { registry } = this.#options;
    const text = intent.text.trimEnd();
    const attachments = intent.attachments ?? [];
    if (text.trim() === "" && attachments.length === 0) return;
    const { surface } = replyTarget;
    // The panel showed no session: the last one is being restored, or none has been started yet.
    if (intent.session === undefined) await registry.restoreOrStart(surface);
    const session = registry.open.selected(surface);
    if (!session || (intent.session ?? session.id) !== session.id) return returnToEnded(intent, replyTarget);
    const { accepts, agent } = session.state;
    const refusal = await this.refusalOf(attachments);
    if (refusal !== undefined) return returnDraft(intent, replyTarget, refusal);
    const agentName = agent?.name ?? vscode.l10n.t("The agent");
    const active = goesAlone(session.state, text) ? nothing : await this.#activeFile({ text, attachments });
    const problems = goesAlone(session.state, text) ? [] : await this.#newProblems(session, attachments);
    const draft = { text, attachments: [...attachments, ...active.attachments, ...problems] };
    const prompt = await this.contentOf(draft, { accepts, agentName });
    if ("unsent" in prompt) return returnDraft(intent, replyTarget, prompt.unsent);
    if (registry.open.get(session.id) !== session) return returnToEnded(intent, replyTarget);
    session.send([...prompt.content, ...active.links]);
  }

  async #activeFile({ attachments }: PromptDraft): Promise<ActiveFileContent> {
    const content = await this.#options.activeFile.content();
    const attached = new Set(
      attachments.flatMap(({ source }) => (source.type === "path" ? [vscode.Uri.file(source.path).toString()] : [])),
    );
    return { ...content, links: content.links.filter(link => !("uri" in link && attached.has(link.uri ?? ""))) };
  }

  /** The new problems, unless the user has attached them. */
  async #newProblems(session: Session, attachments: readonly Attachment[]): Promise<readonly Attachment[]> {
    const texts = attachments.map(({ source }) => (source.type === "text" ? source.text : ""));
    const content = await this.#options.newProblems.content(session);
    return content.filter(({ source }) => source.type !== "text" || !texts.some(one => one.startsWith(source.text)));
  }

  /** Asks about files that may be secret or are outside of the workspace. Why the prompt is not sent, as a sentence. */
  async refusalOf(attachments: readonly Attachment[], asker?: AskingExtension): Promise<string | undefined> {
    const paths = attachments.flatMap(({ source }) => (source.type === "path" ? [source.path] : []));
    const [declined] = await this.#options.attaching.declinedPaths(paths, false, asker);
    return declined === undefined
      ? undefined
      : vscode.l10n.t("The message was not sent because you declined to attach {0}.", declined);
  }

  /** The content of the prompt for an agent, with its attachments as they are now. */
  contentOf({ text, attachments }: PromptDraft, agent: PromptReader): Promise<PromptContent> {
    const read = attachmentReader(this.#options.documents);
    return promptContent(text, attachments, { ...agent, read });
  }
}

/**
 * Returns the draft of a prompt whose session could not be started, or which the panel no longer shows: the user may have
 * meant the session that is shown now.
 */
function returnToEnded(intent: SendIntent, replyTarget: ReplyTarget): void {
  const reason =
    intent.session === undefined
      ? vscode.l10n.t("The message was not sent because no session could be started.")
      : vscode.l10n.t(
          "The message was not sent because the chat shows another session now. Send it again to use that session.",
        );
  returnDraft(intent, replyTarget, reason);
}

function returnDraft({ text, attachments = [] }: SendIntent, replyTarget: ReplyTarget, reason: string): void {
  replyTarget.reply({ type: "unsent", text, attachments, reason });
}

/** If only some lines of a larger file are attached, only those lines are read. */
const maxWholeFileBytes = 8 * 1024 * 1024;

/** Reads attachments through the editor, so that they include unsaved changes. */
function attachmentReader(documents: Documents): ReadPath {
  return async ({ path, line, endLine }, maxBytes): Promise<PathContent> => {
    const uri = vscode.Uri.file(path).toString();
    const { kind, size } = await documents.stat(path);
    if (kind === "missing" || kind === "other") return { kind: "missing" };
    if (kind === "folder") return { kind, uri: uri.endsWith("/") ? uri : `${uri}/` };
    const whole = line === undefined;
    if (maxBytes === 0 || (whole && size > maxBytes)) return { kind: "file", uri, size };
    try {
      const window = { line: Math.max(1, line ?? 1), limit: Math.max(1, (endLine ?? line ?? 1) - (line ?? 1) + 1) };
      if (!whole && size > maxWholeFileBytes) {
        return { kind: "text", uri, text: await documents.readWindow(path, window, maxBytes) };
      }
      const text = await documents.read(path);
      return { kind: "text", uri, text: whole ? text : sliceLines(text, window) };
    } catch (error) {
      // Binary, or UTF-16 and large. The agent gets a link and may be able to read it.
      if (error instanceof Refusal && error.kind === "invalid") return { kind: "file", uri, size };
      throw error;
    }
  };
}
