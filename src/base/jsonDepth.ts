// Bounds how deeply parsed JSON is nested, because code that follows every level would overflow the stack.

/** The deepest message that a real agent sent has 12 levels. */
export const maxJsonDepth = 200;

/** Replaces objects and arrays below the last level. */
export const tooDeepMarker = `[Parley left out content that is nested more than ${maxJsonDepth} levels deep.]`;

/**
 * Parses JSON, and replaces what is nested more than `levels` deep by {@link tooDeepMarker}. Throws a SyntaxError if the
 * text is not JSON.
 */
export function parseBoundedJson(text: string, levels = maxJsonDepth): unknown {
  const value = JSON.parse(text) as unknown;
  if (canBeDeeper(text, levels) && isNested(value)) cutBelow(value, levels);
  return value;
}

/** Whether the text has so many opening brackets that its value can have more levels. Brackets in strings count too. */
function canBeDeeper(text: string, levels: number): boolean {
  // Each level takes two characters at least.
  if (text.length <= 2 * levels) return false;
  let left = levels;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

type Nested = Record<string, unknown>;

const isNested = (value: unknown): value is Nested => typeof value === "object" && value !== null;

/** Recurses for `levels` levels only. */
function cutBelow(value: Nested, levels: number): void {
  for (const key in value) {
    const child = value[key];
    if (!isNested(child)) continue;
    if (levels > 1) cutBelow(child, levels - 1);
    else value[key] = tooDeepMarker;
  }
}
