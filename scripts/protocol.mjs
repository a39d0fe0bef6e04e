// Writes docs/PROTOCOL-SUPPORT.md and src/inspector/protocolMethods.ts: node scripts/protocol.mjs
import fs from "node:fs";
import { main, Problem, say } from "./tools/project.mjs";
import { protocolMethodsPath, protocolMethodsText } from "./tools/protocolMethods.mjs";
import { supportDocument, supportDocumentPath, unprovenRows } from "./tools/protocolSupport.mjs";

await main(async () => {
  fs.writeFileSync(protocolMethodsPath, protocolMethodsText());
  say("Wrote src/inspector/protocolMethods.ts.");
  const unproven = unprovenRows();
  if (unproven.length > 0) throw new Problem(`Rows whose tests do not have their subject:\n${unproven.join("\n")}`);
  fs.writeFileSync(supportDocumentPath, supportDocument());
  say("Wrote docs/PROTOCOL-SUPPORT.md.");
});
