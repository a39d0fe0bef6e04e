// The content of messages and tool cards: text, images, links, diffs, terminals, JSON.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import { namedHeaders } from "../../src/panel/fileNames.ts";
import type { ToolPart, ViewEntry, ViewPart } from "../../src/panel/protocol.ts";
import {
  audioPart,
  blobPart,
  omittedTextNote,
  imagePart,
  linkPart,
  placeholder,
  type PartLocation,
} from "./content.ts";
import { copyButton } from "../markdown/copy.ts";
import { changedFile, diffView } from "./diffView.ts";
import { icon } from "../base/element.ts";
import { exitIcon, exitLevel, exitText } from "./exit.ts";
import { iconButton } from "../base/iconButton.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { entryLink } from "../markdown/links.ts";
import { planContent, planSummary } from "./planContent.ts";
import type { TerminalElement } from "./terminal.ts";

/** A part of a message. Text is Markdown and can grow while `live`. `place` identifies the part for the host. */
export function messagePart(part: ViewPart, live: boolean, place?: PartLocation): TemplateResult {
  const shown = partContent(part, live, place);
  if (!part.forAgent) return shown;
  return html`<div class="for-agent"><span class="tag">${t("For the agent")}</span>${shown}</div>`;
}

function partContent(part: ViewPart, live: boolean, place: PartLocation | undefined): TemplateResult {
  switch (part.type) {
    case "text":
      if (part.pre)
        return html`<parley-preformatted .output=${part}></parley-preformatted>${omittedTextNote(part.cut, place)}`;
      return html`<parley-markdown .content=${{ text: part.text, live }}></parley-markdown
        >${omittedTextNote(part.cut, place)}`;
    case "image":
      return imagePart(part, place);
    case "audio":
      return audioPart(part, place);
    case "link":
      return linkPart(part);
    case "resource":
      if (part.text === undefined) return blobPart(part, place);
      return html`<parley-resource .file=${part} .place=${place}></parley-resource>`;
    case "placeholder":
      return placeholder(part.kind);
    default:
      part satisfies never;
      return html``;
  }
}

/** A part with its index, which find uses to look up hits. The wrapper has no layout box. */
export function partAt(index: number, content: TemplateResult): TemplateResult {
  return html`<div class="part" data-part=${index}>${content}</div>`;
}

/** A part of a user's message, as typed. */
export function userPart(part: ViewPart, place?: PartLocation): TemplateResult {
  if (part.type !== "text") return messagePart(part, false, place);
  return html`<div class="typed">${part.text}</div>
    ${omittedTextNote(part.cut, place)}`;
}

