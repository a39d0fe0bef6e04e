// Every field that takes text, in the panel and on the pages of permission rules, of the search and of the inspector, with text of seven languages: the text
// arrives exactly, the field has the direction of its text, and no key that belongs to an input method acts.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { CDPSession, Locator } from "playwright-core";
import type { ViewQuestion } from "../../src/panel/protocol.ts";
import { isInspectorIntent, type InspectorIntent } from "../../src/panel/inspectorPage.ts";
import { isRulesIntent, ruleTexts, type RulesIntent } from "../../src/panel/rulesPage.ts";
import { isSearchIntent, type SearchIntent } from "../../src/panel/searchPage.ts";
import type { FormField } from "../../src/session/forms/form.ts";
import { until } from "../support/fakes/until.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { START, message, quietHead, snapshot, view } from "./scenes.ts";

const languages = {
  Hebrew: "שלום, תקנו את src/a.ts עכשיו",
  Arabic: "مرحبا، أصلح src/a.ts الآن",
  Chinese: "你好，请修复 src/a.ts 文件",
  Japanese: "こんにちは、src/a.tsを直してください",
  Korean: "안녕하세요, src/a.ts를 고쳐 주세요",
  French: "Où est « l’été » ? Ça va, cœur",
  Czech: "Příliš žluťoučký kůň úpěl ďábelské ódy",
} as const;
type Language = keyof typeof languages;
const names = Object.keys(languages) as readonly Language[];

/** A page with a field, and what was sent from it. */
interface FieldPage {
  readonly panel: PanelPage;
  /** What the page of rules sent. */
  readonly rules: RulesIntent[];
  /** What the page of the search sent. */
  readonly search: SearchIntent[];
  /** What the page of the inspector sent. */
  readonly inspector: InspectorIntent[];
}

interface TextField {
  /** The file with its element. */
  readonly source: string;
  /** The page with the field. Default: the panel. */
  readonly page?: "rules" | "search" | "inspector";
  readonly selector: string;
  /** Shows the field, empty. `nth` differs each time. */
  readonly open: (page: FieldPage, nth: number) => Promise<void>;
  /** The key that acts; Enter if it is absent. */
  readonly key?: string;
  /** Code and patterns are always written from left to right. */
  readonly isCode?: true;
  /** What the key did, and what it should have done with a text. */
  readonly outcome: (page: FieldPage) => Promise<unknown>;
  readonly expected: (text: string, language: Language, nth: number) => unknown;
}

const show = ({ panel }: FieldPage, head: Parameters<typeof view>[1]): Promise<void> =>
  panel.patch({ op: "head", head: { ...quietHead, ...head } });
const lastIntent =
  (type: string) =>
  async ({ panel }: FieldPage): Promise<unknown> =>
    (await panel.intents()).findLast(intent => intent.type === type);
const lastRulesIntent =
  (type: string) =>
  ({ rules }: FieldPage): Promise<unknown> =>
    Promise.resolve(rules.findLast(intent => intent.type === type));

const questionOf = (field: FormField, nth: number, more: Partial<ViewQuestion> = {}): ViewQuestion => ({
  ...{ id: `q${nth}`, title: "A question", parts: [], locations: [], options: [] },
  // A draft belongs to the form.
  form: { message: `Question ${nth}`, fields: [field] },
  ...more,
});

/** A field of a form. A text that the form refuses keeps what is typed and says why. */
function formField(field: FormField, source: string, isRefused = false): TextField {
  const name = "f";
  return {
    source,
    selector: "parley-form .field input",
    open: (page, nth) => show(page, { questions: [questionOf(field, nth)] }),
    outcome: isRefused
      ? async ({ panel }) => {
          const [fault] = await panel.page.locator(".field-fault").all();
          return fault && { fault: true, value: await panel.page.locator("parley-form input").inputValue() };
        }
      : lastIntent("answerForm"),
    expected: (text, _language, nth) =>
      isRefused
        ? { fault: true, value: text }
        : { type: "answerForm", question: `q${nth}`, action: "accept", answers: [{ field: name, value: text }] },
  };
}

const formText = (more: Partial<Extract<FormField, { type: "text" }>> = {}): FormField => ({
  ...{ type: "text", name: "f", title: "Field", required: true },
  ...more,
});
/** The formats of texts. A date has the picker of the browser. */
type Format = Exclude<NonNullable<Extract<FormField, { type: "text" }>["format"]>, "date">;
const formats = { email: true, uri: true, "date-time": true } as const satisfies Readonly<Record<Format, true>>;

const formSource = "question/formField.ts";
const ruleFields = { effect: "allow", command: [], path: [], domain: [], kind: [], agent: [] } as const;

