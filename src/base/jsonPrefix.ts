// Reads a JSON object that may be cut at its end, such as arguments that an agent streams.

/** Characters. Only the beginning of a longer text is read. */
const maxRead = 20_000;

/** The members of a JSON object that are complete. Undefined if the text is not the beginning of a JSON object. */
export function readJsonPrefix(text: string): Readonly<Record<string, unknown>> | undefined {
  const start = text.slice(0, maxRead).trimStart();
  if (!start.startsWith("{")) return undefined;
  const { end, isClosed } = completeMembers(start);
  // Nothing follows an object, and only a name follows the last complete member.
  const rest = start.slice(isClosed ? end + 1 : Math.max(end, 0) + 1).trimStart();
  if (isClosed ? rest !== "" : rest !== "" && !/^["}]/.test(rest)) return undefined;
  try {
    const members: unknown = JSON.parse(end < 0 ? "{}" : `${start.slice(0, end)}}`);
    return members as Readonly<Record<string, unknown>>;
  } catch {
    return undefined; // It only begins like JSON.
  }
}

/** Where the last complete member of the object ends: at the brace that closes the object, or at a comma; -1: none is complete. */
function completeMembers(text: string): { readonly end: number; readonly isClosed: boolean } {
  let end = -1;
  let depth = 0;
  // A string, also one that is cut, or a character that structures the JSON.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth === 0) return { end: index, isClosed: true };
    if (depth === 1 && token === ",") end = index;
  }
  return { end, isClosed: false };
}
