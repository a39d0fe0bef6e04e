// Answers one prompt: selects one of the actions of the demo agent by the text and the attachments of the prompt.
import { basename } from "node:path";
import { asksForCommitMessage, commitMessage } from "./commitMessage.ts";
import { explainFile, plausibleFile } from "./explain.ts";
import { explainProject, isAboutProject } from "./explainProject.ts";
import { fixBug } from "./fix.ts";
import { fileNameIn, filesNamed, understand, type Intent } from "./intent.ts";
import { isTest } from "./outline.ts";
import { planRefactor } from "./planRefactor.ts";
import { readPrompt, type Attachment, type Picture, type PromptContent } from "./promptContent.ts";
import { answerRunTests } from "./runTests.ts";
import type { Turn } from "./turn.ts";
import { UnreadableFile, Workspace } from "./workspace.ts";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/** Answers a prompt. Throws `TurnCancelled` when stopped. */
export async function answer(turn: Turn, prompt: readonly ContentBlock[]): Promise<void> {
  const content = readPrompt(prompt);
  const intent = understand(content.text);
  const workspace = new Workspace(turn);
  await turn.count(content.text);
  if (asksForCommitMessage(content.text)) return turn.say(commitMessage(content.text));
  if (content.pictures.length > 0) await turn.say(inWords(content.pictures));
  if (isAboutPictures(content, intent)) return;
  try {
    await act(turn, workspace, intent, content);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    await turn.say(error.message);
  }
}

/** Whether the prompt is only about its pictures, so that their description answers it. */
function isAboutPictures({ pictures, attachments }: PromptContent, { kind, words }: Intent): boolean {
  const asks = kind === "help" || kind === "explain";
  return pictures.length > 0 && attachments.length === 0 && asks && fileNameIn(words) === undefined;
}

/** Describes the pictures by their data, because the demo agent has no model that could see them. */
function inWords(pictures: readonly Picture[]): string {
  const lines = pictures.map(({ mimeType, bytes, size }) => {
    const pixels = size ? `, ${size.width} × ${size.height} pixels` : "";
    return `- \`${mimeType}\`, ${bytes} bytes${pixels}`;
  });
  const what = pictures.length === 1 ? "a picture" : `${pictures.length} pictures`;
  const shown = pictures.length === 1 ? "it shows" : "they show";
  return `You sent ${what}. I am not a model, so I cannot see what ${shown}:\n\n${lines.join("\n")}\n\n`;
}

async function act(turn: Turn, workspace: Workspace, intent: Intent, content: PromptContent): Promise<void> {
  const files = await workspace.files();
  const named = filesNamed(intent.words, files);
  const attached = content.attachments[0];
  const [first] = named;
  // If several files have this name, the prompt means the attached one.
  const isNamesake = ({ path, text }: Attachment): boolean =>
    text === undefined && first !== undefined && basename(path) === basename(first);
  const attachedPath = attached?.text === undefined ? attached?.path : undefined;
  const target = content.attachments.find(isNamesake)?.path ?? first ?? attachedPath;
  const missing = target === undefined ? fileNameIn(intent.words) : undefined;
  if (missing !== undefined && (intent.kind === "explain" || intent.kind === "fix")) {
    await title(turn, `Looking for ${missing}`);
    return turn.say(notFound(missing, files));
  }
  const shown = target === undefined ? undefined : workspace.shown(target);
  switch (intent.kind) {
    case "explain":
      if (first === undefined && files.length > 0 && isAboutProject(intent.words)) {
        await title(turn, "Explain the project");
        return explainProject(turn, workspace);
      }
      return explain(turn, workspace, target, attached);
    case "fix":
      await title(turn, shown === undefined ? "Fix a bug" : `Fix ${shown}`);
      return fixBug(turn, workspace, shown);
    case "test":
      await title(turn, "Run the tests");
      return answerRunTests(turn, workspace);
    case "plan":
      await title(turn, "Plan a refactor");
      return planRefactor(
        turn,
        workspace,
        named.filter(file => !isTest(file)),
      );
    case "help":
      await title(turn, "What the demo agent can do");
      return turn.say(help(await workspace.sources()));
    default:
      intent.kind satisfies never;
  }
}

async function explain(
  turn: Turn,
  workspace: Workspace,
  target: string | undefined,
  attached: Attachment | undefined,
): Promise<void> {
  const path = target ?? attached?.path ?? (await plausibleFile(workspace));
  if (path === undefined) return turn.say("This folder has no files, so there is nothing to explain.");
  await title(turn, `Explain ${workspace.shown(path)}`);
  await explainFile(turn, workspace, path, target === undefined ? attached?.text : undefined);
}

/** Names the session after its first prompt. */
async function title(turn: Turn, text: string): Promise<void> {
  if (turn.session.title !== undefined) return;
  turn.session.title = text;
  await turn.update({ sessionUpdate: "session_info_update", title: text, updatedAt: new Date().toISOString() });
}

function notFound(name: string, files: readonly string[]): string {
  const some = files.slice(0, 12).map(file => `- \`${file}\``);
  const more = files.length > some.length ? `\n\n…and ${files.length - some.length} more.` : "";
  return `I could not find \`${name}\` in this folder. The folder contains:\n\n${some.join("\n")}${more}`;
}

function help(sources: readonly string[]): string {
  const example = sources[0] ?? "a file";
  const name = example.slice(example.lastIndexOf("/") + 1);
  return `Hello! I am the demo agent. I am not a language model: I follow simple rules, work only in this folder, and never use the network. Try one of these prompts:

- **Explain ${name}**: I read a file and describe its content. You can also attach a file and enter *explain this file*.
- **Explain this project**: I read its README and its sources, and describe them.
- **Fix the bug in ${name}**: I run its tests, look for a small change that makes them pass, and ask before I edit.
- **Run the tests**: I run them in a terminal that you can watch.
- **Plan a refactor**: I read the sources and propose improvements.

You can also use these commands: \`/explain\`, \`/fix\`, \`/test\`, \`/plan\`, \`/help\`.
`;
}
