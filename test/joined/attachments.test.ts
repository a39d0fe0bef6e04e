// Attachments, by keyboard and mouse: what the agent gets over ACP is what the chips show.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { demoAgent, openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const files = {
  "a/index.ts": 'export const name = "a";\n',
  "b/index.ts": 'export const name = "b";\n',
  "sum.js": "export {};\n",
  ".env": "TOKEN=secret-value\n",
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`many/component${i}.ts`, `// ${i}\n`])),
};

const suggestion = (page: Page): Locator =>
  page.getByRole("listbox", { name: "Suggestions" }).getByRole("option").first();

/** Types a mention and chooses its file, of which the list has no other. */
async function mention({ page }: JoinedWindow, query: string): Promise<void> {
  await page.keyboard.type(`@${query}`);
  await suggestion(page).waitFor();
  await page.keyboard.press("Enter");
  // The list of an earlier query can still be shown. Enter then chooses when the answer comes, and what is typed meanwhile
  // belongs to the query.
  await suggestion(page).waitFor({ state: "detached" });
  await page.getByText("Attaching").waitFor({ state: "detached" });
}

const chips = ({ page }: JoinedWindow): Promise<readonly string[]> => page.locator(".chip .ellipsis").allTextContents();

interface SentBlock {
  readonly type: string;
  readonly text?: string;
  readonly resource?: { readonly uri: string; readonly text: string };
}

/** The latest prompt that the agent got, as its text and the paths and texts of its files. */
function sentPrompt(window: JoinedWindow): { readonly text: string; readonly files: readonly (readonly string[])[] } {
  const messages = window
    .traffic("demo")
    .trim()
    .split("\n")
    .map(line => JSON.parse(line) as { dir: string; msg?: { method?: string; params?: { prompt?: SentBlock[] } } });
  const last = messages.findLast(({ dir, msg }) => dir === "c>a" && msg?.method === "session/prompt");
  const blocks = last?.msg?.params?.prompt ?? [];
  return {
    text: blocks.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join(""),
    files: blocks.flatMap(({ resource }) =>
      resource
        ? [[resource.uri.slice(resource.uri.indexOf(window.folder) + window.folder.length + 1), resource.text]]
        : [],
    ),
  };
}

