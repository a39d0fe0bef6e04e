// Checks a text against the regular expression that an agent set for a field of a form. The expression is hostile.
import { runWithTimeLimit } from "../find/findTimeLimit.ts";

/** The time limit of one check, in ms. The extension host is blocked for it, so a form is checked only when it is sent. */
const maxMatchTime = 50;

/**
 * Whether the text matches the pattern anywhere, as in JSON Schema. `unknown`: the pattern is no regular expression, or
 * the check was stopped after 50 ms; the agent then decides.
 */
export function patternMatch(pattern: string, text: string): "matches" | "differs" | "unknown" {
  let isMatch = false;
  try {
    const { isDone } = runWithTimeLimit(maxMatchTime, () => {
      isMatch = new RegExp(pattern, "u").test(text);
    });
    if (!isDone) return "unknown";
  } catch {
    return "unknown"; // Not a regular expression.
  }
  return isMatch ? "matches" : "differs";
}
