// The translations: each language has all texts, with what the code puts into them, and labels that fit.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import {
  arrangedTexts,
  bundlePath,
  fileOfTexts,
  languages,
  manifestPath,
  readTranslation,
  textFaults,
  translationFaults,
} from "../scripts/tools/translations.mjs";

const english = readTranslation();

describe("the translations", () => {
  it("are the files of the languages, and no others", () => {
    const found = (folder: string, pattern: RegExp): readonly string[] =>
      readdirSync(folder).flatMap(name => pattern.exec(name)?.[1] ?? []);
    assert.deepEqual(found("l10n", /^bundle\.l10n\.(.+)\.json$/).toSorted(), languages.toSorted());
    assert.deepEqual(found(".", /^package\.nls\.(.+)\.json$/).toSorted(), languages.toSorted());
  });

  for (const language of languages) {
    describe(`to ${language}`, () => {
      const translation = readTranslation(language);

      it("have every text, with its placeholders, its code, its links and the titles of commands", () => {
        assert.deepEqual(translationFaults(english, translation), []);
      });

      it("are in the order of the English texts, as `npm run l10n` writes them", () => {
        const parts = [
          [bundlePath(language), english.bundle, translation.bundle],
          [manifestPath(language), english.manifest, translation.manifest],
        ] as const;
        for (const [file, texts, translated] of parts)
          assert.equal(readFileSync(file, "utf8"), fileOfTexts(arrangedTexts(texts, translated).texts));
      });

      it("differ from the English texts, but for a few", () => {
        const same = Object.entries({ ...english.bundle, ...english.manifest }).filter(
          ([key, text]) =>
            /\p{L}{4}/u.test(text) && [translation.bundle[key], translation.manifest[key]].includes(text),
        );
        assert.ok(same.length < 120, `${same.length}: ${same.map(([, text]) => text).join(" | ")}`);
      });
    });
  }

  it("are checked for titles of commands in many texts", () => {
    const titles = new Set(
      Object.entries(english.manifest).flatMap(([key, text]) => (key.startsWith("command.") ? [text] : [])),
    );
    const quoting = Object.values({ ...english.bundle, ...english.manifest }).filter(text =>
      [...text.matchAll(/“([^”]+)”/g)].some(([, name = ""]) => titles.has(name.replace(/^Parley: /, ""))),
    );
    assert.ok(quoting.length > 5, `${quoting.length}`);
  });

  it("are reported if texts are missing or surplus", () => {
    const faults = translationFaults(
      { bundle: { One: "One", Two: "Two" }, manifest: { "view.a": "A" } },
      { bundle: { One: "Eins", Three: "Drei" }, manifest: {} },
    );
    assert.deepEqual(faults, ["“Two” is missing.", "“Three” is no text of Parley.", "“view.a” is missing."]);
    const { texts } = arrangedTexts({ One: "One", Two: "Two" }, { Three: "Drei", Two: "Zwei", One: "Eins" });
    assert.deepEqual(Object.keys(texts), ["One", "Two"]);
  });

  it("are reported if a text has other parts than in English, or does not fit", () => {
    const names = (name: string): string | undefined => ({ "Show Log": "Protokoll anzeigen" })[name];
    const faultsOf = (text: string, translated: string): string => textFaults(text, translated, names).join();
    assert.equal(faultsOf("{0} ran `{1}`.", "`{1}` wurde von {0} ausgeführt."), "");
    assert.equal(faultsOf("{0} of {1}", "{0} von {0}"), "has other placeholders");
    assert.equal(faultsOf("Set `a.b`.", "`a.c` setzen."), "has other code");
    assert.equal(faultsOf("[Open](command:a.b)", "[Öffnen](command:a.c)"), "has other links");
    assert.equal(faultsOf("$(gear) Settings", "Einstellungen"), "has other icons");
    assert.equal(faultsOf("Check parley.agents.", "Prüfen Sie parley.agent."), "has other names of settings");
    assert.equal(faultsOf("One.\nTwo.", "Eins. Zwei."), "has other lines");
    assert.equal(faultsOf(" and ", "und"), "begins or ends with other spaces");
    assert.equal(faultsOf("Allow", "Zu\u200blassen"), "has invisible characters");
    assert.equal(faultsOf("Allow", " "), "is empty");
    assert.equal(faultsOf("Use “Parley: Show Log”.", "„Parley: Protokoll anzeigen“ verwenden."), "");
    assert.match(faultsOf("Use “Show Log”.", "„Log anzeigen“ verwenden."), /^names the command “Show Log” otherwise$/);
    assert.equal(faultsOf("Keep", "Unverändert beibehalten"), "is too long for a label");
    assert.equal(faultsOf("Keep", "将此项更改原样保留下来吧"), "is too long for a label");
  });
});
