// What `dist/inspector.js` exports, and what the extension gives it. The bundle is loaded on first use, so this file has
// types only.
import type * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { InspectedFailure, InspectedMessagesOptions } from "../inspectedMessages.ts";

export interface InspectorOptions extends Omit<InspectedMessagesOptions, "post"> {
  /** Asks for a file and saves the messages of the agent there. */
  readonly save: (agent: string) => Promise<void>;
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  readonly log: Log;
}

/** The inspector of one window. */
export interface Inspector extends Disposable {
  /** Opens the tab, or shows it, with the messages of the agent. Selects the message at which the failure began. */
  show(agent: string, failure?: InspectedFailure): void;
}

/** What the bundle exports. */
export interface InspectorModule {
  createInspector(options: InspectorOptions): Inspector;
}
