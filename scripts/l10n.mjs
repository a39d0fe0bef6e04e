// Writes the texts for users to l10n/bundle.l10n.json: npm run l10n
// Fails if a text cannot be translated because it is not a literal.
import fs from "node:fs";
import ts from "typescript";
import { bundleOf, localizedTexts, sourceFiles, textsPath } from "./tools/localizedTexts.mjs";
import { main, Problem, say } from "./tools/project.mjs";

await main(async () => {
  const { texts, faults } = localizedTexts(ts, sourceFiles());
  if (faults.length > 0) throw new Problem(faults.join("\n"));
  fs.writeFileSync(textsPath, bundleOf(texts));
  say(`Wrote ${texts.length} texts to l10n/bundle.l10n.json.`);
});
