// Reports the files outside the session's folders that the user or a rule allows an agent to write, before it writes
// them: through Parley, or by itself after a permission request.
import { withTimeout } from "../base/async.ts";
import type { Gate } from "../files/gate.ts";
import type { Confinement } from "../files/paths.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { QuestionAnswer, ToolKind } from "../session/events.ts";
import { pathsOf } from "../session/toolPaths.ts";

/** Calls of these kinds write the files at their locations. */
const writingKinds: ReadonlySet<ToolKind | undefined> = new Set<ToolKind>(["edit", "delete", "move"]);

/** The most files of one permission request that are reported. */
const maxFiles = 100;

/** An answer waits at most this long until the files are reported. Milliseconds. */
const maxReportTime = 1000;

export class OutsideWrites {
  readonly #confinement: Confinement;
  readonly #report: (path: string) => Promise<void>;

  /** @param report receives resolved paths. Must not reject. */
  constructor(confinement: Confinement, report: (path: string) => Promise<void>) {
    this.#confinement = confinement;
    this.#report = report;
  }

  /** A gate that reports what `gate` admits. */
  reported(gate: Gate): Gate {
    return {
      admit: async (request, signal) => {
        const wasAsked = await gate.admit(request, signal);
        const { operation, located } = request;
        if (operation === "write" && !located.inside) await this.#report(located.path);
        return wasAsked;
      },
    };
  }

  /** Reports the files of a permission request if the answer allows it. Never rejects. */
  async reportAnswered({ options, tool = {} }: PermissionQuestion, answer: QuestionAnswer): Promise<void> {
    if (answer === "cancelled") return;
    const isAllowed = options.find(({ id }) => id === answer.option)?.kind?.startsWith("allow");
    if (!isAllowed) return;
    const locations = writingKinds.has(tool.kind) ? pathsOf(tool, "locations") : [];
    const paths = [...new Set([...pathsOf(tool, "diffs", "moves"), ...locations])].slice(0, maxFiles);
    const reported = Promise.all(paths.map(path => this.#reportIfOutside(path)));
    if (paths.length > 0) await withTimeout(reported, maxReportTime, () => undefined);
  }

  async #reportIfOutside(path: string): Promise<void> {
    // An invalid path is refused when it is used.
    const located = await this.#confinement.locate(path).catch(() => undefined);
    if (located && !located.inside) await this.#report(located.path);
  }
}
