// Prompts of MCP servers in the panel: long lists, hostile texts, completions, previews, and the list of servers.
import assert from "node:assert/strict";
import type { ViewPrompt, ViewQuestion } from "../../src/panel/protocol.ts";
import { openPanel, picture, usePanel } from "./panelPage.ts";
import { snapshot, view } from "./scenes.ts";

const script = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>\u202E";
const prompts = (count: number): readonly ViewPrompt[] =>
  Array.from({ length: count }, (_, at) => ({ name: `s:p${at}`, description: `Prompt number ${at}` }));
const servers = [{ name: "s", detail: "run", on: true, state: "ready" }] as const;
const ask = (more: Partial<ViewQuestion>): ViewQuestion => ({
  id: "q",
  title: "/s:p",
  parts: [],
  locations: [],
  options: [],
  origin: "From the MCP server s.",
  ...more,
});

describe("prompts of MCP servers in the panel", () => {
  usePanel();

  it("are found among a thousand, are used instead of inserted, and start their servers once", async () => {
    const panel = await openPanel([snapshot(view([], { prompts: prompts(1000), mcpServers: servers }))]);
    await panel.composer.click();
    await panel.page.keyboard.type("/");
    const list = panel.page.getByRole("listbox", { name: "Commands" });
    await panel.page.getByText("900 more. Type to find them.").waitFor();
    assert.equal(await list.getByRole("option").count(), 100);
    await panel.page.keyboard.type("p987");
    await list.getByRole("option", { name: /s:p987/ }).waitFor();
    await panel.page.keyboard.press("Enter");
    assert.equal(await panel.composer.inputValue(), "");
    const used = (await panel.intents()).filter(({ type }) => type === "listPrompts" || type === "usePrompt");
    assert.deepEqual(
      used.map(({ type }) => type),
      ["listPrompts", "usePrompt"],
    );
    assert.ok(used[1]?.type === "usePrompt" && used[1].prompt === "s:p987" && used[1].text === "");
  });

  it("open again once the server that the user allowed starts, although another server changes during the dialog", async () => {
    const rows = (description: string, kind: "allow" | "wait"): readonly ViewPrompt[] => [
      { name: "s", description, action: { server: "s", kind } },
    ];
    const shown = (prompts: readonly ViewPrompt[]): ReturnType<typeof snapshot> =>
      snapshot(view([], { prompts, mcpServers: servers }));
    const panel = await openPanel([shown(rows("Start this MCP server", "allow"))]);
    await panel.composer.click();
    await panel.page.keyboard.type("/");
    const list = panel.page.getByRole("listbox", { name: "Commands" });
    await list.getByRole("option", { name: /Start this MCP server/ }).click();
    // The dialog takes the focus.
    await panel.composer.evaluate((box: HTMLElement) => box.blur());
    await list.waitFor({ state: "hidden" });
    await panel.post(shown([...rows("Start this MCP server", "allow"), { name: "other:p", description: "" }]));
    assert.equal(await list.isVisible(), false);
    await panel.post(shown([...rows("Starting…", "wait"), { name: "other:p", description: "" }]));
    await list.getByRole("option", { name: /Starting…/ }).waitFor();
    await panel.post(
      shown([
        { name: "s:p", description: "" },
        { name: "other:p", description: "" },
      ]),
    );
    await list.getByRole("option", { name: /s:p/ }).waitFor();
    // The list opens for the start of the server only.
    await panel.composer.evaluate((box: HTMLElement) => box.blur());
    await panel.post(
      shown([
        { name: "s:p", description: "" },
        { name: "s:q", description: "" },
      ]),
    );
    assert.equal(await list.isVisible(), false);
  });

  it("never run what a server sends, in any field", async () => {
    const hostile = ask({
      title: script,
      origin: script,
      preview: { sections: [{ role: "assistant", parts: [{ type: "text", text: script }] }], notes: [script] },
    });
    const shown = view([], {
      questions: [hostile],
      prompts: [{ name: script, description: script, hint: script }],
      mcpServers: [{ name: script, detail: script, on: true, state: "failed", reason: script }],
    });
    const panel = await openPanel([snapshot(shown)]);
    await panel.page.getByRole("button", { name: /MCP servers/ }).click();
    const dialog = panel.page.getByRole("dialog", { name: "MCP servers" });
    await dialog.getByText("Failed").waitFor();
    assert.equal(await panel.page.locator("parley-preview img, parley-servers img, parley-composer img").count(), 0);
    assert.notEqual(await panel.page.title(), "hacked");
    const text = await panel.page.locator("parley-preview .preview-text").innerText();
    assert.ok(text.includes("<script>") && text.includes("[U+202E]"), text);
  });

  it("complete an argument with the values for exactly what is typed", async () => {
    const form = {
      message: "/s:p",
      fields: [{ type: "text", name: "a", title: "a", required: true, completes: true }],
    } as const;
    const panel = await openPanel([snapshot(view([], { questions: [ask({ form })] }))]);
    const box = panel.page.getByRole("combobox", { name: "a (required)" });
    await box.click();
    await panel.page.keyboard.type("Sa");
    await panel.post({ type: "argumentValues", question: "q", field: "a", typed: "S", values: ["Support"] });
    await panel.post({ type: "argumentValues", question: "q", field: "a", typed: "Sa", values: ["Sales", "Salt"] });
    await panel.page.getByRole("option", { name: "Salt" }).waitFor();
    assert.equal(await panel.page.getByRole("option", { name: "Support" }).count(), 0);
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("ArrowDown");
    // Keys of an input method choose its words, not the values.
    for (const key of [{ isComposing: true }, { keyCode: 229 }]) {
      await box.evaluate((element, init) => {
        for (const name of ["ArrowUp", "Enter", "Escape"])
          element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...init }));
      }, key);
    }
    assert.equal(await box.inputValue(), "Sa");
    await panel.page.keyboard.press("Enter");
    assert.equal(await box.inputValue(), "Salt");
  });

  it("close the list of servers with Escape and by a click elsewhere, also after a button in it has gone", async () => {
    const waiting = [{ name: "s", detail: "run", on: true, state: "notAllowed" }] as const;
    const panel = await openPanel([snapshot(view([], { mcpServers: waiting }))]);
    const list = panel.page.getByRole("dialog", { name: "MCP servers" });
    const open = panel.page.getByRole("button", { name: "MCP servers: 1 of 1 on" });
    await open.click();
    await list.getByRole("button", { name: "Allow s" }).click();
    await panel.show(view([], { mcpServers: servers }));
    await list.getByText("Ready").waitFor();
    await panel.page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await open.click();
    await list.waitFor();
    await panel.page.mouse.click(5, 5);
    await list.waitFor({ state: "hidden" });
  });

  for (const [theme, width] of [
    ["dark", 480],
    ["light", 280],
  ] as const)
    it(`offer to sign in and out, and to give the agent the sign-in (${theme}, ${width})`, async () => {
      const row = { detail: "https://tickets.example.com/mcp", on: true } as const;
      const reason = "The server requires you to sign in.";
      const shown = [
        { ...row, name: "needed", state: "signInNeeded", reason },
        { ...row, name: "waiting", state: "signingIn" },
        { ...row, name: "kept", state: "ready", signedIn: "kept" },
        { ...row, name: "given", state: "ready", signedIn: "given", pending: true },
        { ...row, name: "alone", state: "stopped", signedIn: "alone" },
      ] as const;
      const panel = await openPanel([snapshot(view([], { mcpServers: shown }))], { theme, width, height: 700 });
      await panel.page.getByRole("button", { name: "MCP servers: 5 of 5 on" }).click();
      const list = panel.page.getByRole("dialog", { name: "MCP servers" });
      for (const [name, server, action] of [
        ["Sign in to needed", "needed", "signIn"],
        ["Cancel the sign-in to waiting", "waiting", "cancelSignIn"],
        [/^Give .* the sign-in to kept$/, "kept", "giveSignIn"],
        [/^Don't give .* the sign-in to given$/, "given", "keepSignIn"],
        ["Sign out of alone", "alone", "signOut"],
      ] as const) {
        await list.getByRole("button", { name }).click();
        assert.deepEqual((await panel.intents()).at(-1), { type: "signInToServer", server, action });
      }
      assert.equal(await list.getByRole("button", { name: /^Sign out/ }).count(), 3);
      await picture(panel, `mcp-sign-in-${theme}-${width}`);
      await panel.assertClean();
    });

  it("switch a server off, and say when that takes effect", async () => {
    const off = [{ name: "s", detail: "run", on: false, pending: true, state: "stopped" }] as const;
    const panel = await openPanel([snapshot(view([], { mcpServers: servers }))]);
    await panel.page.getByRole("button", { name: "MCP servers: 1 of 1 on" }).click();
    await panel.page.getByRole("checkbox", { name: /^s/ }).click();
    const last = (await panel.intents()).at(-1);
    assert.ok(last?.type === "setMcpServer" && last.server === "s" && last.action === "off");
    await panel.show(view([], { mcpServers: off }));
    await panel.page.getByText(/takes effect when .* opens its next session/).waitFor();
  });
});
