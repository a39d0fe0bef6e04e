// The results as Markdown: one row per scenario, one column per agent, and the remarks below.
import { agents as realAgents } from "./agents.ts";
import type { Result } from "./run.ts";

/** The contents of the table. */
export interface Tabled {
  readonly results: readonly Result[];
  /** The tests of the panel in VS Code; the title of each ends with its agent's name. */
  readonly panel: readonly { readonly title: string; readonly state: string; readonly ms?: number }[];
  /** In the format 2026-11-20. */
  readonly day: string;
}

/** The tests in VS Code, by the start of their titles, and why an agent has none. */
const panelRows: readonly {
  readonly title: string;
  readonly start: string;
  readonly impossible?: (agent: string) => string | undefined;
}[] = [
  { title: "Stream, edit and permission request in the panel", start: "streams, asks before an edit" },
  { title: "Tools of the editor, from the panel", start: "show the model a type error" },
  {
    title: "Sign-in by a terminal, from the panel",
    start: "offers the agent's sign-in program",
    impossible: agent => realAgents.find(({ id }) => id === agent)?.noTerminalSignIn,
  },
];

/** Markdown for docs/INTEROP.md. Contains no paths. */
export function table({ results, panel, day }: Tabled): string {
  const agents = distinct(results.map(result => result.agent));
  const of = (agent: string): readonly Result[] => results.filter(result => result.agent === agent);
  const name = (agent: string): string => of(agent)[0]?.name ?? agent;
  const rows = distinct(results.map(result => result.scenario)).map(scenario => {
    const cells = agents.map(agent => cell(of(agent).find(result => result.scenario === scenario)));
    return [results.find(result => result.scenario === scenario)?.title ?? scenario, ...cells];
  });
  const inPanel = panelRows.map(({ title, start, impossible }) => [
    title,
    ...agents.map(agent => {
      const reason = impossible?.(agent);
      if (reason !== undefined) return `– ${reason}`;
      const test = panel.find(each => each.title.includes(start) && each.title.endsWith(`: ${name(agent)}`));
      return outcome(test?.state, test?.ms);
    }),
  ]);
  const cells = [...rows, ...inPanel].flatMap(([, ...ofAgents]) => ofAgents);
  const impossible = cells.filter(text => text.startsWith("–")).length;
  const passed = cells.filter(text => text.startsWith("ok")).length;
  const opening = [
    "Start to open session (median)",
    ...agents.map(agent => seconds(median(of(agent).map(r => r.opened)))),
  ];
  return [
    `Run on ${day}: ${passed} of ${cells.length - impossible} ok. ${impossible} cells cannot be tried, for the reason that they state.`,
    "",
    markdownRow(["", ...agents.map(agent => `${name(agent)} ${version(of(agent)[0]?.spec ?? "")}`)]),
    markdownRow(["---", ...agents.map(() => "---")]),
    ...[...rows, ...inPanel, opening].map(markdownRow),
    ...agents.flatMap(agent => ["", `### ${name(agent)}`, "", ...remarks(of(agent))]),
  ].join("\n");
}

function cell(result: Result | undefined): string {
  if (!result) return "not run";
  if (result.impossible !== undefined) return `– ${result.impossible}`;
  if (result.failure !== undefined) return `**differs**: ${result.failure.split("\n")[0] ?? ""}`;
  return `ok, ${seconds(result.took)}`;
}

function remarks(results: readonly Result[]): readonly string[] {
  const all = distinct(results.flatMap(result => result.remarks));
  return all.length > 0 ? all.map(remark => `- ${remark}`) : ["Nothing out of the ordinary."];
}

const outcome = (state: string | undefined, ms: number | undefined): string =>
  state === "passed" ? `ok, ${seconds(ms)}` : `**${state ?? "not run"}**`;

const markdownRow = (cells: readonly string[]): string =>
  `| ${cells.map(text => text.replaceAll("|", "\\|")).join(" | ")} |`;
const seconds = (ms: number | undefined): string => (ms === undefined ? "?" : `${(ms / 1000).toFixed(1)} s`);
const version = (spec: string): string => spec.slice(spec.lastIndexOf("@") + 1);
const distinct = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined).sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)];
}
