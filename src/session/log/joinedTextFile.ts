// The name of a session's joined text: a file beside its log with the texts of the conversation, which the search of all
// conversations reads. The log stays the session: a joined text that does not fit is made again.
export const joinedTextFileName = (session: string): string => `${session}.search.txt`;

/** The id of the session whose joined text the file has; undefined for any other file. */
export const sessionOfJoinedText = (name: string): string | undefined =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;

const suffix = joinedTextFileName("");
