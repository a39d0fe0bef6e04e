// The entry of `dist/editorTools.js`: the official SDK of MCP, and what uses it.
import type { ToolServerModule } from "../toolServer.ts";
import { answerMessage } from "./answerMessage.ts";
import { inputFault } from "./inputFault.ts";
import { startToolServer } from "./startToolServer.ts";

export const toolServer: ToolServerModule["toolServer"] = { startToolServer, answerMessage, inputFault };
