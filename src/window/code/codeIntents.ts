// Creates what opens files, links, contents, diffs and diagrams of the conversation, and inserts its code.
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Documents } from "../../files/ports.ts";
import { intentHandlers } from "../../panel/intentHandlers.ts";
import type { SessionState } from "../../session/state.ts";
import type { PanelPages } from "../startup/panelPages.ts";
import { applyCode, insertCode } from "./codeBlocks.ts";
import { ContentDocuments } from "./contentDocuments.ts";
import { DiagramPanels } from "./diagramPanel.ts";
import { DiffDocuments } from "./diffDocuments.ts";
import type { PlanDocuments } from "./planDocuments.ts";
import { openFile, openLink } from "./openFile.ts";

/** Handlers for the conversation that the panel shows. `stateOf`: the state of the open session with that id. */
export function createCodeIntents(
  { context, store, log }: ExtensionPlatform,
  stateOf: (session: string | undefined) => SessionState,
  documents: Documents,
  pages: Pick<PanelPages, "html">,
  plans: Pick<PlanDocuments, "open">,
) {
  const diffs = store.add(new DiffDocuments(documents, log));
  const contents = store.add(new ContentDocuments());
  const diagrams = store.add(new DiagramPanels(context.extensionUri, pages));
  return intentHandlers({
    openFile: ({ path, line, session, ...rest }) => openFile(path, line, stateOf(session).workspaceFolder, rest),
    openLink: ({ href, session }) => openLink(href, stateOf(session).workspaceFolder),
    openPlan: ({ plan, session }) => plans.open(session ?? "", plan),
    openContent: ({ entry, part, session }) => contents.open(stateOf(session), entry, part),
    saveContent: ({ entry, part, session }) => contents.save(stateOf(session), entry, part),
    openDiff: ({ entry, part, session }) => diffs.open(stateOf(session), entry, part),
    openDiagram: ({ text }) => diagrams.open(text),
    insertCode: ({ text }) => insertCode(text),
    applyCode: ({ text, path, session }) => applyCode(text, path, { cwd: stateOf(session).workspaceFolder, contents }),
  });
}
