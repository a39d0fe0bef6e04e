// The options of an agent: what the user chose stays in force when the window is reloaded or the agent is restarted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { badAgents, demoAgent, openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const mode = ({ page }: JoinedWindow): Locator => page.getByRole("combobox", { name: "Mode", exact: true });

describe("the options that the user chose", () => {
  useJoined();

  it("are in force after a reload: the agent asks, although it starts in the mode that edits freely", async () => {
    const names = ["package.json", "src/sum.js", "test/sum.test.js"];
    const sample = names.map(name => [name, readFileSync(inProject("examples", "sample-workspace", name), "utf8")]);
    const env = { PARLEY_DEMO_MODE: "free", PARLEY_DEMO_SPEED: "0" };
    const window = await openJoined({
      agents: { hasty: { ...demoAgent["demo"], name: "Hasty Agent", env } },
      files: Object.fromEntries(sample),
    });
    const { page } = window;
    const warned = page.getByRole("combobox", { name: "Mode", description: "Approves everything" });
    await warned.waitFor();
    assert.equal(await warned.inputValue(), "free");
    await window.scene("mode-approves-everything");
    await mode(window).selectOption("Read-only");
    await warned.waitFor({ state: "detached" });

    await window.reload();
    assert.equal(await mode(window).inputValue(), "read");
    // The agent is not connected. The change waits for it.
    const thoughts = page.getByRole("checkbox", { name: "Show thoughts" });
    await thoughts.uncheck();
    await page.getByRole("checkbox", { name: "Show thoughts", description: /Pending/ }).waitFor();
    assert.equal(await thoughts.isChecked(), false);
    const sum = (): string => readFileSync(join(window.folder, "src/sum.js"), "utf8");
    const before = sum();
    await window.send("fix the bug in sum.js");
    const allow = (name: RegExp): Locator =>
      page
        .getByRole("group", { name })
        .getByRole("button", { name: /^Allow/ })
        .first();
    // The agent asks before it runs the tests, which covers the command, and before the edit.
    await allow(/^Run /).click();
    await allow(/^Edit src\/sum\.js$/).waitFor();
    assert.equal(sum(), before);
    assert.equal(await mode(window).inputValue(), "read");
    assert.equal(await thoughts.isChecked(), false);
    assert.equal(await window.log.getByText(/^Thought/).count(), 0);
  });

  it("hold the message back if the agent no longer offers one, until the user decides", async () => {
    const window = await openJoined({ agents: badAgents("forgets-mode") });
    const { page, log } = window;
    await mode(window).selectOption("Careful");
    await window.send("hello");
    await log.getByText("You said: hello").waitFor();
    await window.session.restart();
    const note = page.getByRole("alert").filter({ hasText: "Bad Agent no longer offers Mode: Careful" });
    await note.waitFor();
    await window.send("hold this");
    await note.getByText("Your message was not sent.").waitFor();
    await window.scene("choice-refused");
    await note.getByRole("button", { name: "Choose…" }).click();
    await mode(window).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await log.getByText("You said: hold this").count(), 0);
    await note.getByRole("button", { name: "Send Anyway" }).click();
    await log.getByText("You said: hold this").waitFor();
    await note.waitFor({ state: "detached" });
  });
});
