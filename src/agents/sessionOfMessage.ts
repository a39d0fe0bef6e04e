// Which session a message of an agent names, found without parsing the message.

/** Agents name the session at the beginning of a message. It is searched only there (bytes). */
const maxSearched = 512;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const openings: readonly number[] = [0x7b, 0x5b];
const closings: readonly number[] = [0x7d, 0x5d];

/**
 * The `sessionId` of the `params` of the message. Undefined if the message has none, for example a response, or if it is not
 * near the beginning.
 */
export function sessionOfMessage(line: Buffer): string | undefined {
  const end = Math.min(line.length, maxSearched);
  let depth = 0;
  let isInParams = false;
  for (let at = 0; at < end; at++) {
    const byte = line[at] as number;
    if (openings.includes(byte)) depth++;
    else if (closings.includes(byte)) depth--;
    if (byte !== quote) continue;
    const close = endOfString(line, at, end);
    if (close === undefined) return undefined;
    const next = skipSpaces(line, close + 1, end);
    const key = line[next] === colon && depth <= 2 ? line.toString("latin1", at + 1, close) : undefined;
    if (key !== undefined && depth === 1) isInParams = key === "params";
    else if (key === "sessionId" && isInParams) return stringAt(line, skipSpaces(line, next + 1, end), end);
    at = close;
  }
  return undefined;
}

/** The position of the quote that ends the string which begins at the position. */
function endOfString(line: Buffer, begin: number, end: number): number | undefined {
  for (let at = begin + 1; at < end; at++) {
    if (line[at] === quote) return at;
    if (line[at] === backslash) at++;
  }
  return undefined;
}

function stringAt(line: Buffer, begin: number, end: number): string | undefined {
  const close = line[begin] === quote ? endOfString(line, begin, end) : undefined;
  const text = close === undefined ? undefined : line.toString("utf8", begin + 1, close);
  return text?.includes("\\") ? undefined : text;
}

function skipSpaces(line: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (line[at] as number) <= 0x20) at++;
  return at;
}
