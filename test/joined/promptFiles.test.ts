// Prompt files as slash commands, with real files and a real agent: list, arguments, preview, and what the agent gets.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { preview } from "./mcpSteps.ts";
import { demoAgent, openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const inWorkspace = (name: string): string => `.github/prompts/${name}.prompt.md`;

const review = `---
description: Reviews a file
tools: ['search']
---
Review \${input:file:Which file?} for \${input:what}.
Selected: \${selection} in \${fileBasename}
See [the rules](../rules.md).`;

/** Types `/` into an empty message box. */
async function openList({ page, composer }: JoinedWindow): Promise<void> {
  await composer.click();
  await page.keyboard.type("/");
  await page.getByRole("listbox", { name: "Commands" }).waitFor();
}

describe("prompt files", () => {
  useJoined();

  it("are listed with their origin, ask for their arguments, are shown and sent", async () => {
    const files = { [inWorkspace("review")]: review, "mine/outline.prompt.md": "Outline it." };
    const window = await openJoined({ agents: demoAgent, files, promptFolder: "mine" });
    const { page, composer, log } = window;
    await openList(window);
    await page.getByRole("option", { name: "outline User" }).waitFor();
    await page.getByRole("option", { name: "review <file> <what> Workspace · Reviews a file" }).waitFor();
    window.promptPlace.selection = "${input:what} and ${file}";
    await page.keyboard.type("rev");
    await page.keyboard.press("Enter");

    const form = page.getByRole("form", { name: "/review" });
    await form.getByText("From the prompt file .github/prompts/review.prompt.md of the workspace.").waitFor();
    await form.getByText("Which file?").waitFor();
    // The card has taken the focus. What is selected now no longer counts.
    window.promptPlace.selection = undefined;
    await page.keyboard.type("a.ts");
    await page.keyboard.press("Tab");
    await page.keyboard.type("${selection}");
    await form.getByRole("button", { name: "Continue" }).click();

    const shown = preview(window, "review");
    const text =
      "Review a.ts for ${selection}.\nSelected: ${input:what} and ${file} in a.ts\nSee [the rules](../rules.md).";
    assert.equal(await shown.locator(".preview-text").innerText(), text);
    await shown.getByText("Parley does not use “tools” of the file.").waitFor();
    await shown
      .getByText("From the prompt file .github/prompts/review.prompt.md of the workspace. This is what will be sent.")
      .waitFor();
    assert.equal(await log.getByText("Review a.ts").count(), 0);
    await shown.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("Review a.ts for ${selection}.").first().waitFor();
    const sent = [...window.session.state.entries].find(entry => entry.kind === "message");
    assert.ok(sent?.kind === "message");
    assert.deepEqual(sent.content, [{ type: "text", text }]);
    assert.equal(await composer.inputValue(), "");
  });

  it("go into the message box to be edited, with what was typed after the name", async () => {
    const window = await openJoined({
      agents: demoAgent,
      files: { "mine/outline.prompt.md": "Outline it." },
      promptFolder: "mine",
    });
    const { page, composer } = window;
    await openList(window);
    await page.getByRole("option", { name: "outline User" }).waitFor();
    await composer.fill("/outline with tests");
    await page.keyboard.press("Enter");
    await preview(window, "outline").getByText("From your prompt file mine/outline.prompt.md.").waitFor();
    await preview(window, "outline").getByRole("button", { name: "Edit" }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>(".composer textarea")?.value === "Outline it.\n\nwith tests",
    );
  });

  it("appear, change and go while the list is open, and say why one cannot be used", async () => {
    const window = await openJoined({ agents: demoAgent, files: { [inWorkspace("one")]: "One." } });
    const { page, composer, folder, promptPlace } = window;
    await openList(window);
    const one = page.getByRole("option", { name: "one Workspace" });
    await one.waitFor();
    writeFileSync(join(folder, inWorkspace("two")), "---\ndescription: Second\n---\nTwo.");
    promptPlace.fileChanged();
    await page.getByRole("option", { name: "two Workspace · Second" }).waitFor();
    writeFileSync(join(folder, inWorkspace("two")), "---\ndescription: Second\nTwo.");
    rmSync(join(folder, inWorkspace("one")));
    promptPlace.fileChanged();
    const faulty = page.getByRole("option", {
      name: "two The front matter has no second line with “---”. · .github/prompts/two.prompt.md",
    });
    await faulty.waitFor();
    await one.waitFor({ state: "detached" });
    await faulty.click();
    await page.getByText("/two was not sent. The front matter has no second line with “---”.").waitFor();
    assert.deepEqual(promptPlace.shown, [".github/prompts/two.prompt.md"]);

    // A file that is gone when it is used. Its text stays.
    writeFileSync(join(folder, inWorkspace("two")), "Two.");
    await composer.fill("");
    await openList(window);
    await page.getByRole("option", { name: "two Workspace" }).waitFor();
    rmSync(join(folder, inWorkspace("two")));
    await composer.fill("/two of them");
    await page.keyboard.press("Enter");
    await page.getByText("/two was not sent. This prompt no longer exists.").waitFor();
    assert.equal(await composer.inputValue(), "/two of them");
  });

  it("give way to the agent's commands, and stay reachable by their origin", async () => {
    const window = await openJoined({
      agents: demoAgent,
      // The demo agent has a command with this name.
      files: { [inWorkspace("plan")]: "Ours." },
    });
    const { page } = window;
    await openList(window);
    await page.getByRole("option", { name: "plan Plan a refactor" }).waitFor();
    await page.getByRole("option", { name: "workspace:plan Workspace" }).click();
    await preview(window, "workspace:plan").getByText("Ours.").waitFor();
  });
});
