// The method names of ACP that the framing must recognise. They are the same in all protocol versions, because the
// version is not known before the first message.
import type { MessageDialect } from "./ndjson.ts";

/** Methods that only clients call. `mcp/message` is not one of them, because both sides send it. */
const clientMethods =
  /^(initialize|authenticate|logout|auth\/(status|login|logout)|providers\/(list|set|disable)|(tool_call|terminal)\/cancel|_session\/steering|session\/(new|load|resume|fork|list|close|delete|archive|unarchive|status|prompt|cancel|set_mode|set_model|set_config_option|set_title))$/;

/** How ACP uses JSON-RPC. */
export const acpDialect: MessageDialect = {
  isClientMethod: method => clientMethods.test(method),
  // Spec page "Cancellation": `$/cancel_request {requestId}`.
  cancelMethod: "$/cancel_request",
  cancelledIdField: "requestId",
};
