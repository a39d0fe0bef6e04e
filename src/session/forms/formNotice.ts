// What the conversation shows of a form or a web address once it was answered.
import { t } from "../../base/l10n.ts";
import { visibleLine } from "../../base/lines.ts";
import type { AskAnswer } from "../events.ts";
import type { Notice, Question } from "../state.ts";
import type { FormField, LoggedAnswer } from "./form.ts";
import { commaSeparated } from "../../base/sentences.ts";

/** The notice for an answered question of another kind than a permission. */
export function formNotice(question: Question, answer: AskAnswer): Pick<Notice, "severity" | "title" | "description"> {
  const { title, kind, form, reason, address } = question;
  if (answer === "cancelled" || "option" in answer) return { severity: "info", title: t("Not answered: {0}", title) };
  if (answer.action === "decline") {
    return { severity: "info", title: t("Declined: {0}", title), ...(reason !== undefined && { description: reason }) };
  }
  if (kind === "url") {
    return { severity: "info", title: t("Opened: {0}", title), ...(address && { description: address.href }) };
  }
  const lines = (answer.answers ?? []).flatMap(one => answerLine(one, form?.fields ?? []));
  return {
    severity: "info",
    title: t("Answered: {0}", title),
    ...(lines.length > 0 && { description: lines.join("\n") }),
  };
}

function answerLine(logged: LoggedAnswer, fields: readonly FormField[]): readonly string[] {
  const field = fields.find(({ name }) => name === logged.field);
  // Titles and names are the agent's. Each answer stays on its line.
  return field
    ? [visibleLine(`${field.title}: ${"value" in logged ? valueText(field, logged.value) : t("answered")}`)]
    : [];
}

function valueText(field: FormField, value: Extract<LoggedAnswer, { value: unknown }>["value"]): string {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return String(value);
  const chosen = typeof value === "string" ? [value] : value;
  const choices = field.type === "select" || field.type === "multiselect" ? field.choices : [];
  const names = chosen.map(one => choices.find(choice => choice.value === one)?.name ?? one);
  return names.length === 0 ? t("none") : commaSeparated(names);
}
