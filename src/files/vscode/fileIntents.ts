// Handlers of what the panel asks of files with unsaved changes.
import { intentHandlers } from "../../panel/intentHandlers.ts";
import { settleFile } from "./settleFile.ts";

export const fileIntents = intentHandlers({
  settleFile: ({ path, how }) => settleFile(path, how),
});
