// An extension with two tools for language models. Runs in the extension host of the tests.
const vscode = require("vscode");

const notes = [];
/** The calls that wait until they are cancelled. Commands show them to the tests. */
const waiting = { begun: 0, cancelled: 0 };

const results = {
  parts: () => [
    new vscode.LanguageModelTextPart("A text."),
    new vscode.LanguageModelPromptTsxPart({
      node: {
        type: 1,
        children: [
          { type: 2, text: "A prompt." },
          { type: 2, text: "Its end.", lineBreakBefore: true },
        ],
      },
    }),
  ],
  failure: () => {
    throw new Error("The notes are locked.");
  },
  cancelled: () => {
    throw new vscode.CancellationError();
  },
  wait: token =>
    new Promise((_, reject) => {
      waiting.begun++;
      token.onCancellationRequested(() => {
        waiting.cancelled++;
        reject(new vscode.CancellationError());
      });
    }),
};

exports.activate = context => {
  context.subscriptions.push(
    vscode.commands.registerCommand("parley-test.notes", () => ({ notes: [...notes], ...waiting })),
    vscode.lm.registerTool("notes_add", {
      prepareInvocation: ({ input }) =>
        input.confirm
          ? { confirmationMessages: { title: "Add a note?", message: `The note is “${input.text}”.` } }
          : undefined,
      invoke: ({ input }) => {
        notes.push(input.text);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(`Notes: ${notes.join(", ")}`)]);
      },
    }),
    vscode.lm.registerTool("notes_parts", {
      invoke: async ({ input }, token) => new vscode.LanguageModelToolResult(await results[input.what](token)),
    }),
  );
};
