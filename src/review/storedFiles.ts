// The files in which a window stores its review for the next one.

/** The changes that wait for review. */
export const reviewFile = "review.json";
/** The turn whose end is not compared with its start yet. Empty if there is none. */
export const unfinishedTurnFile = "reviewTurn.json";

/** Whether the text of {@link reviewFile} contains changes. */
export function hasStoredChanges(text: string): boolean {
  // The text can have many megabytes; without changes it is short.
  return !text.startsWith('{"files":[],') || text.includes('"replaced":');
}
