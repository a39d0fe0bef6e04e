// The report of a problem, as Markdown for the user to read, change and send. Parley sends nothing.
import { messageList } from "../acp/messageList.ts";
import type { TrafficRecorder } from "../acp/trafficRecorder.ts";
import type { TransportEnd } from "../agents/agentTransport.ts";
import type { Problem } from "../base/errors.ts";
import { fenced } from "../base/fence.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { maskText } from "../base/mask.ts";
import { visibleText } from "../base/visibleText.ts";
import type { SessionState } from "../session/state.ts";

/** An agent that has been started in the window. */
export interface ReportedAgent {
  readonly name: string;
  readonly traffic: Pick<TrafficRecorder, "records" | "dropped" | "badLines">;
  /** How its latest connection ended. Absent: it runs, or it has not started. */
  readonly end?: Pick<TransportEnd, "wasStopped" | "problem">;
}

/** What a report consists of. The user chooses the parts that can be absent. */
export interface ProblemReportParts {
  /** Names and versions of Parley, VS Code and the system, and whether VS Code keeps secrets. */
  readonly system: string;
  /** The settings that the user has changed, with values only where they are numbers, switches or one of a list. */
  readonly settings: readonly string[];
  readonly agents: readonly ReportedAgent[];
  readonly sessions: readonly SessionState[];
  /** The words of failures, which can quote anything. Without them, the report has only Parley's sentences. */
  readonly hasDetails?: true;
  /** The latest warnings and errors of the log. They contain paths. */
  readonly log?: readonly string[];
  readonly check?: string;
  readonly files?: readonly string[];
  readonly transcript?: string;
}

/** Of each agent, this many of its newest messages are listed. */
const maxMessages = 200;
/** Of all sessions, this many of their newest failures. */
const maxFailures = 5;
/** A transcript of a long session is cut to this many characters at its end. */
const maxTranscript = 1_000_000;

/**
 * The report. Each item in it is masked by itself, so that none hides the next. Agents can neither leave their code block
 * nor hide characters.
 */
export function problemReport(parts: ProblemReportParts): string {
  const { system, settings, agents, sessions, log, check, files, transcript } = parts;
  const failures = failuresOf(sessions, parts.hasDetails ?? false);
  const sections: readonly (readonly [string, string | undefined])[] = [
    [t("What happened"), t("Describe what you did, what you expected, and what happened instead.")],
    [t("Versions"), maskText(system)],
    [t("Changed settings"), settings.length === 0 ? t("None.") : maskText(settings.join("\n"))],
    [t("Latest failures"), failures.length === 0 ? t("None.") : failures.join("\n\n")],
    ...agents.map(agent => [maskText(visibleLine(agent.name)), agentText(agent)] as const),
    [t("Warnings and errors in the log"), log && listBlock(log)],
    [t("Agent check"), check && block([check])],
    [t("What happened to files"), files && listBlock(files)],
    [t("Transcript"), transcript && block(cut(transcript).split("\n"), "json")],
  ];
  const written = sections.flatMap(([title, text]) => (text === undefined ? [] : [`## ${title}\n\n${text}`]));
  return `${[`# ${t("Problem with Parley")}`, ...written].join("\n\n")}\n`;
}

function failuresOf(sessions: readonly SessionState[], hasDetails: boolean): readonly string[] {
  const failed = sessions.flatMap(({ entries }) => [...entries].filter(entry => entry.kind === "problem"));
  const newest = failed.toSorted((a, b) => b.at - a.at).slice(0, maxFailures);
  return newest.map(
    ({ problem, at }) => `${new Date(at).toISOString()}\n\n${block(problemTexts(problem, hasDetails))}`,
  );
}

/** The message of a failure can quote the words of an agent after a colon. */
const problemTexts = ({ message, detail }: Problem, hasDetails: boolean): readonly string[] =>
  hasDetails ? [message, ...(detail === undefined ? [] : [detail])] : [message.replace(/:.*/s, ": …")];

function agentText({ traffic, end }: ReportedAgent): string {
  const { records, dropped, badLines } = traffic;
  const lines = [
    end && (end.wasStopped ? t("Parley stopped it.") : maskText(visibleLine(end.problem(true).message))),
    dropped === 0
      ? t("Messages: {0}", records.length)
      : t("Messages: {0}, of which the first {1} are no longer kept", records.length + dropped, dropped),
    badLines > 0 ? t("Lines on stdout that are not messages: {0}", badLines) : undefined,
    t("The newest messages, without their content: seconds since the start, name, size in characters"),
  ];
  const list = messageList(records, maxMessages);
  return [lines.filter(line => line !== undefined).join("\n\n"), block(list)].join("\n\n");
}

/** A code block of items, each of which is masked by itself. */
const block = (items: readonly string[], language?: string): string =>
  fenced(items.map(item => maskText(visibleText(item.trimEnd()))).join("\n"), language);

const listBlock = (items: readonly string[]): string => (items.length === 0 ? t("None.") : block(items));

const cut = (text: string): string => {
  if (text.length <= maxTranscript) return text;
  const end = text.slice(-maxTranscript);
  return end.slice(end.indexOf("\n") + 1);
};
