// An agent reviews the changes of another one: its remarks become comments, and an answer goes to the agent of the change.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseRow, openFile, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const source = `export const items = [];

export function total() {
  return items.length;
}
`;
const changed = source.replace("items.length", "items.size");
const fixed = source.replace("items.length", "items.length ?? 0");

const threads = (page: Page): Locator => page.locator(".review-widget");

const script = (file: string, ...steps: readonly unknown[]): void => writeFileSync(file, JSON.stringify({ steps }));

const write = (path: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path, content } },
});

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await panel.getByRole("heading", { name: `You: ${text}` }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

describe("a review by another agent in a real VS Code", () => {
  const scripts = mkdtempSync(join(tmpdir(), "parley-review-"));
  after(() => rmSync(scripts, { recursive: true, force: true }));

  it("puts its remarks on their lines, in a read-only mode, and an answer goes to the agent of the change", async () => {
    const answer = join(scripts, "answer.json");
    const remark = "I have looked at it.\n\n- `src/total.js:4`: An array has **no** `size`.\n\nThe rest is good.";
    writeFileSync(answer, JSON.stringify({ steps: [{ chunk: remark }] }));
    const reviewer = {
      ...{ name: "Reviewer", command: process.execPath, args: [inProject("dist", "demo-agent.mjs")] },
      env: { PARLEY_DEMO_SCRIPT: answer },
    };
    const { page, panel, folder } = await sharedWorkbench(
      { "src/total.js": source },
      { "parley.agents": { reviewer } },
    );
    const file = join(folder, "src/total.js");
    script(join(folder, "change.json"), write(file, changed));
    script(join(folder, "fix.json"), { chunk: "It is an array." }, write(file, fixed));
    await send(panel, "#script change.json");
    await openFile(page, "total.js");

    await runCommand(page, "Parley: Review Changes With…");
    await chooseRow(page.locator(".quick-input-list .monaco-list-row", { hasText: "Reviewer" }));
    const body = threads(page).locator(".comment-body", { hasText: "An array has no size." });
    await body.waitFor();
    assert.equal(await threads(page).getByText("The rest is good").count(), 0);
    await threads(page).locator(".author", { hasText: "Reviewer" }).waitFor();
    await screenshot(page, "review-by-agent");

    await threads(page).locator(".comment-form .monaco-editor").click();
    await threads(page).locator(".comment-form .monaco-editor.focused").waitFor();
    await page.keyboard.type("#script fix.json");
    await page.keyboard.press("Control+Enter");
    await threads(page).locator(".comment-body", { hasText: "It is an array." }).waitFor();
    await until(() => readFileSync(file, "utf8") === fixed);
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("heading", { name: "You: #script fix.json" }).waitFor();
    await log.getByText("A reviewer wrote about these lines:").first().waitFor();
    await threads(page).locator(".review-title", { hasText: "answered with a change" }).waitFor();
    await screenshot(page, "review-by-agent-answered");

    // The review is a session of its own, in the mode in which the agent only reads.
    await runCommand(page, "Parley: Switch Session…");
    await chooseRow(page.locator(".quick-input-list .monaco-list-row", { hasText: "Review of Changes" }).first());
    await panel.getByText("The rest is good.", { exact: true }).waitFor();
    const mode = panel.getByRole("combobox", { name: "Mode", exact: true }).locator("option:checked");
    assert.equal((await mode.innerText()).trim(), "Read-only");
    await screenshot(page, "review-by-agent-session");
    await runCommand(page, "Parley: Keep All Changes");
    await threads(page).waitFor({ state: "detached" });
  });
});
