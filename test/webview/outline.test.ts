// The arrangement of entries: runs of look-ups, sub-agents, and questions at their tool cards.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewTool } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { START, ask, delegated, editAsk, message, snapshot, tool, view } from "./scenes.ts";

const running = { state: "running", since: START, cancelling: false } as const;
const reads = (from: number, to: number): ViewTool[] =>
  Array.from({ length: to - from }, (_, i) =>
    tool(`r${from + i}`, `Read ${from + i}.js`, {
      locations: [{ path: `/x/${from + i}.js`, label: `${from + i}.js` }],
    }),
  );
const cards = (panel: PanelPage): Promise<(string | null)[]> =>
  panel.log.getByRole("article").evaluateAll(all => all.map(each => each.getAttribute("aria-label")));
const answers = async (panel: PanelPage): Promise<Intent[]> =>
  (await panel.intents()).filter(intent => intent.type === "answer");

describe("runs of look-ups", () => {
  usePanel();

  it("fold into one line with a summary, and open by mouse and keyboard", async () => {
    const panel = await openPanel([
      snapshot(view([...reads(0, 2), tool("s", "Grep", { toolKind: "search" }), ...reads(3, 4)])),
    ]);
    const fold = panel.log.getByRole("button", { name: "Read 3 files, searched once" });
    assert.deepEqual(await cards(panel), []);
    await fold.click();
    assert.equal((await cards(panel)).length, 4);
    await fold.press("Enter");
    assert.deepEqual(await cards(panel), []);
    await fold.press("Space");
    await panel.page.waitForFunction(() => sessionStorage.getItem("parley.play")?.includes('"run:r0":true'));
    await panel.page.reload();
    await panel.log.getByRole("article", { name: "Read 0.js" }).waitFor();
  });

  it("contain no failed, waiting or running card and none that needs the user, and have at least three cards", async () => {
    const files = [{ path: "/x/n", label: "n", note: "unsaved" }] as const;
    const panel = await openPanel([
      snapshot(
        view([
          ...reads(0, 2),
          tool("f", "Failed", { status: "failed" }),
          ...reads(2, 4),
          tool("w", "Waits", { status: "waiting" }),
          tool("n", "Noted", { files }),
          ...reads(4, 7),
          tool("p", "Runs", { status: "running" }),
        ]),
      ),
    ]);
    await panel.log.getByRole("button", { name: "Read 3 files" }).waitFor();
    const shown = ["Read 0.js", "Read 1.js", "Failed", "Read 2.js", "Read 3.js", "Waits", "Noted", "Runs"];
    assert.deepEqual(await cards(panel), shown);
    await panel.patch({ op: "put", at: 10, entry: tool("p", "Runs", { status: "done" }) });
    await panel.log.getByRole("button", { name: "Read 4 files" }).waitFor();
    assert.deepEqual(await cards(panel), shown.slice(0, -1));
  });

  it("do not fold visible cards until the end is followed again", async () => {
    const talk = Array.from({ length: 30 }, (_, i) =>
      message(`m${i}`, "agent", `Message ${i}\n\n${"words ".repeat(80)}`),
    );
    const panel = await openPanel([snapshot(view([...talk, ...reads(0, 2)], { activity: running }))]);
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -40);
    const jump = panel.page.getByRole("button", { name: /Jump to Latest/ });
    await jump.waitFor();
    await panel.patch(...reads(2, 4).map((entry, i) => ({ op: "put", at: 32 + i, entry }) as const));
    await panel.page.getByRole("button", { name: "Jump to Latest (2 new)" }).waitFor();
    assert.equal((await cards(panel)).length, 4);
    await jump.click();
    await panel.log.getByRole("button", { name: "Read 4 files" }).waitFor();
    assert.deepEqual(await cards(panel), []);
  });
});

