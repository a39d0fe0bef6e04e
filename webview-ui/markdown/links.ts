// Links send intents, because nothing in the panel navigates. Only this file decides what a link opens.
import { html, nothing, type TemplateResult } from "lit";
import type { WrittenPath } from "../../src/base/filePaths.ts";
import { positionAt } from "../../src/base/pathShape.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { Intent } from "../../src/panel/intents.ts";
import { send } from "../base/vscodeApi.ts";

type FileIntent = Extract<Intent, { type: "openFile" }>;
type LinkIntent = Extract<Intent, { type: "openLink" }> | FileIntent;

/**
 * The intent of a link in an agent's text: a URL or a workspace file; undefined for everything else. `src/a.ts:10` and
 * `src/a.ts#L10` → file `src/a.ts`, line 10. Files on other machines are not opened, because even checking whether they
 * exist would send the user's credentials to the other machine.
 */
export function linkIntent(href: string): LinkIntent | undefined {
  // Browsers drop control characters and spaces in a scheme, so `java\nscript:` is a scheme too.
  const bare = withoutBlanks(href);
  if (/^(?:https?:\/\/|mailto:)/i.test(bare)) return { type: "openLink", href: href.trim() };
  if (/^file:\/\//i.test(bare)) return fileUriIntent(href.trim());
  if (bare === "" || bare.startsWith("#")) return undefined;
  const isDrive = /^[a-z]:[\\/]/i.test(bare);
  const isFileWithLine = /^[^:/\\]+\.\w+:\d+(?::\d+)?(?:-\d+(?::\d+)?)?$/.test(bare);
  if (!isDrive && !isFileWithLine && /^[a-z][a-z0-9+.-]*:/i.test(bare)) return undefined;
  return fileIntent(href.trim());
}

function fileUriIntent(uri: string): LinkIntent | undefined {
  const path = uri.replace(/^file:\/\/(?:localhost(?=\/))?/i, "");
  // A host before the slash of the path is another machine.
  return path.startsWith("/") ? fileIntent(path.replace(/^\/(?=[a-z](?::|%3a)[\\/])/i, "")) : undefined;
}

/** The longest position at the end of a path, in characters. A longer text would be searched from each of its colons. */
const maxPositionLength = 100;

/** `target` is percent-encoded. */
function fileIntent(target: string): LinkIntent | undefined {
  const [suffix = ""] = /(?:#L[\dLC-]+|:\d[\d:-]*)$/.exec(target.slice(-maxPositionLength)) ?? [];
  const position = positionAt(suffix, 0);
  const isPosition = position?.end === suffix.length;
  const path = decoded(isPosition ? target.slice(0, -suffix.length) : withoutFragment(target));
  if (path === "" || /^[\\/]{2}/.test(withoutBlanks(path))) return undefined;
  return { type: "openFile", path, ...position?.position };
}

/** The path without a fragment. Names may contain `#` too: `docs/C#/intro.md`. */
function withoutFragment(target: string): string {
  const at = target.search(/#(?![^#]*[\\/][^\\/#]*\.\w+$)/);
  return at < 0 ? target : target.slice(0, at);
}

/** The href of a path in an agent's text. {@link linkIntent} reads it back. */
export function pathHref({ path, line, column, endLine }: WrittenPath): string {
  // The path is written literally. A URI is encoded already.
  const href = /^file:/i.test(path) ? path : path.replace(/[%#]/g, encodeURIComponent);
  if (line === undefined) return href;
  return `${href}:${line}${column === undefined ? "" : `:${column}`}${endLine === undefined ? "" : `-${endLine}`}`;
}

/**
 * A link to a path in the output of a program, without content; undefined if the path cannot be opened. Its tooltip
 * shows the path as it is written. `leading` is the text before the path that may belong to it, or "".
 */
export function writtenPathLink(path: WrittenPath, leading: string): HTMLElement | undefined {
  const href = pathHref(path);
  if (linkIntent(href) === undefined) return undefined;
  const link = document.createElement("a");
  link.className = "link";
  link.role = "link";
  link.title = visibleText(path.line === undefined ? path.path : `${path.path}:${path.line}`);
  link.dataset["href"] = href;
  if (leading !== "") link.dataset["leading"] = `${leading}|`;
  return link;
}

const withoutBlanks = (text: string): string => [...text].filter(char => char > " " && char !== "\u007f").join("");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The target of a link, for its tooltip. For a URL, the host that the browser would contact is on a line of its own if
 * the URL shows it differently (letters that look like others, a name before an `@`).
 */
export function linkTitle(href: string): string {
  const shown = visibleText(href);
  const [, written] = /^https?:\/\/([^/?#]*)/i.exec(href.trim()) ?? [];
  const host = written === undefined ? undefined : URL.parse(href.trim())?.host;
  return host === undefined || host === written?.toLowerCase() ? shown : `${host}\n${shown}`;
}

/** A link to a location in a file. */
export function fileLink(path: string, label: string, line?: number): TemplateResult {
  return html`<a
    class="link"
    role="link"
    tabindex="0"
    title=${visibleText(path)}
    data-path=${path}
    data-line=${line ?? nothing}
    >${visibleText(label)}</a
  >`;
}

/** A link with the target given by {@link linkIntent}; plain text if there is none. */
export function hrefLink(href: string, label: string): TemplateResult {
  if (linkIntent(href) === undefined) return html`<span>${visibleText(label)}</span>`;
  return html`<a class="link" role="link" tabindex="0" title=${linkTitle(href)} data-href=${href}
    >${visibleText(label)}</a
  >`;
}

/** Fired by a link to an entry of the conversation. `detail` is the id of the entry. */
export const showEntryEvent = "parley-show-entry";

/** A link to an entry of the conversation. */
export function entryLink(entry: string, label: string): TemplateResult {
  return html`<a class="link" role="link" tabindex="0" data-entry=${entry}>${visibleText(label)}</a>`;
}

/** Opens links below `root` on click and on Enter. */
export function openLinks(root: HTMLElement): void {
  root.addEventListener("click", event => openFromEvent(event));
  root.addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.isComposing) openFromEvent(event);
  });
}

function openFromEvent(event: Event): void {
  const selector = "[data-path], [data-href], [data-entry]";
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
  if (!link || selectsText(link, event)) return;
  const { entry } = link.dataset;
  const intent = intentOf(link);
  if (entry === undefined && !intent) return;
  event.preventDefault();
  if (intent) send(intent);
  else link.dispatchEvent(new CustomEvent(showEntryEvent, { bubbles: true, detail: entry }));
}

/** Whether the pointer selected text of the link instead of clicking it. */
function selectsText(link: HTMLElement, event: Event): boolean {
  const selection = event instanceof PointerEvent && event.detail > 0 ? getSelection() : null;
  return selection !== null && !selection.isCollapsed && selection.containsNode(link, true);
}

function intentOf(link: HTMLElement): LinkIntent | undefined {
  const { path, line, href, leading } = link.dataset;
  if (path === undefined) {
    const intent = href === undefined ? undefined : linkIntent(href);
    return intent?.type === "openFile" && leading !== undefined ? { ...intent, leading: leading.slice(0, -1) } : intent;
  }
  return Number(line) > 0 ? { type: "openFile", path, line: Number(line) } : { type: "openFile", path };
}