const fields: Readonly<Record<string, TextField>> = {
  "the message box": {
    source: "composer/composer.ts",
    selector: "parley-composer .text-box textarea",
    open: page => show(page, {}),
    outcome: lastIntent("send"),
    expected: text => ({ type: "send", text }),
  },
  "the editor of a queued prompt": {
    source: "composer/queue.ts",
    selector: ".queue-editor textarea",
    open: async (page, nth) => {
      const activity = { state: "running", since: START, cancelling: false } as const;
      await show(page, { activity, queue: [{ id: `p${nth}`, text: "one", sent: false }] });
      await page.panel.page.getByRole("button", { name: "Edit: one" }).press("Enter");
      await page.panel.page.locator(".queue-editor textarea:focus").fill("");
    },
    outcome: lastIntent("editQueued"),
    expected: (text, _language, nth) => ({ type: "editQueued", prompt: `p${nth}`, text }),
  },
  "the editor of a sent prompt": {
    source: "transcript/message.ts",
    selector: ".bubble-editor textarea",
    open: async ({ panel }, nth) => {
      await panel.show(view([message(`u${nth}`, "user", "one")]));
      await panel.log.getByRole("button", { name: "Edit Prompt" }).press("Enter");
      await panel.page.locator(".bubble-editor textarea:focus").fill("");
    },
    outcome: lastIntent("editPrompt"),
    expected: (text, _language, nth) => ({ type: "editPrompt", entry: `u${nth}`, text }),
  },
  "the search of a list of choices": {
    source: "composer/picker.ts",
    selector: ".popup-search",
    open: async (page, nth) => {
      const more = Array.from({ length: 20 }, (_, i) => ({ value: `v${i}`, name: `Choice ${i}` }));
      const choices = [...more, ...names.map(name => ({ value: name, name: languages[name] }))];
      await show(page, { options: [{ id: `o${nth}`, name: "Profile", type: "select", value: "v0", choices }] });
      await page.panel.page.getByRole("button", { name: /Profile/ }).click();
    },
    outcome: lastIntent("setOption"),
    expected: (_text, language, nth) => ({ type: "setOption", option: `o${nth}`, value: language }),
  },
  "the title of the session": {
    source: "panel/header.ts",
    selector: ".title-input",
    open: async (page, nth) => {
      await show(page, { session: "s", title: `Title ${nth}` });
      await page.panel.page.getByRole("button", { name: "Rename Session" }).press("Enter");
      await page.panel.page.locator(".title-input:focus").fill("");
    },
    outcome: lastIntent("rename"),
    expected: title => ({ type: "rename", session: "s", title }),
  },
  "the find box": {
    source: "find/find.ts",
    selector: ".find input",
    open: async (page, nth) => {
      await page.panel.show(view([], { title: `Title ${nth}` }));
      await page.panel.post({ type: "focus", target: "find" });
      await page.panel.page.locator(".find input:focus").fill("");
    },
    // It searches while the user types.
    outcome: lastIntent("find"),
    expected: () => undefined,
  },
  "a text of a form": formField(formText(), formSource),
  "a secret of a form": formField(formText({ secret: true }), formSource),
  "a number of a form": formField(
    { type: "number", name: "f", title: "F", integer: true, required: true },
    formSource,
    true,
  ),
  ...Object.fromEntries(
    (Object.keys(formats) as Format[]).map(format => [
      `a text of a form with the format ${format}`,
      formField(formText({ format }), formSource, true),
    ]),
  ),
  "an argument of an MCP prompt": formField(formText({ completes: true }), "question/argumentField.ts"),
  "the search of all conversations": {
    source: "search/searchElement.ts",
    page: "search",
    selector: ".search-head input",
    open: ({ panel }) => panel.page.locator(".search-head input").fill(""),
    // It searches while the user types.
    outcome: ({ search }) => Promise.resolve(search.findLast(intent => intent.type === "search")),
    expected: () => undefined,
  },
  "the filter of the protocol inspector": {
    source: "inspector/inspectorElement.ts",
    page: "inspector",
    selector: ".inspector-bar input",
    open: ({ panel }) => panel.page.locator(".inspector-bar input").fill(""),
    // It filters while the user types.
    outcome: ({ inspector }) => Promise.resolve(inspector.findLast(intent => intent.type === "filter")),
    expected: () => undefined,
  },
  "the request that tests the rules": {
    source: "rules/ruleTrial.ts",
    page: "rules",
    selector: ".trial input",
    open: ({ panel }) => panel.page.locator(".trial input").fill(""),
    isCode: true,
    outcome: lastRulesIntent("test"),
    expected: () => undefined,
  },
  ...Object.fromEntries(
    ruleTexts.map((condition): [string, TextField] => [
      `the condition “${condition}” of a rule`,
      {
        source: "rules/ruleForm.ts",
        page: "rules",
        selector: `#rule-${condition}`,
        open: async ({ panel }) => {
          const { page } = panel;
          await page.evaluate(() => window.play.post({ type: "rules", view: { rows: [] } }));
          if (await page.locator(".rule-form").count()) await page.getByRole("button", { name: "Cancel" }).click();
          await page.getByRole("button", { name: "Add Rule" }).click();
          await page.locator(`#rule-${condition}`).waitFor();
        },
        key: "Control+Enter",
        isCode: true,
        outcome: async ({ rules }) => {
          const last = rules.findLast(intent => intent.type === "save");
          return Promise.resolve(last?.type === "save" ? last.fields : undefined);
        },
        expected: text => ({ ...ruleFields, [condition]: [text] }),
      },
    ]),
  ),
};

