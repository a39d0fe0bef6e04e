// Markdown tokens → sanitized DOM nodes. Raw HTML is escaped before it reaches the sanitizer, links have `data-href`
// and are opened by intent, and images are never loaded.
import type { RendererThis, Token, Tokens } from "marked";
import { wholePath, type WrittenPath } from "../../src/base/filePaths.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { FormulaToken } from "../../src/panel/markdown/blockFormula.ts";
import { markdownTokens, newMarked, type FilePathToken } from "../../src/panel/markdown/markdownLexer.ts";
import { codeBlock } from "./codeBlock.ts";
import { t } from "../base/l10n.ts";
import { linkIntent, linkTitle, pathHref } from "./links.ts";
import { formulaClass, openFormulaClass, undrawnClass } from "./formula.ts";
import { sanitizedHtml } from "./sanitizer.ts";

/** One painted top-level token. `node` is null for tokens without content. */
export interface Block {
  readonly raw: string;
  readonly node: HTMLElement | null;
  /** The level of the last heading so far, so that heading levels are never skipped. */
  readonly level: number;
  /** It contains the beginning of a formula, so it changes when the formula or the text ends. */
  readonly isOpen: boolean;
  /** The token to paint later, if painting was deferred. */
  readonly deferredToken?: Token;
}

/** The level of the heading of a turn. Headings in an answer are below it. */
export const turnHeadingLevel = 3;

