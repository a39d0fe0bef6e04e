// Writes the texts for users to l10n/bundle.l10n.json: npm run l10n
// Fails if a text cannot be translated because it is not a literal. Also removes the texts that are no longer used from
// the translations, and names those that are missing there. `npm run l10n -- --language=de` lists all that is wrong with
// one translation.
import fs from "node:fs";
import ts from "typescript";
import { bundleOf, localizedTexts, sourceFiles, textsPath } from "./tools/localizedTexts.mjs";
import { main, option, Problem, say } from "./tools/project.mjs";
import {
  arrangedTexts,
  bundlePath,
  fileOfTexts,
  languages,
  manifestPath,
  readTranslation,
  translationFaults,
} from "./tools/translations.mjs";

await main(async () => {
  const { texts, faults } = localizedTexts(ts, sourceFiles());
  if (faults.length > 0) throw new Problem(faults.join("\n"));
  fs.writeFileSync(textsPath, bundleOf(texts));
  say(`Wrote ${texts.length} texts to l10n/bundle.l10n.json.`);
  const english = readTranslation();
  for (const language of languages) {
    const before = readTranslation(language);
    const bundle = arrangedTexts(english.bundle, before.bundle);
    const manifest = arrangedTexts(english.manifest, before.manifest);
    fs.writeFileSync(bundlePath(language), fileOfTexts(bundle.texts));
    fs.writeFileSync(manifestPath(language), fileOfTexts(manifest.texts));
    const removed = bundle.surplus.length + manifest.surplus.length;
    if (removed > 0) say(`${language}: removed ${removed} texts that are no longer used.`);
    const wrong = translationFaults(english, { bundle: bundle.texts, manifest: manifest.texts });
    const isListed = option("language") === language;
    for (const fault of wrong.slice(0, isListed ? undefined : 5)) say(`${language}: ${fault}`);
    if (!isListed && wrong.length > 5)
      say(`${language}: ${wrong.length - 5} more. List all with: npm run l10n -- --language=${language}`);
  }
});
