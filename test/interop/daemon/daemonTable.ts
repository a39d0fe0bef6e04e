// The cuts of the connections to agents on servers, as Markdown for docs/INTEROP.md.
import type { Cut, CutTurns, Transport } from "./cutTurns.ts";

/** The results of one agent. */
export interface DaemonRun {
  readonly agent: string;
  readonly spec: string;
  /** In the format 2026-11-20. */
  readonly day: string;
  readonly transports: readonly CutTurns[];
}

/** The names of the transports in results. */
export const transportNames: Readonly<Record<Transport, string>> = { ws: "WebSocket", http: "Streamable HTTP" };

/** One table for each agent, with one column for each transport. */
export function daemonTable(runs: readonly DaemonRun[]): string {
  return runs.map(tableOf).join("\n\n");
}

function tableOf({ agent, spec, day, transports }: DaemonRun): string {
  const row = (title: string, figure: (turns: CutTurns) => number | string): string =>
    `| ${[title, ...transports.map(turns => String(figure(turns)))].join(" | ")} |`;
  const count = (is: (cut: Cut) => boolean) => (turns: CutTurns) => turns.cuts.filter(is).length;
  return [
    `Run on ${day} with ${agent} ${spec.slice(spec.lastIndexOf("@") + 1)}.`,
    "",
    row("", ({ kind }) => transportNames[kind]),
    row("---", () => "---"),
    row("Start to open session", ({ opened }) => seconds(opened)),
    row("Turn without a cut", ({ took }) => `ok, ${seconds(took)}`),
    row("Cuts, one for each message of the turn", ({ cuts }) => cuts.length),
    row(
      "Session usable afterwards",
      count(({ failure }) => failure === undefined),
    ),
    row(
      "The agent loaded the session",
      count(({ goesOn }) => goesOn === "loaded"),
    ),
    row(
      "New session, with the conversation attached",
      count(({ goesOn }) => goesOn === "attached"),
    ),
    row(
      "File edited by the cut turn",
      count(({ isEdited }) => isEdited),
    ),
    row(
      "Part of the cut turn repeated after the next prompt",
      count(({ repeats }) => repeats),
    ),
    row("Cut to end of the next turn (median)", ({ cuts }) => seconds(took(cuts).at(cuts.length / 2))),
    row("Cut to end of the next turn (longest)", ({ cuts }) => seconds(took(cuts).at(-1))),
    row("Restart of the server after the turn", ({ restart }) => outcome(restart)),
  ].join("\n");
}

const took = (cuts: readonly Cut[]): readonly number[] => cuts.map(cut => cut.took).sort((a, b) => a - b);

const outcome = (cut: Cut): string =>
  cut.failure === undefined ? `ok, ${seconds(cut.took)}, ${cut.goesOn}` : `**differs**: ${cut.failure.split("\n")[0]}`;

const seconds = (ms = Number.NaN): string => `${(ms / 1000).toFixed(1)} s`;
