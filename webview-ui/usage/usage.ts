// The entry point of the page of usage: registers its element and connects it to the host.
import type { UsageIntent, UsageMessage } from "../../src/panel/usagePage.ts";
import { webviewApi } from "../base/webviewApi.ts";
import { UsageElement } from "./usageElement.ts";

customElements.define("parley-usage", UsageElement);

const page = new UsageElement();
page.send = (intent: UsageIntent) => webviewApi.postMessage(intent);
(document.getElementById("parley") ?? document.body).append(page);
addEventListener("message", (event: MessageEvent<UsageMessage>) => page.receive(event.data));
page.send({ type: "ready" });
