// Finds the definitions in a file by its text, accurately enough to describe them, for a few well-known languages.
import { afterClosing, blank, lineAt } from "./sourceText.ts";

/** A top-level definition of a file. Lines are 1-based and inclusive. */
export interface Definition {
  readonly name: string;
  readonly kind: "function" | "class" | "section";
  readonly signature: string;
  readonly line: number;
  readonly endLine: number;
  readonly exported: boolean;
  readonly doc?: string;
}

/** The description, the imports and the definitions of a file. */
export interface Outline {
  readonly language: string;
  readonly fence: string;
  readonly about?: string;
  readonly imports: readonly string[];
  readonly definitions: readonly Definition[];
}

const languages: Readonly<Record<string, readonly [language: string, fence: string]>> = {
  js: ["JavaScript", "js"],
  mjs: ["JavaScript", "js"],
  cjs: ["JavaScript", "js"],
  jsx: ["JavaScript", "jsx"],
  ts: ["TypeScript", "ts"],
  mts: ["TypeScript", "ts"],
  cts: ["TypeScript", "ts"],
  tsx: ["TypeScript", "tsx"],
  py: ["Python", "python"],
  md: ["Markdown", "md"],
  json: ["JSON", "json"],
  css: ["CSS", "css"],
  html: ["HTML", "html"],
  go: ["Go", "go"],
  rs: ["Rust", "rust"],
  sh: ["shell script", "sh"],
};

