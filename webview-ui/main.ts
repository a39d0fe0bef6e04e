// Boot: registers the elements, connects the panel to its host, says hello.
import type { HostMessage } from "../src/chat/protocol.ts";
import { AsksElement } from "./ask.ts";
import { ChipsElement } from "./chips.ts";
import { ChangesElement } from "./changes.ts";
import { ComposerElement } from "./composer.ts";
import { DiffLinesElement } from "./diffLines.ts";
import { FindElement } from "./find.ts";
import { HeaderElement } from "./header.ts";
import { save, send } from "./host.ts";
import { openLinks } from "./links.ts";
import { MarkdownElement } from "./markdown.ts";
import { MenuElement } from "./menu.ts";
import { MessageElement } from "./message.ts";
import { PanelElement } from "./panel.ts";
import { PickerElement } from "./picker.ts";
import { PlanElement } from "./plan.ts";
import { QueueElement } from "./queue.ts";
import { ResourceElement } from "./resource.ts";
import { RowElement } from "./row.ts";
import { Store } from "./store.ts";
import { TerminalElement } from "./terminal.ts";
import { ToolCallElement } from "./toolCall.ts";
import { TranscriptElement } from "./transcript.ts";

// A failure in the panel is seen in the log of the host: nobody looks into a webview's console.
addEventListener("error", event =>
  send({ type: "report", kind: "error", text: describe(event.error ?? event.message) }),
);
addEventListener("unhandledrejection", event => send({ type: "report", kind: "error", text: describe(event.reason) }));
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
customElements.define("parley-resource", ResourceElement);
customElements.define("parley-message", MessageElement);
customElements.define("parley-tool", ToolCallElement);
customElements.define("parley-row", RowElement);
customElements.define("parley-plan", PlanElement);
customElements.define("parley-asks", AsksElement);
customElements.define("parley-queue", QueueElement);
customElements.define("parley-chips", ChipsElement);
customElements.define("parley-picker", PickerElement);
customElements.define("parley-changes", ChangesElement);
customElements.define("parley-composer", ComposerElement);
customElements.define("parley-find", FindElement);
customElements.define("parley-menu", MenuElement);
customElements.define("parley-header", HeaderElement);
customElements.define("parley-transcript", TranscriptElement);
customElements.define("parley-panel", PanelElement);

let painting: number | undefined;
const store = new Store(send);
const panel = new PanelElement();
panel.store = store;
(document.getElementById("parley") ?? document.body).append(panel);
openLinks(panel);
addEventListener("pagehide", save);

await panel.updateComplete;
store.onDidChange(change => {
  if (store.view) panel.show(change, store.view);
});
addEventListener("message", (event: MessageEvent<HostMessage>) => {
  const message = event.data;
  switch (message.type) {
    case "snapshot":
    case "patch":
    case "text":
      store.receive(message);
      tellPainted();
      break;
    default:
      panel.hear(message);
  }
});
send({ type: "hello", revision: 0 });

/** Tells the host once what it sent has been painted: until then it sends no more. */
function tellPainted(): void {
  painting ??= requestAnimationFrame(() => {
    setTimeout(() => {
      painting = undefined;
      send({ type: "painted", revision: store.revision });
    });
  });
}

function describe(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.stack ?? thrown.message;
  return typeof thrown === "string" ? thrown : String(JSON.stringify(thrown));
}
