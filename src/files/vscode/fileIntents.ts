// Handlers of what the panel asks of files with unsaved changes.
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import { settleFile } from "./settleFile.ts";

export const fileIntents: IntentHandlers<"settleFile"> = {
  settleFile: ({ path, how }) => settleFile(path, how),
};
