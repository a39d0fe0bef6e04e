// What the extension gives to every feature.
import type * as vscode from "vscode";
import type { DisposableStore } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { WatchedSecrets } from "../base/secrets/watchedSecrets.ts";
import type { LogStorage } from "../session/log/sessionStore.ts";

export interface ExtensionPlatform {
  readonly context: vscode.ExtensionContext;
  /** Disposed when the extension is deactivated, in reverse order. */
  readonly store: DisposableStore;
  readonly log: Log & { show(): void };
  readonly clock: Clock;
  /** The secrets that the user has entered. */
  readonly secrets: WatchedSecrets;
  /** The extension's own files for this workspace. */
  readonly storage: LogStorage;
}