const scriptDefinition =
  /^(export\s+(?:default\s+)?)?(?:(async\s+)?function\s*\*?\s*([\w$]+)\s*(?=[(<])|(?:abstract\s+)?class\s+([\w$]+)|(?:const|let|var)\s+([\w$]+)[^=\n;]*=\s*(?:async\s*)?(?=\(|[\w$]+\s*=>|function\b))/gm;

/** The lower-case extension of a path, without the dot. */
export function extensionOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** Whether the path names JavaScript or TypeScript. */
export function isScript(path: string): boolean {
  return /^[cm]?[jt]sx?$/.test(extensionOf(path));
}

/** Whether a relative path looks like a test. */
export function isTest(file: string): boolean {
  return isScript(file) && /(?:^|\/)(?:tests?|__tests__|spec)\/|[.-](?:test|spec)\.[^/]+$/.test(file);
}

/** Finds the definitions in the text of a file. */
export function outline(path: string, source: string): Outline {
  const [language, fence] = languages[extensionOf(path)] ?? ["text", ""];
  const about = leadingComment(source);
  const base = { language, fence, ...(about === undefined ? {} : { about }) };
  if (isScript(path)) return { ...base, imports: importsOf(source), definitions: scriptDefinitions(source) };
  if (language === "Python") return { ...base, imports: pythonImports(source), definitions: pythonDefinitions(source) };
  if (language === "Markdown") return { language, fence, imports: [], definitions: sections(source) };
  return { ...base, imports: [], definitions: [] };
}

/** The imports of a script as written: `"./sum.js"`, `"node:test"`. */
export function importsOf(source: string): readonly string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\1/g;
  const code = blank(source);
  const found = [...source.matchAll(pattern)].filter(match => code[match.index] !== " ").map(match => match[2] ?? "");
  return [...new Set(found)];
}

function scriptDefinitions(source: string): readonly Definition[] {
  const code = blank(source);
  const definitions: Definition[] = [];
  for (const match of code.matchAll(scriptDefinition)) {
    const name = match[3] ?? match[4] ?? match[5] ?? "";
    const isClass = match[4] !== undefined;
    const afterName = match.index + match[0].length;
    const end = endOfDefinition(code, afterName);
    const line = lineAt(source, match.index);
    const doc = docAbove(source, match.index);
    definitions.push({
      name,
      kind: isClass ? "class" : "function",
      signature: isClass ? `class ${name}` : `${name}${parameters(source, code, afterName)}`,
      line,
      endLine: lineAt(source, end - 1),
      exported: match[1] !== undefined || exportedElsewhere(code, name),
      ...(doc === undefined ? {} : { doc }),
    });
  }
  return definitions;
}

function parameters(source: string, code: string, from: number): string {
  const single = /^\s*([\w$]+)\s*=>/.exec(code.slice(from));
  if (single) return `(${single[1] ?? ""})`;
  const open = code.indexOf("(", from);
  if (open < 0) return "()";
  return source.slice(open, afterClosing(code, open)).replace(/\s+/g, " ");
}

function endOfDefinition(code: string, from: number): number {
  let at = from;
  while (at < code.length) {
    const char = code[at] ?? "";
    if (char === "(" || char === "[") at = afterClosing(code, at);
    else if (char === "{") return afterClosing(code, at);
    else if (char === ";") return at + 1;
    else at += 1;
  }
  return code.length;
}

function exportedElsewhere(code: string, name: string): boolean {
  const escaped = name.replace(/\$/g, "\\$");
  const list = new RegExp(`(?:^export|module\\.exports\\s*=)\\s*\\{[^}]*(?<![\\w$])${escaped}(?![\\w$])`, "m");
  return list.test(code) || new RegExp(`(?:module\\.)?exports\\.${escaped}\\s*=`).test(code);
}

function docAbove(source: string, index: number): string | undefined {
  const above = source.slice(0, index).replace(/\n[ \t]*$/, "\n");
  const block = /\/\*\*?((?:(?!\*\/)[\s\S])*)\*\/\s*?\n$/.exec(above);
  if (block) return sentence(block[1] ?? "");
  const lines = /(?:^|\n)((?:[ \t]*(?:\/\/|#)[^\n]*\n)+)$/.exec(above);
  return lines ? sentence(lines[1] ?? "") : undefined;
}

/** The description of the file, if it starts with a comment. */
function leadingComment(source: string): string | undefined {
  const text = source.replace(/^#!.*\n/, "");
  const block = /^\s*\/\*\*?((?:(?!\*\/)[\s\S])*)\*\/\s*\n\s*\n/.exec(text);
  if (block) return sentence(block[1] ?? "");
  const lines = /^\s*((?:(?:\/\/|#).*\n)+)/.exec(text);
  return lines ? sentence(lines[1] ?? "") : undefined;
}

function sentence(comment: string): string | undefined {
  const text = comment
    .split("\n")
    .map(line => line.replace(/^\s*(?:\/\/+|#+|\*)?\s?/, "").trim())
    .filter(line => line !== "" && !line.startsWith("@"))
    .join(" ")
    .trim();
  return text === "" ? undefined : text;
}

function pythonImports(source: string): readonly string[] {
  return [...source.matchAll(/^(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))/gm)].map(m => m[1] ?? m[2] ?? "");
}

function pythonDefinitions(source: string): readonly Definition[] {
  const lines = source.split("\n");
  return lines.flatMap((text, index): readonly Definition[] => {
    const match = /^(?:async\s+)?(def|class)\s+(\w+)\s*(\([^)]*\))?/.exec(text);
    if (!match) return [];
    const next = lines.findIndex((line, i) => i > index && /^\S/.test(line));
    const name = match[2] ?? "";
    const isClass = match[1] === "class";
    const signature = isClass ? `class ${name}` : `${name}${match[3] ?? "()"}`;
    const endLine = next < 0 ? lines.length : next;
    const kind = isClass ? "class" : "function";
    return [{ name, kind, signature, line: index + 1, endLine, exported: !name.startsWith("_") }];
  });
}

function sections(source: string): readonly Definition[] {
  const lines = source.split("\n");
  return lines.flatMap((text, index): readonly Definition[] => {
    const name = /^#{1,6}\s+(.+)$/.exec(text)?.[1];
    if (name === undefined) return [];
    return [{ name, kind: "section", signature: name, line: index + 1, endLine: index + 1, exported: true }];
  });
}