/** A title from an agent: plain text with code between backticks. */
export function titleText(title: string): (string | TemplateResult)[] {
  return visibleText(title)
    .split(/`([^`]+)`/)
    .map((piece, i) => (i % 2 === 1 ? html`<code dir="ltr">${piece}</code>` : piece));
}

/**
 * The parts of a tool card or question. `owner` is the tool card whose diffs the host can open. A file that `title`
 * names is not named again.
 */
export function toolParts(
  parts: readonly ToolPart[],
  owner: ViewEntry | undefined,
  live: boolean,
  title?: string,
): TemplateResult[] {
  // Raw input and output are folded if other parts show the same content.
  const rawOnly = parts.every(part => part.type === "json");
  const named = namedHeaders(parts, title);
  return parts.map((part, i) => {
    const place = owner && { entry: owner.id, part: i };
    return partAt(i, toolPart(part, owner, live, rawOnly, named[i] ?? true, place));
  });
}

function toolPart(
  part: ToolPart,
  owner: ViewEntry | undefined,
  live: boolean,
  rawOpen: boolean,
  named: boolean,
  place: PartLocation | undefined,
): TemplateResult {
  switch (part.type) {
    case "diff":
      return diffView(part, openDiff(part, owner), named);
    case "files":
      return filesPart(part, named);
    case "terminal":
      return terminalPart(part);
    case "json":
      return jsonPart(part, rawOpen);
    case "session":
      return sessionPart(part);
    case "plan":
      return planPart(part);
    default:
      return messagePart(part, live, place);
  }
}

type Part<T extends ToolPart["type"]> = Extract<ToolPart, { type: T }>;

function openDiff(diff: Part<"diff">, owner: ViewEntry | undefined): (() => void) | undefined {
  if (owner?.kind !== "tool") return undefined;
  const same = (part: ToolPart): boolean => part === diff || (part.type === "diff" && part.path === diff.path);
  const exact = owner.parts.indexOf(diff);
  const part = exact >= 0 ? exact : owner.parts.findIndex(same);
  return part < 0 ? undefined : () => send({ type: "openDiff", entry: owner.id, part });
}

function filesPart(part: Part<"files">, named: boolean): TemplateResult {
  return html`<div class="files">
    <ul>
      ${part.files.map(file => changedFile(file, named))}
    </ul>
    ${
      part.patch === undefined
        ? nothing
        : html`<details>
            <summary>${t("Patch")}</summary>
            <pre class="patch" tabindex="0">${part.patch}</pre>
            ${omittedTextNote(part.cut)}
          </details>`
    }
  </div>`;
}

function terminalPart(part: Part<"terminal">): TemplateResult {
  return html`<div class="terminal">
    ${part.command === undefined ? nothing : html`<div class="command"><code>${visibleText(part.command)}</code></div>`}
    <div class="terminal-bar">
      ${part.cwd === undefined ? nothing : html`<div class="quiet folder">${icon("folder")} <span>${visibleText(part.cwd)}</span></div>`}
      ${terminalButtons(part)}
    </div>
    ${part.truncated ? html`<p class="quiet">${t("The beginning of the output was left out.")}</p>` : nothing}
    ${
      part.text === ""
        ? nothing
        : html`<parley-terminal
            aria-label=${t("Output")}
            role="group"
            .folder=${part.cwd}
            .text=${part.text}
            .ended=${part.exit !== undefined}
          ></parley-terminal>`
    }
    ${exitLine(part)}
  </div>`;
}

function terminalButtons({ text, terminalId, canKill }: Part<"terminal">): TemplateResult {
  const outputOf = (button: HTMLElement): string | undefined =>
    button.closest(".terminal")?.querySelector<TerminalElement>("parley-terminal")?.plainText;
  const open = (): void => send({ type: "openTerminal", terminal: terminalId });
  const kill = (): void => send({ type: "killTerminal", terminal: terminalId });
  return html`<div class="terminal-buttons">
    ${text === "" ? nothing : copyButton(t("Copy Output"), outputOf)}
    ${iconButton("terminal", { label: t("Open in Terminal"), onClick: open })}
    ${canKill ? iconButton("debug-stop", { label: t("Kill"), onClick: kill }) : nothing}
  </div>`;
}

function exitLine({ exit }: Part<"terminal">): TemplateResult | typeof nothing {
  if (exit === undefined) return nothing;
  return html`<div class="exit" data-exit=${exitLevel(exit)}>${icon(exitIcon(exit))} ${exitText(exit)}</div>`;
}

/** A sub-agent that a call names. The link shows its card. */
function sessionPart({ entry, title = "" }: Part<"session">): TemplateResult {
  if (entry === undefined)
    return html`<div class="chip quiet">
      ${icon("hubot")} ${t("A session of the agent that is not shown in this conversation.")}
    </div>`;
  return html`<div class="chip">${icon("hubot")} ${entryLink(entry, title)}</div>`;
}

function planPart(plan: Part<"plan">): TemplateResult {
  return html`<section class="plan" aria-label=${t("Plan")}>
    <div class="plan-head" dir="auto">${icon("checklist")} <span class="ellipsis">${planSummary(plan)}</span></div>
    ${planContent(plan)}
  </section>`;
}

function jsonPart(part: Part<"json">, open: boolean): TemplateResult {
  return html`<details class="json" ?open=${part.folded === undefined ? open : !part.folded}>
    <summary>${part.label === "Input" ? t("Input") : t("Output")}</summary>
    <pre tabindex="0">${part.text}</pre>
    ${omittedTextNote(part.cut)}
  </details>`;
}
