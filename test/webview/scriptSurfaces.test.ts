// The surfaces around the conversation in other scripts: the direction of their texts, and that they fit in narrow, low and
// wide panels. PARLEY_PICTURES=1 takes pictures in every theme.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CandidatesView } from "../../src/panel/candidatesPage.ts";
import type { Attachment, ViewAgent, ViewQuestion } from "../../src/panel/protocol.ts";
import { isSearchIntent, type FoundSession } from "../../src/panel/searchPage.ts";
import type { RuleRow } from "../../src/panel/rulesPage.ts";
import type { InspectorMessage } from "../../src/panel/inspectorPage.ts";
import type { UsageView } from "../../src/panel/usagePage.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, ask, message, snapshot, view } from "./scenes.ts";
import { textDirections } from "./textDirections.ts";

/** The words of one script. */
interface Words {
  readonly title: string;
  readonly sentence: string;
  readonly word: string;
  readonly file: string;
  readonly agent: string;
}

const scripts: Readonly<Record<string, Words>> = {
  hebrew: {
    title: "תיקון הסכום של רשימות ריקות",
    sentence: "הפונקציה sum מחזירה 1 עבור רשימה ריקה, ראו src/sum.js.",
    word: "רשימה",
    file: "קובץ.ts",
    agent: "סוכן",
  },
  arabic: {
    title: "إصلاح مجموع القوائم الفارغة",
    sentence: "الدالة sum تعيد 1 لقائمة فارغة، انظر src/sum.js.",
    word: "قائمة",
    file: "ملف.ts",
    agent: "وكيل",
  },
  chinese: {
    title: "修复空列表的总和",
    sentence: "函数 sum 对空列表返回 1，请看 src/sum.js。",
    word: "列表",
    file: "文件.ts",
    agent: "智能体",
  },
  japanese: {
    title: "空のリストの合計を直す",
    sentence: "関数 sum は空のリストに対して 1 を返します。src/sum.js を見てください。",
    word: "リスト",
    file: "ファイル.ts",
    agent: "エージェント",
  },
  korean: {
    title: "빈 목록의 합계 고치기",
    sentence: "함수 sum은 빈 목록에 대해 1을 반환합니다. src/sum.js를 보세요.",
    word: "목록",
    file: "파일.ts",
    agent: "에이전트",
  },
  french: {
    title: "Corriger la somme des listes vides : « sum »",
    sentence: "La fonction sum renvoie 1 pour une liste vide ; voir src/sum.js.",
    word: "liste",
    file: "données-été.ts",
    agent: "Assistant",
  },
  czech: {
    title: "Oprava součtu prázdných seznamů",
    sentence: "Funkce sum vrací pro prázdný seznam 1, viz „src/sum.js“.",
    word: "seznam",
    file: "příliš-žluťoučký-kůň.ts",
    agent: "Pomocník",
  },
};

const chips = ({ file }: Words): readonly Attachment[] =>
  Array.from({ length: 10 }, (_, index) => ({
    ...{ id: `${index}`, kind: "file", label: `${index}-${file}`, detail: "w/src", bytes: 1234 },
    source: { type: "path", path: `/w/src/${index}-${file}` },
  }));

const form = ({ title, sentence, word }: Words): ViewQuestion => ({
  ...{ id: "f", title, parts: [], locations: [], options: [] },
  form: {
    message: title,
    description: sentence,
    fields: [
      { type: "text", name: "a", title: word, description: sentence, required: true, default: sentence },
      { type: "boolean", name: "b", title: sentence, required: false },
      {
        type: "select",
        name: "c",
        title: word,
        required: true,
        choices: [1, 2].map(value => ({ value: `${value}`, name: `${word} ${value}`, description: sentence })),
      },
      { type: "multiselect", name: "d", title: word, required: false, choices: [{ value: "x", name: sentence }] },
    ],
  },
});

