// Where prompt files are in this window, and what their variables stand for.
import { asError } from "../../base/errors.ts";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import * as vscode from "vscode";
import { openMachineSettings } from "../../editor/openMachineSettings.ts";
import { homeLabel } from "../../base/pathLabel.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { currentEditor } from "../../editor/currentEditor.ts";
import { sessionFolder, sessionRoots } from "../../editor/folders.ts";
import { userSetting } from "../../editor/userSettings.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import { pathStandings } from "../../permissions/vscode/pathStandings.ts";
import type { FoundPrompt, PromptFolder } from "../foundPrompt.ts";
import type { PromptFilePlace } from "../promptFiles.ts";
import type { EditorValues, VariableValue } from "../promptVariables.ts";

export interface EditorPromptPlaceOptions {
  readonly fileEvents: FileEvents;
  /** Whether the user trusts the workspace. */
  readonly hasTrust: () => boolean;
  /** The folders in which the sessions of the window work. */
  readonly roots: () => readonly string[];
  readonly onDidChangeRoots: Event<void>;
  /** The user's globs of files that look like secrets. */
  readonly sensitive: () => readonly string[];
}

/** A longer selection is not inserted (characters). */
const maxSelection = 100_000;
const folderSetting = "promptFiles.folder";
const inWorkspace = join(".github", "prompts");

export class EditorPromptPlace implements PromptFilePlace, Disposable {
  readonly #options: EditorPromptPlaceOptions;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<"folders" | "files">());
  readonly onDidChange = this.#changed.event;
  #watching = new DisposableStore();

  constructor(options: EditorPromptPlaceOptions) {
    this.#options = options;
    const changed = (): void => {
      this.#watch();
      this.#changed.fire("folders");
    };
    this.#store.add(options.onDidChangeRoots(changed));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(changed));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`parley.${folderSetting}`)) changed();
      }),
    );
    this.#watch();
  }

  folders(workspaceFolder: string | undefined): readonly PromptFolder[] {
    if (!this.#options.hasTrust()) return [];
    const roots = sessionRoots(workspaceFolder ?? sessionFolder() ?? "").filter(root => root !== "");
    const user = userFolder();
    return [
      ...(user === undefined ? [] : [{ ...ofUser, path: user, root: user }]),
      ...roots.map((root): PromptFolder => ({
        ...{ source: "workspace", path: join(root, inWorkspace), root },
        ...(roots.length === 1
          ? { origin: "workspace", label: t("Workspace") }
          : { origin: basename(root), label: basename(root) }),
      })),
    ];
  }

  labelOf(path: string): string {
    const label = vscode.workspace.asRelativePath(path);
    return label === path ? homeLabel(path, homedir()) : label;
  }

  async values(workspaceFolder: string): Promise<EditorValues> {
    const editor = currentEditor();
    const document = editor?.document;
    return {
      file:
        document?.uri.scheme === "file"
          ? { text: document.uri.fsPath }
          : { reason: t("No file is open in an editor.") },
      selection: await this.#selection(editor),
      workspaceFolder: workspaceFolder === "" ? { reason: t("The session has no folder.") } : { text: workspaceFolder },
    };
  }

  async #selection(editor: vscode.TextEditor | undefined): Promise<VariableValue> {
    const text = editor?.document.getText(editor.selection) ?? "";
    if (!editor || text === "") return { reason: t("Nothing is selected.") };
    if (text.length > maxSelection) return { reason: t("The selection has more than {0} characters.", maxSelection) };
    const { uri, isUntitled } = editor.document;
    if (isUntitled) return { text };
    try {
      // The sides of a diff have the path of their file, too.
      const { secret } = await pathStandings(this.#options.roots(), this.#options.sensitive())(uri.fsPath);
      if (!secret) return { text };
      return { reason: t("The selection is in a file that looks like a secret.") };
    } catch (error) {
      return { reason: t("The file of the selection could not be checked: {0}", asError(error).message) };
    }
  }

  async show({ path, folder, ...found }: FoundPrompt): Promise<void> {
    if (path !== folder.path) {
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
    } else if (folder.source === "user" && !("file" in found)) {
      await openMachineSettings(`parley.${folderSetting}`);
    }
  }

  #watch(): void {
    this.#watching.dispose();
    this.#watching = new DisposableStore();
    if (!this.#options.hasTrust()) return;
    const { fileEvents, roots } = this.#options;
    for (const root of roots()) {
      const folder = join(root, inWorkspace);
      const concerns = (path: string): boolean =>
        path === dirname(folder) || path === folder || path.startsWith(folder + sep);
      this.#watching.add(
        fileEvents.watchFolder(root, ({ path }) => {
          if (concerns(path)) this.#changed.fire("files");
        }),
      );
    }
    const user = userFolder();
    if (user !== undefined && isAbsolute(user))
      this.#watching.add(fileEvents.watchFiles(user, "*.md", () => this.#changed.fire("files")));
  }

  dispose(): void {
    this.#watching.dispose();
    this.#store.dispose();
  }
}

const ofUser = {
  source: "user",
  origin: "user",
  get label(): string {
    return t("User");
  },
} as const;

/** The folder of the setting. Undefined if the user has set none. */
function userFolder(): string | undefined {
  const value = userSetting(folderSetting);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.trim().replace(/^~(?=$|[\\/])/, homedir());
}
