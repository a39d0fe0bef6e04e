// Uses content of an agent in the editors of the real VS Code. test/webview/content.test.ts shows every kind.
import assert from "node:assert/strict";
import { openChat, openFile, screenshot, sharedWorkbench } from "./harness.ts";

const links = `See \`src/sum.js:2\` and src/sum.js#L1, and app/[slug]/page.tsx.

$$x^2 + 1$$

הפונקציה sum מחזירה 1, ראו src/sum.js.

函数**「sum」**返回1。

\`\`\`js src/sum.js
const answer = 42;
\`\`\`

\`\`\`mermaid
graph TD
  Question --> Answer
\`\`\`
`;

const notes = { uri: "file:///w/notes.py", mimeType: "text/x-python", text: "def f(): pass" };
const steps = [
  { chunk: links },
  { update: { sessionUpdate: "agent_message_chunk", content: { type: "resource", resource: notes } } },
];

describe("content in a real VS Code", () => {
  it("is used in the editor: code is inserted, files open at their line, and a diagram is drawn", async () => {
    const { page, errors } = await sharedWorkbench({
      "content.json": JSON.stringify(steps),
      "src/sum.js": "export function sum(a, b) {\n  return a + b;\n}\n",
      "app/[slug]/page.tsx": "export {};\n",
      "notes.txt": "",
    });
    await openFile(page, "notes.txt");
    const panel = await openChat(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script content.json");
    await composer.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await screenshot(page, "content");

    // The formula is drawn under the content policy of the real page, and each paragraph has its direction.
    await log.locator("math msup").waitFor();
    const beginsAt = (text: string): Promise<string> =>
      log.getByText(text).evaluate(element => {
        const range = document.createRange();
        range.setStart(element.firstChild ?? element, 0);
        range.setEnd(element.firstChild ?? element, 1);
        const [letter, all] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return letter.left - all.left < all.right - letter.right ? "left" : "right";
      });
    assert.equal(await beginsAt("הפונקציה"), "right");
    assert.equal(await beginsAt("返回1"), "left");
    await log.locator("strong", { hasText: "「sum」" }).waitFor();

    await log.getByRole("button", { name: "Insert at Cursor" }).click();
    const editor = page.locator(".editor-instance .view-lines");
    await editor.getByText("const answer = 42;").waitFor();
    await page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await page.keyboard.press("Control+Z");
    await editor.getByText("const answer = 42;").waitFor({ state: "detached" });

    await log.getByRole("link", { name: "src/sum.js:2" }).click();
    await page.getByRole("tab", { name: /sum\.js/ }).waitFor();
    await page.getByText("Ln 2, Col 1").waitFor();
    await log.getByRole("link", { name: "app/[slug]/page.tsx" }).click();
    await page.getByRole("tab", { name: /page\.tsx/ }).waitFor();

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
