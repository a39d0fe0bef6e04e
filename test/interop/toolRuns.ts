// The pair of runs of one agent without and with the tools of the editor, as Markdown for docs/INTEROP.md.

/** What one task left. */
export interface ToolRun {
  /** The codes of the errors that the TypeScript compiler finds at the end. */
  readonly errors: readonly string[];
  /** The calls of all tools, and those of the tools of the editor. */
  readonly calls: number;
  readonly editorCalls: number;
  /** The requests of the agent to the model. */
  readonly requests: number;
}

/** Both runs. */
export interface ToolPair {
  readonly agent: string;
  readonly spec: string;
  /** In the format 2026-11-20. */
  readonly day: string;
  readonly tasks: readonly { readonly kind: string; readonly without: ToolRun; readonly with: ToolRun }[];
}

/** The figures of both runs: one row per task. */
export function toolTable({ agent, spec, day, tasks }: ToolPair): string {
  const rows = tasks.map(({ kind, without, with: tools }) => [kind, ...pairOf(without, tools)]);
  const sum = (runs: readonly ToolRun[]): ToolRun => ({
    errors: runs.flatMap(({ errors }) => errors),
    calls: total(runs.map(({ calls }) => calls)),
    editorCalls: total(runs.map(({ editorCalls }) => editorCalls)),
    requests: total(runs.map(({ requests }) => requests)),
  });
  const together = [sum(tasks.map(({ without }) => without)), sum(tasks.map(one => one.with))] as const;
  const [, ...last] = pairOf(...together);
  const head = [
    "Planted error",
    "Code",
    "Errors left",
    "Tool calls",
    "Of these, of the editor",
    "Requests to the model",
  ];
  return [
    `Run on ${day} with ${agent} ${spec.slice(spec.lastIndexOf("@") + 1)}. Each cell has the figure without the tools, and with them.`,
    "",
    markdownRow(head),
    markdownRow(head.map(() => "---")),
    ...rows.map(markdownRow),
    markdownRow([`All ${tasks.length}`, "", ...last]),
  ].join("\n");
}

function pairOf(without: ToolRun, tools: ToolRun): readonly string[] {
  const both = (figure: (run: ToolRun) => number): string => `${figure(without)} → ${figure(tools)}`;
  return [
    without.errors.join(", "),
    both(({ errors }) => errors.length),
    both(({ calls }) => calls),
    both(({ editorCalls }) => editorCalls),
    both(({ requests }) => requests),
  ];
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const markdownRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
