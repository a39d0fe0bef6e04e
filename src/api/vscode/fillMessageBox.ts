// Fills the message box for a link or a command. Nothing is ever sent, and a draft is never overwritten.
import * as vscode from "vscode";
import { exactLine, visibleName, withoutMiddle } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { commaSeparated } from "../../base/sentences.ts";
import { isWorkspaceFolder } from "../../editor/folders.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { Session } from "../../session/session.ts";
import { textToFill, type FillRequest } from "../promptLink.ts";
import type { ApiHost } from "./apiModule.ts";

const maxShown = 100;
/** Of the text about which the user is asked. Characters. */
const maxExcerpt = 300;

/** What {@link startSession} gets. */
const startKeys: readonly string[] = ["agent", "folder", "text"];

/** Shows the chat in the folder of the link, and fills its message box. Rejects with a sentence if that is not possible. */
export async function fillFromLink({ text, folder: wanted }: FillRequest, host: ApiHost): Promise<void> {
  const { registry, chat, agents } = host;
  const folder = checkedFolder(wanted, host);
  await chat.focus("composer");
  const surface = registry.open.activeSurface;
  await registry.restoreOrStart(surface);
  const shown = registry.open.selected(surface);
  const isElsewhere = folder !== undefined && shown?.state.workspaceFolder !== folder;
  // A session whose agent is no longer in the settings has no message box.
  const canBeRead = !shown || agents.definitions().some(({ id }) => id === shown.state.agent?.id);
  if (isElsewhere || !canBeRead) registry.start(undefined, surface, folder ?? usableFolder(shown));
  const note = t("A link filled the message box. Read the message before you send it.");
  await fill({ text, note, surface }, host);
}

/** Starts a session with this agent in this folder, and fills its message box. Rejects with a sentence. */
export async function startSession(wanted: object, host: ApiHost): Promise<void> {
  const { registry, chat, agents } = host;
  const unknown = Object.entries(wanted).find(([key, value]) => !startKeys.includes(key) || typeof value !== "string");
  if (unknown)
    throw new Error(
      t(
        "The argument “{0}” cannot be used. A new session takes texts as agent, folder and text.",
        visibleName(unknown[0], maxShown),
      ),
    );
  const { agent, text, ...place } = wanted as {
    readonly agent?: string;
    readonly folder?: string;
    readonly text?: string;
  };
  const message = text === undefined ? undefined : textToFill(text);
  const folder = checkedFolder(place.folder, host);
  if (agent !== undefined && agents.definitions().every(({ id }) => id !== agent)) {
    const ids = agents.definitions().map(({ id }) => id);
    throw new Error(
      t("There is no agent “{0}”. The agents are: {1}.", visibleName(agent, maxShown), commaSeparated(ids)),
    );
  }
  const surface = registry.open.activeSurface;
  registry.start(agent, surface, folder);
  await chat.focus("composer", [surface]);
  if (message === undefined) return;
  const note = t("A command filled the message box. Read the message before you send it.");
  await fill({ text: message, note, surface }, host);
}

/**
 * The folder as VS Code writes its path, also if the drive has a capital letter or the path ends with a slash. Throws with a
 * sentence if no session can start in this window, or in this folder.
 */
function checkedFolder(wanted: string | undefined, { registry }: Pick<ApiHost, "registry">): string | undefined {
  const { obstacle } = registry;
  if (obstacle) throw new Error(obstacle.message);
  if (wanted === undefined) return undefined;
  const folder = vscode.Uri.file(wanted.replace(/(?<=[^/:])\/+$/, "")).fsPath;
  if (!isWorkspaceFolder(folder))
    throw new Error(t("“{0}” is no folder of this window. Open it first.", visibleName(wanted, maxShown)));
  return folder;
}

/** The folder of the session, if the window still has it. */
function usableFolder(session: Session | undefined): string | undefined {
  const folder = session?.state.workspaceFolder;
  return folder !== undefined && isWorkspaceFolder(folder) ? folder : undefined;
}

interface FilledText {
  readonly text: string;
  /** What the composer shows with the text. */
  readonly note: string;
  readonly surface: string;
}

async function fill({ text, note, surface }: FilledText, { registry, chat, prompts }: ApiHost): Promise<void> {
  const session = registry.open.selected(surface);
  const draft = session && (await prompts.read(session.id, surface));
  if (draft) {
    const add = t("Add Below");
    const pressed = await showInformationMessage(
      t(
        "The message box has a draft, which stays. Add this text below it? “{0}”",
        exactLine(withoutMiddle(text, maxExcerpt)),
      ),
      add,
      t("Discard New Text"),
    );
    if (pressed !== add) return;
    if (registry.open.selected(surface) !== session)
      throw new Error(t("The text was not added, because the chat shows another session now."));
  }
  // Also below what the user has typed meanwhile.
  await chat.reveal({ type: "draft", text, attachments: [], below: true, note }, [surface]);
  await chat.focus("composer", [surface]);
}
