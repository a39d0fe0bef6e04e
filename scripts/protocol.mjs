// Writes docs/PROTOCOL-SUPPORT.md: node scripts/protocol.mjs
import fs from "node:fs";
import { main, say } from "./tools/project.mjs";
import { supportDocument, supportDocumentPath } from "./tools/protocolSupport.mjs";

await main(async () => {
  fs.writeFileSync(supportDocumentPath, supportDocument());
  say("Wrote docs/PROTOCOL-SUPPORT.md.");
});
