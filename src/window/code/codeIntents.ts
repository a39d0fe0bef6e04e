// Creates what opens files, links, contents, diffs and diagrams of the conversation, and inserts its code.
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Documents } from "../../files/ports.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { SessionState } from "../../session/state.ts";
import { applyCode, insertCode } from "./codeBlocks.ts";
import { ContentDocuments } from "./contentDocuments.ts";
import { DiagramPanels } from "./diagramPanel.ts";
import { DiffDocuments } from "./diffDocuments.ts";
import { openFile, openLink } from "./openFile.ts";

type CodeIntents = IntentHandlers<
  "openFile" | "openLink" | "openContent" | "saveContent" | "openDiff" | "openDiagram" | "insertCode" | "applyCode"
>;

/** Handlers for the conversation that the panel shows. */
export function createCodeIntents(
  { context, store, log }: ExtensionPlatform,
  shown: { readonly state: SessionState },
  documents: Documents,
): CodeIntents {
  const diffs = store.add(new DiffDocuments(documents, log));
  const contents = store.add(new ContentDocuments());
  const diagrams = store.add(new DiagramPanels(context.extensionUri));
  return {
    openFile: ({ path, line, ...rest }) => openFile(path, line, shown.state.workspaceFolder, rest),
    openLink: ({ href }) => openLink(href, shown.state.workspaceFolder),
    openContent: ({ entry, part }) => contents.open(shown.state, entry, part),
    saveContent: ({ entry, part }) => contents.save(shown.state, entry, part),
    openDiff: ({ entry, part }) => diffs.open(shown.state, entry, part),
    openDiagram: ({ text }) => diagrams.open(text),
    insertCode: ({ text }) => insertCode(text),
    applyCode: ({ text, path }) => applyCode(text, path, { cwd: shown.state.workspaceFolder, contents }),
  };
}
