// Reads what the user has written in the chat and not sent, which only the panels know.
import type { Clock } from "../base/log.ts";
import type { PromptDraft } from "../mentions/promptDraft.ts";
import { intentHandlers } from "../panel/intentHandlers.ts";
import type { ChatPanels } from "./chatPanels.ts";

export interface DraftReaderOptions {
  readonly chat: Pick<ChatPanels, "broadcast" | "isVisible">;
  readonly clock: Clock;
}

/** A panel that has not answered by then is still loading, so nobody has written there. Milliseconds. */
const maxAnswerTime = 1000;

interface Request {
  readonly surface: string;
  readonly settle: (draft: PromptDraft) => void;
}

export class DraftReader {
  readonly #options: DraftReaderOptions;
  readonly #requests = new Map<number, Request>();
  #count = 0;

  constructor(options: DraftReaderOptions) {
    this.#options = options;
  }

  readonly intents = intentHandlers({
    draft: ({ request, text, attachments }, { surface }) => {
      const found = this.#requests.get(request);
      // Several panels can show the session, each with a draft of its own.
      if (found?.surface === surface) found.settle({ text, attachments });
    },
  });

  /** The draft of the session in this surface. Undefined: there is none, or the surface is hidden. */
  async read(session: string, surface: string): Promise<PromptDraft | undefined> {
    const { chat, clock } = this.#options;
    if (!chat.isVisible([surface])) return undefined;
    const request = ++this.#count;
    const draft = await new Promise<PromptDraft | undefined>(resolve => {
      const timer = clock.after(maxAnswerTime, () => resolve(undefined));
      this.#requests.set(request, {
        surface,
        settle: answer => {
          timer.dispose();
          resolve(answer);
        },
      });
      chat.broadcast({ type: "readDraft", request, session });
    });
    this.#requests.delete(request);
    return draft && (draft.text.trim() !== "" || draft.attachments.length > 0) ? draft : undefined;
  }

  /** The draft of the session was sent elsewhere, so panels empty it. */
  used(session: string, { text }: PromptDraft): void {
    this.#options.chat.broadcast({ type: "draftUsed", session, text });
  }
}
