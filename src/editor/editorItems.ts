// The door to VS Code's rows, lenses, hovers, tabs, terminals and status bar. Agents, folders and servers write parts of
// their texts, so every text passes `inertText` (see `editorUi.ts`).
import * as vscode from "vscode";
import { inertLines, inertText, withoutMiddle } from "../base/inertText.ts";
import type { Disposable } from "../base/lifecycle.ts";

/** What a row of a tree shows. */
export interface TreeRow extends Pick<
  vscode.TreeItem,
  "id" | "iconPath" | "contextValue" | "collapsibleState" | "command" | "resourceUri"
> {
  readonly label: string;
  readonly description?: string;
  /** The lines that a hover shows. */
  readonly tooltip?: readonly string[];
  /** What screen readers read. */
  readonly accessibleLabel?: string;
}

/** A row of a tree. */
export function treeItem({ label, description, tooltip, accessibleLabel, ...rest }: TreeRow): vscode.TreeItem {
  const item = new vscode.TreeItem(inertText(label));
  return Object.assign(item, {
    ...rest,
    ...(description !== undefined && { description: inertText(description) }),
    ...(tooltip !== undefined && { tooltip: inertLines(tooltip) }),
    ...(accessibleLabel !== undefined && { accessibilityInformation: { label: inertText(accessibleLabel) } }),
  });
}

/** A longer text would push the items of VS Code and of other extensions out of the status bar. Characters. */
const maxStatusLength = 60;

/** An item of the status bar: an icon, a text, and a hover. */
export class StatusItem implements Disposable {
  readonly #item: vscode.StatusBarItem;

  /** The item is hidden. Items with a higher priority are further left. */
  constructor(
    id: string,
    priority: number,
    options: { readonly name: string; readonly command?: Omit<vscode.Command, "title"> },
  ) {
    this.#item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Right, priority);
    this.#item.name = inertText(options.name);
    this.#item.command = options.command && { ...options.command, title: options.name };
  }

  /** Shows the codicon, the text and, on hover, the lines of the tooltip. Screen readers read `accessibleLabel`. */
  show(icon: string, text: string, tooltip: readonly string[], accessibleLabel?: string): void {
    this.#item.text = `$(${icon}) ${withoutMiddle(inertText(text), maxStatusLength)}`;
    this.#item.tooltip = inertLines(tooltip);
    if (accessibleLabel !== undefined)
      this.#item.accessibilityInformation = { label: inertText(accessibleLabel), role: "button" };
    this.#item.show();
  }

  hide(): void {
    this.#item.hide();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

/** A lens with this title. Without a command it is plain text. */
export function codeLens(range: vscode.Range, command: vscode.Command): vscode.CodeLens {
  return new vscode.CodeLens(range, { ...command, title: inertText(command.title) });
}

/** A quick fix with this title that runs a command. */
export function quickFix(
  title: string,
  command: Omit<vscode.Command, "title">,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const action = new vscode.CodeAction(inertText(title), vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.command = { ...command, title: action.title };
  return action;
}

/** A badge of a file, and its hover. */
export function fileBadge(badge: string, tooltip: string): vscode.FileDecoration {
  return new vscode.FileDecoration(badge, inertText(tooltip));
}

/**
 * A hover with a text and links. Only the commands of these links can run. All arguments are data: VS Code parses them as
 * JSON.
 */
export function commandHover(text: string, links: readonly vscode.Command[]): vscode.Hover {
  const content = new vscode.MarkdownString();
  content.appendText(inertText(text));
  for (const [at, { title, command, arguments: args }] of links.entries()) {
    content.appendMarkdown(at === 0 ? " [" : " | [");
    content.appendText(inertText(title));
    content.appendMarkdown(`](command:${command}?${encodedArguments(args)})`);
  }
  content.isTrusted = { enabledCommands: links.map(({ command }) => command) };
  return new vscode.Hover(content);
}

/** `encodeURIComponent` leaves parentheses, which would end the link. */
const encodedArguments = (args: readonly unknown[] = []): string =>
  encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, char => `%${char.charCodeAt(0).toString(16)}`);

/** A tab with a page. {@link setTabTitle} changes its title. */
export function createWebviewPanel(
  type: string,
  title: string,
  showOptions: vscode.ViewColumn | { readonly viewColumn: vscode.ViewColumn; readonly preserveFocus?: boolean },
  options: vscode.WebviewPanelOptions & vscode.WebviewOptions,
): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(type, inertText(title), showOptions, options);
}

/** Changes the title of the tab. VS Code sends every assignment to its window, so equal titles are not assigned. */
export function setTabTitle(tab: vscode.WebviewPanel, title: string): void {
  const shown = inertText(title);
  if (tab.title !== shown) tab.title = shown;
}

/** Opens a diff of two documents in a tab with this title. */
export async function openDiff(
  left: vscode.Uri,
  right: vscode.Uri,
  title: string,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  await vscode.commands.executeCommand("vscode.diff", left, right, inertText(title), options);
}

/** Opens the diffs of several documents in a tab with this title. Each row: the file, its left and its right side. */
export async function openDiffs(
  title: string,
  rows: readonly (readonly [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined])[],
): Promise<void> {
  await vscode.commands.executeCommand("vscode.changes", inertText(title), rows);
}

/** Whether the tab has this title. VS Code appends the number of files to the title of several diffs. */
export function hasTabTitle({ label }: vscode.Tab, title: string): boolean {
  const shown = inertText(title);
  return label === shown || label.startsWith(`${shown} (`);
}

/** A terminal with this name. */
export function createTerminal(options: vscode.TerminalOptions | vscode.ExtensionTerminalOptions): vscode.Terminal {
  const { name } = options;
  return vscode.window.createTerminal({ ...options, ...(name !== undefined && { name: inertText(name) }) });
}
