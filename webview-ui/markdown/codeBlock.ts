// A block of code: what it is and what can be done with it above, the code below. Built once for each fence.
import { copyText, iconButton } from "./copy.ts";
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
  bar.append(labelElement(language, path), ...(closed ? actionButtons(language, path, text) : []));
  bar.append(iconButton("copy", t("Copy Code"), button => copyText(button, text())));
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.append(code);
  box.append(bar, pre);
  if (closed && language !== "") highlightLater(code, language);
  return box;
}

function labelElement(language: string, path: string | undefined): HTMLElement {
  const shown = document.createElement("span");
  shown.className = "code-label ellipsis";
  if (path === undefined) {
    shown.textContent = language;
    return shown;
  }
  const link = document.createElement("a");
  link.className = "link";
  link.role = "link";
  link.tabIndex = 0;
  link.title = path;
  link.dataset["href"] = path;
  link.textContent = path;
  shown.append(link);
  return shown;
}

function actionButtons(language: string, path: string | undefined, text: () => string): readonly HTMLElement[] {
  if (language.toLowerCase() === "mermaid") {
    const open = iconButton("type-hierarchy", t("Open Diagram"), () => send({ type: "openDiagram", text: text() }));
    open.classList.add("labelled");
    return [open];
  }
  const apply = (): void => send({ type: "applyCode", text: text(), ...(path !== undefined && { path }) });
  return [
    iconButton("insert", t("Insert at Cursor"), () => send({ type: "insertCode", text: text() })),
    iconButton("git-pull-request-go-to-changes", t("Apply to File"), apply),
  ];
}
