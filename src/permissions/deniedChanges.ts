// An agent can change a file by itself, without a request to Parley. If a rule denies that, Parley cannot prevent it any
// more, but says so: in the conversation and in the permission log.
import type { PermissionQuestion } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import { toolTitle } from "../session/toolTitle.ts";
import type { AuditRecord } from "./auditLog.ts";
import type { PathExists } from "./gitFolders.ts";
import type { PermissionPolicy } from "./policy.ts";
import { describeRule } from "./rules.ts";

/** A change that no one was asked about, as the permission log has it. */
type DeniedRecord = Pick<AuditRecord, "what" | "subject" | "answer"> & { readonly by: string };

export interface DeniedChangesOptions {
  readonly policy: Pick<PermissionPolicy, "evaluate" | "isEmpty" | "workspaceFolder">;
  readonly exists: PathExists;
  readonly report: (event: SessionEvent) => void;
  readonly record: (record: DeniedRecord) => void;
}

export class DeniedChanges {
  readonly #options: DeniedChangesOptions;

  constructor(options: DeniedChangesOptions) {
    this.#options = options;
  }

  /** The agent has changed, created or deleted a file. `path`: resolved. Never rejects. */
  async changed(path: string): Promise<void> {
    const { policy, exists, report, record } = this.#options;
    if (policy.isEmpty) return;
    const kind = (await exists(path)) ? "edit" : "delete";
    const what = toolTitle({ kind, locations: [{ path }] }, policy.workspaceFolder);
    const question: PermissionQuestion = { title: what, options: [], subject: { kind, paths: [path] } };
    const { effect, rule } = (await policy.evaluate(question)).verdict;
    if (effect !== "deny" || !rule) return;
    const by = describeRule(rule);
    report({ type: "deniedChange", path, by });
    record({ what, subject: path, answer: "notAsked", by });
  }
}
