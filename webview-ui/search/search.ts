// The entry point of the page that searches all conversations: registers its element and connects it to the host.
import type { SearchIntent, SearchMessage } from "../../src/panel/searchPage.ts";
import { webviewApi } from "../base/webviewApi.ts";
import { SearchElement } from "./searchElement.ts";

customElements.define("parley-search", SearchElement);

const page = new SearchElement();
page.send = (intent: SearchIntent) => webviewApi.postMessage(intent);
(document.getElementById("parley") ?? document.body).append(page);
addEventListener("message", (event: MessageEvent<SearchMessage>) => page.receive(event.data));
page.send({ type: "ready" });
