// The page of permission rules: list, test, add, edit, delete and undo, by mouse and by keyboard. The host is a list in
// memory with the code that the extension uses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Locator } from "playwright-core";
import { isRulesIntent, type RulesIntent, type RulesMessage } from "../../src/panel/rulesPage.ts";
import { changedList, rowsOf, undoOf, valueOf, type RuleChange } from "../../src/permissions/ruleLists.ts";
import { ruleProblem } from "../../src/permissions/ruleProblems.ts";
import { questionFor, testRules } from "../../src/permissions/ruleTest.ts";
import { readRules, type Rule } from "../../src/permissions/rules.ts";
import { jsonEqual } from "../../src/base/jsonEqual.ts";
import { gate } from "../support/fakes/accessGate.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";

/** The host of the page. */
class RulesHost {
  readonly lists: { user: readonly unknown[]; workspace: readonly unknown[] };
  readonly intents: RulesIntent[] = [];
  readonly #done: RuleChange[] = [];
  panel: PanelPage | undefined;

  constructor(user: readonly unknown[], workspace: readonly unknown[] = []) {
    this.lists = { user, workspace };
  }

  async receive(message: unknown): Promise<void> {
    assert.ok(isRulesIntent(message), JSON.stringify(message));
    this.intents.push(message);
    switch (message.type) {
      case "ready":
        return this.show();
      case "test":
        return this.post({ type: "tested", request: message.request, results: await this.#test(message) });
      case "save": {
        const { request, scope, row, fields } = message;
        const after = valueOf(fields);
        const wrong = ruleProblem(after);
        if (wrong !== undefined) return this.post({ type: "saved", request, problem: `The rule ${wrong}.` });
        const found = row === undefined ? undefined : this.#find(row);
        if (row !== undefined && !found)
          return this.post({ type: "saved", request, problem: "It was changed elsewhere." });
        await this.#change({ scope, index: this.lists[scope].length, ...found, after });
        const saved = rowsOf(scope, this.lists[scope]).find((_, index) => jsonEqual(this.lists[scope][index], after));
        return this.post({ type: "saved", request, ...(saved && { row: saved.id }) });
      }
      case "delete": {
        const found = this.#find(message.row);
        if (!found) return this.post({ type: "changed", problem: "It was changed elsewhere." });
        await this.#change(found);
        return this.post({ type: "changed" });
      }
      case "undo": {
        const last = this.#done.pop();
        assert.ok(last);
        const change = undoOf(last);
        await this.#change(change);
        this.#done.pop();
        await this.show();
        const back =
          change.after === undefined ? undefined : rowsOf(change.scope, this.lists[change.scope])[change.index];
        return this.post({ type: "changed", ...(back && { row: back.id }) });
      }
      case "openSettings":
        return;
      default:
        message satisfies never;
    }
  }

  async show(): Promise<void> {
    const rows = (["user", "workspace"] as const).flatMap(scope => rowsOf(scope, this.lists[scope]));
    const isChanged = this.#done.length > 0;
    await this.post({ type: "rules", view: { rows, ...(isChanged && { undo: "Changed: a rule" }) } });
  }

  async post(message: RulesMessage): Promise<void> {
    await this.panel?.page.evaluate(sent => window.play.post(sent), message);
  }

  async #change(change: RuleChange): Promise<void> {
    const list = changedList(this.lists[change.scope], change);
    assert.ok(list);
    this.lists[change.scope] = list;
    this.#done.push(change);
    await this.show();
  }

  #find(row: string) {
    for (const scope of ["user", "workspace"] as const) {
      const index = rowsOf(scope, this.lists[scope]).findIndex(({ id }) => id === row);
      if (index >= 0) return { scope, index, before: this.lists[scope][index] };
    }
    return undefined;
  }

  async #test(request: RulesIntent & { readonly type: "test" }) {
    const question = questionFor(request, "/home/me");
    if (typeof question === "string") return [{ effect: "ask", text: question, isHint: true } as const];
    const all = [...this.lists.user, ...this.lists.workspace];
    const set = readRules(all);
    const { policy } = gate({ rules: set.rules });
    const rows = (["user", "workspace"] as const).flatMap(scope => rowsOf(scope, this.lists[scope]));
    const rowOf = (rule: Rule) => rows[all.findIndex(one => jsonEqual(one, rule))]?.id;
    return testRules(question, set, asked => policy.evaluate(asked), rowOf);
  }
}

