// The source of answers that the user gives to all edits of a session at once.

/** The `by` of such an answer. It is stored, and no rule has this description. */
export const byAllEdits = "all edits of the session";