describe("attachments of a prompt", () => {
  useJoined();

  it("are the files whose chips are shown, whatever was deleted, undone and mentioned again before", async () => {
    const window = await openJoined({ agents: demoAgent, files });
    const { composer, page } = window;
    const { keyboard } = page;
    await composer.click();
    await keyboard.type("compare ");
    await mention(window, "a/index");
    await mention(window, "b/index");
    await keyboard.type("with ");
    await mention(window, "sum");
    assert.equal(await composer.inputValue(), "compare @index.ts @b/index.ts with @sum.js ");
    assert.deepEqual(await chips(window), ["index.ts", "index.ts", "sum.js"]);
    // The first file leaves by its chip, the last one by its text, and comes back by an undo.
    await page.getByRole("button", { name: "Remove index.ts" }).first().click();
    await composer.press("Control+End");
    for (let i = 0; i < 3; i++) await keyboard.press("Backspace");
    assert.deepEqual(await chips(window), ["index.ts"]);
    while ((await chips(window)).length < 2) await keyboard.press("Control+z");
    assert.match(await composer.inputValue(), /^compare @b\/index\.ts with @sum\.js/);
    await keyboard.press("Enter");
    await window.prompt("compare @b/index.ts with @sum.js").waitFor({ state: "attached" });
    assert.deepEqual(sentPrompt(window), {
      text: "compare @b/index.ts with @sum.js",
      files: [
        ["b/index.ts", files["b/index.ts"]],
        ["sum.js", files["sum.js"]],
      ],
    });
    await window.idle();
  });

  it("are shown by previews with the content that is sent, except secrets, and are all sent while they are folded", async () => {
    const window = await openJoined({ agents: demoAgent, files });
    const { composer, page } = window;
    const { keyboard } = page;
    const preview = page.getByRole("tooltip");
    await page.setViewportSize({ width: 280, height: 800 });
    await composer.click();
    await keyboard.type("@a/ind");
    await suggestion(page).waitFor();
    await keyboard.press("ArrowDown");
    await preview.getByText('export const name = "a";').waitFor();
    await keyboard.press("Enter");
    await page.getByText("Attaching").waitFor({ state: "detached" });
    await page.locator(".chip").hover();
    await preview.getByText(`${window.folder}/a/index.ts`).waitFor();
    await preview.getByText('export const name = "a";').waitFor();
    await composer.hover();
    await mention(window, ".env");
    await page.locator(".chip", { hasText: ".env" }).hover();
    await preview.getByText("its content is not shown").waitFor();
    assert.doesNotMatch((await preview.textContent()) ?? "", /secret-value/);
    await page.getByRole("button", { name: "Remove .env" }).click();
    await composer.click();
    for (let i = 0; i < 8; i++) await mention(window, `component${i}`);
    await page.getByRole("button", { name: "9 attachments", expanded: false }).click();
    await page.getByRole("button", { name: "Remove component3.ts" }).click();
    await page.getByRole("button", { name: "8 attachments", expanded: true }).click();
    await composer.press("Enter");
    await window.log.getByRole("heading", { name: /^You: @index\.ts/ }).waitFor({ state: "attached" });
    assert.deepEqual(
      sentPrompt(window).files.map(([path]) => path),
      ["a/index.ts", ...[0, 1, 2, 4, 5, 6, 7].map(i => `many/component${i}.ts`)],
    );
    await window.idle();
  });

  it("are stored conversations and passages of them, with their origin, also after a reload and beside a draft", async () => {
    const window = await openJoined({ agents: demoAgent });
    const { composer, page } = window;
    const { keyboard } = page;
    const first = window.session.id;
    await window.send("hello lighthouse");
    await window.prompt("hello lighthouse").waitFor({ state: "attached" });
    await window.idle();
    await window.newSession();

    await composer.click();
    await keyboard.type("Look at ");
    await mention(window, "conversation:demo");
    assert.equal(await composer.inputValue(), "Look at @What the demo agent can do ");
    const day = page.locator(".chip").getByText(/^Demo Agent · \d{4}-\d\d-\d\d$/);
    await day.waitFor();
    await window.attachPassage(first, { entry: 0, lineInEntry: 0, column: 6 });
    assert.equal(await composer.inputValue(), "Look at @What the demo agent can do ", "the draft stays");
    await day.nth(1).waitFor();
    await window.reload();
    await day.nth(1).waitFor();
    assert.equal(await composer.inputValue(), "Look at @What the demo agent can do ");

    await composer.press("Enter");
    await window.prompt("Look at @What the demo agent can do").waitFor({ state: "attached" });
    await window.idle();
    const [whole = "", passage = ""] = sentPrompt(window).files.map(([, text]) => text);
    assert.match(
      whole,
      /^The user attached an earlier conversation .*\n- Title: What the demo agent can do\n- Agent: Demo Agent\n/s,
    );
    assert.match(whole, /\n\n## User\n\n> hello lighthouse\n\n## Agent: Demo Agent\n\n.*> /s);
    assert.match(passage, /^The user attached a passage of .*\n\n## User\n\n> hello lighthouse\n$/s);

    // Only the digest of a conversation, which the chip and the message name.
    await window.newSession();
    await composer.click();
    await keyboard.type("And ");
    await mention(window, "digest:");
    const label = /^And @(Digest of “.+”) $/.exec(await composer.inputValue())?.[1];
    assert.ok(label !== undefined, await composer.inputValue());
    await page.locator(".chip").getByText(label, { exact: true }).waitFor();
    await composer.press("Enter");
    await window.prompt(`And @${label}`).waitFor({ state: "attached" });
    await window.idle();
    const [digest = ""] = sentPrompt(window).files.map(([, text]) => text);
    assert.match(digest, /^This is a digest of an earlier conversation, which the user attached for reference\./);
    assert.match(digest, /\n## Task\n\n> Look at @What the demo agent can do\n/);
  });
});
