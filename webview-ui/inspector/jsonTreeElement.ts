// A message as a tree of fields that can be folded. The arrow keys move in it.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { InspectorNode } from "../../src/panel/inspectorPage.ts";
import { icon, LightElement } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";

/** Fields of these levels are open at first, as long as the message has few fields. */
const openLevels = 4;
const maxOpenChildren = 30;
/** A longer text is folded to one line (characters). */
const maxLine = 100;

export class JsonTreeElement extends LightElement {
  #root: InspectorNode | undefined;
  /** What the user opened (true) or closed (false), by path. */
  readonly #toggled = new Map<string, boolean>();
  #current = "";

  /** Shows another message. `isSame`: it is the one that is shown, so what is open stays so. */
  setRoot(root: InspectorNode, isSame: boolean): void {
    this.#root = root;
    if (!isSame) {
      this.#toggled.clear();
      this.#current = "";
    }
    this.requestUpdate();
  }

  /** Gives the current field the focus. */
  override focus(): void {
    this.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus();
  }

  protected override render(): TemplateResult | typeof nothing {
    const root = this.#root;
    if (!root) return nothing;
    return html`<div
      class="json-tree"
      role="tree"
      aria-label=${t("Content of the message")}
      @keydown=${this.#onKey}
      @click=${this.#onClick}
    >
      ${this.#nodes(root, "", 1)}
    </div>`;
  }

  /** The node, and those below it if it is open: siblings on the page, so that each has the name of its line. */
  #nodes(node: InspectorNode, path: string, level: number): readonly TemplateResult[] {
    const isFoldable = canFold(node);
    const isOpen = isFoldable && this.#isOpen(node, path, level);
    const { children = [], cut = 0 } = node;
    const line = this.#line(node, path, level, isFoldable ? isOpen : undefined);
    if (!isOpen || node.text !== undefined) return [line];
    const below = children.flatMap((child, at) => this.#nodes(child, `${path}/${at}`, level + 1));
    return cut > 0 ? [line, ...below, this.#cutLine(cut, `${path}/${children.length}`, level + 1)] : [line, ...below];
  }

  #line(node: InspectorNode, path: string, level: number, isOpen: boolean | undefined): TemplateResult {
    const key = visibleText(node.key);
    const name = key === "" ? nothing : html`<bdi class="json-key">${key}</bdi>: `;
    const value = isOpen && node.text !== undefined ? fullText(node) : summaryText(node);
    const isCurrent = path === this.#current;
    return html`<div
      role="treeitem"
      class="json-line"
      data-path=${path}
      tabindex=${isCurrent ? 0 : -1}
      aria-level=${level}
      aria-expanded=${isOpen ?? nothing}
      aria-selected=${isCurrent}
    >
      ${indent(level)}
      <span class="json-twistie"
        >${isOpen === undefined ? nothing : icon(isOpen ? "chevron-down" : "chevron-right")}</span
      >
      <span class="json-field">${name}<span class="json-value" data-kind=${node.kind}>${value}</span></span>
    </div>`;
  }

  /** How many nodes are not there, as a node that the arrow keys reach. */
  #cutLine(cut: number, path: string, level: number): TemplateResult {
    const isCurrent = path === this.#current;
    return html`<div
      role="treeitem"
      class="json-line json-cut quiet"
      data-path=${path}
      tabindex=${isCurrent ? 0 : -1}
      aria-level=${level}
      aria-selected=${isCurrent}
    >
      ${indent(level)}<span class="json-twistie"></span
      ><span class="json-field"
        >${cut === 1 ? t("1 more is not shown.") : t("{0} more are not shown.", formatCount(cut))}</span
      >
    </div>`;
  }

  #isOpen({ kind, size = 0 }: InspectorNode, path: string, level: number): boolean {
    const toggled = this.#toggled.get(path);
    if (toggled !== undefined) return toggled;
    return kind !== "string" && level <= openLevels && size <= maxOpenChildren;
  }

  #toggle(item: HTMLElement, isOpen: boolean): void {
    this.#toggled.set(item.dataset["path"] ?? "", isOpen);
    this.requestUpdate();
  }

  #go(item: HTMLElement | null | undefined): void {
    if (!item) return;
    this.#current = item.dataset["path"] ?? "";
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.focus();
      item.scrollIntoView({ block: "nearest" });
    });
  }

  readonly #onClick = (event: MouseEvent): void => {
    const item = itemOf(event.target);
    // A selection in a text is no click on its field.
    if (!item || getSelection()?.isCollapsed === false) return;
    const expanded = item.getAttribute("aria-expanded");
    if (expanded !== null) this.#toggle(item, expanded !== "true");
    this.#go(item);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const item = itemOf(event.target);
    if (!item) return;
    const items = [...this.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    switch (event.key) {
      case "ArrowDown":
        this.#go(items[at + 1]);
        break;
      case "ArrowUp":
        this.#go(items[at - 1]);
        break;
      case "Home":
        this.#go(items[0]);
        break;
      case "End":
        this.#go(items.at(-1));
        break;
      case "ArrowRight":
        if (expanded === "false") this.#toggle(item, true);
        else if (expanded === "true" && levelOf(items[at + 1]) > levelOf(item)) this.#go(items[at + 1]);
        break;
      case "ArrowLeft":
        if (expanded === "true") this.#toggle(item, false);
        else this.#go(items.slice(0, at).findLast(one => levelOf(one) < levelOf(item)));
        break;
      case "Enter":
      case " ":
        if (expanded !== null) this.#toggle(item, expanded !== "true");
        break;
      default:
        return;
    }
    event.preventDefault();
  };
}

/** Deeper levels are not indented further. */
const maxIndent = 24;

const indent = (level: number): readonly TemplateResult[] =>
  Array.from({ length: Math.min(level - 1, maxIndent) }, () => html`<span class="json-indent"></span>`);

const levelOf = (item: HTMLElement | undefined): number => Number(item?.getAttribute("aria-level") ?? 0);

const itemOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[role="treeitem"]') : null;

const canFold = ({ kind, size = 0, text = "", cut = 0 }: InspectorNode): boolean =>
  kind === "string" ? text.length > maxLine || text.includes("\n") || cut > 0 : size > 0;

/** A node on one line. */
function summaryText({ kind, text = "", size = 0 }: InspectorNode): string {
  switch (kind) {
    case "object":
      return size === 0 ? "{}" : size === 1 ? t("1 field") : t("{0} fields", formatCount(size));
    case "array":
      return size === 0 ? "[]" : size === 1 ? t("1 item") : t("{0} items", formatCount(size));
    case "string":
      return JSON.stringify(visibleText(text.length > maxLine ? `${text.slice(0, maxLine)}…` : text));
    case "literal":
      return text;
    default:
      kind satisfies never;
      return "";
  }
}

const fullText = ({ text = "", cut = 0 }: InspectorNode): TemplateResult =>
  html`<span class="json-text">${visibleText(text)}</span>${
      cut > 0
        ? html` <span class="quiet"
            >${cut === 1 ? t("1 more character is not shown.") : t("{0} more characters are not shown.", formatCount(cut))}</span
          >`
        : nothing
    }`;
