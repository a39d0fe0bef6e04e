// The entry point: registers the elements, connects the panel to the host and sends `hello`.
import type { HostMessage } from "../src/panel/protocol.ts";
import { QuestionCardElement } from "./question/questionCard.ts";
import { ChipsElement } from "./composer/chips.ts";
import { ChangesElement } from "./panel/changes.ts";
import { ComposerElement } from "./composer/composer.ts";
import { DiffLinesElement } from "./transcript/diffLines.ts";
import { FindElement } from "./find/find.ts";
import { HeaderElement } from "./panel/header.ts";
import { savedState, saveNow, send } from "./base/vscodeApi.ts";
import { focusOnEntry } from "./panel/focusOnEntry.ts";
import { reportUse } from "./panel/reportUse.ts";
import { openLinks } from "./markdown/links.ts";
import { MarkdownElement } from "./markdown/markdown.ts";
import { MenuElement } from "./panel/menu.ts";
import { MessageElement } from "./transcript/message.ts";
import { PanelElement } from "./panel/panel.ts";
import { PickerElement } from "./composer/picker.ts";
import { PlanElement } from "./panel/plan.ts";
import { isBehind, whenReleased } from "./scheduling/paintScheduler.ts";
import { ArgumentFieldElement } from "./question/argumentField.ts";
import { PromptPreviewElement } from "./question/promptPreview.ts";
import { McpServersElement } from "./composer/mcpServers.ts";
import { FormCardElement } from "./question/formCard.ts";
import { QueueElement } from "./composer/queue.ts";
import { UsageRingElement } from "./composer/usageRing.ts";
import { PreformattedElement } from "./transcript/preformatted.ts";
import { ResourceElement } from "./transcript/resource.ts";
import { StatusRowElement } from "./transcript/statusRow.ts";
import { Store } from "./base/store.ts";
import { TerminalElement } from "./transcript/terminal.ts";
import { ToolCallElement } from "./transcript/toolCall.ts";
import { TranscriptElement } from "./transcript/transcript.ts";
import { warmUp } from "./markdown/warmUp.ts";

// Failures in the panel are reported to the log of the host, because users do not see a webview's console.
addEventListener("error", event =>
  send({ type: "report", kind: "error", text: errorText(event.error ?? event.message) }),
);
addEventListener("unhandledrejection", event => send({ type: "report", kind: "error", text: errorText(event.reason) }));
addEventListener("securitypolicyviolation", event =>
  send({
    type: "report",
    kind: "csp",
    text: `${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`,
  }),
);

customElements.define("parley-markdown", MarkdownElement);
customElements.define("parley-terminal", TerminalElement);
customElements.define("parley-diff-lines", DiffLinesElement);
customElements.define("parley-preformatted", PreformattedElement);
customElements.define("parley-resource", ResourceElement);
customElements.define("parley-message", MessageElement);
customElements.define("parley-tool", ToolCallElement);
customElements.define("parley-row", StatusRowElement);
customElements.define("parley-plan", PlanElement);
customElements.define("parley-question", QuestionCardElement);
customElements.define("parley-form", FormCardElement);
customElements.define("parley-argument", ArgumentFieldElement);
customElements.define("parley-preview", PromptPreviewElement);
customElements.define("parley-servers", McpServersElement);
customElements.define("parley-queue", QueueElement);
customElements.define("parley-chips", ChipsElement);
customElements.define("parley-picker", PickerElement);
customElements.define("parley-changes", ChangesElement);
customElements.define("parley-composer", ComposerElement);
customElements.define("parley-usage", UsageRingElement);
customElements.define("parley-find", FindElement);
customElements.define("parley-menu", MenuElement);
customElements.define("parley-header", HeaderElement);
customElements.define("parley-transcript", TranscriptElement);
customElements.define("parley-panel", PanelElement);

declare const early: (HostMessage[] & { take(event: Event): void }) | undefined;

/** How long the panel waits for the first view. Milliseconds. */
const firstViewTimeout = 2000;
let paintTimer: ReturnType<typeof setTimeout> | undefined;
const store = new Store(send);
const panel = new PanelElement();
panel.store = store;
(document.getElementById("parley") ?? document.body).append(panel);
openLinks(panel);
addEventListener("pagehide", saveNow);

await panel.updateComplete;
focusOnEntry(() => panel.focusComposer());
reportUse();
store.onDidChange(change => {
  if (store.view) panel.show(change, store.view);
});
/**
 * Whether to wait for the whole view: the saved scroll position can be above the end of the conversation, and the host
 * may already be sending only that end.
 */
let wantsWholeView = savedState.anchor !== null;
for (const message of earlyMessages()) receive(message);
addEventListener("message", (event: MessageEvent<HostMessage>) => receive(event.data));
send({ type: "hello", revision: store.revision, ...(wantsWholeView && { whole: wantsWholeView }) });
warmUp();
// VS Code may have reloaded the page and dropped the messages for it.
setTimeout(() => {
  if (store.view === undefined) send({ type: "resync" });
}, firstViewTimeout);

function receive(message: HostMessage): void {
  switch (message.type) {
    case "snapshot":
    case "patch":
    case "text":
      if (wantsWholeView && message.type === "snapshot" && message.earlier !== undefined) return;
      wantsWholeView = false;
      store.receive(message);
      acknowledgePaint();
      break;
    default:
      panel.receive(message);
  }
}

/** The messages that arrived before this script ran: the first script of the page buffered them. */
function earlyMessages(): readonly HostMessage[] {
  if (typeof early === "undefined") return [];
  removeEventListener("message", early.take);
  return early;
}

/**
 * Acknowledges the paint to the host, which sends the next patch only after that. Messages that arrive in between are
 * acknowledged later.
 */
function acknowledgePaint(): void {
  whenReleased(acknowledgeAfterFrame);
}

function acknowledgeAfterFrame(): void {
  paintTimer ??= requestAnimationFrame(() => {
    paintTimer = undefined;
    if (isBehind()) return acknowledgePaint();
    const { revision } = store;
    paintTimer = setTimeout(() => {
      paintTimer = undefined;
      send({ type: "painted", revision });
      if (store.revision !== revision) acknowledgePaint();
    });
  });
}

function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.stack ?? thrown.message;
  return typeof thrown === "string" ? thrown : String(JSON.stringify(thrown));
}
