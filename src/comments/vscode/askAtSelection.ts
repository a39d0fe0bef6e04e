// Asks the agent about the selected lines at once: a list of what is often asked, with the user's last questions first.
import * as vscode from "vscode";
import type { Memento } from "../../base/memento.ts";
import { createQuickPick, setItems } from "../../editor/editorUi.ts";
import type { LineRange } from "../../review/hunk.ts";

/** A question that the user can choose. */
export interface AskItem extends vscode.QuickPickItem {
  /** The text for the agent. */
  readonly question: string;
}

const lastQuestionsKey = "parley.lastQuestions";
/** The user's last questions that are offered. */
const maxLastQuestions = 5;

/** The questions to choose from: what the user types, the last ones, then to fix problems, and those that are often asked. */
export function askItems(typed: string, last: readonly string[], problems: readonly string[]): readonly AskItem[] {
  const own = typed.trim();
  const often: AskItem[] = [
    {
      label: vscode.l10n.t("Explain"),
      iconPath: new vscode.ThemeIcon("question"),
      question: vscode.l10n.t("Explain these lines. Change nothing."),
    },
    {
      label: vscode.l10n.t("Improve"),
      iconPath: new vscode.ThemeIcon("edit"),
      question: vscode.l10n.t("Improve these lines without changing what they do."),
    },
    {
      label: vscode.l10n.t("Write Tests"),
      iconPath: new vscode.ThemeIcon("beaker"),
      question: vscode.l10n.t("Write tests for these lines."),
    },
    {
      label: vscode.l10n.t("Document"),
      iconPath: new vscode.ThemeIcon("book"),
      question: vscode.l10n.t("Document these lines with comments in the style of the file."),
    },
  ];
  const fix: AskItem[] =
    problems.length === 0
      ? []
      : [
          {
            label: problems.length === 1 ? vscode.l10n.t("Fix This Problem") : vscode.l10n.t("Fix These Problems"),
            description: problems[0] ?? "",
            iconPath: new vscode.ThemeIcon("wrench"),
            question: [vscode.l10n.t("Fix the problems in these lines:"), ...problems.map(one => `- ${one}`)].join(
              "\n",
            ),
          },
        ];
  const earlier = last
    .filter(one => one !== own)
    .map((question): AskItem => ({ label: question, iconPath: new vscode.ThemeIcon("history"), question }));
  const first: AskItem[] =
    own === "" ? [] : [{ label: own, iconPath: new vscode.ThemeIcon("send"), question: own, alwaysShow: true }];
  return [...first, ...earlier, ...fix, ...often];
}

/** Asks the user what to ask. Undefined: cancelled. */
export async function pickQuestion(state: Memento, problems: readonly string[]): Promise<string | undefined> {
  const last = lastQuestions(state);
  const pick = createQuickPick<AskItem>({
    title: vscode.l10n.t("Ask at Selection"),
    placeHolder: vscode.l10n.t("Type what the agent should do with these lines, or choose"),
  });
  const show = (): void => setItems(pick, askItems(pick.value, last, problems));
  try {
    const question = await new Promise<string | undefined>(resolve => {
      show();
      pick.onDidChangeValue(show);
      pick.onDidAccept(() => resolve((pick.activeItems[0] as AskItem | undefined)?.question));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
    if (question !== undefined) await rememberQuestion(state, question, pick.value.trim() !== "");
    return question;
  } finally {
    pick.dispose();
  }
}

function lastQuestions(state: Memento): readonly string[] {
  const stored = state.get<unknown>(lastQuestionsKey);
  return Array.isArray(stored) ? stored.filter(one => typeof one === "string").slice(0, maxLastQuestions) : [];
}

/** Only what the user wrote is remembered, and what was chosen of it again. */
async function rememberQuestion(state: Memento, question: string, isTyped: boolean): Promise<void> {
  const last = lastQuestions(state);
  if (!isTyped && !last.includes(question)) return;
  await state.update(lastQuestionsKey, [question, ...last.filter(one => one !== question)].slice(0, maxLastQuestions));
}

/** The messages of the problems in these lines. */
export function problemsAt({ uri }: vscode.TextDocument, { from, to }: LineRange): readonly string[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ range }) => range.start.line < to && from <= range.end.line)
    .map(({ message }) => message.split("\n")[0] ?? "");
}
