// Computes the text before an agent's edit from the agent's reports of the edit, for files that were first seen after
// the edit. Pure. Texts have "\n" line endings. If a report does not match exactly, there is no result: a base is never
// guessed.
import { applyPatch, parsePatch, reversePatch } from "diff";
import { withLineFeeds } from "../base/text.ts";
import type { FileOperation, ToolContent } from "../session/events.ts";

/** An agent's report of one edit to a file. */
export type EditReport =
  | { readonly kind: "diff"; readonly oldText?: string; readonly newText: string; readonly deleted?: true }
  | { readonly kind: "patch"; readonly patch: string; readonly operation: FileOperation | (string & {}) };

/** Larger patches are not parsed. */
const maxPatchLength = 1_000_000;

/** The edits reported in the content of a tool call, by the path that the agent gave. */
export function editReportsOf(content: ToolContent): readonly (readonly [path: string, report: EditReport])[] {
  if (content.type === "diff") {
    const { path, oldText, newText, deleted } = content;
    const old = oldText === undefined ? {} : { oldText: withLineFeeds(oldText) };
    return [[path, { kind: "diff", ...old, newText: withLineFeeds(newText), ...(deleted && { deleted }) }]];
  }
  if (content.type !== "changes") return [];
  const { changes, patch } = content;
  const reports = changes.flatMap(({ path, oldPath, operation }) => {
    const filePatch = patch === undefined ? undefined : patchOfFile(patch, path, oldPath);
    const report = [path, { kind: "patch", patch: filePatch ?? "", operation }] as const;
    const isMove = operation === "move" && oldPath !== undefined;
    return isMove ? [report, [oldPath, { kind: "patch", patch: "", operation: "delete" }] as const] : [report];
  });
  return reports;
}

/** The part of a patch about one file, as a patch. */
function patchOfFile(patch: string, path: string, oldPath: string | undefined): string | undefined {
  if (patch.length > maxPatchLength) return undefined;
  const parts = patch.split(/^(?=diff --git )/m).filter(part => part.trim() !== "");
  const namesFile = (name: string | undefined, of: string): boolean => {
    if (name === undefined || name === "/dev/null") return false;
    const plain = name.replace(/^[ab]\//, "").replaceAll("\\", "/");
    const whole = of.replaceAll("\\", "/");
    return whole === plain || whole.endsWith(`/${plain}`);
  };
  return parts.find(part => {
    try {
      const [one] = parsePatch(part);
      return one !== undefined && (namesFile(one.newFileName, path) || namesFile(one.oldFileName, oldPath ?? path));
    } catch {
      return false; // Not a patch, so it contains nothing about the file.
    }
  });
}

/** Whether the text already contains the reported edit, so that it is not the text before it. */
export function containsEdit(text: string, report: EditReport): boolean {
  if (report.kind === "patch") return report.patch !== "" && applyReversedPatch(text, report.patch) !== undefined;
  const { oldText, newText } = report;
  if (newText === "" || !text.includes(newText)) return false;
  return oldText === undefined || oldText === "" || !text.includes(oldText) || newText.includes(oldText);
}

/**
 * The text before the reported edits, oldest first. Null: the file did not exist. Undefined if one of the edits does
 * not match exactly, or matches in more than one place.
 */
export function baseFromReports(text: string | null, reports: readonly EditReport[]): string | null | undefined {
  let now: string | null = text;
  for (const report of reports.toReversed()) {
    const before = revertReport(now, report);
    if (before === undefined) return undefined;
    now = before;
  }
  return reports.length === 0 ? undefined : now;
}

function revertReport(text: string | null, report: EditReport): string | null | undefined {
  if (report.kind === "patch") return revertPatchReport(text, report);
  const { oldText, newText, deleted } = report;
  if (deleted) return text === null ? oldText : undefined;
  if (text === null) return undefined;
  if (text === newText) return oldText ?? null;
  // A new file whose text has changed since, or an edit without a location.
  if (oldText === undefined || newText === "") return undefined;
  const at = text.indexOf(newText);
  if (at < 0 || text.indexOf(newText, at + 1) >= 0) return undefined;
  return text.slice(0, at) + oldText + text.slice(at + newText.length);
}

function revertPatchReport(
  text: string | null,
  { patch, operation }: Extract<EditReport, { kind: "patch" }>,
): string | null | undefined {
  if (operation === "add" || operation === "copy") return text === null ? undefined : null;
  if (patch === "") return undefined;
  return applyReversedPatch(text ?? "", patch);
}

function applyReversedPatch(text: string, patch: string): string | undefined {
  try {
    const [one] = parsePatch(patch);
    if (!one?.hunks.some(hunk => hunk.lines.some(line => /^[+-]/.test(line)))) return undefined;
    const back = applyPatch(text, reversePatch(one), { fuzzFactor: 0, autoConvertLineEndings: false });
    return back === false ? undefined : back;
  } catch {
    return undefined; // Not a valid patch, so nothing is known.
  }
}
