// Highlights code with highlight.js classes, which styles.css maps to theme colours. Only this file uses the
// highlighter.
import type { HLJSApi, LanguageFn } from "highlight.js";
import { asError } from "../../src/base/errors.ts";
import { send } from "../base/vscodeApi.ts";

type Grammar = { readonly default: LanguageFn };

/** Each language is a separate chunk, loaded when a fence first uses it. */
const grammars: Readonly<Record<string, () => Promise<Grammar>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  less: () => import("highlight.js/lib/languages/less"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const aliases: Readonly<Record<string, string>> = {
  "c++": "cpp", "c#": "csharp", cjs: "javascript", console: "shell", cs: "csharp", docker: "dockerfile", ex: "elixir",
  golang: "go", gql: "graphql", h: "c", hpp: "cpp", hs: "haskell", htm: "xml", html: "xml", js: "javascript",
  jsonc: "json", json5: "json", jsx: "javascript", kt: "kotlin", make: "makefile", md: "markdown", mjs: "javascript",
  mts: "typescript", patch: "diff", pl: "perl", ps1: "powershell", py: "python", rb: "ruby", rs: "rust", sh: "bash",
  svelte: "xml", svg: "xml", toml: "ini", ts: "typescript", tsx: "typescript", vue: "xml", yml: "yaml", zsh: "bash",
}; // prettier-ignore

/** Grammars that embed others, which are loaded with them. */
const embedded: Readonly<Record<string, readonly string[]>> = {
  xml: ["css", "javascript"],
  php: ["xml"],
  markdown: ["xml"],
  shell: ["bash"],
};

/** Longer code is not highlighted, because it would block the page. Characters. */
const maxHighlightLength = 30_000;
/** The highlighter, loaded for the first code that needs it. */
let hljs: HLJSApi | undefined;
const loading = new Map<string, Promise<void>>();

/**
 * Highlights the code of `element` in place: immediately if the grammar is loaded, otherwise once it is. Calls
 * `onPainted` then, which is never called for code that stays plain.
 */
export function highlight(element: HTMLElement, language: string, onPainted?: () => void): void {
  const name = grammarOf(language);
  if (name === undefined || (element.textContent?.length ?? 0) > maxHighlightLength) return;
  const paint = (loaded: HLJSApi): void => {
    paintTokens(loaded, element, name);
    onPainted?.();
  };
  if (hljs?.getLanguage(name)) return paint(hljs);
  load(name).then(
    // The first code of a language is slow, so each waiting element is highlighted in a task of its own.
    () => setTimeout(() => hljs && element.isConnected && paint(hljs)),
    (thrown: unknown) => send({ type: "report", kind: "error", text: asError(thrown).message }),
  );
}

/** Code that is not highlighted yet, and its language. */
const uncolouredLanguages = new WeakMap<Element, string>();
const uncolouredClass = "plain";

/** Leaves the code of `element` plain until {@link highlightWaiting} reaches it. */
export function highlightLater(element: HTMLElement, language: string): void {
  if (grammarOf(language) === undefined) return;
  element.classList.add(uncolouredClass);
  uncolouredLanguages.set(element, language);
}

/** Highlights all code below `root` that is not highlighted yet. */
export function highlightWaiting(root: HTMLElement | null | undefined): void {
  for (const element of [...(root?.getElementsByClassName(uncolouredClass) ?? [])] as HTMLElement[]) {
    element.classList.remove(uncolouredClass);
    highlight(element, uncolouredLanguages.get(element) ?? "");
  }
}

/** Whether code below `root` is not highlighted yet. */
export const hasPlainCode = (root: Element): boolean => root.getElementsByClassName(uncolouredClass).length > 0;

/** The language of a file, by its extension or else by its MIME type; "" if it is not known. */
export function languageOf(name: string, mimeType: string | undefined): string {
  const base = name.split(/[\\/]/).at(-1) ?? "";
  const ending = base.split(".").at(-1) ?? "";
  const kind = /^[^/]+\/(?:vnd\.|x-)*([^;+]+)(?:\+(\w+))?/.exec(mimeType ?? "");
  const names = [ending, base, kind?.[1], kind?.[2]].map(one => one?.toLowerCase() ?? "");
  return names.find(one => grammarOf(one) !== undefined) ?? "";
}

function grammarOf(language: string): string | undefined {
  const name = language.toLowerCase();
  if (Object.hasOwn(grammars, name)) return name;
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

function load(name: string): Promise<void> {
  const known = loading.get(name);
  if (known) return known;
  const started = loadGrammar(name);
  loading.set(name, started);
  return started;
}

async function loadGrammar(name: string): Promise<void> {
  const [core, grammar] = await Promise.all([
    import("highlight.js/lib/core"),
    grammars[name]?.(),
    ...(embedded[name] ?? []).map(load),
  ]);
  hljs = core.default;
  if (grammar) hljs.registerLanguage(name, grammar.default);
}

interface TokenNode {
  readonly scope?: string;
  readonly children: readonly (TokenNode | string)[];
}

function paintTokens(hljs: HLJSApi, element: HTMLElement, language: string): void {
  const code = element.textContent ?? "";
  const result = hljs.highlight(code, { language, ignoreIllegals: true });
  // Create nodes from the emitter's tree directly, because its HTML string would have to be parsed.
  const { rootNode } = result._emitter as unknown as { readonly rootNode: TokenNode };
  const coloured = document.createDocumentFragment();
  for (const child of rootNode.children) coloured.append(nodeOf(child));
  element.replaceChildren(coloured);
}

function nodeOf(token: TokenNode | string): Node {
  if (typeof token === "string") return document.createTextNode(token);
  const span = document.createElement("span");
  if (token.scope) span.className = classOf(token.scope);
  for (const child of token.children) span.append(nodeOf(child));
  return span;
}

/** `title.function` → `hljs-title function_`, the names that highlight.js itself uses. */
function classOf(scope: string): string {
  if (scope.startsWith("language:")) return scope.replace("language:", "language-");
  const [first, ...rest] = scope.split(".");
  return [`hljs-${first}`, ...rest.map((part, i) => part + "_".repeat(i + 1))].join(" ");
}
