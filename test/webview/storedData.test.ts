// The panel state saved by an earlier build is restored: the draft, its attachments, open entries and the scroll
// position.
import assert from "node:assert/strict";
import { StoredFiles, recordedSession, storedText, viewsOf } from "../support/fakes/storedData.ts";
import { readSession } from "../../src/session/log/sessionStore.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { openPanel, usePanel } from "./panelPage.ts";
import { snapshot } from "./scenes.ts";

interface StoredState {
  readonly draft: string;
  readonly caret: readonly [number, number];
  readonly attachments: readonly Attachment[];
  readonly unkept: readonly string[];
  readonly open: Readonly<Record<string, boolean>>;
  readonly anchor: { readonly id: string; readonly offset: number };
}

describe("a stored state of the panel", () => {
  usePanel();

  it("is restored with every field, sent with every attachment, and saved in the same format", async () => {
    const name = `${recordedSession}.jsonl`;
    const log = await readSession(new StoredFiles({ [name]: storedText(`sessions/${name}`) }), recordedSession);
    const stored = JSON.parse(storedText("webviewState.json")) as StoredState;
    const view = viewsOf(log ?? []).at(-1);
    assert.ok(view);
    const idle = { ...view.head, activity: { ...view.head.activity, state: "idle", cancelling: false } } as const;
    const panel = await openPanel([snapshot({ ...view, head: idle })], { width: 480, height: 500 });
    const { page, composer } = panel;
    await page.addInitScript(state => sessionStorage.setItem("parley.play", JSON.stringify(state)), stored);
    await page.reload();
    await page.locator("parley-header").waitFor();

    assert.equal(await composer.inputValue(), stored.draft);
    const caret = await composer.evaluate(box => {
      const { selectionStart, selectionEnd } = box as HTMLTextAreaElement;
      return [selectionStart, selectionEnd];
    });
    assert.deepEqual(caret, stored.caret);
    const attachments = page.getByRole("list", { name: "Attachments" });
    for (const { label } of stored.attachments) await attachments.getByText(label, { exact: true }).waitFor();
    await page.getByRole("alert").getByText("Too large to restore after the panel was reloaded: plan.png.").waitFor();

    // The entry that the user opened is open, and a similar entry is closed.
    const expanded = (card: string): Promise<string | null> =>
      panel.log.getByRole("article", { name: card }).locator("[aria-expanded]").first().getAttribute("aria-expanded");
    assert.equal(await expanded("Run it"), "true");
    assert.equal(await expanded("See the version again"), "false");
    // The agent was started again after it had reported its plan, so the plan is gone.
    assert.equal(await page.getByRole("region", { name: "Plan" }).count(), 0);

    // The scroll position: the same distance above the top.
    await page.waitForFunction(offset => {
      const card = [...document.querySelectorAll("parley-tool")].find(each =>
        each.textContent?.trim().startsWith("Run it"),
      );
      const log = document.querySelector(".log");
      if (!card || !log) return false;
      return Math.abs(log.getBoundingClientRect().top - card.getBoundingClientRect().top - offset) <= 1;
    }, stored.anchor.offset);

    await composer.focus();
    await composer.press("End");
    await composer.press("Enter");
    const { draft: text } = stored;
    assert.deepEqual(await panel.intents(), [{ type: "send", text, attachments: stored.attachments }]);
    await page.waitForFunction(() => {
      const saved = JSON.parse(sessionStorage.getItem("parley.play") ?? "{}") as { draft?: unknown };
      return saved.draft === "";
    });
    const saved = await page.evaluate(() => JSON.parse(sessionStorage.getItem("parley.play") ?? "{}") as StoredState);
    // Earlier builds had no forms, and one draft for all sessions.
    assert.deepEqual(Object.keys(saved).sort(), [...Object.keys(stored), "drafts", "formDrafts", "isUnused"].sort());
    const { "plan:plan": plan, ...open } = stored.open;
    assert.equal(plan, true);
    assert.deepEqual([saved.open, saved.attachments, saved.unkept], [open, [], []]);
    await panel.assertClean();
  });
});
