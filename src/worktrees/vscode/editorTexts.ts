// The texts of files as the editor decodes them, with those that are not saved.
import { textOfBytes } from "../../editor/diskText.ts";
import { openTextOf } from "../../editor/openDocuments.ts";
import { stateWithText } from "../../files/vscode/stateSteps.ts";
import type { MergedTexts } from "../bringBack.ts";

/** Reads and writes texts as the editor does. */
export const editorTexts: MergedTexts = {
  async textOf(bytes, path) {
    try {
      return await textOfBytes(bytes, path);
    } catch {
      return undefined; // The editor cannot decode it, so it is compared by its bytes.
    }
  },
  withText: stateWithText,
  unsavedText(path) {
    const open = openTextOf(path);
    return open?.dirty ? open.text : undefined;
  },
};
