// The arguments and the fields of results that several tools have, and what they say about a page of a list.
import { maxPageItems, type ResultPage } from "./resultPages.ts";
import { joinedLines, maxListedFiles, resultSchema, type UnlistedItems } from "./tool.ts";
import { countArgument, optionalArgument, textArgument, type FieldSchema } from "./toolArguments.ts";

export const pathArgument = textArgument("The absolute path of a file.", 32_000);
export const offsetArgument = optionalArgument(
  countArgument("Skips this many items. “nextOffset” of the page before.", 0, 1_000_000),
);
export const limitArgument = optionalArgument(
  countArgument(`The number of items. Default: ${maxPageItems}, which is also the maximum.`, 1, maxPageItems),
);
export const text = (description?: string): FieldSchema => ({
  type: "string",
  ...(description !== undefined && { description }),
});
export const whole = (description?: string): FieldSchema => ({
  type: "integer",
  ...(description !== undefined && { description }),
});
export const flag = (description: string): FieldSchema => ({ type: "boolean", description });
export const list = (fields: Readonly<Record<string, FieldSchema>>, description?: string): FieldSchema => ({
  type: "array",
  items: resultSchema(fields),
  ...(description !== undefined && { description }),
});
export const rangeSchema = { line: whole(), column: whole(), endLine: whole(), endColumn: whole() } as const;

/** What a page of a list is a part of. */
type PageOfList = Pick<ResultPage<unknown>, "total" | "nextOffset">;

/** The fields that a result has besides the items of a page. `many`: what the items are. */
export const pageSchema = (many: string): Readonly<Record<string, FieldSchema>> => ({
  total: whole("The number of all items."),
  "nextOffset?": whole("The offset of the next page. Absent on the last one."),
  leftOut: whole(`The number of ${many} that the session may not see.`),
  "beyond?": whole(`The number of ${many} in files after the first ${maxListedFiles}.`),
});

/** The fields as {@link pageSchema} declares them. */
export const pageFields = (
  { total, nextOffset }: PageOfList,
  { leftOut, beyond }: UnlistedItems,
): Readonly<Record<string, number>> => ({
  ...{ total, leftOut },
  ...(nextOffset !== undefined && { nextOffset }),
  ...(beyond > 0 && { beyond }),
});

/** Sentences about the next page, and about items that the list does not name. Undefined: there are neither. */
export function pageNotes(
  { total, nextOffset }: PageOfList,
  { leftOut, beyond }: UnlistedItems,
  [one, many]: readonly [one: string, many: string],
): string | undefined {
  const counted = (count: number): string => `${count} ${count === 1 ? `${one} is` : `${many} are`} left out, because`;
  const notes = joinedLines(
    nextOffset === undefined
      ? undefined
      : `This is not all: there are ${total}. Call again with offset ${nextOffset} for the rest.`,
    leftOut === 0
      ? undefined
      : `${counted(leftOut)} their files are outside of this session's folders, or only the user can allow reading them.`,
    beyond === 0
      ? undefined
      : `${counted(beyond)} this list ends after ${maxListedFiles} files. Narrow the call to see more.`,
  );
  return notes === "" ? undefined : notes;
}

/** Follows what a text of a result is, if its end is missing. */
export const cutNote = (maxLength: number): string => ` (cut after ${maxLength} characters)`;