/** A form with the fields that the other form lacks. */
const formats = ({ title, sentence, word }: Words): ViewQuestion => ({
  ...{ id: "g", title, parts: [], locations: [], options: [] },
  form: {
    message: title,
    fields: [
      { type: "text", name: "a", title: word, description: sentence, format: "uri", required: true },
      { type: "text", name: "b", title: sentence, format: "date", required: true, default: "2026-11-29" },
      { type: "text", name: "c", title: word, description: sentence, format: "date-time", required: false },
      { type: "text", name: "d", title: word, secret: true, maxLength: 4, required: false },
      { type: "number", name: "e", title: word, description: sentence, integer: false, maximum: 1, required: true },
      {
        type: "select",
        name: "f",
        title: word,
        required: true,
        choices: Array.from({ length: 9 }, (_, value) => ({ value: `${value}`, name: `${word} ${value}` })),
      },
    ],
  },
});

const preview = ({ title, sentence, word }: Words): ViewQuestion => ({
  ...{ id: "p", title, origin: `From the MCP server ${word}.`, parts: [], locations: [], options: [] },
  preview: {
    sections: [{ role: "user", parts: [{ type: "text", text: `${sentence}\nPlease fix ${word}.` }] }],
    notes: [sentence],
  },
});

const nineOptions = ({ title, sentence }: Words): ViewQuestion => ({
  ...ask,
  title,
  reason: "A rule asks about this command.",
  options: Array.from({ length: 9 }, (_, index) => ({
    ...{ id: `o${index}`, name: `${index + 1}: ${sentence}`, kind: index < 8 ? "allow_always" : "reject_once" },
  })) as ViewQuestion["options"],
});

const agents = ({ agent, sentence }: Words): readonly ViewAgent[] =>
  [1, 2, 3].map(number => ({ id: `${number}`, name: `${agent} ${number}`, description: sentence }));

const found = ({ title, sentence, word, agent }: Words): FoundSession => {
  const start = sentence.indexOf(word);
  const row = {
    entry: 0,
    lineInEntry: 1,
    column: start,
    nth: 0,
    hits: 1,
    before: [sentence],
    after: ["let total = 0;"],
  };
  return {
    ...{ session: "s", title, agent, updated: START, isDone: false, isCut: false },
    rows: [{ ...row, line: sentence, marks: [[start, start + word.length]] }],
  };
};

const rules = ({ word, agent }: Words): readonly RuleRow[] => {
  const fields = { command: [], path: [], domain: [], kind: [], agent: [] };
  return [
    {
      ...{ id: "1", scope: "user", name: `allow ${word}` },
      fields: { ...fields, effect: "allow", path: [`${word}/**`], agent: [agent] },
    },
    {
      ...{ id: "2", scope: "workspace", name: `deny ${word}` },
      fields: { ...fields, effect: "deny", command: [`rm ${word}`] },
    },
  ];
};

const usage = ({ agent, word }: Words): UsageView => {
  const sums = { turns: 2, input: 1100, output: 100, tokens: 1200, costs: [{ amount: 0.5, currency: "USD" }] };
  return {
    period: "week",
    days: [{ name: "2026-01-31", ...sums }],
    agents: [{ name: agent, ...sums }],
    models: [{ name: `${word} 4`, ...sums }],
    total: { name: "", ...sums },
  };
};

