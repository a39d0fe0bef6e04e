// Reads the links that fill the message box: `vscode://parley.parley/prompt?folder=…&text=…`. Pure.
import { t } from "../base/l10n.ts";
import { visibleText } from "../base/visibleText.ts";

/** The longest text that a link or a command may fill in (characters). */
const maxFilledText = 10_000;

export interface FillRequest {
  readonly text: string;
  /** The path of the folder. Undefined: that of the shown session. */
  readonly folder?: string;
}

/**
 * What the link is for. VS Code has decoded the query, so `&` can be a part of the text, which therefore comes last. Throws
 * with a sentence if it is not such a link.
 */
export function readPromptLink({ path, query }: { readonly path: string; readonly query: string }): FillRequest {
  if (path !== "/prompt")
    throw new Error(t("Parley does not know this link. Links that fill the message box have the path {0}.", "/prompt"));
  const { text = "", folder = "" } =
    /^(?:folder=(?<folder>[\s\S]*?)&)?text=(?<text>[\s\S]*)$/.exec(query)?.groups ?? {};
  return { text: textToFill(text), ...(folder !== "" && { folder }) };
}

/** The text as the message box gets it: invisible characters are shown by their codes. Throws with a sentence. */
export function textToFill(text: string): string {
  if (text.trim() === "") throw new Error(t("There is no text for the message box."));
  if (text.length > maxFilledText)
    throw new Error(
      t(
        "The text for the message box has {0} characters, and the limit is {1}. The message box was not changed.",
        text.length,
        maxFilledText,
      ),
    );
  return visibleText(text.replace(/\r\n?/g, "\n"));
}
