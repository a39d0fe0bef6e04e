// A block of code: what it is and what can be done with it above, the code below. Built once for each fence.
import { html, nothing, render, type TemplateResult } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { copyButton } from "./copy.ts";
import { fenceInfo } from "./fence.ts";
import { highlightLater } from "./highlight.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/**
 * The box of a fence's code, which is coloured by `colour`. While it is not `closed`, more may come: then it has no colours
 * and can only be copied.
 */
export function codeBlock(code: HTMLElement, info: string, closed: boolean): HTMLElement {
  const { language, path } = fenceInfo(info);
  const text = (): string => code.textContent ?? "";
  const box = document.createElement("div");
  box.className = "code";
  const bar = document.createElement("div");
  bar.className = "code-bar";
  render(
    html`${codeLabel(language, path)}${closed ? actionButtons(language, path, text) : nothing}${copyButton(t("Copy Code"), text)}`,
    bar,
  );
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.append(code);
  box.append(bar, pre);
  if (closed && language !== "") highlightLater(code, language);
  return box;
}

function codeLabel(language: string, path: string | undefined): TemplateResult {
  const content =
    path === undefined
      ? language
      : html`<a class="link" role="link" tabindex="0" title=${path} data-href=${path}>${path}</a>`;
  return html`<span class="code-label ellipsis">${content}</span>`;
}

function actionButtons(language: string, path: string | undefined, text: () => string): TemplateResult {
  if (language.toLowerCase() === "mermaid") {
    return iconButton("type-hierarchy", {
      label: t("Open Diagram"),
      classes: "labelled",
      onClick: () => send({ type: "openDiagram", text: text() }),
    });
  }
  const insert = (): void => send({ type: "insertCode", text: text() });
  const apply = (): void => send({ type: "applyCode", text: text(), ...(path !== undefined && { path }) });
  return html`${iconButton("insert", { label: t("Insert at Cursor"), onClick: insert })}${iconButton("git-pull-request-go-to-changes", { label: t("Apply to File"), onClick: apply })}`;
}
