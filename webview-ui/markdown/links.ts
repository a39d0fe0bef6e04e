// Links by intent: nothing in the panel navigates. What a link means is decided here, once.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { Intent } from "../../src/panel/intents.ts";
import { send } from "../base/vscodeApi.ts";

type FileIntent = Extract<Intent, { type: "openFile" }>;
type LinkIntent = Extract<Intent, { type: "openLink" }> | FileIntent;

/** A place behind a path: `#L10`, `#L10C5-L20`; `:10`, `:10:5`, `:10-20`. Line, column, last line. */
const suffixPatterns = [/#L(\d+)(?:C(\d+))?(?:-L?(\d+)(?:C\d+)?)?$/, /:(\d+)(?::(\d+))?(?:-(\d+)(?::\d+)?)?$/];

/**
 * What a link in an agent's text opens: a web address or a file of the workspace; undefined for everything else.
 * `src/a.ts:10` and `src/a.ts#L10` → file `src/a.ts`, line 10. Files of other machines are among everything else: only
 * to look whether they are there would send them the user's credentials.
 */
export function linkIntent(href: string): LinkIntent | undefined {
  // Browsers drop control characters and blanks inside a scheme, so `java\nscript:` is one too.
  const bare = withoutBlanks(href);
  if (/^(?:https?:\/\/|mailto:)/i.test(bare)) return { type: "openLink", href: href.trim() };
  if (/^file:\/\//i.test(bare)) return fileUriIntent(href.trim());
  if (bare === "" || bare.startsWith("#")) return undefined;
  const isDrive = /^[a-z]:[\\/]/i.test(bare);
  const isFileWithLine = /^[^:/\\]+\.\w+:\d+(?::\d+)?(?:-\d+(?::\d+)?)?$/.test(bare);
  if (!isDrive && !isFileWithLine && /^[a-z][a-z0-9+.-]*:/i.test(bare)) return undefined;
  return fileIntent(decoded(href.trim()));
}

function fileUriIntent(uri: string): LinkIntent | undefined {
  const path = decoded(uri.replace(/^file:\/\/(?:localhost(?=\/))?/i, ""));
  // What stands before the path's slash is another machine.
  return path.startsWith("/") ? fileIntent(path.replace(/^\/(?=[a-z]:[\\/])/i, "")) : undefined;
}

function fileIntent(target: string): LinkIntent | undefined {
  if (/^[\\/]{2}/.test(withoutBlanks(target))) return undefined;
  const match = suffixPatterns.map(suffix => suffix.exec(target)).find(found => found !== null);
  const path = match ? target.slice(0, match.index) : target.replace(/#.*$/, "");
  if (path === "") return undefined;
  return { type: "openFile", path, ...lineRangeOf(match?.slice(1) ?? []) };
}

/** Numbers beyond any file are none. */
function lineRangeOf(numbers: readonly (string | undefined)[]): Omit<FileIntent, "type" | "path"> {
  const [line, column, end] = numbers.map(text =>
    Number.isSafeInteger(Number(text)) && Number(text) > 0 ? Number(text) : undefined,
  );
  if (line === undefined) return {};
  return {
    line,
    ...(column !== undefined && { column }),
    ...(end !== undefined && end > line && { endLine: end }),
  };
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
 * Where a link leads, for its tooltip: for the web the host as it is asked for, on a line of its own where the address
 * says it otherwise (letters that only look like others, a name before an `@`).
 */
export function linkTitle(href: string): string {
  const shown = visibleText(href);
  const [, written] = /^https?:\/\/([^/?#]*)/i.exec(href.trim()) ?? [];
  const host = written === undefined ? undefined : URL.parse(href.trim())?.host;
  return host === undefined || host === written?.toLowerCase() ? shown : `${host}\n${shown}`;
}

/** A link to a place in a file. */
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

/** A link to wherever {@link linkIntent} says; plain text when that is nowhere. */
export function hrefLink(href: string, label: string): TemplateResult {
  if (linkIntent(href) === undefined) return html`<span>${visibleText(label)}</span>`;
  return html`<a class="link" role="link" tabindex="0" title=${linkTitle(href)} data-href=${href}
    >${visibleText(label)}</a
  >`;
}

/** Opens links anywhere under `root`, by click and by Enter. */
export function openLinks(root: HTMLElement): void {
  root.addEventListener("click", event => openFromEvent(event));
  root.addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.isComposing) openFromEvent(event);
  });
}

function openFromEvent(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-path], [data-href]") : null;
  const intent = link && intentOf(link);
  if (!intent) return;
  event.preventDefault();
  send(intent);
}

function intentOf(link: HTMLElement): LinkIntent | undefined {
  const { path, line, href } = link.dataset;
  if (path === undefined) return href === undefined ? undefined : linkIntent(href);
  return Number(line) > 0 ? { type: "openFile", path, line: Number(line) } : { type: "openFile", path };
}
