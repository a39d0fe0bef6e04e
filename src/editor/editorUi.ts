// The door to VS Code's messages, progress, quick picks and input boxes. VS Code turns `[text](command:id)` in them into
// links that run any command, and `$(name)` into icons. Agents, folders and servers write parts of these texts, so every
// text passes `inertText`. The architecture test forbids the direct calls.
import * as vscode from "vscode";
import { inertLines, inertText } from "../base/inertText.ts";

/** How a message is shown. */
export interface MessageOptions {
  readonly modal?: boolean;
  /** The lines below the question of a modal dialog. A line feed within a line is shown as `⏎`. */
  readonly detail?: readonly string[];
}

/** As in VS Code. Resolves to the selected button. */
export function showInformationMessage<Button extends string>(
  message: string,
  ...rest: readonly Button[] | readonly [MessageOptions, ...Button[]]
): Promise<Button | undefined> {
  return showMessage(vscode.window.showInformationMessage as ShowMessage, message, rest);
}

/** As in VS Code. Resolves to the selected button. */
export function showWarningMessage<Button extends string>(
  message: string,
  ...rest: readonly Button[] | readonly [MessageOptions, ...Button[]]
): Promise<Button | undefined> {
  return showMessage(vscode.window.showWarningMessage as ShowMessage, message, rest);
}

/** As in VS Code. Resolves to the selected button. */
export function showErrorMessage<Button extends string>(
  message: string,
  ...rest: readonly Button[] | readonly [MessageOptions, ...Button[]]
): Promise<Button | undefined> {
  return showMessage(vscode.window.showErrorMessage as ShowMessage, message, rest);
}

type ShowMessage = (message: string, ...rest: (vscode.MessageOptions | string)[]) => Thenable<string | undefined>;

async function showMessage<Button extends string>(
  show: ShowMessage,
  message: string,
  rest: readonly (Button | MessageOptions)[],
): Promise<Button | undefined> {
  const options = rest
    .filter(each => typeof each !== "string")
    .map(({ detail, ...others }) => ({ ...others, ...(detail !== undefined && { detail: inertLines(detail) }) }));
  const buttons = rest.filter(each => typeof each === "string");
  const shown = buttons.map(inertText);
  const pressed = await show(inertText(message), ...options, ...shown);
  return pressed === undefined ? undefined : buttons[shown.indexOf(pressed)];
}

/** How long the status bar shows that something was done (ms). */
const statusMessageDuration = 3000;

/** Shows the text in the status bar for a moment. */
export function setStatusBarMessage(text: string): void {
  vscode.window.setStatusBarMessage(inertText(text), statusMessageDuration);
}

/** As in VS Code. */
export function withProgress<T>(
  options: vscode.ProgressOptions,
  task: (
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ) => Thenable<T>,
): Thenable<T> {
  return vscode.window.withProgress(
    { ...options, ...(options.title !== undefined && { title: inertText(options.title) }) },
    (progress, token) =>
      task(
        {
          report: step =>
            progress.report({ ...step, ...(step.message !== undefined && { message: inertText(step.message) }) }),
        },
        token,
      ),
  );
}

/** As in VS Code. Icons of items are their `iconPath`. */
export async function showQuickPick<Item extends vscode.QuickPickItem>(
  items: readonly Item[] | Promise<readonly Item[]>,
  options?: vscode.QuickPickOptions,
  token?: vscode.CancellationToken,
): Promise<Item | undefined> {
  const originals = new Map<Item, Item>();
  const shown = (list: readonly Item[]): Item[] =>
    list.map(item => {
      const copy = inertItem(item);
      originals.set(copy, item);
      return copy;
    });
  const copies = items instanceof Promise ? items.then(shown) : shown(items);
  const picked = await vscode.window.showQuickPick(copies, inertOptions(options), token);
  return picked && originals.get(picked);
}

/** {@link showQuickPick} with several choices. */
export async function showQuickPicks<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  options?: vscode.QuickPickOptions,
): Promise<Item[] | undefined> {
  const shown = items.map(inertItem);
  const picked = await vscode.window.showQuickPick(shown, { ...inertOptions(options), canPickMany: true });
  return picked && items.filter((_, at) => picked.some(item => item === shown[at]));
}

/** {@link showQuickPick} for texts. */
export async function showTextPick<Text extends string>(
  texts: readonly Text[],
  options?: vscode.QuickPickOptions,
): Promise<Text | undefined> {
  return (
    await showQuickPick(
      texts.map(text => ({ label: text, text })),
      options,
    )
  )?.text;
}

/** The parts of a quick pick that show no text, and its items, which {@link setItems} sets. */
export type QuickPick<Item extends vscode.QuickPickItem> = Omit<
  vscode.QuickPick<Item>,
  "items" | "title" | "placeholder" | "buttons"
> & {
  readonly items: readonly Item[];
};

/** As in VS Code. */
export function createQuickPick<Item extends vscode.QuickPickItem>(
  options: Pick<vscode.QuickPickOptions, "title" | "placeHolder" | "matchOnDescription">,
): QuickPick<Item> {
  const { title, placeHolder, matchOnDescription } = inertOptions(options);
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = title;
  pick.placeholder = placeHolder;
  pick.matchOnDescription = matchOnDescription ?? false;
  return pick;
}

/** Shows these items in the quick pick. They are copied. */
export function setItems<Item extends vscode.QuickPickItem>(pick: QuickPick<Item>, items: readonly Item[]): void {
  (pick as vscode.QuickPick<Item>).items = items.map(inertItem);
}

/** As in VS Code. The value is what the user edits, and is not changed. */
export function showInputBox(
  options: vscode.InputBoxOptions,
  token?: vscode.CancellationToken,
): Thenable<string | undefined> {
  const { title, prompt, placeHolder, validateInput } = options;
  return vscode.window.showInputBox(
    {
      ...options,
      ...(title !== undefined && { title: inertText(title) }),
      ...(prompt !== undefined && { prompt: inertText(prompt) }),
      ...(placeHolder !== undefined && { placeHolder: inertText(placeHolder) }),
      ...(validateInput && { validateInput: async value => inertValidation(await validateInput(value)) }),
    },
    token,
  );
}

function inertValidation(
  found: string | vscode.InputBoxValidationMessage | null | undefined,
): string | vscode.InputBoxValidationMessage | null | undefined {
  if (typeof found === "string") return inertText(found);
  return found && { ...found, message: inertText(found.message) };
}

function inertOptions(options: vscode.QuickPickOptions = {}): vscode.QuickPickOptions {
  const { title, placeHolder } = options;
  return {
    ...options,
    ...(title !== undefined && { title: inertText(title) }),
    ...(placeHolder !== undefined && { placeHolder: inertText(placeHolder) }),
  };
}

const inertItem = <Item extends vscode.QuickPickItem>(item: Item): Item => ({
  ...item,
  label: inertText(item.label),
  ...(item.description !== undefined && { description: inertText(item.description) }),
  ...(item.detail !== undefined && { detail: inertText(item.detail) }),
});
