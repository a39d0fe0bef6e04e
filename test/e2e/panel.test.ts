// The parts of the panel in the real VS Code, each operated by mouse and by keyboard, with content from the protocol.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

type Step = Readonly<Record<string, unknown>>;

const update = (fields: Step): Step => ({ update: fields });
const call = (toolCallId: string, title: string, more: Step = {}): Step =>
  update({ sessionUpdate: "tool_call", toolCallId, title, kind: "read", status: "completed", ...more });
const bySubAgent = { _meta: { anyAgent: { parentToolUseId: "helper" } } };

const steps: readonly Step[] = [
  update({
    sessionUpdate: "plan",
    entries: [
      { content: "Look around", priority: "high", status: "completed" },
      { content: "Ask a helper", priority: "low", status: "in_progress" },
    ],
  }),
  ...["sum", "members", "index"].map(name => call(name, `Read src/${name}.js`)),
  update({
    ...{ sessionUpdate: "tool_call", toolCallId: "helper", title: "Look at the tests", kind: "think" },
    status: "in_progress",
  }),
  call("inner", "List the tests", { kind: "execute", ...bySubAgent }),
  update({
    ...{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I **count** them." } },
    ...bySubAgent,
  }),
  {
    permission: {
      toolCall: {
        ...{ toolCallId: "run", title: "Run the tests", kind: "execute", status: "pending" },
        ...{ rawInput: { command: "node --test" }, ...bySubAgent },
      },
    },
    as: "first",
    background: true,
  },
  {
    permission: { toolCall: { toolCallId: "edit", title: "Edit a file", kind: "edit", status: "pending" } },
    as: "second",
    background: true,
  },
  { await: "first" },
  { await: "second" },
  { echo: "second" },
];

describe("the parts of the panel", () => {
  it("work by mouse and by keyboard", async function () {
    const files = { "parts.json": JSON.stringify({ steps }), "src/sum.js": "" };
    const { page, panel, errors } = await sharedWorkbench(files);
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });

    // An earlier test can have chosen the agent in this window, which folds the list.
    const chosen = log.getByRole("list", { name: "Agents" }).getByRole("button", { pressed: true });
    await chosen.or(log.locator("summary")).first().waitFor();
    await composer.fill("#script parts.json");
    await composer.press("Enter");

    // The line of the permission request on its card inside the card of the sub-agent, which opened by itself.
    const helper = log.getByRole("article", { name: "Look at the tests" });
    const inner = helper.getByRole("article", { name: "Run the tests" });
    await inner.getByRole("button", { name: "Go to Question" }).waitFor();
    await scene(page, "panel-parts");
    await helper.getByText("I count them.").waitFor();
    await inner.getByRole("button", { name: "Go to Question" }).click();
    const first = panel.locator("parley-question");
    await waitForFocusIn(first);
    await first
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();

    // The next one by keyboard, with the focus that moved to it.
    const second = panel.getByRole("group", { name: "Edit a file" });
    await second.waitFor();
    await waitForFocusIn(second);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    // The result of the last option, Reject.
    await log.getByText("reject").first().waitFor();

    await foldsAndOpens(
      log.getByRole("button", { name: "Read 3 files" }),
      log.getByRole("article", { name: "Read src/sum.js" }),
    );
    await foldsAndOpens(
      panel.getByRole("region", { name: "Plan" }).getByRole("button", { name: "1/2 · Ask a helper" }),
      panel.getByText("Low priority"),
    );
    await foldsAndOpens(
      helper.getByRole("button", { name: /^Look at the tests/ }),
      helper.getByRole("article", { name: "List the tests" }),
    );

    await namesTheSession(panel);
    await usesTheMenu(panel);
    await page.keyboard.press("Escape");

    // The session moves to a tab, and the view offers a new one.
    await showsPlacesOfTheWindow(page, panel);
    await chooseInHeader(panel, "Open in Editor");
    const tab = panelIn(page, ':not([src*="purpose=webviewView"])');
    const view = panelIn(page, '[src*="purpose=webviewView"]');
    await tab.getByRole("heading", { name: "By keyboard", level: 1 }).waitFor();
    await tab.getByRole("textbox", { name: "Message" }).press("F2");
    await tab.getByRole("textbox", { name: "Session title" }).fill("In the tab");
    await tab.getByRole("textbox", { name: "Session title" }).press("Enter");
    await tab.getByRole("heading", { name: "In the tab", level: 1 }).waitFor();
    await view.getByRole("heading", { name: "New Conversation", level: 1 }).waitFor();
    assert.deepEqual(errors, []);
  });
});

