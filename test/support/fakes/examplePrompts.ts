// The example prompts of an empty conversation, read from the source of the panel.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The prompts, in the order in which they are shown, with what they say about themselves. */
export function examplePrompts(): readonly { readonly text: string; readonly about: string }[] {
  const source = readFileSync("webview-ui/panel/emptyState.ts", "utf8");
  const [, list = ""] = /\n {2}const prompts = \[([^]*?)\n {2}\]/.exec(source) ?? [];
  const prompts = [...list.matchAll(/\[t\("([^"]+)"\), t\("([^"]+)"\)\]/g)];
  assert.ok(prompts.length > 0, "The list of example prompts is not found in emptyState.ts.");
  return prompts.map(([, text = "", about = ""]) => ({ text, about }));
}
