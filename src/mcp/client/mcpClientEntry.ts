// The entry of `dist/mcp.js`: the official client of MCP, and what uses it.
import { setTranslator, type Translator } from "../../base/l10n.ts";
import type { McpClientModule } from "../promptServer.ts";
import { connectToServer } from "./connectToServer.ts";
import { refreshSignIn, revokeSignIn, signIn } from "./serverSignIn.ts";

let resetTranslator: (() => void) | undefined;

/** Sets what translates the texts of this bundle, also a second time. */
function translateWith(translator: Translator): void {
  resetTranslator?.();
  resetTranslator = setTranslator(translator);
}

export const mcpClient: McpClientModule["mcpClient"] = {
  translateWith,
  connectToServer,
  signIn: (target, flow) => signIn(target, flow),
  refreshSignIn: (url, stored, signal) => refreshSignIn(url, stored, signal),
  revokeSignIn,
};
