// The changes bar: one line above the composer for unreviewed changes, which expands to the list of files.
import { html, nothing, type TemplateResult } from "lit";
import type { Intent } from "../../src/panel/intents.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { changeCounts } from "../transcript/diffView.ts";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { openState, send, setOpen } from "../base/vscodeApi.ts";
import { formatCount, t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";

type ListedFile = NonNullable<ViewHead["changes"]>["files"][number];

/** The key of the bar in the saved state. */
export const changesKey = "changes";

/** `<parley-changes>`: the bar; nothing if there are neither changes nor comments to send. */
export class ChangesElement extends LightElement {
  static override properties = { changes: { attribute: false }, comments: { attribute: false } };
  declare changes: ViewHead["changes"];
  declare comments: ViewHead["comments"];

  protected override render(): TemplateResult | typeof nothing {
    const { changes, comments = 0 } = this;
    const sendButton =
      comments === 0
        ? nothing
        : actionButton("primary", t("Send Comments ({0})", formatCount(comments)), { type: "sendComments" });
    if (!changes || changes.files.length === 0)
      return comments === 0
        ? nothing
        : html`<section class="changes" aria-label=${t("Comments")}>
            <div class="changes-buttons">${sendButton}</div>
          </section>`;
    const { files, added, removed, reviewed, others } = changes;
    const dangerous = files.filter(({ runs }) => runs === "byItself").length;
    const outside = files.filter(({ isOutside }) => isOutside).length;
    const agents = files.filter(({ isMeanwhile }) => !isMeanwhile);
    const meanwhile = files.filter(({ isMeanwhile }) => isMeanwhile);
    const open = openState(changesKey) ?? false;
    const toggle = (): void => {
      setOpen(changesKey, !open);
      this.requestUpdate();
    };
    return html`<section class="changes" aria-label=${t("Changes")}>
      <div class="changes-bar">
        <button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
          ${icon(open ? "chevron-down" : "chevron-right")}
          <span>${files.length === 1 ? t("1 file") : t("{0} files", formatCount(files.length))}</span>
          ${changeCounts(added, removed)}
          ${reviewed === undefined ? nothing : html`<span class="quiet">${t("{0} of {1} reviewed", formatCount(reviewed), formatCount(files.length))}</span>`}
          ${outside === 0 ? nothing : html`<span class="quiet">${t("{0} outside the workspace", formatCount(outside))}</span>`}
          ${dangerous === 0 ? nothing : dangerMark(dangerous === 1 ? t("1 runs by itself") : t("{0} run by themselves", formatCount(dangerous)))}
        </button>
        ${others === undefined ? nothing : othersLink(others, files.length)}
        <div class="changes-buttons">
          ${sendButton} ${actionButton("primary", t("Review"), { type: "reviewChanges" })}
          ${actionButton("secondary", t("Keep All"), { type: "keepChanges" })}
          ${actionButton("secondary", t("Undo All"), { type: "undoChanges" })}
        </div>
      </div>
      ${
        open
          ? html`<ul class="changes-files" tabindex="0" aria-label=${t("Files")}>
              ${agents.map(fileRow)} ${meanwhile.length === 0 ? nothing : meanwhileGroup(meanwhile)}
            </ul>`
          : nothing
      }
    </section>`;
  }
}

type Others = NonNullable<NonNullable<ViewHead["changes"]>["others"]>;

/** Leads to the other session whose changes the bar lists, “1 from Fix sum”, or to a choice of several. */
function othersLink({ files, sessions }: Others, all: number): TemplateResult {
  const [first, ...more] = sessions;
  const count = formatCount(files);
  if (more.length > 0 || !first) {
    return html`<parley-menu
      class="changes-from"
      .label=${t("Other sessions")}
      .text=${t("{0} from {1} other sessions", count, formatCount(sessions.length))}
      .tooltip=${t("Show one of these sessions")}
      .items=${sessions.map(session => ({ label: titleOf(session), icon: "comment-discussion", run: () => show(session) }))}
      .floats=${true}
    ></parley-menu>`;
  }
  const title = titleOf(first);
  return html`<button
    class="link changes-from"
    type="button"
    role="link"
    dir="auto"
    title=${t("Show the session “{0}”", title)}
    @click=${() => show(first)}
  >
    ${files === all ? t("from {0}", title) : t("{0} from {1}", count, title)}
  </button>`;
}

type OtherSession = Others["sessions"][number];

const titleOf = ({ title }: OtherSession): string => (title === "" ? t("another session") : visibleText(title));

const show = ({ id }: OtherSession): void => send({ type: "showSession", id });

/** The files that changed while no tool call ran. */
function meanwhileGroup(files: readonly ListedFile[]): TemplateResult {
  const label = t("Changed meanwhile, perhaps by you");
  const why = t(
    "These files changed while no tool call of an agent was running. “Undo All” leaves them as they are. You can undo each file.",
  );
  return html`<li class="changes-group">
    <span class="quiet" title=${why}>${label}</span>
    <ul aria-label=${label}>
      ${files.map(fileRow)}
    </ul>
  </li>`;
}

function actionButton(look: "primary" | "secondary", label: string, intent: Intent): TemplateResult {
  return html`<button class=${look} type="button" @click=${() => send(intent)}>${label}</button>`;
}

function fileRow({
  path,
  label,
  added,
  removed,
  unknown,
  canUndo,
  movedFrom,
  runs,
  isOutside,
}: ListedFile): TemplateResult {
  const name = visibleText(label);
  const isOnlyMoved = movedFrom !== undefined && added === 0 && removed === 0;
  return html`<li>
    <span class="changes-name">${fileLink(path, label)}</span>
    ${unknown === undefined && !isOnlyMoved ? changeCounts(added, removed) : nothing}
    <span class="changes-decide">
      ${decisionButton("check", t("Keep {0}", name), { type: "keepChanges", path })}
      ${
        unknown === undefined || canUndo
          ? decisionButton("discard", t("Undo {0}", name), { type: "undoChanges", path })
          : nothing
      }
    </span>
    ${isOutside ? html`<span class="quiet">${t("Outside the workspace")}</span>` : nothing}
    ${runs === undefined ? nothing : dangerMark(dangerLabel(runs))}
    ${unknown === undefined ? nothing : html`<span class="quiet">${visibleText(unknown)}</span>`}
    ${movedFrom === undefined ? nothing : html`<span class="quiet">${t("Moved from {0}", visibleText(movedFrom))}</span>`}
  </li>`;
}

function dangerLabel(runs: NonNullable<ListedFile["runs"]>): string {
  if (runs === "byAgents") return t("Instructs agents");
  return runs === "byItself" ? t("Runs by itself") : t("Runs with the next build");
}

/** Marks files that programs run or agents follow. */
const dangerMark = (words: string): TemplateResult => html`<span class="runs">${icon("warning")} ${words}</span>`;

function decisionButton(codicon: string, label: string, intent: Intent): TemplateResult {
  return iconButton(codicon, { label, onClick: () => send(intent) });
}