const marked = newMarked();
marked.use({
  extensions: [
    {
      name: "filePath",
      renderer: token => pathHtml((token as FilePathToken).path, escapeHtml((token as FilePathToken).text)),
    },
    { name: "formula", renderer: token => formulaHtml(token as unknown as FormulaToken) },
  ],
  renderer: {
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text.trimEnd())}</p>` : escapeHtml(text)),
    heading({ tokens, depth }) {
      const level = headingLevel(depth);
      return `<h${level}>${inlineHtml(this, tokens)}</h${level}>`;
    },
    link({ href, title, tokens }) {
      return linkHtml(href, inlineHtml(this, tokens), title ?? "");
    },
    image: ({ href, text }) => linkHtml(href, escapeHtml(text === "" ? href : text), t("Image")),
    codespan({ text }) {
      const code = `<code>${escapeHtml(text)}</code>`;
      const path = wholePath(text);
      return path ? pathHtml(path, code) : code;
    },
    code: ({ text, lang }) => `<pre data-info="${escapeHtml(lang ?? "")}"><code>${escapeHtml(text)}</code></pre>`,
    checkbox: ({ checked }) => `<span class="task" data-state="${checked ? "done" : "open"}"></span>`,
    table(token) {
      const head = token.header.map(cell => tableCell(this, cell, "th")).join("");
      const rows = token.rows.map(row => `<tr>${row.map(cell => tableCell(this, cell, "td")).join("")}</tr>`);
      return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
    },
  },
});

const headingLevel = (depth: number): number =>
  Math.min(6, Math.max(turnHeadingLevel + 1, depth + turnHeadingLevel - 1));

function tableCell(renderer: RendererThis, cell: Tokens.TableCell, tag: "th" | "td"): string {
  const align = cell.align ? ` class="align-${cell.align}"` : "";
  return `<${tag}${align}>${inlineHtml(renderer, cell.tokens)}</${tag}>`;
}

function inlineHtml(renderer: RendererThis, tokens: Token[]): string {
  return renderer.parser.parseInline(tokens);
}

/** A link to a path. Its tooltip shows the path as it is written. */
function pathHtml(path: WrittenPath, label: string): string {
  const href = pathHref(path);
  if (linkIntent(href) === undefined) return `<span>${label}</span>`;
  // The sanitizer would remove the blank at the end.
  const leading = path.leading === undefined ? "" : ` data-leading="${escapeHtml(path.leading)}|"`;
  const shown = path.line === undefined ? path.path : `${path.path}:${path.line}`;
  return `<a data-href="${escapeHtml(href)}"${leading} title="${escapeHtml(visibleText(shown))}">${label}</a>`;
}

function linkHtml(href: string, label: string, title: string): string {
  if (linkIntent(href) === undefined) return `<span>${label}</span>`;
  return `<a data-href="${escapeHtml(href)}" title="${escapeHtml(title === "" ? linkTitle(href) : `${visibleText(title)}\n${linkTitle(href)}`)}">${label}</a>`;
}

/** The source of a formula. It is drawn after it has been painted. */
function formulaHtml({ text, isBlock, isOpen }: FormulaToken): string {
  const tag = isBlock ? "div" : "span";
  return `<${tag} class="${formulaClass} ${isOpen ? openFormulaClass : undrawnClass}">${escapeHtml(text)}</${tag}>`;
}

/**
 * The top-level tokens of Markdown source, and whether it defines link references. A live text can end within a
 * formula.
 */
export function lex(
  source: string,
  isLive: boolean,
): { readonly tokens: readonly Token[]; readonly hasDefinitions: boolean } {
  const tokens = markdownTokens(marked, source, isLive);
  return { tokens, hasDefinitions: Object.keys(tokens.links).length > 0 };
}

/** The sanitized nodes of each token, in one pass of the sanitizer, because each pass has a high fixed cost. */
export function sanitizedFragments(tokens: readonly Token[]): readonly DocumentFragment[] {
  const parts = tokens.map(token => marked.parser([token]));
  if (parts.length > 1) {
    const boxes = [...sanitizedHtml(parts.map(part => `<div>${part}</div>`).join("")).childNodes];
    // Content that leaves its box changes the number of boxes: then sanitize each token separately.
    if (boxes.length === parts.length && boxes.every(box => box.nodeName === "DIV")) return boxes.map(childFragment);
  }
  return parts.map(sanitizedHtml);
}

function childFragment(box: Node): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...box.childNodes);
  return fragment;
}

/** Paints one top-level token from its sanitized nodes. `level` is the level of the heading before it. */
export function paintBlock(token: Token, level: number, fragment: DocumentFragment): Block {
  const after = addRolesAndControls(fragment, level, token.type !== "code" || isClosed(token.raw));
  const isOpen = fragment.querySelector(`.${openFormulaClass}`) !== null;
  if (fragment.childElementCount <= 1) {
    return { raw: token.raw, node: fragment.firstElementChild as HTMLElement | null, level: after, isOpen };
  }
  const node = document.createElement("div");
  node.append(fragment);
  return { raw: token.raw, node, level: after, isOpen };
}

/** Tokens other than lists that can contain headings. */
const headingContainers = new Set(["blockquote", "list_item"]);

/** The level of the last heading after a token, as {@link paintBlock} would return it. */
export function levelAfter(token: Token, level: number): number {
  if (token.type === "heading") return Math.min(level + 1, headingLevel((token as Tokens.Heading).depth));
  const { type, items, tokens } = token as Tokens.Generic;
  const within: readonly Token[] = (type === "list" ? items : headingContainers.has(type) ? tokens : undefined) ?? [];
  return within.reduce((reached, each) => levelAfter(each, reached), level);
}

/** Whether a code token is complete: its fence is closed, or it is indented code. */
export function isClosed(raw: string): boolean {
  const open = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (open === undefined) return true;
  const last = raw.trimEnd().split("\n");
  return last.length > 1 && new RegExp(`^ {0,3}${open[0]}{${open.length},}[ \\t]*$`).test(last.at(-1) ?? "");
}

/**
 * Adds roles, buttons and code blocks, which the allowed HTML cannot express. Returns the level of the last heading.
 */
function addRolesAndControls(root: DocumentFragment, level: number, closed: boolean): number {
  for (const link of root.querySelectorAll<HTMLElement>("a[data-href]")) {
    link.role = "link";
    link.tabIndex = 0;
    link.className = "link";
  }
  // The marker of an item, the bar of a quote and the first column of a table are beside the first word. A box with a
  // direction of its own does not count for that, and is not reordered.
  for (const box of root.querySelectorAll<HTMLElement>("li, blockquote, div.table")) box.dir = "auto";
  for (const code of root.querySelectorAll<HTMLElement>("pre, code, .link[data-path]")) code.dir = "ltr";
  for (const task of root.querySelectorAll<HTMLElement>("span.task")) {
    const done = task.dataset["state"] === "done";
    task.role = "img";
    task.ariaLabel = done ? t("Done") : t("Open");
    task.classList.add("codicon", done ? "codicon-check" : "codicon-circle-large-outline");
    task.closest("li")?.classList.add("task-item");
  }
  for (const table of root.querySelectorAll<HTMLElement>("div.table")) {
    table.tabIndex = 0;
    table.role = "group";
    table.ariaLabel = t("Table");
  }
  for (const pre of root.querySelectorAll("pre"))
    pre.replaceWith(codeBlock(pre.querySelector("code") ?? pre, pre.dataset["info"] ?? "", closed));
  for (const heading of root.querySelectorAll("h4, h5, h6")) {
    level = Math.min(level + 1, Number(heading.localName[1]));
    heading.ariaLevel = String(level);
  }
  return level;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
}
