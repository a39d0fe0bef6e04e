// The folder of stored comments, as a window needs it before the extension is loaded.

/** The name of the folder, in the storage of the workspace. */
export const commentsFolderName = "comments";

/** Whether the folder with these files has comments. */
export const hasStoredComments = (names: readonly string[]): boolean => names.some(name => name.endsWith(".json"));
