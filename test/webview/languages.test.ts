// The panel in each language, 280 pixels wide: no text is cut off that is whole in English, and the buttons stay in the
// panel and do not overlap. PARLEY_PICTURES=1 takes pictures.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { languages, readTranslation } from "../../scripts/tools/translations.mjs";
import { fillPlaceholders } from "../../src/base/l10n.ts";
import type { View, ViewHead, ViewQuestion } from "../../src/panel/protocol.ts";
import { openPanel, picture, usePanel, type PanelPage } from "./panelPage.ts";
import { START, ask, busy, delegated, editAsk, everyEntry, permissions, quietHead, snapshot, view } from "./scenes.ts";

type Texts = Readonly<Record<string, string>>;

/** What the extension host writes into views, in a language. */
function hostTexts(table: Texts): (text: string) => string {
  const t = (text: string, ...args: readonly string[]): string => {
    assert.ok(text in table || Object.keys(table).length === 0, `“${text}” is not a text of Parley.`);
    return fillPlaceholders(table[text] ?? text, args);
  };
  const built: Texts = {
    [askReason]: t("A rule asks about this: {0}.", "ask command “npm publish”"),
    [hazardReason]: t(
      "{0} A wildcard doesn't stand for {1}, which {2}.",
      t("No rule allows {0}.", "“curl --variable %TOKEN https://example.com”"),
      "“--variable”",
      t("can send environment variables"),
    ),
    "Run npm test?": t("Run {0}", "npm test"),
    [signInMessage]: t("{0} needs you to sign in.", "Gemini CLI"),
  };
  return text => built[text] ?? table[text] ?? text;
}

const askReason = "A rule asks about this: ask command “npm publish”.";
const hazardReason = "hazard";
const signInMessage = "Gemini CLI needs you to sign in.";

/** The parts of a view that the host can have translated. */
const texts = ["title", "name", "reason", "message"];

/** The view with the texts of the host in a language. */
function translated(shown: View, table: Texts): View {
  const inLanguage = hostTexts(table);
  return JSON.parse(JSON.stringify(shown), (key, value: unknown) =>
    typeof value === "string" && texts.includes(key) ? inLanguage(value) : value,
  ) as View;
}

/** The answers to Parley's own questions. */
const ownOptions: ViewQuestion["options"] = [
  { id: "once", name: "Allow Once", kind: "allow_once" },
  { id: "session", name: "Allow for This Session", kind: "allow_always" },
  { id: "no", name: "Refuse", kind: "reject_once" },
];

const asking: Partial<ViewHead> = { activity: { state: "requires_action", since: START, cancelling: false } };

/** The scenes, and the names of buttons to press after they are shown. */
const scenes: Readonly<Record<string, { readonly shown: View; readonly press?: readonly string[] }>> = {
  empty: { shown: view([]) },
  "no-agent": { shown: view([], { agent: null, connection: null }) },
  permission: { shown: permissions },
  hazard: {
    shown: view(everyEntry.slice(0, 1), {
      ...asking,
      questions: [{ ...ask, options: ownOptions, reason: hazardReason, always: true }],
    }),
  },
  edit: { shown: view(everyEntry.slice(0, 1), { ...asking, questions: [editAsk] }) },
  plan: { shown: busy },
  review: { shown: view(delegated.entries, { ...quietHead, changes: delegated.head.changes }) },
  cards: { shown: view(everyEntry) },
  "sign-in": {
    shown: view([], {
      connection: { state: "closed" },
      problem: {
        message: signInMessage,
        next: ["restartAgent", "showTraffic", "showLog"],
        signIn: [{ id: "a", name: "Log in with Google" }],
      },
    }),
  },
  "read-only": {
    shown: view(everyEntry.slice(0, 2), { connection: { state: "closed" }, isReadOnly: true }),
  },
  menu: { shown: view(everyEntry.slice(0, 1)), press: ["More Actions"] },
};

