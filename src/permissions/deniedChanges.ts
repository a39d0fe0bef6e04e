// An agent can change a file by itself, without a request to Parley. If a rule denies that, Parley cannot prevent it any
// more, but says so: in the conversation and in the permission log. Parley checks the first change of a file in a turn, so a
// later deletion in that turn is not checked.
import { Sequencer } from "../base/async.ts";
import { t } from "../base/l10n.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import { permissionTitle } from "../session/toolTitle.ts";
import type { AuditRecord } from "./auditLog.ts";
import type { PathExists } from "./gitFolders.ts";
import type { PermissionPolicy } from "./policy.ts";
import { describeRule } from "./rules.ts";

/** Such a change, as the permission log has it. */
type DeniedRecord = Pick<AuditRecord, "what" | "subject" | "answer"> & { readonly by: string };

export interface DeniedChangesOptions {
  readonly policy: Pick<PermissionPolicy, "evaluate" | "isEmpty" | "workspaceFolder">;
  readonly exists: PathExists;
  readonly report: (event: SessionEvent) => void;
  readonly record: (record: DeniedRecord) => void;
}

/** The changes of one turn that are reported. A build can change thousands of files. */
const maxReports = 20;

export class DeniedChanges {
  readonly #options: DeniedChangesOptions;
  readonly #checks = new Sequencer();
  #reports = 0;

  constructor(options: DeniedChangesOptions) {
    this.#options = options;
  }

  /** Call this at the end of a turn. */
  endTurn(): void {
    this.#reports = 0;
  }

  /** The agent has changed, created or deleted a file. `path`: resolved. Never rejects. */
  async changed(path: string): Promise<void> {
    if (!this.#options.policy.isEmpty && this.#reports <= maxReports) await this.#checks.queue(() => this.#check(path));
  }

  async #check(path: string): Promise<void> {
    const { policy, exists, report, record } = this.#options;
    if (this.#reports > maxReports) return;
    const kind = (await exists(path)) ? "edit" : "delete";
    const what = permissionTitle("", { kind, locations: [{ path }] }, policy.workspaceFolder);
    const question: PermissionQuestion = { title: what, options: [], subject: { kind, paths: [path] } };
    const { effect, rule } = (await policy.evaluate(question)).verdict;
    if (effect !== "deny" || !rule) return;
    const by = describeRule(rule);
    this.#reports++;
    if (this.#reports > maxReports) {
      report({ type: "notice", severity: "warning", title: t("More files were changed although rules deny it.") });
      return;
    }
    report({ type: "deniedChange", path, by });
    record({ what, subject: path, answer: "notPrevented", by });
  }
}
