// The entry of `dist/inspector.js`: the editor tab of the protocol inspector.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore } from "../../base/lifecycle.ts";
import { PageTab } from "../../editor/pageTab.ts";
import { isInspectorIntent, type InspectorIntent, type InspectorMessage } from "../../panel/inspectorPage.ts";
import { InspectedMessages, type InspectedFailure } from "../inspectedMessages.ts";
import type { Inspector, InspectorOptions } from "./inspectorModule.ts";

/** Creates the inspector of one window. */
export const createInspector = (options: InspectorOptions): Inspector => new InspectorTab(options);

class InspectorTab implements Inspector {
  readonly #options: InspectorOptions;
  readonly #page: PageTab<InspectorMessage>;
  readonly #messages: InspectedMessages;
  readonly #store = new DisposableStore();

  constructor(options: InspectorOptions) {
    this.#options = options;
    const { log, openPage } = options;
    const [viewType, title] = ["parley.inspector", vscode.l10n.t("Protocol Inspector")];
    const page = new PageTab<InspectorMessage>({
      ...{ viewType, title, about: "the page of the protocol inspector" },
      ...{ openPage, log },
    });
    this.#page = this.#store.add(page);
    this.#messages = this.#store.add(new InspectedMessages({ ...options, post: message => page.post(message) }));
    this.#store.add(page.onDidReceive(message => this.#receive(message)));
    this.#store.add(page.onDidClose(() => this.#messages.stop()));
  }

  show(agent: string, failure?: InspectedFailure): void {
    this.#page.show();
    this.#messages.show(agent, failure);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #receive(message: unknown): void {
    const { log } = this.#options;
    if (!isInspectorIntent(message)) return log.warn("The page of the protocol inspector sent an unknown message.");
    this.#run(message).catch((error: unknown) => {
      const text = asError(error).message;
      log.error("The protocol inspector could not do what the user chose.", text);
      this.#page.post({ type: "outcome", text, isProblem: true });
    });
  }

  async #run(intent: InspectorIntent): Promise<void> {
    switch (intent.type) {
      case "ready":
        this.#page.setReady();
        return this.#messages.start();
      case "copy":
        return this.#copy(intent.list, intent.number);
      case "export":
        return this.#options.save(this.#messages.agent);
      default:
        return this.#messages.run(intent);
    }
  }

  async #copy(list: number, number: number): Promise<void> {
    const text = this.#messages.textOf(list, number);
    if (text === undefined) throw new Error(vscode.l10n.t("This message is no longer recorded."));
    await vscode.env.clipboard.writeText(text);
    this.#page.post({ type: "outcome", text: vscode.l10n.t("Copied the message.") });
  }
}
