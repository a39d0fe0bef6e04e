// Sends every kind of content over ACP to the real panel, and uses it there, in one window.
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { openChat, openFile, screenshot, sharedWorkbench } from "./harness.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

const said = `See \`src/sum.js:2\` and src/sum.js#L1.

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
    { chunk: said },
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
}