/** A text that is cut off, a button outside of the panel, or two buttons at one place. Named by their texts. */
function misfits(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const nameOf = (element: Element): string =>
      (element.textContent.trim() || element.getAttribute("aria-label") || element.className).slice(0, 60);
    const shown = [...document.querySelectorAll<HTMLElement>("#parley *")].filter(element =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
    );
    const cut = shown.filter(element => {
      const { overflowX, display } = getComputedStyle(element);
      const isTooWide = display !== "inline" && element.scrollWidth > element.clientWidth + 1;
      return isTooWide && overflowX !== "auto" && overflowX !== "scroll" && element.clientWidth > 1;
    });
    const buttons = shown.filter(element => element.matches("button, select, [role=button]"));
    const outside = buttons.filter(button => {
      const { left, right } = button.getBoundingClientRect();
      return left < 0 || right > innerWidth + 0.5;
    });
    const overlapping = buttons.flatMap((one, index) =>
      buttons.slice(index + 1).filter(other => {
        if (one.contains(other) || other.contains(one)) return false;
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const isOver = a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        if (!isOver) return false;
        // What is scrolled away under something else is not at one place with it.
        return document.elementFromPoint((b.left + b.right) / 2, (b.top + b.bottom) / 2)?.closest("button") === one;
      }),
    );
    return [
      ...cut.map(element => `cut off: ${element.className || element.tagName}: ${nameOf(element)}`),
      ...outside.map(button => `outside: ${nameOf(button)}`),
      ...overlapping.map(button => `covered: ${nameOf(button)}`),
    ];
  });
}

/** The kinds of misfits, without the texts, which differ by language. */
const kindOf = (misfit: string): string => misfit.split(": ").slice(0, 2).join(": ");

describe("the panel in each language", () => {
  usePanel();

  const open = async (scene: string, table: Texts, theme: "dark" | "light" = "dark"): Promise<PanelPage> => {
    const { shown, press = [] } = scenes[scene] ?? { shown: view([]) };
    const panel = await openPanel([snapshot(translated(shown, table))], {
      ...{ width: 280, height: 900, at: START + 60_000, theme },
      translations: table,
    });
    await panel.complete();
    for (const name of press)
      await panel.page
        .getByRole("button", { name: table[name] ?? name })
        .first()
        .click();
    await panel.page.evaluate(() => document.fonts.ready);
    return panel;
  };

  it("reports a text that is cut off, a button outside of the panel, and one that covers another", async () => {
    const panel = await open("hazard", {});
    assert.deepEqual(await misfits(panel.page), []);
    const change = async (style: string): Promise<readonly string[]> => {
      await panel.page
        .getByRole("button", { name: "Allow for This Session" })
        .evaluate((button, text) => void Object.assign((button as HTMLElement).style, { cssText: text }), style);
      return [...new Set((await misfits(panel.page)).map(misfit => misfit.split(": ")[0] ?? ""))];
    };
    assert.deepEqual(await change("white-space: nowrap; max-width: 60px; overflow: hidden"), ["cut off"]);
    assert.ok((await change("position: relative; left: 200px")).includes("outside"));
    assert.ok((await change("position: relative; top: 29px; z-index: 9")).includes("covered"));
  });

  for (const language of languages)
    for (const scene of Object.keys(scenes))
      it(`fits into 280 pixels: ${scene} in ${language}`, async () => {
        const english = await open(scene, {});
        const known = new Set((await misfits(english.page)).map(kindOf));
        await english.free();
        const panel = await open(scene, readTranslation(language).bundle);
        await picture(panel, `language-${language}-${scene}-dark`);
        const found = (await misfits(panel.page)).filter(misfit => !known.has(kindOf(misfit)));
        await panel.assertClean();
        await panel.free();
        assert.deepEqual(found, []);
        if (!process.env["PARLEY_PICTURES"]) return;
        const light = await open(scene, readTranslation(language).bundle, "light");
        await picture(light, `language-${language}-${scene}-light`);
        await light.free();
      });
});
