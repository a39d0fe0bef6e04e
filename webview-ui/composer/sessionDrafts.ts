// The drafts of the sessions that the panel does not show now. A draft is there again when its session is shown again, also
// after a reload.
import type { Attachment, ViewHead } from "../../src/panel/protocol.ts";
import { characterCount } from "../base/restoredAttachments.ts";
import { savedState, updateSavedState } from "../base/vscodeApi.ts";
import { splitForReload, withAttachments } from "./draftAttachments.ts";

/** What the user has written and attached, and not sent. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The labels of attachments that were too large to be restored after a reload. */
  readonly unkept: readonly string[];
  /** Why the text is not the user's own, as a sentence. */
  readonly note?: string | undefined;
}

/** The oldest drafts are forgotten first. */
const maxDrafts = 20;
/** How many characters of attachments all hidden drafts together save for a reload, because each save writes all of them. */
const maxSavedCharacters = 1_000_000;

/** Whether the session has no messages. It is closed when another session is shown. */
export const isUnused = ({ title, queue }: Pick<ViewHead, "title" | "queue">): boolean =>
  title === "" && queue.length === 0;

const isEmpty = ({ text, attachments }: Draft): boolean => text.trim() === "" && attachments.length === 0;

export class SessionDrafts {
  /** By session, the oldest first. */
  readonly #drafts = new Map<string, Draft>(
    savedState.drafts.map(({ session, ...draft }): [string, Draft] => [session, draft]),
  );

  /** Keeps the draft of a session that is hidden now. */
  keep(session: string, draft: Draft): void {
    this.#drafts.delete(session);
    if (!isEmpty(draft)) this.#drafts.set(session, draft);
    for (const oldest of [...this.#drafts.keys()].slice(0, Math.max(0, this.#drafts.size - maxDrafts)))
      this.#drafts.delete(oldest);
    this.#save();
  }

  /** The draft of a session that is shown now, after what `moved` there with the user. */
  take(session: string, moved: Draft): Draft {
    const own = this.#drafts.get(session);
    if (!own) return moved;
    this.#drafts.delete(session);
    this.#save();
    return {
      text: [own.text, moved.text].filter(each => each.trim() !== "").join("\n"),
      attachments: withAttachments(own.attachments, moved.attachments),
      unkept: [...own.unkept, ...moved.unkept],
      note: own.note ?? moved.note,
    };
  }

  /** Forgets the draft of a session with this text, because it was used. */
  forget(session: string, text: string): void {
    if (this.#drafts.get(session)?.text !== text) return;
    this.#drafts.delete(session);
    this.#save();
  }

  #save(): void {
    let left = maxSavedCharacters;
    const drafts = [...this.#drafts].toReversed().map(([session, { text, attachments, unkept, note }]) => {
      const fitting = attachments.filter(one => (left -= characterCount(one)) >= 0);
      const split = splitForReload(fitting);
      const dropped = attachments.filter(one => !fitting.includes(one)).map(({ label }) => label);
      return { session, text, attachments: split.kept, unkept: [...unkept, ...split.unkept, ...dropped], note };
    });
    updateSavedState({ drafts: drafts.toReversed() });
  }
}
