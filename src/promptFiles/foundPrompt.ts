// A prompt file that was found, and the folder in which it is.
import type { PromptFile } from "./promptFile.ts";

/** A folder with prompt files. */
export interface PromptFolder {
  readonly source: "user" | "workspace";
  readonly path: string;
  /** Links that lead outside of this folder are not read. */
  readonly root: string;
  /** Precedes the name of a prompt whose name is taken: `/user:review`. */
  readonly origin: string;
  /** Says whose prompts these are, in a row of the list. */
  readonly label: string;
}

/** A prompt, or why there is none. */
export type FoundPrompt = {
  readonly folder: PromptFolder;
  /** The file. For a problem with the whole folder, the folder. */
  readonly path: string;
  /** How a user names the path. */
  readonly label: string;
} & (
  | { readonly file: PromptFile }
  /** `name`: what the row of the list begins with. */
  | { readonly name: string; readonly problem: string }
);
