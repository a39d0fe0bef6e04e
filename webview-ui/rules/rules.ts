// The entry point of the page of permission rules: registers its element and connects it to the host.
import type { RulesIntent, RulesMessage } from "../../src/panel/rulesPage.ts";
import { webviewApi } from "../base/webviewApi.ts";
import { RulesElement } from "./rulesElement.ts";

customElements.define("parley-rules", RulesElement);

const page = new RulesElement();
page.send = (intent: RulesIntent) => webviewApi.postMessage(intent);
(document.getElementById("parley") ?? document.body).append(page);
addEventListener("message", (event: MessageEvent<RulesMessage>) => page.receive(event.data));
page.send({ type: "ready" });
