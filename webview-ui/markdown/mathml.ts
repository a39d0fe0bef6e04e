// Draws a formula with Temml. A separate chunk, because it is large.
import temml from "temml";

/** The largest width or height in a formula: in em, and in points for other units. */
const maxSize: [number, number] = [20, 240];
/** The deepest nesting of groups. Deeper elements would take long to lay out. */
const maxDepth = 25;
const maxExpansions = 300;
/** The largest drawing, in elements. A long formula of a textbook has a tenth of it. */
const maxElements = 1500;

/** Commands that define others, so that a short text can become a long one. */
const definitionPattern =
  /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![A-Za-z])/;

/** MathML for TeX. Undefined if it has a mistake or would be too large. It is not sanitized yet. */
export function mathOf(tex: string, isBlock: boolean): Element | undefined {
  if (definitionPattern.test(tex) || depthOf(tex) > maxDepth) return undefined;
  const holder = document.createElement("span");
  try {
    temml.render(tex, holder, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxSize,
      maxExpand: maxExpansions,
      // Lets a long formula continue on the next line.
      wrap: "tex",
    });
  } catch {
    // Agents write TeX that Temml does not know. The user sees its source.
    return undefined;
  }
  const math = holder.firstElementChild;
  if (math?.localName !== "math" || !math.hasChildNodes()) return undefined;
  return math.getElementsByTagName("*").length <= maxElements ? math : undefined;
}

/** The deepest nesting of groups. */
function depthOf(tex: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of tex.matchAll(/\\[\s\S]|[{}]/g)) {
    if (mark === "{") deepest = Math.max(deepest, ++depth);
    else if (mark === "}") depth--;
  }
  return deepest;
}