/** One of several panels, by its container. */
const panelIn = (page: Page, holder: string): FrameLocator =>
  page
    .frameLocator(`iframe.webview.ready[src*="extensionId=parley.parley&"]${holder}`)
    .frameLocator("iframe#active-frame");

/** Toggles the part by mouse and then by keyboard, so that it ends in its initial state. */
async function foldsAndOpens(control: Locator, inside: Locator): Promise<void> {
  const wasOpen = (await control.getAttribute("aria-expanded")) === "true";
  const state = (open: boolean): "visible" | "hidden" => (open ? "visible" : "hidden");
  await control.click();
  await inside.waitFor({ state: state(!wasOpen) });
  await control.press("Enter");
  await inside.waitFor({ state: state(wasOpen) });
}

async function namesTheSession(panel: FrameLocator): Promise<void> {
  const input = panel.getByRole("textbox", { name: "Session title" });
  await panel.getByRole("heading", { level: 1 }).hover();
  await panel.getByRole("button", { name: "Rename Session" }).click();
  await input.fill("By mouse");
  await input.press("Enter");
  await panel.getByRole("heading", { name: "By mouse", level: 1 }).waitFor();
  await panel.getByRole("textbox", { name: "Message" }).press("F2");
  await input.fill("By keyboard");
  await input.press("Enter");
  await panel.getByRole("heading", { name: "By keyboard", level: 1 }).waitFor();
}

async function usesTheMenu(panel: FrameLocator): Promise<void> {
  const button = panel.getByRole("button", { name: "More Actions" });
  const menu = panel.getByRole("menu", { name: "More Actions" });
  await button.click();
  await menu.getByRole("menuitem", { name: "Copy Conversation as Markdown" }).waitFor();
  await button.press("Escape");
  await menu.waitFor({ state: "hidden" });
  await button.press("Enter");
  await menu.getByRole("menuitem", { name: "Rename Session" }).press("c");
  await menu.getByRole("menuitem", { name: "Copy Conversation as Markdown" }).press("Enter");
  await menu.waitFor({ state: "hidden" });
}

const chooseInHeader = async (panel: FrameLocator, action: string): Promise<void> => {
  await panel.getByRole("button", { name: "More Actions" }).click();
  await panel.getByRole("menu", { name: "More Actions" }).getByRole("menuitem", { name: action }).click();
};

/** The header of the panel is the only one with actions: it shows what the menus of VS Code's header would show. */
async function showsPlacesOfTheWindow(page: Page, panel: FrameLocator): Promise<void> {
  const header = page.locator(".part.sidebar .pane-header");
  const named = (name: string): Locator => page.locator(`.part.sidebar .pane-header[aria-label^="${name}"]`);
  await named("Chat").hover();
  assert.equal(await named("Chat").locator(".action-label").count(), 0);
  await panel.getByRole("button", { name: "Session History" }).click();
  const list = page.locator(".quick-input-widget");
  await list.getByText("Switch Session", { exact: true }).waitFor();
  await list.locator(".monaco-list-row", { hasText: "By keyboard" }).first().waitFor();
  await list.locator("input").first().press("Escape");
  await list.waitFor({ state: "hidden" });
  for (const name of ["Sessions", "Changes"]) {
    const view = named(name);
    const isOpen = (await view.getAttribute("aria-expanded")) === "true";
    if (isOpen) await view.click();
    await page.locator(`.part.sidebar .pane-header[aria-label^="${name}"][aria-expanded="false"]`).waitFor();
    await chooseInHeader(panel, `Show ${name}`);
    await page.locator(`.part.sidebar .pane-header[aria-label^="${name}"][aria-expanded="true"]`).waitFor();
    if (!isOpen) await view.click();
  }
  assert.equal(await header.count(), 3);
  await scene(page, "one-header");
}

async function waitForFocusIn(element: Locator): Promise<void> {
  await element.locator(":focus").waitFor();
}
