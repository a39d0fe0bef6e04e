// A stand-in for a language pack: what VS Code has after it has installed one, with a few texts of VS Code itself.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import type { Server } from "../../scripts/vscode/server.mjs";
import { newProfile } from "../../scripts/vscode/workbench.mjs";

export interface LanguagePack {
  /** As VS Code names it, such as `de`. */
  readonly language: string;
  /** Texts by their keys, by modules of VS Code. The others stay English. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Whether VS Code reads the pack. The build of the minimum version has its packs elsewhere. */
export const canHaveLanguagePack = process.env["PARLEY_VSCODE"] !== "minimum";

/** A browser profile with this display language, in a server that gets the pack. */
export async function profileInLanguage(
  browser: Browser,
  { dataDir, origin }: Pick<Server, "dataDir" | "origin">,
  { language, texts }: LanguagePack,
  look: Parameters<typeof newProfile>[1],
): Promise<BrowserContext> {
  const file = join(dataDir, `${language}.i18n.json`);
  writeFileSync(file, JSON.stringify({ contents: texts }));
  const extension = { extensionIdentifier: { id: `parley-tests.${language}` }, version: "1.0.0" };
  const pack = { hash: language, extensions: [extension], translations: { vscode: file }, label: language };
  writeFileSync(join(dataDir, "data", "languagepacks.json"), JSON.stringify({ [language]: pack }));
  // Without this file, the server is English and ignores the cookie.
  writeFileSync(join(dataDir, "data", "User", "argv.json"), "{}");
  const profile = await newProfile(browser, look);
  await profile.addCookies([{ name: "vscode.nls.locale", value: language, url: origin }]);
  return profile;
}

/** VS Code looks for the texts of its own extensions in a gallery, which tests don't have. */
export const missingGallery = /No extension gallery service configured/;