describe("a sub-agent", () => {
  usePanel();
  const [user, , , , , , owner, ...steps] = delegated.entries;
  const quiet = view(
    [user, owner, ...steps.slice(0, 4)].filter(entry => entry !== undefined),
    { activity: running },
  );
  const card = (panel: PanelPage): Locator => panel.log.getByRole("article", { name: "Look at the other packages" });

  it("shows its steps in the card of its call, which shows only the current step when folded", async () => {
    const panel = await openPanel([snapshot(quiet)]);
    await card(panel).getByText("3 steps").waitFor();
    await card(panel).getByText("Read packages/c/main.js").waitFor();
    assert.equal(await card(panel).getByText("I begin with").count(), 0);
    await card(panel)
      .getByRole("button", { name: /^Look at/ })
      .press("Enter");
    await card(panel).getByText("I begin with").waitFor();
    await card(panel).getByRole("button", { name: "Read 3 files" }).click();
    await card(panel).getByRole("article", { name: "Read packages/b/main.js" }).waitFor();
  });

  it("streams into its card and is not announced", async () => {
    const said = { ...message("s1n", "agent", "Next"), parent: "s1" };
    const panel = await openPanel([snapshot(quiet)]);
    await card(panel)
      .getByRole("button", { name: /^Look at/ })
      .click();
    await panel.patch({ op: "put", at: 6, entry: said }, { op: "head", head: { live: "s1n" } });
    await panel.patch({ op: "append", id: "s1n", part: 0, text: " I **test**." });
    await card(panel).getByText("Next I test.").waitFor();
    await panel.patch(
      { op: "put", at: 7, entry: { ...tool("s1e", "npm test"), parent: "s1" } },
      { op: "head", head: { live: null } },
    );
    await card(panel).getByText("4 steps").waitFor();
    assert.equal(await panel.page.locator(".speech", { hasText: "Next" }).count(), 0);
    // Folded and opened again, the card contains the latest entries.
    for (let i = 0; i < 2; i++)
      await card(panel)
        .getByRole("button", { name: /^Look at/ })
        .click();
    await card(panel).getByText("Next I test.").waitFor();
    await panel.assertClean();
  });

  it("has its plans and the summaries of its context in its card, which shows only how far it is when folded", async () => {
    const planned = tool("p1", "Plan the rest", {
      ...{ toolKind: "subagent", status: "running" },
      parts: [
        { type: "text", text: "Plans what to do." },
        {
          ...{ type: "plan", markdown: "# Later\n\nDo **this**.", entries: [] },
          file: { path: "/home/ada/.plans/later.md", label: "/home/ada/.plans/later.md", isOutside: true },
        },
        {
          type: "plan",
          entries: [
            { content: "Look at `a`", priority: "medium", status: "completed" },
            { content: "Look at b", priority: "high", status: "in_progress" },
          ],
          file: { path: "/home/ada/shop/plan.md", label: "plan.md" },
        },
      ],
    });
    const summary = { id: "p1k", kind: "compaction", status: "completed", parts: [], at: START, parent: "p1" } as const;
    const panel = await openPanel([snapshot(view([planned, summary], { activity: running }))]);
    const shown = panel.log.getByRole("article", { name: "Plan the rest" });
    await shown.getByText("1/2 · Look at b").waitFor();
    assert.equal(await panel.log.getByText("Summarized the conversation").count(), 0, "the card is folded");
    await shown.getByRole("button", { name: /^Plan the rest/ }).click();
    await shown.getByText("Summarized the conversation").waitFor();
    const [text, steps] = await shown.getByRole("region", { name: "Plan" }).all();
    assert.ok(text && steps);
    await text.getByRole("heading", { name: "Later" }).waitFor();
    await text.getByText("/home/ada/.plans/later.md Outside the workspace").waitFor();
    assert.equal(await text.getByRole("link").count(), 0, "a file outside cannot be opened");
    assert.equal(await steps.getByRole("listitem").count(), 2);
    await steps.getByRole("link", { name: "plan.md" }).press("Enter");
    const opened = (await panel.intents()).filter(intent => intent.type === "openFile");
    assert.deepEqual(opened, [{ type: "openFile", path: "/home/ada/shop/plan.md" }]);
    await panel.assertClean();
  });

  it("is shown by a link in a call that names it", async () => {
    const talk = Array.from({ length: 40 }, (_, i) =>
      message(`m${i}`, "agent", `Message ${i}\n\n${"words ".repeat(80)}`),
    );
    const parts = [{ type: "session", entry: "s1", title: "Look at the other packages" }, { type: "session" }] as const;
    const waiting = tool("w", "Wait for the helper", { status: "failed", parts });
    const panel = await openPanel([snapshot(view([...quiet.entries, ...talk, waiting]))]);
    const named = panel.log.getByRole("article", { name: "Wait for the helper" });
    await named.getByText("A session of the agent that is not shown in this conversation.").waitFor();
    await named.getByRole("link", { name: "Look at the other packages" }).click();
    await card(panel)
      .getByRole("button", { name: /^Look at/ })
      .and(panel.page.locator(":focus"))
      .waitFor();
    assert.equal(await card(panel).evaluate(each => each.getBoundingClientRect().top >= 0), true, "it is in view");
    assert.deepEqual(await panel.intents(), []);
    await panel.assertClean();
  });

  it("opens its card automatically while a step waits for the user, and leads to the question", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    const step = card(panel).getByRole("article", { name: "npm ls --all" });
    await step.getByRole("button", { name: "Go to Question" }).click();
    await panel.page.locator("parley-question .options :focus").waitFor();
    await panel.page.locator("parley-question").getByRole("button", { name: "Reject" }).click();
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a9", option: "no" }]);
  });
});

