// The prompt files of a joined window: those of its folder, and those of one folder of the user.
import { join } from "node:path";
import { Emitter } from "../../src/base/lifecycle.ts";
import { relativeLabel } from "../../src/base/pathLabel.ts";
import type { FoundPrompt, PromptFolder } from "../../src/promptFiles/foundPrompt.ts";
import type { PromptFilePlace } from "../../src/promptFiles/promptFiles.ts";
import type { EditorValues } from "../../src/promptFiles/promptVariables.ts";

/** What the editor would know. */
export class JoinedPromptPlace implements PromptFilePlace {
  readonly #folder: string;
  readonly #user: string | undefined;
  readonly #changed = new Emitter<"folders" | "files">();
  readonly onDidChange = this.#changed.event;
  /** The text that is selected. */
  selection: string | undefined;
  /** The files that were shown to the user. */
  readonly shown: string[] = [];

  /** `user`: the folder of the user, as a path in the folder. */
  constructor(folder: string, user: string | undefined) {
    this.#folder = folder;
    this.#user = user;
  }

  folders(): readonly PromptFolder[] {
    const root = this.#folder;
    const user = this.#user === undefined ? undefined : join(root, this.#user);
    return [
      ...(user === undefined
        ? []
        : [{ source: "user" as const, path: user, root: user, origin: "user", label: "User" }]),
      { source: "workspace", path: join(root, ".github", "prompts"), root, origin: "workspace", label: "Workspace" },
    ];
  }

  labelOf(path: string): string {
    return relativeLabel(path, this.#folder);
  }

  async values(): Promise<EditorValues> {
    const { selection } = this;
    return {
      file: { text: join(this.#folder, "src", "a.ts") },
      selection: selection === undefined ? { reason: "Nothing is selected." } : { text: selection },
      workspaceFolder: { text: this.#folder },
    };
  }

  async show({ label }: FoundPrompt): Promise<void> {
    this.shown.push(label);
  }

  /** A file has changed on disk. */
  fileChanged(): void {
    this.#changed.fire("files");
  }
}
