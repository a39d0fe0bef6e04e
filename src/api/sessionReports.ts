// What changed in a session, for the events of the extension that has opened it.
import { turnEnded } from "../session/activity.ts";
import { withInput } from "../session/ownInput.ts";
import {
  contentText,
  isBusy,
  openQuestions,
  shownToolStatus,
  toolKey,
  type Entry,
  type SessionState,
  type ToolEntry,
} from "../session/state.ts";
import { toolTitle } from "../session/toolTitle.ts";

/** Hides the secrets that Parley knows. Only the bundle of the extension knows them. */
export interface SecretHider {
  /** The text without secrets. */
  hide(text: string): string;
  /** How long the beginning of a secret at the end of the text is. */
  unfinished(text: string): number;
}

/** `text`: a part of a message of the agent. */
export type SessionReport =
  | { readonly type: "text"; readonly message: string; readonly text: string; readonly replaces?: true }
  | {
      readonly type: "toolCall";
      readonly id: string;
      readonly title: string;
      readonly kind?: string;
      readonly status: ReturnType<typeof shownToolStatus>;
    }
  | { readonly type: "turnEnd"; readonly stopReason: string };

type ToolReport = Extract<SessionReport, { type: "toolCall" }>;

/** The two states around a change, with the entries of the tool calls about which the user is asked. */
interface Change {
  readonly before: SessionState;
  readonly after: SessionState;
  readonly wasWaiting: ReadonlySet<string>;
  readonly waiting: ReadonlySet<string>;
}

/** Makes the reports about one session. */
export class SessionReports {
  readonly #secrets: SecretHider;
  /** How many characters of each message were reported. The beginning of a secret waits for its end. */
  readonly #reported = new Map<string, number>();
  /** The ids of the messages whose ends were held back. */
  readonly #held = new Set<string>();

  constructor(secrets: SecretHider) {
    this.#secrets = secrets;
  }

  /** The reports about a change of the state, in the order of the conversation. Call it for each change. */
  between(before: SessionState, after: SessionState): readonly SessionReport[] {
    const reports: SessionReport[] = [];
    const change = { before, after, wasWaiting: waitingTools(before), waiting: waitingTools(after) };
    for (const [was, is] of changedEntries(before, after)) {
      if (is.kind === "message") reports.push(...this.#textReports(was, is, isBusy(after)));
      if (is.kind === "tool") reports.push(...this.#toolReports(was, is, change));
    }
    // A question changes what a call does, but not the call.
    for (const id of new Set([...change.wasWaiting, ...change.waiting])) {
      const [was, is] = [before.entries.get(id), after.entries.get(id)];
      if (was === is && is?.kind === "tool") reports.push(...this.#toolReports(was, is, change));
    }
    const isEnd = turnEnded(before, after);
    if (isEnd || !isBusy(after)) reports.push(...this.#heldReports(after));
    if (isEnd) reports.push({ type: "turnEnd", stopReason: after.activity.stopReason ?? "end_turn" });
    return reports;
  }

  /** The ends of messages that were held back. Nothing follows them any more. */
  #heldReports({ entries }: SessionState): readonly SessionReport[] {
    return [...this.#held].flatMap(id => {
      this.#held.delete(id);
      const entry = entries.get(id);
      return entry?.kind === "message" ? this.#textReports(entry, entry, false) : [];
    });
  }

  #textReports(
    was: Entry | undefined,
    is: Extract<Entry, { kind: "message" }>,
    canGoOn: boolean,
  ): readonly SessionReport[] {
    if (is.author !== "agent" || is.parent !== undefined) return [];
    const earlier = was?.kind === "message" ? contentText(was.content) : "";
    const text = contentText(is.content);
    const isLonger = text.startsWith(earlier);
    const from = isLonger ? (this.#reported.get(is.id) ?? 0) : 0;
    const to = text.length - (canGoOn ? this.#secrets.unfinished(text) : 0);
    if (to < text.length) this.#held.add(is.id);
    else this.#held.delete(is.id);
    if (to <= from && isLonger) return [];
    this.#reported.set(is.id, Math.max(from, to));
    const added = this.#secrets.hide(text.slice(from, to));
    return [{ type: "text", message: is.id, text: added, ...(!isLonger && { replaces: true }) }];
  }

  #toolReports(was: Entry | undefined, is: ToolEntry, change: Change): readonly SessionReport[] {
    const report = this.#toolReport(is, change.after, change.waiting);
    const earlier = was?.kind === "tool" ? this.#toolReport(was, change.before, change.wasWaiting) : undefined;
    const isSame =
      earlier && earlier.title === report.title && earlier.kind === report.kind && earlier.status === report.status;
    return isSame ? [] : [report];
  }

  #toolReport(entry: ToolEntry, { workspaceFolder }: SessionState, waiting: ReadonlySet<string>): ToolReport {
    const { kind } = entry.fields;
    return {
      type: "toolCall",
      id: entry.toolCallId,
      title: this.#secrets.hide(toolTitle(withInput(entry), workspaceFolder)),
      ...(kind !== undefined && kind !== null && { kind }),
      status: shownToolStatus(entry, waiting.has(entry.id)),
    };
  }
}

/** The entries that differ, as they were and as they are. Blocks without a change are skipped. */
function* changedEntries(before: SessionState, after: SessionState): Iterable<[Entry | undefined, Entry]> {
  const old = before.entries.blocks;
  for (const [b, block] of after.entries.blocks.entries()) {
    if (block === old[b]) continue;
    for (const [i, entry] of block.entries()) if (entry !== old[b]?.[i]) yield [old[b]?.[i], entry];
  }
}

const waitingTools = (state: SessionState): ReadonlySet<string> =>
  new Set(openQuestions(state).flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolKey(toolCallId)])));