const npmTest = { effect: "allow", command: ["npm test", "npm run *"] };
const noRm = { effect: "deny", command: "rm" };
const askPush = { effect: "ask", command: "git push" };
const edits = { effect: "allow", kind: "edit", path: "src/**", agent: "claude" };
const wrong = { effect: "deny", comand: "rm" };

async function openRules(host: RulesHost, options: Options = {}): Promise<PanelPage> {
  const panel = await openPanel([], { ...options, page: "rules", host: message => void host.receive(message) });
  host.panel = panel;
  // The page can ask for its rules before the test knows the page.
  await host.show();
  await panel.page.getByRole("heading", { level: 1 }).waitFor();
  return panel;
}

const rule = (panel: PanelPage, text: string): Locator => panel.page.getByRole("listitem").filter({ hasText: text });
const button = (panel: PanelPage, name: string | RegExp): Locator => panel.page.getByRole("button", { name });

describe("the page of permission rules", () => {
  usePanel();

  it("lists the rules of both scopes in full, with their problems", async () => {
    const long = `${"x".repeat(400)}/**`;
    const panel = await openRules(
      new RulesHost([npmTest, wrong, { effect: "allow", kind: "read", path: long }], [noRm]),
    );
    const everywhere = panel.page.getByRole("region", { name: "Everywhere (user settings)" });
    assert.equal(await everywhere.getByRole("listitem").count(), 3);
    await everywhere
      .getByRole("listitem")
      .filter({ hasText: "npm run *" })
      .getByText("Allow", { exact: true })
      .waitFor();
    await everywhere
      .getByText(/^Permission rule 2 .* has an unknown field “comand”\. Did you mean “command”\?$/)
      .waitFor();
    await everywhere.getByText(long, { exact: true }).waitFor();
    const workspace = panel.page.getByRole("region", { name: "In this workspace" });
    await workspace.getByRole("listitem").getByText("Deny").waitFor();
    await panel.assertClean();
  });

  it("says which rule decides a command, a file and an address, and shows it", async () => {
    const host = new RulesHost([npmTest, edits], [noRm]);
    const panel = await openRules(host);
    const result = panel.page.getByRole("status", { name: "Result of the test" });
    await panel.page.getByRole("textbox", { name: "Command line" }).fill("npm test && rm -r x");
    await result.getByText("Parley denies the request. A rule forbids this: deny command “rm”.").waitFor();
    await rule(panel, "Deny").getByText("Decides the test").waitFor();
    await result.getByRole("button", { name: "Show Rule" }).click();
    assert.equal(await rule(panel, "Deny").evaluate(each => each === document.activeElement), true);

    await panel.page.getByRole("textbox", { name: "Command line" }).fill("npm ci");
    await result
      .getByText(
        "You are asked. No rule allows “npm ci”. The nearest rule (allow command “npm test”, “npm run *”) has “test” in the place of “ci”.",
      )
      .waitFor();
    assert.equal(await panel.page.getByText("Decides the test").count(), 0);

    await panel.page.getByRole("combobox", { name: "Request" }).selectOption({ label: "Change a file" });
    await panel.page.getByRole("textbox", { name: "Path" }).fill("src/a.ts");
    await result.getByText(/^You are asked\. No rule allows “\/ws\/src\/a\.ts”\./).waitFor();
    await panel.page.getByRole("combobox", { name: "Request" }).selectOption({ label: "Open an address" });
    await panel.page.getByRole("textbox", { name: "Address" }).fill("example");
    await result.getByText("Type a whole address, such as “https://example.com”.").waitFor();
    await panel.assertClean();
  });

  it("tests again when the rules change elsewhere", async () => {
    const host = new RulesHost([]);
    const panel = await openRules(host);
    const result = panel.page.getByRole("status", { name: "Result of the test" });
    await panel.page.getByRole("textbox", { name: "Command line" }).fill("npm test");
    await result.getByText("You are asked. No rule allows “npm test”.").waitFor();
    host.lists.user = [npmTest];
    await host.show();
    await result.getByText("You are not asked. Allowed by allow command “npm test”, “npm run *”.").waitFor();
    await rule(panel, "npm run *").getByText("Decides the test").waitFor();
  });

  it("adds a rule, says what is wrong with it in a sentence, and keeps the form until it is right", async () => {
    const host = new RulesHost([npmTest]);
    const panel = await openRules(host);
    await button(panel, "Add Rule").click();
    const form = panel.page.getByRole("form", { name: "New rule" });
    await form.getByRole("combobox", { name: "Effect" }).selectOption({ label: "Deny" });
    await form.getByRole("combobox", { name: "Applies" }).selectOption({ label: "In this workspace" });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByText("The rule must have at least one condition.").waitFor();
    await form.getByRole("textbox", { name: "Commands" }).fill("rm\n\n npm publish ");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    assert.deepEqual(host.lists, { user: [npmTest], workspace: [{ effect: "deny", command: ["rm", "npm publish"] }] });
    await panel.page.getByText("The rule is saved.").waitFor();
    await panel.assertClean();
  });

  it("is used with the keyboard only: edit, cancel, save, delete and undo keep the focus at the rule", async () => {
    const host = new RulesHost([npmTest, askPush], [noRm]);
    const panel = await openRules(host);
    const { keyboard } = panel.page;
    const focused = () =>
      panel.page.evaluate(
        () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
      );
    await button(panel, "Edit ask command “git push”").press("Enter");
    await panel.page.getByRole("form", { name: "Edit rule" }).waitFor();
    assert.equal(await panel.page.evaluate(() => document.activeElement?.id), "rule-effect");
    await keyboard.press("Escape");
    await panel.page.getByRole("form").waitFor({ state: "hidden" });
    assert.equal(await focused(), "Edit ask command “git push”");

    await keyboard.press("Enter");
    const commands = panel.page.getByRole("textbox", { name: "Commands" });
    await commands.focus();
    await keyboard.press("Control+End");
    await keyboard.type("\ngit push *");
    await keyboard.press("Control+Enter");
    await panel.page.getByRole("form").waitFor({ state: "hidden" });
    assert.equal(await focused(), "Edit ask command “git push”, “git push *”");
    const edited = { effect: "ask", command: ["git push", "git push *"] };
    assert.deepEqual(host.lists.user, [npmTest, edited]);

    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await panel.page.getByText("The rule is deleted. Undo brings it back.").waitFor();
    assert.deepEqual(host.lists.user, [npmTest]);
    assert.equal(await focused(), "Undo");
    await keyboard.press("Enter");
    await panel.page.getByText("The rule is back.").waitFor();
    assert.deepEqual(host.lists.user, [npmTest, edited]);
    await keyboard.press("Control+z");
    await rule(panel, "git push *").waitFor({ state: "hidden" });
    assert.deepEqual(host.lists.user, [npmTest, askPush]);
    await button(panel, "Undo").waitFor({ state: "detached" });
    await panel.assertClean();
  });

  it("corrects a rule whose effect is mistyped", async () => {
    const host = new RulesHost([{ effect: "dney", command: "rm" }]);
    const panel = await openRules(host);
    await button(panel, "Edit (dney, command “rm”)").click();
    const effect = panel.page.getByRole("combobox", { name: "Effect" });
    assert.equal(await effect.inputValue(), "dney");
    await button(panel, "Save").click();
    await panel.page
      .getByRole("alert")
      .getByText(/unknown effect “dney”\. Did you mean “deny”\?/)
      .waitFor();
    await effect.selectOption({ label: "Deny" });
    await button(panel, "Save").click();
    await panel.page.getByRole("form").waitFor({ state: "hidden" });
    assert.deepEqual(host.lists.user, [noRm]);
  });

  it("keeps what is typed in a form when the rules change elsewhere, and says so when it is saved", async () => {
    const host = new RulesHost([npmTest, askPush]);
    const panel = await openRules(host);
    await button(panel, "Edit ask command “git push”").click();
    await panel.page.getByRole("textbox", { name: "Paths" }).fill("src/**");
    host.lists.user = [npmTest];
    await host.show();
    await rule(panel, "git push").waitFor({ state: "hidden" });
    assert.equal(await panel.page.getByRole("textbox", { name: "Paths" }).inputValue(), "src/**");
    await button(panel, "Save").click();
    await panel.page.getByRole("alert").getByText("It was changed elsewhere.").waitFor();
    await button(panel, "Cancel").click();
    await panel.page.getByRole("form").waitFor({ state: "hidden" });
  });

  it("keeps what is typed in a form when another rule is to be edited or added, and asks to save or cancel it", async () => {
    const panel = await openRules(new RulesHost([npmTest, askPush]));
    await button(panel, "Edit ask command “git push”").click();
    // An unchanged form gives way.
    await button(panel, /^Edit allow command “npm test”/).click();
    const paths = panel.page.getByRole("textbox", { name: "Paths" });
    await paths.fill("src/**");
    for (const name of ["Edit ask command “git push”", "Add Rule"]) {
      await button(panel, name).click();
      await panel.page.getByText("Save or cancel the rule that you are editing first.").waitFor();
      assert.equal(await paths.inputValue(), "src/**");
      await panel.page.waitForFunction(() => document.activeElement?.id === "rule-effect");
    }
    await button(panel, "Cancel").click();
    await button(panel, "Add Rule").click();
    assert.equal(await paths.inputValue(), "");
  });

  it("shows and focuses the rule of a decision, and opens the settings", async () => {
    const host = new RulesHost([npmTest, askPush]);
    const panel = await openRules(host);
    const [, row] = rowsOf("user", host.lists.user);
    assert.ok(row);
    await host.post({ type: "reveal", row: row.id });
    await panel.page.locator(".rule:focus", { hasText: "git push" }).waitFor();
    await button(panel, "Open Settings").click();
    assert.deepEqual(host.intents.at(-1), { type: "openSettings" });
  });

  it("shows hostile texts of rules as text", async () => {
    const hostile = { effect: "allow", command: "echo '<img src=x onerror=alert(1)>\u202e'" };
    const panel = await openRules(new RulesHost([hostile]));
    await panel.page.getByText("echo '<img src=x onerror=alert(1)>[U+202E]'", { exact: true }).waitFor();
    assert.equal(await panel.page.locator("img").count(), 0);
    await panel.assertClean();
  });

  it("is translated, with every name", async () => {
    const texts = Object.keys(JSON.parse(readFileSync("l10n/bundle.l10n.json", "utf8")) as object);
    const translations = Object.fromEntries(
      texts.map(text => [text, `⟦${text.toUpperCase().replace(/\{(\d+)\}/g, "{$1}")}⟧`]),
    );
    const panel = await openRules(new RulesHost([{ effect: "allow", command: "1" }]), { translations });
    await panel.page.getByRole("button", { name: /⟦ADD RULE/ }).click();
    const shown = await panel.page.evaluate(() =>
      [...document.querySelectorAll("main *")].flatMap(each => [
        ...["aria-label", "title"].map(name => each.getAttribute(name) ?? ""),
        ...[...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.textContent ?? ""),
      ]),
    );
    const untranslated = shown.map(text => text.replace(/⟦[^⟧]*⟧/g, "").trim()).filter(text => /[a-z]{2}/i.test(text));
    assert.deepEqual(untranslated, []);
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`has no violation of axe, and fits at 280 and 480 pixels, in ${theme}`, async () => {
      for (const width of [280, 480]) {
        const host = new RulesHost([npmTest, edits, wrong], [noRm]);
        const panel = await openRules(host, { theme, width, height: 1400 });
        await panel.page.getByRole("textbox", { name: "Command line" }).fill("rm -r x");
        await panel.page.getByText("Decides the test").waitFor();
        await picture(panel, `rules-${theme}-${width}`);
        await button(panel, /^Edit allow command/).click();
        await panel.page.getByRole("textbox", { name: "Commands" }).fill("'");
        await button(panel, "Save").click();
        await panel.page
          .getByRole("alert")
          .getByText(/has an unclosed quote/)
          .waitFor();
        await button(panel, /^Delete deny command/).click();
        await button(panel, "Undo").waitFor();
        await picture(panel, `rules-edited-${theme}-${width}`);
        const wide = await panel.page.evaluate(() =>
          [...document.querySelectorAll("main *")]
            .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
            .map(each => each.outerHTML.slice(0, 80)),
        );
        assert.deepEqual(wide, []);
        assert.deepEqual(await violations(panel), []);
        await panel.assertClean();
        await panel.free();
      }
    });
  }
});

async function violations(panel: PanelPage): Promise<readonly string[]> {
  const source = createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js");
  await panel.page.evaluate(readFileSync(source, "utf8"));
  const results = await panel.page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
