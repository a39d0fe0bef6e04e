// What other extensions, links and commands with arguments reach. What it does is in `dist/api.js`, which it loads.
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { maskKnownSecrets, unfinishedSecretLength } from "../../base/secrets/knownSecrets.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ApiHost, ApiModule, WindowApi } from "./apiModule.ts";

export interface ApiFeature extends Pick<WindowApi, "connect" | "openLink" | "startSession"> {
  readonly commands: CommandHandlers<"parley.manageExtensions">;
  /** Ends the access of all extensions. */
  close(): void;
}

/** Creates the feature. The bundle is loaded with the first use. */
export function createApi(
  sources: Omit<ApiHost, "context" | "secrets"> & { readonly context: vscode.ExtensionContext },
): ApiFeature {
  // The bundle has a copy of that file which knows no secret.
  const host = { ...sources, secrets: { hide: maskKnownSecrets, unfinished: unfinishedSecretLength } };
  let loaded: WindowApi | undefined;
  const load = (): WindowApi => {
    if (loaded) return loaded;
    const read = createRequire(host.context.asAbsolutePath(join("dist", "extension.js")));
    const { translateApiWith, createWindowApi } = read("./api.js") as ApiModule;
    translateApiWith(t);
    return (loaded = createWindowApi(host));
  };
  return {
    connect: extension => load().connect(extension),
    openLink: uri => load().openLink(uri),
    startSession: wanted => load().startSession(wanted),
    commands: { "parley.manageExtensions": () => load().manage() },
    close: () => loaded?.dispose(),
  };
}
