// Every kind of entry, found by the roles and names that users and screen readers use.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { ANSWER, everyEntry, message, permissions, snapshot, sumDiff, testRun, tool, view } from "./scenes.ts";

describe("entries of the transcript", () => {
  usePanel();
  const open = (...entries: Parameters<typeof view>[0]): Promise<PanelPage> => openPanel([snapshot(view(entries))]);

  it("a prompt is shown as typed, with its own heading", async () => {
    const { log } = await open(message("u1", "user", "Fix *this*\n<b>now</b>"));
    await log.getByRole("heading", { name: "You: Fix *this* <b>now</b>" }).waitFor();
    assert.equal(await log.locator(".typed").innerText(), "Fix *this*\n<b>now</b>");
  });

  it("an answer is rendered as Markdown: headings, lists, tables, tasks, code", async () => {
    const { log, page } = await open(message("m1", "agent", ANSWER));
    await log.getByRole("heading", { name: "What I changed", level: 4 }).waitFor();
    assert.equal(await log.getByRole("listitem").count(), 5);
    await log.getByRole("cell", { name: "[1, 2]" }).waitFor();
    await log.getByRole("img", { name: "Done" }).waitFor();
    await log.getByRole("img", { name: "Open" }).waitFor();
    await log.locator("pre .hljs-keyword").first().waitFor();
    await log.getByRole("button", { name: "Copy Code" }).click();
    const [intent] = await page.evaluate(() => window.play.intents.filter(each => each.type === "copy"));
    assert.ok(intent?.type === "copy" && intent.text.startsWith("export function sum(numbers) {\n"));
  });

  it("a wide table scrolls in its own box and never widens the panel", async () => {
    const wide = `| ${"column ".repeat(30)} | b |\n| - | - |\n| ${"x".repeat(300)} | 2 |`;
    const panel = await openPanel([snapshot(view([message("m1", "agent", wide)]))], { width: 280 });
    await panel.log.getByRole("table").waitFor();
    const widths = await panel.page.evaluate(() => {
      const log = document.querySelector(".log") as HTMLElement;
      const box = document.querySelector(".table") as HTMLElement;
      return { log: log.scrollWidth - log.clientWidth, box: box.scrollWidth - box.clientWidth };
    });
    assert.equal(widths.log, 0);
    assert.ok(widths.box > 0);
  });

  it("links to files and to the web send an intent with their target", async () => {
    const panel = await open(message("m1", "agent", `${ANSWER}\n\nAlso lib/deep/b.ts:7 and [mail](mailto:a@b.c).`));
    const links = panel.log.getByRole("link");
    await links.first().waitFor();
    for (const link of await links.all()) {
      assert.equal(await link.getAttribute("tabindex"), "0");
      await link.press("Enter");
    }
    assert.deepEqual(await panel.intents(), [
      { type: "openFile", path: "src/sum.js", line: 2 },
      { type: "openFile", path: "test/sum.test.js", line: 10 },
      { type: "openLink", href: "https://example.com/sums" },
      { type: "openFile", path: "lib/deep/b.ts", line: 7 },
      { type: "openLink", href: "mailto:a@b.c" },
    ]);
  });

  it("a thought is one folded line that expands to its text", async () => {
    const panel = await open(message("h1", "thought", "The **start value** is wrong.", 12));
    const fold = panel.log.getByRole("button", { name: "Thought for 12 s" });
    assert.equal(await fold.getAttribute("aria-expanded"), "false");
    assert.equal(await panel.log.getByText("start value").count(), 0);
    await fold.click();
    await panel.log.getByText("start value").waitFor();
    assert.equal(await fold.getAttribute("aria-expanded"), "true");
  });

  it("a tool card is an article named by its title, with its status as text", async () => {
    const panel = await open(...everyEntry);
    const expected = { c1: "Done", c4: "Failed", c5: "Cancelled", c6: "Pending" };
    for (const [id, word] of Object.entries(expected)) {
      const title = (everyEntry.find(entry => entry.id === id) as { title: string }).title;
      const card = panel.log.getByRole("article", { name: title, exact: true });
      assert.equal(await card.getAttribute("data-status"), word.toLowerCase());
      await card.getByText(word, { exact: true }).waitFor();
    }
  });

  it("the body of a card is built only when it is opened", async () => {
    const panel = await open(tool("c3", "Fix the start value", { toolKind: "edit", parts: [sumDiff] }));
    const card = panel.log.getByRole("article", { name: "Fix the start value" });
    await card.getByRole("img", { name: "2 lines added, 1 removed" }).waitFor();
    assert.equal(await card.locator(".diff-line").count(), 0);
    await card.getByRole("button", { name: "Fix the start value" }).click();
    assert.deepEqual(await card.locator(".diff-line.add .diff-text").allInnerTexts(), [
      "  // An empty list sums to nothing.",
      "  let total = 0;",
    ]);
    assert.deepEqual(await card.locator(".diff-line.del .diff-number").allInnerTexts(), ["2", ""]);
    await card.getByRole("button", { name: "Open Diff" }).click();
    await card.getByRole("link", { name: "src/sum.js" }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "openDiff", entry: "c3", part: 0 },
      { type: "openFile", path: "/home/ada/shop/src/sum.js" },
    ]);
  });

  it("the text of a tool is painted as it is, with the colors of its language, and grows in place", async () => {
    const text = "# One\n  *two*\n";
    const read = tool("c1", "Read it", { status: "running", parts: [{ type: "text", text, pre: {} }] });
    const code = { type: "text", text: "let a = 1;\n", pre: { language: "js" } } as const;
    const panel = await open(read, tool("c2", "Read code", { parts: [code] }));
    for (const { title } of [read, { title: "Read code" }])
      await panel.log.getByRole("button", { name: title }).click();
    const [plain, colored] = [panel.log.locator("pre").first(), panel.log.locator("pre").last()];
    assert.equal(await plain.textContent(), text);
    await colored.locator(".hljs-keyword", { hasText: "let" }).waitFor();
    await plain.evaluate(pre => getSelection()?.selectAllChildren(pre));
    await panel.patch({ op: "append", id: "c1", part: 0, text: "three" });
    await panel.log.getByText("three").waitFor();
    assert.equal(await plain.textContent(), `${text}three`);
    assert.ok((await panel.page.evaluate(() => String(getSelection()))).startsWith("# One"));
    await panel.log.getByRole("button", { name: "Copy Text" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "copy", text: `${text}three` }]);
  });

  it("a card names its file once, folded and open, and still links to it", async () => {
    const { path, label } = sumDiff;
    const read = tool("c1", `Read ${label}`, {
      toolKind: "read",
      locations: [{ path, label, line: 2 }],
      parts: [{ type: "text", text: "let total = 1;" }],
    });
    const edit = tool("c2", `Edit ${path}`, { toolKind: "edit", locations: [{ path, label }], parts: [sumDiff] });
    const other = tool("c3", "Fix the start value", {
      toolKind: "edit",
      locations: [{ path, label }],
      parts: [sumDiff],
    });
    const panel = await open(read, edit, other);
    const names = async (card: Locator): Promise<number> => (await card.innerText()).split("sum.js").length - 1;
    for (const { title } of [read, edit, other]) {
      const card = panel.log.getByRole("article", { name: title, exact: true });
      assert.equal(await names(card), 1, `${title}, folded`);
      await card.getByRole("button", { name: title }).click();
      await card.locator(".tool-body").waitFor();
      assert.equal(await names(card), 1, `${title}, open`);
    }
    await panel.log.getByRole("link", { name: `Line 2: ${label}` }).click();
    await panel.log.getByRole("link", { name: `Open File: ${label}` }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "openFile", path, line: 2 },
      { type: "openFile", path },
    ]);
  });

  it("a failed card opens automatically, and stays closed after the user closed it", async () => {
    const failed = tool("c4", "npm test", { toolKind: "execute", status: "failed", parts: [testRun] });
    const panel = await open(failed);
    const card = panel.log.getByRole("article", { name: "npm test" });
    await card.getByText("Exit code 1").waitFor();
    await card.getByRole("button", { name: "npm test" }).click();
    await panel.patch({ op: "put", at: 0, entry: { ...failed, title: "npm test again" } });
    await panel.log.getByRole("article", { name: "npm test again" }).waitFor();
    assert.equal(await panel.log.getByText("Exit code 1").count(), 0);
  });

  it("terminal output has colours and grows line by line", async () => {
    const running = tool("c4", "npm test", { toolKind: "execute", status: "failed", parts: [testRun] });
    const panel = await open(running);
    const output = panel.log.getByRole("group", { name: "Output" });
    await output.locator(".ansi-fg-red", { hasText: /^✘ an empty list sums to 0$/ }).waitFor();
    assert.ok(!(await output.innerText()).includes("\u001b"));
    await panel.patch({ op: "append", id: "c4", part: 0, text: "10 %\r20 %\r30 %" });
    await output.getByText("30 %", { exact: true }).waitFor();
    assert.equal(await output.getByText("20 %").count(), 0);
  });

  it("code in a title is shown as code, and the card keeps the whole title as its name", async () => {
    const panel = await open(tool("c1", "Run `npm test` now"));
    const card = panel.log.getByRole("article", { name: "Run `npm test` now", exact: true });
    assert.equal(await card.locator("code").innerText(), "npm test");
  });

  it("a running tool shows its elapsed time", async () => {
    const panel = await openPanel([snapshot(view([]))], { frozen: true });
    const now = await panel.page.evaluate(() => Date.now());
    await panel.patch({ op: "put", at: 0, entry: tool("c1", "Build", { status: "running", at: now }) });
    const card = panel.log.getByRole("article", { name: "Build" });
    await card.getByText("Running", { exact: true }).waitFor();
    await panel.page.clock.runFor(5000);
    await card.getByText("Running 5 s").waitFor();
  });

  it("the elapsed time of a tool that the user allowed begins with the answer", async () => {
    const panel = await openPanel([snapshot(view([]))], { frozen: true });
    const now = await panel.page.evaluate(() => Date.now());
    const allowed = tool("c1", "Build", { status: "running", at: now - 600_000, since: now });
    await panel.patch({ op: "put", at: 0, entry: allowed });
    const card = panel.log.getByRole("article", { name: "Build" });
    await panel.page.clock.runFor(5000);
    await card.getByText("Running 5 s").waitFor();
  });

  it("a card of a file outside the workspace says so, folded and open", async () => {
    const hosts = { path: "/etc/hosts", label: "/etc/hosts" };
    const parts = [{ type: "json", label: "Input", text: "{}" }] as const;
    const panel = await open(
      tool("c4", "Edit /etc/hosts", { locations: [hosts], parts, isOutside: true }),
      tool("c5", "Edit a.js", { locations: [{ path: "/x/a.js", label: "a.js" }], parts }),
    );
    const card = panel.log.getByRole("article", { name: "Edit /etc/hosts" });
    await card.getByText("Outside the workspace", { exact: true }).waitFor();
    await card.getByRole("button", { name: /Edit/ }).first().click();
    await card.getByText("Input").waitFor();
    await card.getByText("Outside the workspace", { exact: true }).waitFor();
    assert.equal(await panel.log.getByText("Outside the workspace", { exact: true }).count(), 1);
  });

  it("the input of a card is folded if it arrived as content, and otherwise open if nothing else describes the call", async () => {
    const input = { type: "json", label: "Input", text: '{"path":"a' } as const;
    const streamed = tool("c7", "Edit", { status: "running", parts: [{ ...input, folded: true }] });
    const panel = await open(streamed, tool("c8", "Look up", { parts: [input] }));
    const bodyOf = async (name: string): Promise<Locator> => {
      const card = panel.log.getByRole("article", { name });
      await card.getByRole("button", { name }).click();
      await card.getByText("Input", { exact: true }).waitFor();
      return card.locator("pre");
    };
    await (await bodyOf("Look up")).waitFor();
    const folded = await bodyOf("Edit");
    assert.equal(await folded.isVisible(), false);
    await panel.log.getByRole("article", { name: "Edit" }).getByText("Input", { exact: true }).click();
    await folded.waitFor();
  });

  it("a card is one tab stop, and arrow keys reach its controls", async () => {
    const card = tool("c2", "Search", {
      locations: ["a", "b"].map(name => ({ path: `/x/${name}.js`, label: `${name}.js` })),
      parts: [{ type: "json", label: "Input", text: "{}" }],
    });
    const panel = await open(card, tool("c3", "Next", { locations: [{ path: "/x/c.js", label: "c.js" }] }));
    await panel.log.focus();
    const focused = (): Promise<string> => panel.page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    await panel.page.keyboard.press("Tab");
    assert.match(await focused(), /^Search/);
    await panel.page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "a.js");
    await panel.page.keyboard.press("End");
    assert.equal(await focused(), "b.js");
    await panel.page.keyboard.press("Tab");
    assert.equal(await focused(), "c.js");
    await panel.page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "b.js");
  });

  it("notices, compactions, problems and turn ends are rows with a description", async () => {
    const panel = await open(...everyEntry);
    await panel.log.getByText("The model is busy.").waitFor();
    await panel.log.getByRole("button", { name: "Summarized the conversation to free up context" }).click();
    await panel.log.getByText("We fixed sum.").waitFor();
    await panel.log.getByText("Stopped", { exact: true }).waitFor();
    const problem = panel.log.getByRole("group", { name: "Problem" });
    await problem.getByText("its daily limit is used up").waitFor();
    await problem.getByText("retry after 3600 s").waitFor();
    await problem.getByRole("button", { name: "Retry" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "nextStep", step: "retry" }]);
  });

  it("every reason for the end of a turn has its words", async () => {
    const reasons = [
      ["cancelled", "Stopped"],
      ["max_tokens", "The agent stopped because its answer reached the length limit. Send “continue” to resume."],
      [
        "max_turn_requests",
        "The agent stopped because it reached the step limit for one prompt. Send “continue” to resume.",
      ],
      [
        "refusal",
        "The agent declined to answer. Your message and everything after it are no longer part of the conversation.",
      ],
      ["error", "The turn ended with an error."],
      ["end_turn", "Finished"],
      ["bored", "The agent stopped: bored"],
    ] as const;
    const ends = reasons.map(([stopReason]) => ({ id: stopReason, kind: "turnEnd", stopReason, at: 0 }) as const);
    const panel = await open(...ends);
    assert.deepEqual(
      (await panel.log.locator(".row").allInnerTexts()).map(text => text.trim()),
      reasons.map(([, words]) => words),
    );
  });

  it("the end of a cancelled turn says that it was stopped only if the user pressed Stop", async () => {
    const end = { kind: "turnEnd", stopReason: "cancelled", at: 0 } as const;
    const panel = await open({ ...end, id: "a", unrequested: true }, { ...end, id: "b" });
    const rows = await panel.log.locator(".row").allInnerTexts();
    assert.deepEqual(
      rows.map(text => text.trim()),
      ["The turn was cancelled.", "Stopped"],
    );
  });

  it("a prompt that waits for the sign-in is not called a lost part of the conversation", async () => {
    const panel = await open({ ...message("u1", "user", "Do it"), excluded: true, unsent: true });
    await panel.log.getByText("Not answered, because the agent required a sign-in", { exact: true }).waitFor();
    assert.equal(await panel.log.getByText("No longer part").count(), 0);
  });

  it("entries of a refused turn are marked, and the prompt says why", async () => {
    const refused = [
      message("u1", "user", "Do it"),
      tool("t1", "Look"),
      message("a1", "agent", "No."),
      { id: "e1", kind: "turnEnd", stopReason: "refusal", at: 0 } as const,
    ];
    const panel = await open(...refused, message("u2", "user", "Do it, please"));
    const marked = panel.log.locator("[data-excluded]");
    const note = panel.log.getByText("No longer part of the conversation", { exact: true });
    assert.deepEqual([await marked.count(), await note.count()], [0, 0]);
    const patches = refused.map((entry, at) => ({ op: "put", at, entry: { ...entry, excluded: true } }) as const);
    await panel.patch(...patches);
    await note.waitFor();
    assert.equal(await marked.count(), refused.length);
    assert.equal(await marked.filter({ hasText: "please" }).count(), 0);
  });

  it("a retry of the agent is a row without a severity", async () => {
    const notice = { kind: "notice", severity: "info", title: "Reconnecting 1/5", at: 0 } as const;
    const panel = await open({ ...notice, id: "n1", retry: true }, { ...notice, id: "n2", title: "A note" });
    assert.equal(await panel.log.locator(".row", { hasText: "Reconnecting" }).getAttribute("data-severity"), null);
    assert.equal(await panel.log.locator(".row", { hasText: "A note" }).getAttribute("data-severity"), "info");
    assert.equal(await panel.log.getByRole("group", { name: "Problem" }).count(), 0);
  });

  it("a retry of the agent is hidden once the turn goes on", async () => {
    const notice = {
      kind: "notice",
      id: "n1",
      severity: "info",
      title: "Reconnecting 1/5",
      retry: true,
      at: 0,
    } as const;
    const panel = await open(notice);
    const row = panel.log.getByText("Reconnecting 1/5");
    await row.waitFor();
    await panel.patch({ op: "put", at: 0, entry: { ...notice, over: true } });
    await row.waitFor({ state: "hidden" });
  });

  it("a notice about another session has a button that shows it", async () => {
    const link = { session: "s1", relation: "continues", title: "Fix sum", agentName: "Claude" } as const;
    const title = "Continues “Fix sum” (Claude).";
    const panel = await open({ kind: "notice", id: "n1", severity: "info", title, link, at: 0 });
    await panel.log.getByText(title).waitFor();
    await panel.log.getByRole("button", { name: "Show the session “Fix sum”" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "showSession", id: "s1" }]);
  });

  it("the problem of a failed turn offers to continue with another agent", async () => {
    const problem = { message: "The model is gone.", next: [] };
    const panel = await open(message("u1", "user", "Go"), { kind: "problem", id: "p1", problem, at: 0 });
    const group = panel.log.getByRole("group", { name: "Problem" });
    await group.getByRole("button", { name: "Continue With…" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "nextStep", step: "continueWith" }]);
  });

  it("a problem offers no next steps after the conversation has continued", async () => {
    const panel = await open(...everyEntry, message("u9", "user", "Again"));
    const problem = panel.log.getByRole("group", { name: "Problem" });
    await problem.waitFor();
    assert.equal(await problem.getByRole("button").count(), 0);
  });

  it("images, embedded files and unknown content are each shown", async () => {
    const panel = await open(...everyEntry);
    const image = panel.log.getByRole("button", { name: "Enlarge chart.png" });
    assert.ok((await image.locator("img").evaluate(img => (img as HTMLImageElement).naturalWidth)) > 0);
    await panel.log.getByText("notes.md", { exact: true }).click();
    await panel.log.getByText("# Notes").waitFor();
    await panel.log.getByText("Unsupported content: hologram").waitFor();
    await panel.assertClean();
  });

  it("a tool call and a notice show a rule's decision, with a button that opens the rules", async () => {
    const panel = await openPanel([snapshot(permissions)]);
    const card = panel.log.getByRole("article", { name: "npm test" });
    await card.getByText("Allowed by rule: allow command “npm test”").waitFor();
    await card.getByRole("button", { name: "Rules" }).press("Enter");
    await panel.log.getByText("Refused by rule: deny path “**/.env*”").waitFor();
    await panel.log.getByRole("button", { name: "Rules" }).last().click();
    assert.deepEqual((await panel.intents()).slice(-2), [
      { type: "manageRules", decision: "Allowed by rule: allow command “npm test”" },
      {
        type: "manageRules",
        decision: "Demo Agent wants to read .env, which may hold secrets. Refused by rule: deny path “**/.env*”",
      },
    ]);
  });

  it("a file that is unsaved or differs from the disk is listed with actions", async () => {
    const panel = await openPanel([snapshot(permissions)]);
    await panel.log.getByRole("group", { name: "Not saved because of your unsaved changes:" }).waitFor();
    for (const name of [
      "Save: src/sum.js",
      "Compare: src/members.js",
      "Use Agent's Version: src/members.js",
      "Keep Mine: src/members.js",
    ]) {
      await panel.log.getByRole("button", { name }).click();
    }
    const settled = (await panel.intents()).filter(intent => intent.type === "settleFile");
    const [sum, members] = ["/home/ada/shop/src/sum.js", "/home/ada/shop/src/members.js"];
    assert.deepEqual(settled, [
      { type: "settleFile", path: sum, how: "save" },
      { type: "settleFile", path: members, how: "compare" },
      { type: "settleFile", path: members, how: "take" },
      { type: "settleFile", path: members, how: "keep" },
    ]);
  });
});