/** A candidate that is done, one that failed, and one whose prompt is held. */
const candidates = ({ title, sentence, word, agent, file }: Words): CandidatesView => ({
  ...{ title, base: "1a2b3c4d", command: `npm test ${word}` },
  rows: [
    {
      ...{ session: "1", name: `${agent} 1`, branch: `parley/${word}/${agent}-1`, state: "done" },
      ...{ choices: [`${word} 4`, word], options: [], worked: 125_000, tokens: 61_234, problems: 2 },
      ...{ costs: [{ amount: 0.75, currency: "USD" }], changes: { files: 3, added: 1024, removed: 3 } },
      check: {
        ...{ command: `npm test ${word}`, outcome: "failed", exitCode: 1, duration: 9000 },
        output: `${sentence}\n  1) ${file}: ${word}`,
      },
    },
    {
      ...{ session: "2", name: `${agent} 2`, branch: `parley/${word}/${agent}-2`, state: "failed", reason: sentence },
      ...{ choices: [], options: [], costs: [], changes: `${file}: ${sentence}` },
    },
    {
      ...{ session: "3", name: `${agent} 3`, branch: `parley/${word}/${agent}-3`, state: "held" },
      ...{ choices: [], costs: [], changes: { files: 0, added: 0, removed: 0 } },
      options: [{ id: "model", name: word, value: "a", choices: [{ value: "a", name: `${word} ${agent}` }] }],
    },
  ],
});

const inspected = ({ agent, word, sentence, title }: Words): readonly InspectorMessage[] => {
  const row = { number: 0, time: 1234, dir: "c>a", kind: "request", method: "session/prompt", bytes: 1234 } as const;
  const faults = [{ kind: "unknownMethod", name: word }] as const;
  const rows = [row, { ...row, number: 1, method: word, id: word, session: title, wait: 3, faults }] as const;
  const list = {
    ...{
      list: 1,
      connection: 1,
      agent: "a",
      agents: [{ id: "a", name: agent }],
      filter: {},
      removed: 0,
      end: 2,
      total: 2,
      dropped: 3,
    },
    ...{ isClosed: true as const, methods: [word], sessions: [title] },
  } as const;
  const children = [
    { key: word, kind: "string", text: sentence },
    { key: "text", kind: "string", text: `${sentence} ${word} ${sentence} ${sentence}` },
  ] as const;
  const root = { key: "", kind: "object", size: 3, cut: 1, children } as const;
  return [
    { type: "list", list },
    { type: "rows", list: 1, from: 0, rows },
    { type: "message", list: 1, row: rows[1], position: 1, root, reveal: true },
  ];
};

type Open = (words: Words, options: Options) => Promise<PanelPage>;

const openPage = async (
  page: "rules" | "usage" | "candidates" | "inspector",
  posted: unknown,
  options: Options,
): Promise<PanelPage> => {
  const panel = await openPanel([], { ...options, page, host: () => undefined });
  await panel.page.evaluate(sent => window.play.post(sent), posted);
  return panel;
};

