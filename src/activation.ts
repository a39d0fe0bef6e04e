// The program that VS Code loads. It is small: it registers what the user can reach, and loads the extension with the
// first use of it.
import type * as vscode from "vscode";
import type { ParleyExports } from "./api/vscode/parleyApi.ts";
import { startWindow } from "./window/startup/extensionLoad.ts";
import { hasOpenParleyTab } from "./window/startup/neededAtStart.ts";
import { Startup } from "./window/startup/startup.ts";

let startup: Startup | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<ParleyExports> {
  startup = new Startup(context, async parts => {
    // A file of its own, which the build does not include here.
    const { createExtension } = await import("./extension.ts");
    return createExtension(context, parts);
  });
  context.subscriptions.push(startup);
  const { exports } = startup;
  await startWindow(startup, hasOpenParleyTab);
  return exports;
}

/** Ends agents and terminals, and stores the conversation, before the window closes. */
export async function deactivate(): Promise<void> {
  await startup?.shutDown();
  startup = undefined;
}