describe("the plan of the agent", () => {
  usePanel();

  it("has a link to its file", async () => {
    const file = { path: "/home/ada/shop/plan.md", label: "plan.md" };
    const panel = await openPanel([
      snapshot(view([], { plans: [{ id: "p", entries: [], markdown: "# Do it", file }] })),
    ]);
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "Do it" }).click();
    await plan.getByRole("link", { name: "plan.md" }).click();
    const opened = (await panel.intents()).filter(intent => intent.type === "openFile");
    assert.deepEqual(opened, [{ type: "openFile", path: "/home/ada/shop/plan.md" }]);
  });
});

describe("a question at its tool card", () => {
  usePanel();
  const asked = view(
    [tool("c8", "npm test", { toolKind: "execute", status: "waiting" }), tool("c9", "Edit", { status: "waiting" })],
    { questions: [ask, editAsk], activity: running },
  );
  const link = (panel: PanelPage, name: string): Locator =>
    panel.log.getByRole("article", { name }).getByRole("button", { name: "Go to Question" });
  const focused = (panel: PanelPage): Promise<string> =>
    panel.page.evaluate(() => {
      const { activeElement: it } = document;
      return `${it?.closest("[role=group]")?.getAttribute("aria-label") ?? it?.getAttribute("aria-label")}`;
    });

  it("is one line, which moves the focus to the question above the composer", async () => {
    const panel = await openPanel([snapshot(asked)]);
    assert.equal(await panel.log.locator(".options, .command").count(), 0);
    assert.equal(await panel.page.getByRole("button", { name: "Reject" }).count(), 1, "the question stands once");
    assert.equal(await link(panel, "Edit").getAttribute("title"), "Go to Question (Alt+Shift+Q)");
    await link(panel, "Edit").click();
    await panel.page.getByRole("group", { name: "Edit src/sum.js?" }).waitFor();
    assert.equal(await focused(panel), "Edit src/sum.js?");
    await link(panel, "npm test").focus();
    await panel.page.keyboard.press("Enter");
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
    assert.equal(await focused(panel), "Run npm test?");
    assert.deepEqual(await answers(panel), []);
  });

  it("passes the focus of its line to the next question, and after the last to the composer", async () => {
    const panel = await openPanel([snapshot(asked)]);
    await link(panel, "npm test").focus();
    await panel.patch({ op: "head", head: { questions: [editAsk] } });
    assert.equal(await focused(panel), "Edit src/sum.js?");
    await link(panel, "Edit").focus();
    await panel.patch({ op: "head", head: { questions: [] } });
    assert.equal(await focused(panel), "Message");
  });
});

