// The empty conversation: the agents to choose from, recent sessions and example prompts.
import assert from "node:assert/strict";
import type { ViewAgent, ViewHead, ViewRecentSession } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { snapshot, view } from "./scenes.ts";

const agents: readonly ViewAgent[] = [
  { id: "demo", name: "Demo Agent", description: "Bundled with Parley. Needs no key and no network.", icon: "beaker" },
  { id: "claude", name: "Claude Agent", description: "Anthropic's coding agent" },
  { id: "codex", name: "Codex", description: "OpenAI's coding agent" },
  { id: "gemini", name: "Gemini CLI", description: "Google's coding agent" },
  { id: "opencode", name: "OpenCode", description: "Open-source agent for many models" },
  { id: "qwen", name: "Qwen Code", description: "Alibaba's coding agent" },
  { id: "copilot", name: "GitHub Copilot", description: "GitHub's coding agent" },
  { id: "goose", name: "goose", description: "Open-source agent for many models" },
];
const recent: readonly ViewRecentSession[] = ["Fix the sum", "Plan a release", "Explain the parser"].map(
  (title, index) => ({ id: `s${index}`, title, agentName: "Demo Agent", status: "idle", updated: 1 }),
);

const openEmpty = (head: Partial<ViewHead> = {}, width = 480): Promise<PanelPage> =>
  openPanel([snapshot(view([], { agents, agent: agents[0] ?? null, recent, ...head }))], { width, height: 900 });

describe("an empty conversation", () => {
  usePanel();

  for (const width of [280, 480, 900]) {
    it(`fits 900 pixels with eight agents and three recent sessions, ${width} pixels wide`, async () => {
      const panel = await openEmpty({}, width);
      await panel.page.getByRole("button", { name: "Run the tests" }).waitFor();
      const log = await panel.log.evaluate(each => ({ all: each.scrollHeight, visible: each.clientHeight }));
      assert.ok(log.all <= log.visible, `${log.all} of ${log.visible} pixels`);
    });
  }

  it("lists each agent with what it is, whether it is there, and its last sign-in, also after a problem", async () => {
    const problem = { message: "Could not start Codex: `npx` was not found.", detail: "/usr/bin", next: [] };
    const panel = await openEmpty({
      problem,
      agents: [
        { id: "a", name: "Alpha", description: "Coding agent by A", presence: "installed", signIn: "done" },
        { id: "b", name: "Beta", description: "Coding agent by B", presence: "downloads", package: "b-cli@1.2.3" },
        { id: "c", name: "Gamma", presence: "notFound", signIn: "needed" },
      ],
    });
    const list = panel.log.getByRole("list", { name: "Agents" });
    assert.deepEqual(await list.getByRole("button").allInnerTexts(), [
      "A\nAlpha\nCoding agent by A\nInstalled · Signed in",
      "B\nBeta\nCoding agent by B\nNot downloaded",
      "G\nGamma\nNot found · Sign-in needed",
    ]);
    assert.equal(
      await list.getByRole("button", { name: /^Beta/ }).getAttribute("title"),
      "Coding agent by B · b-cli@1.2.3",
    );
    const card = panel.page.getByRole("group", { name: "Problem" });
    assert.equal(await card.getByText("/usr/bin").isVisible(), false);
    const [above, below] = [await card.boundingBox(), await list.boundingBox()];
    assert.ok(above && below && above.y + above.height <= below.y, "the problem is above the list");
    assert.equal(await panel.page.getByRole("group", { name: "Example prompts" }).count(), 0);
  });

  it("folds the agents to one line after the choice of the user, and again after another choice", async () => {
    const panel = await openEmpty();
    const list = panel.log.getByRole("list", { name: "Agents" });
    await list.getByRole("button", { name: /^Codex/ }).click();
    assert.deepEqual(await panel.intents(), [{ type: "selectAgent", agent: "codex" }]);
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await panel.patch({ op: "head", head: { agent: { id: "codex", name: "Codex", isChosen: true } } });
    await list.waitFor({ state: "hidden" });
    const line = panel.log.locator("summary", { hasText: "Codex" });
    assert.ok(((await line.boundingBox())?.height ?? 0) < 40);
    await line.focus();
    await panel.page.keyboard.press("Enter");
    await list.getByRole("button", { name: /^goose/ }).click();
    await panel.patch({ op: "head", head: { agent: { id: "goose", name: "goose", isChosen: true } } });
    await list.waitFor({ state: "hidden" });
  });

  it("chooses the agent that is marked by Enter, and folds the list without another session once it is chosen", async () => {
    const panel = await openEmpty({ agent: { id: "codex", name: "Codex" } });
    const list = panel.log.getByRole("list", { name: "Agents" });
    await list.getByRole("button", { name: /^Codex/, pressed: true }).focus();
    await panel.page.keyboard.press("Enter");
    const choice = [{ type: "selectAgent", agent: "codex" }];
    assert.deepEqual(await panel.intents(), choice);
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await panel.patch({ op: "head", head: { agent: { id: "codex", name: "Codex", isChosen: true } } });
    await panel.log.locator("summary", { hasText: "Codex" }).focus();
    await panel.page.keyboard.press("Enter");
    await list.getByRole("button", { name: /^Codex/, pressed: true }).click();
    await list.waitFor({ state: "hidden" });
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    assert.deepEqual(await panel.intents(), choice);
  });

  it("has a card with only the ways to sign in, and folds the rest", async () => {
    const signIn = [
      { id: "web", name: "Log in with a browser" },
      { id: "key", name: "Use an API key" },
    ];
    const problem = { message: "Codex needs you to sign in.", detail: "refused", next: ["retry"] as const, signIn };
    const agent = { id: "codex", name: "Codex", isChosen: true as const };
    const panel = await openEmpty({ problem, agent });
    const card = panel.page.getByRole("group", { name: "Problem" });
    const names = (): Promise<string[]> => card.getByRole("button").allInnerTexts();
    assert.deepEqual(await names(), ["Log in with a browser", "Use an API key"]);
    assert.equal(await card.getByText("refused").isVisible(), false);
    await panel.log.getByRole("list", { name: "Agents" }).waitFor({ state: "hidden" });
    await card.getByText("Details", { exact: true }).click();
    await card.getByText("refused").waitFor();
    assert.deepEqual(await names(), ["Log in with a browser", "Use an API key", "Retry"]);
    await card.getByRole("button", { name: "Use an API key" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "signIn", method: "key" }]);
  });
});
