// The searchable texts of an entry: every text of the conversation that the panel shows, also in collapsed parts. The
// panel's own texts (states, buttons, "Thought for 3 s") are not searched.
import { namedHeaders, namedLocations, uriFileName } from "../fileNames.ts";
import type { DiffBody, ToolPart, ViewEntry, ViewPlan } from "../protocol.ts";
import { plainMarkdown, plainTerminal } from "./plainText.ts";

/** A text to search. `part` is the index of its part. Absent for texts in the frame of the entry. */
export interface Searchable {
  readonly part?: number;
  /** The raw text, used if converting it to plain text takes too long. */
  readonly source: string;
  /** The lines as the user reads them, in the order in which they are painted. */
  readonly plain: () => string;
}

/** All texts of an entry, in the order in which they are painted. */
export function searchable(entry: ViewEntry): readonly Searchable[] {
  const frame = frameOf(entry)
    .filter(line => line !== undefined && line !== "")
    .join("\n");
  const parts: readonly ToolPart[] = "parts" in entry ? entry.parts : [];
  const named = namedHeaders(parts, entry.kind === "tool" ? entry.title : undefined);
  return [
    ...(frame === "" ? [] : [verbatim(frame)]),
    ...parts.flatMap((part, i) => {
      const text = textOf(part, entry.kind === "user", named[i] ?? true);
      return text ? [{ ...text, part: i }] : [];
    }),
  ];
}

type OptionalLine = string | undefined;

function frameOf(entry: ViewEntry): readonly OptionalLine[] {
  switch (entry.kind) {
    case "user":
    case "agent":
    case "thought":
    case "turnEnd":
      return [];
    case "tool": {
      // A file that the card names already is not counted twice.
      const places = namedLocations(entry);
      return [
        withoutTicks(entry.title),
        ...places.map(({ label, line }) => (line === undefined ? label : `${label}:${line}`)),
        ...(entry.decisions ?? []),
        entry.byAllEdits ?? "",
        ...(entry.files ?? []).map(file => file.label),
      ];
    }
    case "notice":
      return entry.over ? [] : [entry.title, entry.description, ...(entry.files ?? []).map(file => file.label)];
    case "compaction":
      return [entry.error];
    case "problem": {
      const { message, detail, command } = entry.problem;
      return [withoutTicks(message), detail, command];
    }
    default:
      return entry satisfies never;
  }
}

/** Titles show text in backticks as code. */
const withoutTicks = (title: string): string => title.replace(/`([^`]+)`/g, "$1");

function textOf(part: ToolPart, isTyped: boolean, named: boolean): Omit<Searchable, "part"> | undefined {
  switch (part.type) {
    case "text":
      return isTyped || part.pre ? verbatim(part.text) : { source: part.text, plain: () => plainMarkdown(part.text) };
    case "link":
      return verbatim(part.name);
    case "resource":
      return verbatim(`${uriFileName(part.uri)}\n${part.text ?? part.uri}`);
    case "diff":
      return verbatim([...(named ? [part.label] : []), ...diffLineTexts(part)].join("\n"));
    case "files": {
      const files = part.files.flatMap(({ from, label, diff }) => [
        ...(from === undefined ? [] : [from]),
        ...(named ? [label] : []),
        ...(diff ? diffLineTexts(diff) : []),
      ]);
      return verbatim([...files, ...(part.patch === undefined ? [] : [part.patch])].join("\n"));
    }
    case "terminal": {
      const head = [part.command, part.cwd].filter(line => line !== undefined).map(line => `${line}\n`);
      return { source: part.text, plain: () => head.join("") + plainTerminal(part.text) };
    }
    case "json":
      return verbatim(part.text);
    case "session":
      return part.title === undefined ? undefined : verbatim(part.title);
    case "plan":
      return planText(part);
    case "image":
    case "audio":
    case "placeholder":
      return undefined;
    default:
      return part satisfies never;
  }
}

function planText({ entries, markdown, uri, file }: ViewPlan): Omit<Searchable, "part"> {
  const steps = entries.map(({ content }) => content);
  const rest = [...(uri === undefined ? [] : [uriFileName(uri)]), ...(file ? [file.label] : [])];
  if (markdown === undefined) return verbatim([...steps, ...rest].join("\n"));
  return { source: markdown, plain: () => [plainMarkdown(markdown), ...rest].join("\n") };
}

const diffLineTexts = (body: DiffBody): readonly string[] =>
  body.hunks.flatMap(hunk => hunk.lines.map(line => line.text));

const verbatim = (source: string): Omit<Searchable, "part"> => ({ source, plain: () => source });
