// Creates the prompt files of the window.
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { PromptFiles } from "../promptFiles.ts";
import { EditorPromptPlace, type EditorPromptPlaceOptions } from "./editorPromptPlace.ts";

/** Creates the feature. Files are read when a chat is shown, when they change, and when the list after `/` opens. */
export function createPromptFiles({ store, log }: ExtensionPlatform, options: EditorPromptPlaceOptions): PromptFiles {
  return store.add(new PromptFiles(store.add(new EditorPromptPlace(options)), log));
}
