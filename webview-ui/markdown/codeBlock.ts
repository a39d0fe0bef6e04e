// A code block: a bar with its label and actions, and the code below it. Built once per fence.
import { html, nothing, render, type TemplateResult } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { copyButton } from "./copy.ts";
import { fenceInfo } from "./fence.ts";
import { pathHref } from "./links.ts";
import { highlightLater } from "./highlight.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/**
 * The code block for the `code` of a fence. While the fence is not `closed`, its code can still grow, so it is not
 * highlighted and can only be copied.
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
      : html`<a class="link" role="link" tabindex="0" title=${path} data-href=${pathHref({ path })}>${path}</a>`;
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
  const insert = iconButton("insert", {
    label: t("Insert at Cursor"),
    onClick: () => send({ type: "insertCode", text: text() }),
  });
  const apply = iconButton("git-pull-request-go-to-changes", {
    label: t("Apply to File"),
    onClick: () => send({ type: "applyCode", text: text(), ...(path !== undefined && { path }) }),
  });
  return html`${insert}${apply}`;
}
