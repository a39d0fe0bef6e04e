// Sends every kind of content over ACP to the real panel, and uses it there, in one window.
import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { openChat, openFile, reloadWindow, screenshot, sharedWorkbench } from "./harness.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

const links = `See \`src/sum.js:2\` and src/sum.js#L1.

\`\`\`js src/sum.js
const answer = 42;
\`\`\`

\`\`\`mermaid
graph TD
  Question --> Answer
\`\`\`
`;

const blocks = [
  { type: "image", mimeType: "image/png", data: PIXEL, uri: "file:///chart.png" },
  { type: "audio", mimeType: "audio/wav", data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=" },
  { type: "resource_link", uri: "https://example.com/manual", name: "manual", title: "The manual", size: 2048 },
  { type: "resource", resource: { uri: "file:///w/notes.py", mimeType: "text/x-python", text: "def f(): pass" } },
  { type: "resource", resource: { uri: "file:///w/data.zip", mimeType: "application/zip", blob: "AAAA" } },
  { type: "hologram", beams: 3 },
];

const script = {
  steps: [
    { chunk: links },
    ...blocks.map(content => ({ update: { sessionUpdate: "agent_message_chunk", content } })),
    {
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "t1",
        title: "Look around",
        status: "completed",
        // A bare block, which some agents send, and a wrapped block.
        content: [
          { type: "text", text: "Bare words" },
          { type: "content", content: blocks[0] },
        ],
      },
    },
    {
      update: {
        ...{ sessionUpdate: "tool_call", toolCallId: "t2", title: "Run the checks", kind: "execute" },
        ...{ status: "completed", rawInput: { command: "npm test" } },
        rawOutput: { stdout: "2 passing\n", stderr: "1 failing\n", exit_code: 3 },
      },
    },
  ],
};

