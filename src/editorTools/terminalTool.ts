// The tool that shows what the user ran last in a terminal.
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import { askedCall, shownCall } from "./askedCall.ts";
import type { TerminalCommand } from "./editorView.ts";
import { flag, text, whole } from "./resultFields.ts";
import { maxResultLength } from "./resultPages.ts";
import { joinedLines, readingTool, resultSchema, type ToolAnswer } from "./tool.ts";

const allowedKey = "terminal output";

/** The output of the user's last command. */
export const terminalOutputTool = readingTool({
  name: "terminal_output",
  title: "Get Output of Last Command",
  description:
    "Gets the last command that the user ran in a terminal of the editor, its output and its exit code. Only terminals with shell integration report them. Long output is cut at its beginning. The user is asked first.",
  arguments: {},
  result: resultSchema({
    command: text(),
    output: text(),
    "outputCut?": flag("The output is longer, so its beginning is missing."),
    "exitCode?": whole("Absent: the command is still running, or the shell does not report it."),
    "folder?": text(),
  }),
  async run(_, context, signal) {
    const { allowed } = context.access;
    const last = context.editor.lastCommand();
    // Whether there is a command is no secret, and a question about nothing only disturbs.
    if (!last)
      throw new Refusal(
        "failed",
        "No command is known. It must be run in a terminal with shell integration while the editor listens. Ask the user to run it again.",
      );
    // The user can run another command while the question is open, so the agent gets the output of this one.
    const answer = answerOf(last);
    const card = {
      title: t("Read the output of your last terminal command"),
      kind: "other",
      description: descriptionOf(last),
    } as const;
    if (allowed?.has(allowedKey)) return shownCall(card, context, () => Promise.resolve(answer));
    return askedCall(
      {
        ...card,
        caveat: t("sends the output of a terminal, which may hold secrets"),
        forSession: t("Allow for This Session"),
      },
      context,
      {
        signal,
        act: ({ isForSession }) => {
          if (isForSession) allowed?.add(allowedKey);
          return Promise.resolve(answer);
        },
      },
    );
  },
});

/** What the user reads before the answer. */
function descriptionOf({ command, cwd }: TerminalCommand): string {
  const named =
    cwd === undefined
      ? t("The command is {0}.", quotePath(command))
      : t("The command is {0}, in the folder {1}.", quotePath(command), cwd);
  return `${named} ${t("Likely secrets are hidden, but others may be in it.")}`;
}

function answerOf({ command, output: whole, exitCode, cwd, truncated }: TerminalCommand): ToolAnswer {
  const output = whole.slice(-maxResultLength);
  const isCut = truncated || whole.length > output.length;
  return {
    structured: {
      ...{ command, output },
      ...(isCut && { outputCut: true }),
      ...(exitCode !== undefined && { exitCode }),
      ...(cwd !== undefined && { folder: cwd }),
    },
    text: joinedLines(
      `$ ${command}`,
      isCut ? "[Earlier output is left out.]" : undefined,
      output,
      exitCode === undefined ? undefined : `[exit code ${exitCode}]`,
    ),
  };
}