const textInput = "input:not([type=checkbox], [type=radio], [type=date]), textarea, [contenteditable]";

describe("fields for text", () => {
  usePanel();

  it("are all listed here: a new one needs an entry", () => {
    const files = readdirSync("webview-ui", { recursive: true, encoding: "utf8" });
    const found = files
      .filter(file => file.endsWith(".ts"))
      .flatMap(file => {
        const code = readFileSync(join("webview-ui", file), "utf8");
        const starts = [
          ...code.matchAll(/<(?:input|textarea)\b|contenteditable|createElement\("(?:input|textarea)"\)/gi),
        ];
        return starts
          .filter(({ index }) => !/^<input\s+(?:class=\S+\s+)?type="(?:checkbox|radio)"/.test(code.slice(index)))
          .map(() => file.replaceAll("\\", "/"));
      });
    assert.deepEqual(found.sort(), [...new Set(Object.values(fields).map(({ source }) => source))].sort());
  });

  for (const [name, field] of Object.entries(fields)) {
    it(`take text of seven languages, and leave keys to input methods: ${name}`, async () => {
      const [rules, search, inspector]: [RulesIntent[], SearchIntent[], InspectorIntent[]] = [[], [], []];
      const host = (message: unknown): void => {
        if (field.page === "rules" && isRulesIntent(message)) rules.push(message);
        if (field.page === "search" && isSearchIntent(message)) search.push(message);
        if (field.page === "inspector" && isInspectorIntent(message)) inspector.push(message);
      };
      const panel = await openPanel(field.page ? [] : [snapshot(view([]))], {
        frozen: true,
        ...(field.page && { page: field.page, host }),
      });
      if (field.page) await panel.page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
      const page: FieldPage = { panel, rules, search, inspector };
      const keys = await panel.page.context().newCDPSession(panel.page);
      for (const [nth, language] of names.entries()) await typeInto(page, keys, field, nth, language);
      await panel.assertClean();
    });
  }
});

async function typeInto(page: FieldPage, keys: CDPSession, field: TextField, nth: number, language: Language) {
  const { panel } = page;
  const text = languages[language];
  await field.open(page, nth);
  const box = panel.page.locator(field.selector);
  await box.focus();
  const strangers = await panel.page.evaluate(
    ([all, known]) =>
      [...document.querySelectorAll(all)].filter(each => !each.matches(known)).map(each => each.outerHTML),
    [
      textInput,
      Object.values(fields)
        .map(({ selector }) => selector)
        .join(),
    ] as const,
  );
  assert.deepEqual(strangers, [], "a field without an entry");
  // A form ignores keys that come early.
  await panel.page.clock.runFor(600);
  const before = await field.outcome(page);

  // The input method shows the text, and its Enter inserts it.
  await keys.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  for (const key of ["Enter", "Escape"]) await pressInComposition(keys, box, field, key);
  await keys.send("Input.insertText", { text });
  for (const key of ["Enter", "Escape"]) await pressInComposition(keys, box, field, key);
  const words = `${language}: ${text}`;
  assert.equal(await box.inputValue(), text, words);
  const isRtl = !field.isCode && (language === "Hebrew" || language === "Arabic");
  const direction = await box.evaluate(each => getComputedStyle(each).direction);
  assert.equal(direction, isRtl ? "rtl" : "ltr", words);
  await panel.page.clock.runFor(600);
  const expected = field.expected(text, language, nth);
  if (expected === undefined) {
    // It acts on the text itself.
    const shown = (await field.outcome(page)) as { readonly query?: string; readonly text?: string };
    assert.equal(shown.query ?? shown.text, text, words);
    return;
  }
  assert.deepEqual(await field.outcome(page), before, `${words}: a key of the input method acted`);
  await panel.page.keyboard.press(field.key ?? "Enter");
  await until(async () => !isDeepStrictEqual(await field.outcome(page), before));
  assert.deepEqual(await field.outcome(page), expected, words);
}

/** Presses a key as browsers report it to a page while it belongs to an input method, in each of the ways. */
async function pressInComposition(keys: CDPSession, box: Locator, { key: acts }: TextField, key: string) {
  const code = { key, code: key, windowsVirtualKeyCode: 229 };
  await keys.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...code });
  await keys.send("Input.dispatchKeyEvent", { type: "keyUp", ...code });
  const init = { key, bubbles: true, cancelable: true, ctrlKey: acts?.startsWith("Control+") ?? false };
  await box.dispatchEvent("keydown", { ...init, keyCode: 229 });
  await box.dispatchEvent("keydown", { ...init, isComposing: true });
}
