// docs/API.md: its example compiles with the types that other extensions copy, and its commands and links exist.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { readPromptLink } from "../../src/api/promptLink.ts";

const document = readFileSync("docs/API.md", "utf8");
const types = readFileSync("src/api/vscode/parleyApi.ts", "utf8");

/** What the compiler reports about these files, in a folder in which `vscode` is found. */
function faults(files: Readonly<Record<string, string>>): readonly string[] {
  mkdirSync("out", { recursive: true });
  const folder = mkdtempSync(join("out", "api-example-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const program = ts.createProgram(
      Object.keys(files).map(name => join(folder, name)),
      {
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
        ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, skipLibCheck: true, types: ["node"] },
        moduleResolution: ts.ModuleResolutionKind.Node10,
        ignoreDeprecations: "6.0",
      },
    );
    const found = ts.getPreEmitDiagnostics(program);
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the documentation of the API", () => {
  it("has an example that compiles with the copied types", () => {
    const example = /```ts\n([\s\S]*?)```/.exec(document)?.[1];
    assert.ok(example);
    assert.deepEqual(faults({ "parleyApi.ts": types, "example.ts": example }), []);
    const wrong = example.replace("turn.stopReason", "turn.reason");
    assert.match(faults({ "parleyApi.ts": types, "example.ts": wrong }).join(), /'reason' does not exist/);
  });

  it("has types that import nothing but types of VS Code", () => {
    assert.deepEqual(types.match(/^import .*$/gm), ['import type * as vscode from "vscode";']);
  });

  it("has links that Parley reads", () => {
    const links = [...document.matchAll(/^vscode:\/\/parley\.parley(\/\w+)\?(\S+)$/gm)];
    assert.equal(links.length, 2);
    for (const [, path = "", query = ""] of links)
      assert.ok(readPromptLink({ path, query: decodeURIComponent(query) }).text.length > 10);
  });

  it("names commands of the manifest", () => {
    const manifest = readFileSync("package.json", "utf8");
    const commands = [...document.matchAll(/^\| `(parley\.\w+)`/gm)].map(([, id]) => id);
    assert.equal(commands.length, 3);
    for (const id of commands) assert.ok(manifest.includes(`"command": "${id}"`), id);
  });
});
