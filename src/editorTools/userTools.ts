// The tools that turn to the user: show something in the editor, and ask with a form in the chat.
import { basename } from "node:path";
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import type { FormField, FormValue } from "../session/forms/form.ts";
import { askedCall, currentActions } from "./askedCall.ts";
import { flag, list, pathArgument, text } from "./resultFields.ts";
import { wholeCharacters, maxResultLength } from "./resultPages.ts";
import { actingTool, admittedPath, joinedLines, resultSchema } from "./tool.ts";
import {
  choiceArgument,
  countArgument,
  flagArgument,
  listArgument,
  optionalArgument,
  textArgument,
  textsArgument,
} from "./toolArguments.ts";

/** Shows a file, a range or a diff. */
export const showTool = actingTool(
  {
    name: "show_to_user",
    title: "Show to User",
    description:
      "Shows a file to the user in a tab of the editor: at lines, compared with another file, or with the changes of this session that the user has not reviewed yet. The user is asked first. Does not change anything.",
    arguments: {
      path: pathArgument,
      line: optionalArgument(countArgument("The first line to show, 1-based.", 1, 10_000_000)),
      endLine: optionalArgument(countArgument("The last line to show. Default: the first one.", 1, 10_000_000)),
      compareWith: optionalArgument(
        textArgument("The absolute path of a file to show on the left, as a diff.", 32_000),
      ),
      changes: optionalArgument(flagArgument("Shows the changes that are not reviewed yet, as a diff.")),
    },
    result: resultSchema({ shown: flag("The user sees it now.") }),
    async run({ path, line, endLine, compareWith, changes = false }, context, signal) {
      const admitted = await admittedPath(path, context, signal);
      const left = compareWith === undefined ? undefined : await admittedPath(compareWith, context, signal);
      const { files } = context.editor;
      if (changes && left !== undefined) throw new Refusal("invalid", "Send either “compareWith” or “changes”.");
      if (endLine !== undefined && endLine < (line ?? 1))
        throw new Refusal("invalid", "“endLine” must not be less than “line”.");
      const isChanged = context
        .changes()
        .some(one => context.editor.spelled(one.path) === context.editor.spelled(admitted));
      if (changes && !isChanged)
        throw new Refusal("failed", `${quotePath(path)} has no changes of this session that wait for review.`);
      for (const one of [admitted, ...(left === undefined ? [] : [left])])
        if (!(changes && one === admitted) && (await files.kindOf(one)) !== "file")
          throw new Refusal("notFound", `${quotePath(one)} is not a file.`);
      const name = basename(admitted);
      const title =
        left !== undefined
          ? t("Show the differences of {0} and {1}", basename(left), name)
          : changes
            ? t("Show the changes of {0}", name)
            : t("Show {0}", name);
      const locations = [{ path: admitted, ...(line !== undefined && { line }) }];
      return askedCall(
        { title, kind: "read", locations: left === undefined ? locations : [{ path: left }, ...locations] },
        context,
        {
          signal,
          act: async () => {
            if (left !== undefined) await files.showDiff(left, admitted);
            else if (changes) await files.showChanges(admitted);
            else await files.show(admitted, line, endLine);
            return { structured: { shown: true }, text: `The user sees ${admitted} now.` };
          },
        },
      );
    },
  },
  { repeats: true },
);

const maxFields = 10;
const maxChoices = 50;
const fieldTypes = ["text", "number", "yes_no", "choice", "choices"] as const;

/** Asks the user with a form. */
export const askTool = actingTool(
  {
    name: "ask_user",
    title: "Ask User",
    description:
      "Asks the user with a form in the chat, and waits for the answer. Use it for a decision that only the user can make. The user can decline. Never ask for passwords or keys.",
    arguments: {
      message: textArgument("The question, as plain text.", 4000),
      fields: listArgument(
        "What the user fills in.",
        {
          name: textArgument("The name of the field in the result.", 100),
          title: textArgument("What the user sees.", 200),
          type: choiceArgument("How it is answered.", fieldTypes),
          description: optionalArgument(textArgument("More about the field.", 1000)),
          options: optionalArgument(
            textsArgument("The options of “choice” and “choices”.", { maxItems: maxChoices, maxLength: 500 }),
          ),
          required: optionalArgument(flagArgument("Whether it must be answered. Default: true.")),
        },
        maxFields,
      ),
    },
    result: resultSchema({
      answered: flag("The user has answered. Otherwise the user declined, and there are no answers."),
      answers: list({ name: text(), values: { type: "array", items: text() } }, "The fields that were answered."),
    }),
    async run({ message, fields }, context, signal) {
      const names = new Set(fields.map(({ name }) => name));
      if (names.size < fields.length) throw new Refusal("invalid", "Two fields have the same name.");
      const form = { message, fields: fields.map(formField) };
      const answer = await currentActions(context).askForm({ type: "form", form }, signal);
      if (answer === "cancelled") throw new Refusal("cancelled", "The question was cancelled without an answer.");
      if (answer.action === "decline")
        return {
          structured: { answered: false, answers: [] },
          text: "The user declined to answer. Go on without it, or end the work.",
        };
      const answers = [...(answer.values ?? [])].map(([name, value]) => ({ name, values: shownValues(value) }));
      return {
        structured: { answered: true, answers },
        text: joinedLines(...answers.map(({ name, values }) => `${name}: ${values.join(", ")}`)),
      };
    },
  },
  {},
);

const shownValues = (value: FormValue): readonly string[] =>
  (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(one =>
    wholeCharacters(one, maxResultLength),
  );

function formField({
  name,
  title,
  type,
  description,
  options,
  required = true,
}: {
  readonly name: string;
  readonly title: string;
  readonly type: (typeof fieldTypes)[number];
  readonly description: string | undefined;
  readonly options: readonly string[] | undefined;
  readonly required: boolean | undefined;
}): FormField {
  const common = { name, title, required, ...(description !== undefined && { description }) };
  switch (type) {
    case "text":
      return { ...common, type: "text" };
    case "number":
      return { ...common, type: "number", integer: false };
    case "yes_no":
      return { ...common, type: "boolean" };
    case "choice":
    case "choices": {
      if (!options) throw new Refusal("invalid", `The field “${name}” has no “options”.`);
      const choices = [...new Set(options)].map(value => ({ value, name: value }));
      return { ...common, type: type === "choice" ? "select" : "multiselect", choices };
    }
  }
}
