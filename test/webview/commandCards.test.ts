// The cards of commands that agents ran, from recorded sessions: one terminal each, and a status that hides no failure.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { paintedSessions } from "../support/fakes/painted.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";

async function openRecording(name: string, theme?: "light"): Promise<PanelPage> {
  const [session] = await paintedSessions(join("test", "transcripts", "shapes", `${name}.ndjson`));
  assert.ok(session);
  const panel = await openPanel([], theme && { theme });
  await panel.show(session.view);
  return panel;
}

const card = (panel: PanelPage, id: string): Locator => panel.log.locator(`[data-key="t:${id}"] .tool`);

async function openCard(panel: PanelPage, id: string): Promise<Locator> {
  const found = card(panel, id);
  const head = found.locator(".tool-head");
  if ((await head.getAttribute("aria-expanded")) === "false") await head.click();
  return found;
}

/** The words of the status, its icon, and its color next to the theme's warning color. */
async function status(found: Locator): Promise<{ words: string; icon: string; isWarning: boolean }> {
  return found.locator(".tool-head .status").evaluate(element => {
    const probe = document.createElement("span");
    probe.style.color = "var(--vscode-list-warningForeground, var(--vscode-editorWarning-foreground))";
    element.append(probe);
    const warning = getComputedStyle(probe).color;
    probe.remove();
    const words = element.querySelector(".status-word") as HTMLElement;
    return {
      words: words.innerText,
      icon: [...(element.querySelector(".codicon")?.classList ?? [])].find(name => /^codicon-/.test(name)) ?? "",
      isWarning: getComputedStyle(words).color === warning,
    };
  });
}

describe("the card of a command", () => {
  usePanel();

  it("is one terminal with the output, and has a check only if the command succeeded", async () => {
    const panel = await openRecording("commands");
    const expected = {
      a1: { words: "Done", icon: "codicon-check", isWarning: false, output: "a", exit: "Exit code 0" },
      b1: { words: "Exit code 3", icon: "codicon-warning", isWarning: true, output: "b", exit: "Exit code 3" },
      c2: { words: "Failed", icon: "codicon-error", isWarning: false, output: undefined, exit: "Exit code 3" },
      c3: {
        words: "Cancelled",
        icon: "codicon-circle-slash",
        isWarning: false,
        output: "tick 1",
        exit: "Cancelled · SIGTERM",
      },
      x1: { words: "Exit code 2", icon: "codicon-warning", isWarning: true, output: "out", exit: "Exit code 2" },
    };
    for (const [id, { output, exit, ...shown }] of Object.entries(expected)) {
      const found = await openCard(panel, id);
      assert.deepEqual(await status(found), shown, id);
      assert.equal(await found.locator(".terminal").count(), 1, id);
      await found.locator(".terminal .exit", { hasText: exit }).waitFor();
      const icons = await found.locator(".terminal .exit .codicon-check").count();
      assert.equal(icons, exit === "Exit code 0" ? 1 : 0, id);
      if (output === undefined) assert.equal(await found.locator("parley-terminal").count(), 0, id);
      else await found.locator("parley-terminal").getByText(output, { exact: true }).waitFor();
    }
    await panel.assertClean();
  });

  it("has no terminal if it was rejected", async () => {
    const panel = await openRecording("questions");
    const rejected = await openCard(panel, "b2");
    await rejected.getByText("The user rejected this tool call.", { exact: true }).waitFor();
    assert.equal(await rejected.locator(".terminal").count(), 0);
    assert.deepEqual(await status(rejected), { words: "Failed", icon: "codicon-error", isWarning: false });
  });

  it("shows the output that arrived only at the end, and the signal that ended it", async () => {
    const panel = await openRecording("terminals", "light");
    const listing = await openCard(panel, "a1");
    await listing.locator("parley-terminal").getByText("a", { exact: true }).waitFor();
    const ended = await openCard(panel, "d4");
    await ended.locator(".terminal .exit", { hasText: "Ended by SIGTERM" }).waitFor();
    assert.equal(await ended.locator(".codicon-check").count(), 0);
    assert.equal((await status(await openCard(panel, "d2"))).words, "Exit code 3");
  });

  it("keeps the exit code in words at the smallest width", async () => {
    const panel = await openRecording("commands");
    await panel.page.setViewportSize({ width: 280, height: 900 });
    const words = card(panel, "b1").locator(".status-word");
    assert.ok(((await words.boundingBox())?.width ?? 0) > 20);
    assert.equal((await card(panel, "a1").locator(".status-word").boundingBox())?.width, 1);
  });
});
