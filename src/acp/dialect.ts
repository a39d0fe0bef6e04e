// The method names of ACP that the framing must recognise. They are the same in all protocol versions, because the
// version is not known before the first message.
import type { MessageDialect } from "./ndjson.ts";

/** Methods that only clients call. */
const clientMethods =
  /^(initialize|authenticate|logout|auth\/status|session\/(new|load|resume|fork|list|close|delete|prompt|cancel|set_mode|set_model|set_config_option))$/;

/** How ACP uses JSON-RPC. */
export const acpDialect: MessageDialect = {
  isClientMethod: method => clientMethods.test(method),
  // Spec page "Cancellation": `$/cancel_request {requestId}`.
  cancelMethod: "$/cancel_request",
  cancelledIdField: "requestId",
};