describe("content in a real VS Code", () => {
  it("of every kind is shown, images enlarge with a key, files open, code is inserted, and a diagram is drawn", async () => {
    const { page, errors } = await sharedWorkbench({
      "all.json": JSON.stringify(script),
      "src/sum.js": "export function sum(a, b) {\n  return a + b;\n}\n",
      "notes.txt": "",
    });
    await openFile(page, "notes.txt");
    const panel = await openChat(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script all.json");
    await composer.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("article", { name: "Look around" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await allSeen(panel);
    await screenshot(page, "content");

    const image = log.getByRole("button", { name: "Enlarge chart.png" }).first();
    await image.press("Enter");
    await panel.getByRole("dialog", { name: "chart.png" }).getByRole("button", { name: "Close" }).waitFor();
    await screenshot(page, "content-enlarged");
    await page.keyboard.press("Escape");
    await panel.getByRole("dialog").waitFor({ state: "detached" });
    await image.and(panel.locator(":focus")).waitFor();

    await log.getByRole("button", { name: "Insert at Cursor" }).click();
    const editor = page.locator(".editor-instance .view-lines");
    await editor.getByText("const answer = 42;").waitFor();
    await page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await page.keyboard.press("Control+Z");
    await editor.getByText("const answer = 42;").waitFor({ state: "detached" });

    await log.getByRole("link", { name: "src/sum.js:2" }).click();
    await page.getByRole("tab", { name: /sum\.js/ }).waitFor();
    await page.getByText("Ln 2, Col 1").waitFor();

    await log.getByText("notes.py", { exact: true }).click();
    await log.getByRole("button", { name: "Open notes.py" }).click();
    await page.getByRole("tab", { name: /notes\.py/ }).waitFor();

    await log.getByRole("button", { name: "Open Diagram" }).click();
    await page.getByRole("tab", { name: "Diagram" }).waitFor();
    // The chat is a view, and the diagram is an editor.
    const frame = page.frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])');
    await frame.frameLocator("iframe#active-frame").locator("#diagram svg").getByText("Question").waitFor();
    await screenshot(page, "content-diagram");
    assert.deepEqual(errors, []);
  });
});

describe("the diff of a fragment in a real VS Code", () => {
  const numbered = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("");
  const changed = numbered.replace("line 31\n", "line thirty-one\n");
  const fragment = (oldText: string, newText: string): object => ({
    type: "diff",
    path: "$cwd/long.txt",
    oldText,
    newText,
  });
  const edit = (toolCallId: string, status: string, more: object): object => ({
    update: {
      sessionUpdate: "tool_call_update",
      toolCallId,
      kind: "edit",
      status,
      title: `Edit ${toolCallId}`,
      ...more,
    },
  });
  const fragments = {
    steps: [
      edit("one", "pending", { content: [fragment("line 30\nline 31\n", "line 30\nline thirty-one\n")] }),
      { permission: { toolCall: { toolCallId: "one" } } },
      { write: "long.txt", text: changed },
      edit("one", "completed", { content: [fragment("line 31", "line thirty-one")] }),
      // The old text is gone, so its new text is looked for.
      edit("late", "completed", { content: [fragment("31", "line thirty-one")] }),
      edit("twice", "completed", { content: [fragment("line", "line ")] }),
    ],
  };

  it("has the lines of the file in the question, the card and the diff editor, after a reload too", async () => {
    const { page, panel, errors } = await sharedWorkbench({
      "fragments.json": JSON.stringify(fragments),
      "long.txt": numbered,
    });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script fragments.json");
    await composer.press("Enter");
    const question = panel.getByRole("group", { name: "Edit one" });
    await question.locator(".diff-number", { hasText: "31" }).first().waitFor();
    await screenshot(page, "fragment-question");
    await question.getByRole("button", { name: "Open Diff" }).click();
    const editor = page.locator(".monaco-diff-editor .modified-in-monaco-diff-editor");
    const isAtItsLine = async (): Promise<void> => {
      await editor.getByText("line thirty-one").waitFor();
      await editor.locator(".line-numbers", { hasText: /^31$/ }).waitFor();
      await editor.getByText("line 35").waitFor();
    };
    await isAtItsLine();
    await screenshot(page, "fragment-diff");
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

    const cards = async (chat: FrameLocator): Promise<void> => {
      const log = chat.getByRole("log", { name: "Conversation" });
      const card = (name: string): Locator => log.getByRole("article", { name });
      for (const name of ["Edit one", "Edit late", "Edit twice"]) {
        const lines = card(name).locator(".diff-line");
        if ((await lines.count()) === 0)
          await card(name)
            .getByRole("button", { name: new RegExp(name) })
            .click();
        await lines.first().waitFor();
      }
      for (const name of ["Edit one", "Edit late"]) {
        await card(name).locator(".diff-line.add .diff-number", { hasText: /^31$/ }).waitFor();
      }
      assert.equal(await card("Edit twice").locator(".diff-number").count(), 0);
    };
    await cards(panel);
    await screenshot(page, "fragment-cards");
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    const again = await openChat(page);
    await cards(again);
    const log = again.getByRole("log", { name: "Conversation" });
    await log.getByRole("article", { name: "Edit one" }).getByRole("button", { name: "Open Diff" }).click();
    await isAtItsLine();
    // A diff of which nobody knows the place.
    await log.getByRole("article", { name: "Edit twice" }).getByRole("button", { name: "Open Diff" }).click();
    await editor.getByText("line 35").waitFor({ state: "detached" });
    await editor.locator(".line-numbers").waitFor({ state: "detached" });
    await screenshot(page, "fragment-unplaced");
  });
});

async function allSeen(panel: FrameLocator): Promise<void> {
  const log = panel.getByRole("log", { name: "Conversation" });
  await log.locator("audio").waitFor();
  await log.getByRole("link", { name: "The manual" }).waitFor();
  await log.getByText("notes.py", { exact: true }).waitFor();
  await log.getByRole("button", { name: "Save data.zip" }).waitFor();
  await log.getByText("Unsupported content: hologram").waitFor();
  const card = log.getByRole("article", { name: "Look around" });
  await card.getByRole("button", { name: /Look around/ }).click();
  await card.getByText("Bare words").waitFor();
  await card.getByRole("button", { name: "Enlarge chart.png" }).waitFor();
  const command = log.getByRole("article", { name: "Run the checks" });
  await command.getByRole("button", { name: /Run the checks Exit code 3/ }).click();
  await command.getByRole("group", { name: "Output" }).getByText("1 failing", { exact: true }).waitFor();
  await command.getByRole("button", { name: "Open in Terminal" }).waitFor();
}
