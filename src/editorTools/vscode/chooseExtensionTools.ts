// Lets the user choose the tools of other extensions that agents may call.
import * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { visibleText } from "../../base/visibleText.ts";
import { createQuickPick, setItems, showInformationMessage, showWarningMessage } from "../../editor/editorUi.ts";
import { updateUserSetting } from "../../editor/userSettings.ts";
import type { ExtensionTool } from "../editorExtensionTools.ts";
import { maxExtensionTools } from "../extensionTools.ts";

/** An item. Separators have no id. */
interface ToolItem extends vscode.QuickPickItem {
  readonly id?: string;
}

const maxDetailLength = 300;

/**
 * Shows the tools by extension, with a mark at those that are chosen, and stores the choice. `isUsed`: whether the settings
 * let any agent use tools that act.
 */
export async function chooseExtensionTools(
  tools: readonly ExtensionTool[],
  chosen: readonly string[],
  isUsed: boolean,
): Promise<void> {
  const missing = chosen.filter(id => tools.every(tool => tool.id !== id));
  if (tools.length + missing.length === 0) {
    await showInformationMessage(t("No other extension offers tools for language models."));
    return;
  }
  const picked = await pick([...toolItems(tools), ...missingItems(missing)], new Set(chosen));
  if (!picked) return;
  if (picked.length > maxExtensionTools) {
    await showWarningMessage(t("Choose at most {0} tools. Your choice was not changed.", maxExtensionTools));
    return;
  }
  await updateUserSetting("extensionTools", picked.length === 0 ? undefined : picked);
  if (picked.length === 0) return;
  if (isUsed) {
    await showInformationMessage(
      t("An agent that reads the list of tools only at its start gets them in a new session."),
    );
    return;
  }
  const open = t("Open Setting");
  const message = t(
    "Agents get these tools only if “Editor Tools” is “all”, in the settings or in the entry of the agent.",
  );
  if ((await showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand("workbench.action.openSettings", "parley.editorTools");
}

const separator = (label: string): ToolItem => ({ label, kind: vscode.QuickPickItemKind.Separator });

/** The tools, below the title of their extension. */
function toolItems(tools: readonly ExtensionTool[]): readonly ToolItem[] {
  const byExtension = new Map<string, ExtensionTool[]>();
  for (const tool of tools) byExtension.set(tool.extension.id, [...(byExtension.get(tool.extension.id) ?? []), tool]);
  return [...byExtension].flatMap(([id, [first, ...others]]) =>
    first ? [separator(`${first.extension.title} (${id})`), ...[first, ...others].map(toolItem)] : [],
  );
}

function toolItem({ id, name, title, description, tags }: ExtensionTool): ToolItem {
  const detail = visibleText(description.slice(0, maxDetailLength).replaceAll(/\s+/g, " ").trim());
  return { id, label: title, description: [name, ...tags].join(" · "), ...(detail !== "" && { detail }) };
}

const missingItems = (ids: readonly string[]): readonly ToolItem[] =>
  ids.length === 0
    ? []
    : [
        separator(t("Chosen, but Not Available Now")),
        ...ids.map(id => ({ id, label: id.split("/").at(-1) ?? id, description: id })),
      ];

/** The ids of the selected items. Undefined: the user closed the list. */
async function pick(items: readonly ToolItem[], chosen: ReadonlySet<string>): Promise<readonly string[] | undefined> {
  const list = createQuickPick<ToolItem>({
    title: t("Tools of Extensions for Agents"),
    placeHolder: t("Select the tools that agents may call. You are asked before each call."),
    matchOnDescription: true,
  });
  list.canSelectMany = true;
  list.matchOnDetail = true;
  setItems(list, items);
  list.selectedItems = list.items.filter(({ id }) => id !== undefined && chosen.has(id));
  try {
    return await new Promise(resolve => {
      list.onDidAccept(() => resolve(list.selectedItems.flatMap(({ id }) => (id === undefined ? [] : [id]))));
      list.onDidHide(() => resolve(undefined));
      list.show();
    });
  } finally {
    list.dispose();
  }
}
