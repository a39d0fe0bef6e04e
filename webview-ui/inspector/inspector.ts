// The entry point of the page of the protocol inspector: registers its elements and connects it to the host.
import type { InspectorIntent, InspectorMessage } from "../../src/panel/inspectorPage.ts";
import { webviewApi } from "../base/webviewApi.ts";
import { InspectorElement } from "./inspectorElement.ts";
import { JsonTreeElement } from "./jsonTreeElement.ts";
import { MessageListElement } from "./messageList.ts";

customElements.define("parley-json-tree", JsonTreeElement);
customElements.define("parley-message-list", MessageListElement);
customElements.define("parley-inspector", InspectorElement);

const page = new InspectorElement();
page.send = (intent: InspectorIntent) => webviewApi.postMessage(intent);
(document.getElementById("parley") ?? document.body).append(page);
addEventListener("message", (event: MessageEvent<InspectorMessage>) => page.receive(event.data));
page.send({ type: "ready" });
