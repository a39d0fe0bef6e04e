// "Allow All Edits in This Session": permission requests for edits of files in the workspace folders are answered for the
// user. Secrets, files that programs run or agents follow, other kinds of actions, and everything about which a rule asks
// still ask. It is known in memory only, so it ends with the session and with the window.
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { IntentHandlers } from "../panel/intentHandlers.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import { byAllEdits } from "../session/byAllEdits.ts";
import type { Session } from "../session/session.ts";
import { openQuestions } from "../session/state.ts";
import { isInGitFolder, type PathExists } from "./gitFolders.ts";
import type { PolicyDecision } from "./permissionBroker.ts";
import type { PermissionPolicy } from "./policy.ts";

/** The sessions in which all edits are allowed. */
export class AllEdits {
  readonly #sessions = new Set<string>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** Switches it on or off, also when the session ends. */
  set(session: string, isOn: boolean): void {
    if (this.has(session) === isOn) return;
    if (isOn) this.#sessions.add(session);
    else this.#sessions.delete(session);
    this.#changed.fire();
  }

  /** The decision of the policy, or the answer to an edit. The questions that it would answer are marked. */
  async decide(
    session: string,
    question: PermissionQuestion,
    policy: PermissionPolicy,
    exists: PathExists,
  ): Promise<PolicyDecision> {
    const decided = await policy.decide(question);
    const option = question.options.find(({ kind }) => kind === "allow_once");
    if (decided.decision || !option) return decided;
    const paths = await policy.editedPaths(question);
    if (!paths) return decided;
    // Git runs programs that its folders name, whatever their names are.
    for (const path of paths) if (await isInGitFolder(path, policy.platform, exists)) return decided;
    return this.has(session) ? { decision: { option: option.id, by: byAllEdits } } : { ...decided, edits: true };
  }
}

/** Allows all edits of a session, also those that are asked about now, or stops that. */
export function setAllEdits(allEdits: AllEdits, session: Session, isOn: boolean): void {
  allEdits.set(session.id, isOn);
  if (!isOn) return;
  for (const { id, edits, options } of openQuestions(session.state)) {
    const option = edits && options.find(({ kind }) => kind === "allow_once");
    if (option) session.answer(id, option.id);
  }
}

/** The handler of the panel's intent. */
export const allEditsIntents = (
  allEdits: AllEdits,
  sessionOf: (id: string | undefined) => Session | undefined,
): IntentHandlers<"allowAllEdits"> => ({
  allowAllEdits: ({ isOn, session: id }) => {
    const session = sessionOf(id);
    if (session) setAllEdits(allEdits, session, isOn);
  },
});

/** What the composer shows. */
export const allEditsHead = (allEdits: AllEdits): HeadPart<"allowsEdits"> => ({
  values: { allowsEdits: session => session !== undefined && allEdits.has(session.id) },
  onDidChange: allEdits.onDidChange,
});
