// The entry point of the page that compares candidates: registers its element and connects it to the host.
import type { CandidatesIntent, CandidatesMessage } from "../../src/panel/candidatesPage.ts";
import { webviewApi } from "../base/webviewApi.ts";
import { CandidatesElement } from "./candidatesElement.ts";

customElements.define("parley-candidates", CandidatesElement);

const page = new CandidatesElement();
page.send = (intent: CandidatesIntent) => webviewApi.postMessage(intent);
(document.getElementById("parley") ?? document.body).append(page);
addEventListener("message", (event: MessageEvent<CandidatesMessage>) => page.receive(event.data));
page.send({ type: "ready" });