describe("the conversation", () => {
  usePanel();

  it("can reveal any entry: an early one, a folded one or one of a sub-agent", async () => {
    const talk = Array.from({ length: 300 }, (_, i) => message(`m${i}`, "agent", `Message ${i}.`));
    const nested = reads(0, 4).map(entry => ({ ...entry, id: `n${entry.id}`, parent: "s" }));
    const panel = await openPanel([snapshot(view([...reads(0, 4), tool("s", "Helper"), ...nested, ...talk]))]);
    const reveal = (id: string): Promise<boolean> =>
      panel.page.evaluate(async wanted => {
        const transcript = document.querySelector("parley-transcript") as HTMLElement & {
          reveal(id: string): Promise<HTMLElement | undefined>;
        };
        const element = await transcript.reveal(wanted);
        const box = element?.getBoundingClientRect();
        const view = transcript.getBoundingClientRect();
        return box !== undefined && box.top >= view.top - 1 && box.top < view.bottom;
      }, id);
    assert.equal(await reveal("nr2"), true);
    await panel.log.getByRole("article", { name: "Helper" }).getByRole("article", { name: "Read 2.js" }).waitFor();
    assert.equal(await reveal("r1"), true);
    assert.equal(await reveal("m299"), true);
    assert.equal(await reveal("nobody"), false);
  });

  it("moves to its first and last card with Home and End", async () => {
    const body = { toolKind: "execute", parts: [{ type: "text", text: "x" }] } as const;
    const panel = await openPanel([
      snapshot(view([tool("a", "First", body), tool("b", "Middle", body), tool("c", "Last", body)])),
    ]);
    const focused = (): Promise<string> =>
      panel.page.evaluate(() => document.activeElement?.textContent?.trim().split(/\s/)[0] ?? "");
    await panel.log.focus();
    await panel.page.keyboard.press("End");
    assert.equal(await focused(), "Last");
    await panel.page.keyboard.press("Home");
    assert.equal(await focused(), "First");
  });

  it("keeps a text selection while the answer and the entries above it change", async () => {
    const entries = [...reads(0, 2), message("m1", "agent", "The first paragraph.\n\nThe second one grows")];
    const panel = await openPanel([snapshot(view(entries, { live: "m1", activity: running }))]);
    await panel.log.getByText("The second one").waitFor();
    await panel.page.evaluate(() => {
      const paragraphs = document.querySelectorAll(".log .markdown p");
      const [from, to] = [paragraphs[0]?.firstChild, paragraphs[1]?.firstChild];
      if (from && to) getSelection()?.setBaseAndExtent(from, 4, to, 10);
    });
    const selected = (): Promise<string> =>
      panel.page.evaluate(() => getSelection()?.toString().replace(/\s+/g, " ") ?? "");
    const before = await selected();
    assert.equal(before, "first paragraph. The second");
    await panel.patch({ op: "append", id: "m1", part: 0, text: " and **grows**" });
    await panel.patch({ op: "append", id: "m1", part: 0, text: ".\n\nA third." });
    await panel.patch({ op: "put", at: 1, entry: tool("r1", "Read 1.js again") });
    await panel.patch({ op: "put", at: 3, entry: tool("r9", "Read 9.js") }, { op: "head", head: { live: null } });
    await panel.log.getByRole("article", { name: "Read 9.js" }).waitFor();
    assert.equal(await selected(), before);
  });

  it("fits 260 by 400 pixels, which is 520 by 800 at 200%", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 260, height: 400 });
    await panel.page.getByRole("group", { name: "npm ls --all" }).getByRole("button", { name: "Reject" }).click();
    await panel.composer.click();
    const wide = await panel.page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll(".log, .dock, .header")]
        .filter(box => box.scrollWidth > box.clientWidth + 1)
        .map(box => box.className || box.tagName),
    );
    assert.deepEqual(wide, []);
  });
});
