// The tool that shows what the user ran last in a terminal.
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { askedCall } from "./askedCall.ts";
import { flag, text, whole } from "./resultFields.ts";
import { maxResultLength } from "./resultPages.ts";
import { joinedLines, readingTool, resultSchema } from "./tool.ts";

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
    const read = () => {
      const last = context.editor.lastCommand();
      if (!last)
        throw new Refusal(
          "failed",
          "No command is known. It must be run in a terminal with shell integration while the editor listens. Ask the user to run it again.",
        );
      const { command, output: whole, exitCode, cwd, truncated } = last;
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
    };
    if (allowed?.has(allowedKey)) return read();
    // Whether there is a command is no secret, and a question about nothing only disturbs.
    read();
    return askedCall(
      {
        title: t("Read the output of your last terminal command"),
        kind: "other",
        description: t("Likely secrets are hidden, but others may be in it."),
        forSession: t("Allow for This Session"),
      },
      context,
      {
        signal,
        act: async ({ isForSession }) => {
          if (isForSession) allowed?.add(allowedKey);
          return read();
        },
      },
    );
  },
});
