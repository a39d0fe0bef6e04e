// The answers of docs/CONTRIBUTING.md: each file exists, and each symbol is in the file that it is named with.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";

const document = readFileSync("docs/CONTRIBUTING.md", "utf8");

/** The answers, each in one line. */
const answers = (document.split("\n## Where do I …\n")[1]?.split("\n## ")[0] ?? "")
  .split(/\n- (?=\*\*…)/)
  .slice(1)
  .map(answer => answer.replace(/\s+/g, " "));

const isPath = (name: string): boolean => /^(?:src|webview-ui|test)\/|^[\w.]+\.(?:json|mjs|md)$/.test(name);

/** The symbols of an answer with the file that follows each. Rooms and prose in code are not symbols of a file. */
function namedSymbols(answer: string): readonly (readonly [symbol: string, file: string])[] {
  const found: [string, string][] = [];
  const pattern = /`([^`]+)`(?: and `([^`]+)`)*(?: and the fact in `([^`]+)`| its scope)? in `([^`]+)`/g;
  for (const match of answer.matchAll(pattern)) {
    const names = [...match[0].matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const file = names.pop() ?? "";
    if (isPath(file)) for (const name of names) if (!isPath(name)) found.push([name, file]);
  }
  return found;
}

describe("docs/CONTRIBUTING.md", () => {
  it("answers at least fifteen questions, each with a symbol in a file", () => {
    assert.ok(answers.length >= 15, `${answers.length}`);
    for (const answer of answers) assert.ok(namedSymbols(answer).length > 0, answer);
  });

  it("names files that exist", () => {
    const files = answers.flatMap(answer => [...answer.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
    assert.deepEqual(
      files.filter(name => isPath(name) && !existsSync(name)),
      [],
    );
  });

  it("finds each named symbol in the file that it is named with", () => {
    const missing = answers.flatMap(namedSymbols).filter(([symbol, file]) => {
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      return !new RegExp(`(?<![\\w$])${symbol.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`).test(text);
    });
    assert.deepEqual(missing, []);
  });

  it("would find a symbol that moved away", () => {
    assert.deepEqual(namedSymbols("See `alpha` and `beta` in `src/extension.ts`, and room `acp`."), [
      ["alpha", "src/extension.ts"],
      ["beta", "src/extension.ts"],
    ]);
  });
});