const surfaces: Readonly<Record<string, Open>> = {
  "an empty conversation": (words, options) => {
    const [agent] = agents(words);
    assert.ok(agent);
    const recent = [{ id: "r", title: words.title, agentName: words.agent, status: "idle", updated: START }] as const;
    return openPanel([snapshot(view([], { agents: agents(words), agent, recent }))], options);
  },
  "ten chips": async (words, options) => {
    const panel = await openPanel([snapshot(view([message("u", "user", words.sentence)]))], options);
    await panel.post({ type: "attached", attachments: chips(words) });
    await panel.page.getByRole("button", { name: "10 attachments" }).click();
    // The pointer is over a chip now, which shows its path after a while.
    await panel.page.mouse.move(0, 0);
    await panel.composer.fill(words.sentence);
    return panel;
  },
  "a form": (words, options) =>
    openPanel([snapshot(view([message("u", "user", words.sentence)], { questions: [form(words)] }))], options),
  "a form with dates and numbers": (words, options) =>
    openPanel([snapshot(view([message("u", "user", words.sentence)], { questions: [formats(words)] }))], options),
  "a preview of a prompt": (words, options) =>
    openPanel([snapshot(view([message("u", "user", words.sentence)], { questions: [preview(words)] }))], options),
  "a list of models": async (words, options) => {
    const choices = Array.from({ length: 20 }, (_, index) => ({
      ...{ value: `${index}`, name: `${words.agent} ${index}`, description: words.sentence },
    }));
    const model = { id: "model", name: words.word, type: "select", value: "1", choices } as const;
    const panel = await openPanel(
      [snapshot(view([message("u", "user", words.sentence)], { options: [model] }))],
      options,
    );
    await panel.page.getByRole("button", { name: `${words.word}: ${words.agent} 1` }).click();
    return panel;
  },
  "a question with nine options": (words, options) =>
    openPanel([snapshot(view([message("u", "user", words.sentence)], { questions: [nineOptions(words)] }))], options),
  "the page of the search": async (words, options) => {
    let panel: PanelPage | undefined = undefined;
    const post = (sent: unknown): Promise<void> | undefined =>
      panel?.page.evaluate(posted => window.play.post(posted), sent);
    const answer = async (intent: unknown): Promise<void> => {
      if (!isSearchIntent(intent) || intent.type !== "search") return;
      const { request } = intent;
      await post({ type: "found", request, sessions: [found(words)] });
      await post({ type: "done", request, isCut: false, unsearched: [] });
    };
    panel = await openPanel([], { ...options, page: "search", host: intent => void answer(intent) });
    await panel.page.getByRole("textbox", { name: "Search conversations" }).fill(words.word);
    await panel.page.clock.runFor(1000);
    await panel.page.locator(".hit mark").first().waitFor();
    // The hits come before the end of the search.
    await panel.page.waitForFunction(() => !document.body.textContent.includes("Searching…"));
    return panel;
  },
  "the page of rules": async (words, options) => {
    const panel = await openPage("rules", { type: "rules", view: { rows: rules(words) } }, options);
    await panel.page.getByRole("listitem").first().waitFor();
    return panel;
  },
  "the page of usage": async (words, options) => {
    const panel = await openPage("usage", { type: "usage", view: usage(words) }, options);
    await panel.page.getByRole("rowheader", { name: words.agent }).waitFor();
    return panel;
  },
  "the page of candidates": async (words, options) => {
    const panel = await openPage("candidates", { type: "candidates", view: candidates(words) }, options);
    await panel.page.locator("details summary").click();
    await panel.page.locator("details pre").waitFor();
    return panel;
  },
  "the page of the inspector": async (words, options) => {
    const [list, ...others] = inspected(words);
    const panel = await openPage("inspector", list, options);
    for (const other of others) await panel.page.evaluate(sent => window.play.post(sent), other);
    await panel.page.getByRole("treeitem", { name: words.word }).first().waitFor();
    return panel;
  },
};

const themes = process.env["PARLEY_PICTURES"] ? (["dark", "light", "hc", "hc-light"] as const) : (["dark"] as const);
const sizes = [
  [280, 700],
  [280, 300],
  [480, 700],
] as const;

describe("surfaces in other scripts", () => {
  usePanel();

  for (const [script, words] of Object.entries(scripts))
    it(`have the stored directions: ${script}`, async () => {
      const file = join("test", "scenes", "panel", `surfaces-${script}.directions.txt`);
      let found = "";
      for (const [name, open] of Object.entries(surfaces)) {
        const panel = await open(words, { height: 2000 });
        found += `# ${name}\n${await textDirections(panel, Object.values(words))}`;
        await panel.assertClean();
        await panel.free();
      }
      if (process.env["UPDATE"] !== undefined) writeFileSync(file, found);
      assert.equal(found, readFileSync(file, "utf8"), file);
    });

  for (const [name, open] of Object.entries(surfaces))
    for (const [script, words] of Object.entries(scripts))
      it(`fit: ${name} in ${script}`, async () => {
        for (const theme of themes)
          for (const [width, height] of sizes) {
            const panel = await open(words, { theme, width, height });
            await picture(panel, `${name.replaceAll(" ", "-")}-${script}-${theme}-${width}-${height}`);
            const wide = await panel.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.equal(wide, 0, `${width} pixels: it scrolls sideways`);
            await panel.free();
          }
      });
});
