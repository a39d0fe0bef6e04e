// Forms and web addresses above the composer: filled in by keyboard alone, never sent incomplete, hostile texts inert.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ViewQuestion } from "../../src/panel/protocol.ts";
import type { Intent } from "../../src/panel/intents.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { addressAsk, formAsk, formatsAsk } from "./formScenes.ts";
import { message, snapshot, view } from "./scenes.ts";

const asking = (...questions: readonly ViewQuestion[]): ReturnType<typeof view> =>
  view([message("u1", "user", "Set up a shop")], { questions });

const answers = async (panel: PanelPage): Promise<readonly Intent[]> =>
  (await panel.intents()).filter(({ type }) => type === "answerForm" || type === "openAddress");
/** The guard against keys that were meant for something else. */
const passGuard = (panel: PanelPage): Promise<void> => panel.page.clock.runFor(600);

describe("a form", () => {
  usePanel();

  it("keeps what was entered over a reload, also if the agent asks again, but no secrets", async () => {
    const secretField = { type: "text" as const, name: "plain", title: "Value", required: false };
    const fields = [...(formAsk.form?.fields ?? []), secretField, { ...secretField, name: "x", title: "API key" }];
    const ask = { ...formAsk, form: { message: "Shop", fields } };
    const panel = await openPanel([snapshot(asking(ask))]);
    const { page } = panel;
    const field = (name: string): Locator => page.getByRole("textbox", { name });
    await field("Name of the shop").fill("Ada's");
    await field("Value").fill("sk-ant-abcdef0123456789abcdef");
    await field("API key").fill("hunter2");
    await page.getByRole("radio", { name: /PostgreSQL/ }).click();
    await page.reload();
    await panel.post(snapshot(asking({ ...ask, id: "asked-again" })));
    await field("Name of the shop").waitFor();
    assert.equal(await field("Name of the shop").inputValue(), "Ada's");
    assert.ok(await page.getByRole("radio", { name: /PostgreSQL/ }).isChecked());
    assert.deepEqual([await field("Value").inputValue(), await field("API key").inputValue()], ["", ""]);
    await page.getByRole("button", { name: "Decline" }).click();
    await page.reload();
    await panel.post(snapshot(asking({ ...ask, id: "asked-later" })));
    await field("Name of the shop").waitFor();
    assert.equal(await field("Name of the shop").inputValue(), "", "an answered form is forgotten");
  });

  it("is one of several: the user moves between them by keyboard, and each keeps its answers", async () => {
    const other = { ...formAsk, id: "f2", title: "And the other shop?" };
    const panel = await openPanel([snapshot(asking(formAsk, addressAsk, other))]);
    const { page } = panel;
    const form = (name: string): Locator => page.getByRole("form", { name });
    const next = page.getByRole("button", { name: "Next Question" });
    await form(formAsk.title).getByText("1 of 3").waitFor();
    await form(formAsk.title).getByRole("textbox", { name: "Name of the shop" }).fill("Ada's");
    await next.press("Enter");
    await form(addressAsk.title).getByText("2 of 3").waitFor();
    await next.and(page.locator(":focus")).press("Enter");
    await form(other.title).getByText("3 of 3").waitFor();
    assert.equal(await next.getAttribute("aria-disabled"), "true");
    await next.and(page.locator(":focus")).press("Enter");
    const previous = page.getByRole("button", { name: "Previous Question" });
    await previous.click();
    await previous.and(page.locator(":focus")).click();
    const name = form(formAsk.title).getByRole("textbox", { name: "Name of the shop" });
    assert.equal(await name.inputValue(), "Ada's");
    assert.deepEqual(await answers(panel), []);
    // The one that the user moved to is answered, then the oldest is shown.
    await next.click();
    await form(addressAsk.title).getByRole("button", { name: "Decline" }).click();
    assert.deepEqual(await answers(panel), [{ type: "answerForm", question: "w1", action: "decline" }]);
    await panel.patch({ op: "head", head: { questions: [formAsk, other] } });
    await form(formAsk.title).getByText("1 of 2").waitFor();
    assert.equal(await name.inputValue(), "Ada's");
  });

  it("is filled in by keyboard alone: Enter names what is missing, and sends only the complete form", async () => {
    const panel = await openPanel([snapshot(asking(formAsk))], { frozen: true });
    const { page } = panel;
    const { keyboard } = page;
    const focused = (name: string | RegExp, role: "textbox" | "radio" | "checkbox"): Promise<void> =>
      page.getByRole(role, { name }).and(page.locator(":focus")).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.closest("parley-form") ?? null), null);

    await panel.post({ type: "focus", target: "question" });
    await focused("Name of the shop (required)", "textbox");
    await keyboard.press("Enter");
    assert.equal(await page.getByText("An answer is required.").count(), 0, "the key came too early");
    await passGuard(panel);
    await keyboard.press("Enter");
    await page.getByText("An answer is required.").first().waitFor();
    assert.equal(await page.getByText("An answer is required.").count(), 3, "beside each of the required fields");
    await focused("Name of the shop (required)", "textbox");
    assert.deepEqual(await answers(panel), []);

    await keyboard.type("Ad");
    await page.getByText("Enter at least 3 characters.").waitFor();
    await keyboard.type("a’s");
    await keyboard.press("Tab");
    await focused("Contact", "textbox");
    await keyboard.press("Control+a");
    await keyboard.type("nobody");
    await keyboard.press("Tab");
    await page.getByText("Enter an email address.").waitFor();
    await focused("Port (required)", "textbox");
    await keyboard.type("80.5");
    await page.getByText("Enter a whole number.").waitFor();
    await keyboard.press("Control+a");
    await keyboard.type("80");
    await page.getByText("Enter 1024 or more.").waitFor();
    await keyboard.type("80");
    await keyboard.press("Tab");
    await focused("Write tests", "checkbox");
    await keyboard.press("Space");
    await keyboard.press("Tab");
    await focused(/SQLite/, "radio");
    await keyboard.press("ArrowDown");
    await focused(/PostgreSQL/, "radio");
    await keyboard.press("Tab");
    await focused("Other database", "textbox");
    await keyboard.press("Tab");
    await focused("English", "checkbox");
    await keyboard.press("Tab");
    await keyboard.press("Space");
    await keyboard.press("Enter");
    await focused("Contact", "textbox");
    await keyboard.press("Control+a");
    await keyboard.press("Delete");
    assert.deepEqual(await answers(panel), []);
    await keyboard.press("Enter");
    assert.deepEqual(await answers(panel), [
      {
        type: "answerForm",
        question: "f1",
        action: "accept",
        answers: [
          { field: "tests", value: false },
          { field: "langs", value: ["English", "Deutsch"] },
          { field: "name", value: "Ada’s" },
          { field: "port", value: 8080 },
          { field: "store", value: "pg" },
        ],
      },
    ]);
    await keyboard.press("Enter");
    assert.equal((await answers(panel)).length, 1, "it is sent once");
  });

  it("is filled in by keyboard alone with every format, a hidden text, a long list and a minimum of choices", async () => {
    const panel = await openPanel([snapshot(asking(formatsAsk))], { frozen: true });
    const { page } = panel;
    const { keyboard } = page;
    const fault = (text: string): Promise<void> => page.getByText(text).waitFor();
    await panel.post({ type: "focus", target: "question" });
    await page.getByRole("textbox", { name: "Website" }).and(page.locator(":focus")).waitFor();
    await passGuard(panel);
    const fill = async (...texts: readonly [faulty: string, fault: string, right: string]): Promise<void> => {
      await keyboard.type(texts[0]);
      await keyboard.press("Enter");
      await fault(texts[1]);
      await page.locator("[aria-invalid=true]:focus").waitFor();
      await keyboard.press("Control+a");
      await keyboard.type(texts[2]);
      await keyboard.press("Tab");
    };
    await fill("example", "Enter a whole address, such as https://example.com.", "https://example.com");
    // The three parts of a date.
    for (const part of ["02", "01", "2026"]) await keyboard.type(part);
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await fill("noon", "Enter a date and time, such as 2026-01-31T12:00:00Z.", "2026-02-01T12:00:00Z");
    await fill("12345", "Enter at most 4 characters.", "1234");
    await fill("a third", "Enter a number.", "0.19");
    await keyboard.press("Space");
    await keyboard.press("Tab");
    await page.getByRole("combobox", { name: "Country" }).and(page.locator(":focus")).waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("Tab");
    await keyboard.press("Space");
    await keyboard.press("Enter");
    await fault("Choose at least 2.");
    assert.deepEqual(await answers(panel), []);
    await page.getByRole("checkbox", { name: "Mon" }).and(page.locator(":focus")).waitFor();
    await keyboard.press("Tab");
    await keyboard.press("Space");
    await keyboard.press("Enter");
    const [sent] = await answers(panel);
    assert.ok(sent?.type === "answerForm");
    assert.deepEqual(Object.fromEntries((sent.answers ?? []).map(({ field, value }) => [field, value])), {
      ...{ site: "https://example.com", day: "2026-02-01", time: "2026-02-01T12:00:00Z", code: "1234", tax: 0.19 },
      ...{ terms: true, country: "c0", days: ["Mon", "Tue"] },
    });
  });

  it("shows a fault at the border of its field, also of a list, which looks like the other fields", async () => {
    const panel = await openPanel([snapshot(asking(formatsAsk))]);
    const looks = (field: Locator): Promise<readonly [border: string, height: number]> =>
      field.evaluate(each => [getComputedStyle(each).borderTopColor, each.getBoundingClientRect().height]);
    const [text, list] = [panel.page.getByLabel("Website"), panel.page.getByLabel("Country")];
    const before = await looks(text);
    const [border, height] = await looks(list);
    assert.equal(border, before[0]);
    assert.ok(Math.abs(height - before[1]) <= 4, `${height} and ${before[1]} px`);
    await panel.page.locator("parley-form").getByRole("button", { name: "Send" }).click();
    await panel.page.getByText("An answer is required.").first().waitFor();
    assert.notEqual((await looks(text))[0], before[0]);
    assert.equal((await looks(list))[0], (await looks(text))[0]);
  });

  it("can be declined and cancelled, each by its own button", async () => {
    for (const [name, action] of [
      ["Decline", "decline"],
      ["Cancel", "cancel"],
    ] as const) {
      const panel = await openPanel([snapshot(asking(formAsk))]);
      await panel.page.getByRole("form", { name: formAsk.title }).getByRole("button", { name }).click();
      assert.deepEqual(await answers(panel), [{ type: "answerForm", question: "f1", action }]);
    }
  });

  it("keeps its answers while the rest of the panel changes, and shows a pattern that the host refused", async () => {
    const panel = await openPanel([snapshot(asking(formAsk))]);
    const name = panel.page.getByRole("textbox", { name: "Name of the shop" });
    await name.fill("Ada’s");
    await panel.patch({ op: "head", head: { title: "Another title" } });
    await panel.post({ type: "formHeld", question: "f1", faulty: ["name"], unchecked: [] });
    await panel.page.getByText("The agent asks for another form of text.").waitFor();
    await name.and(panel.page.locator(":focus")).waitFor();
    await name.fill("Ada’s Shop");
    assert.equal(await panel.page.getByText("The agent asks for another form of text.").count(), 0);
  });

  it("says which pattern could not be checked, and sends the same answer when the user confirms it", async () => {
    const panel = await openPanel([snapshot(asking(formAsk))]);
    const { page } = panel;
    const name = page.getByRole("textbox", { name: "Name of the shop" });
    const sendButton = page.locator("parley-form").getByRole("button", { name: "Send" });
    const warning = page.getByText("Parley could not check this answer against the pattern that is asked for.");
    const hold = async (): Promise<void> => {
      await sendButton.click();
      await panel.post({ type: "formHeld", question: "f1", faulty: [], unchecked: ["name"] });
      await warning.waitFor();
    };
    const last = async (): Promise<unknown> => {
      const sent = (await answers(panel)).at(-1);
      assert.ok(sent?.type === "answerForm");
      return sent.unchecked;
    };
    await name.fill("Ada’s");
    await page.getByRole("textbox", { name: "Contact" }).fill("");
    await page.getByRole("textbox", { name: "Port (required)" }).fill("8080");
    await page.getByRole("radio", { name: /SQLite/ }).check();
    await hold();
    assert.equal(await last(), undefined);
    await name.and(page.locator(":focus")).waitFor();
    // Another answer is checked again.
    await name.fill("Ada’s Shop");
    assert.equal(await warning.count(), 0);
    await hold();
    assert.equal(await last(), undefined);
    await sendButton.click();
    assert.deepEqual(await last(), ["name"]);
  });

  it("shows hostile texts as text", async () => {
    const evil = '<img src=x onerror="alert(1)">\u202egpj.exe';
    const field = { title: evil, description: evil, required: true } as const;
    const choices = [{ value: evil, name: evil, description: evil }];
    const form = {
      message: evil,
      title: evil,
      description: evil,
      fields: [
        { ...field, name: "__proto__", type: "text", default: evil, pattern: "(a+)+$" },
        { ...field, name: "b", type: "boolean" },
        { ...field, name: "c", type: "select", choices },
        { ...field, name: "d", type: "multiselect", choices, default: [evil] },
      ],
    } as const;
    const panel = await openPanel([snapshot(asking({ ...formAsk, title: evil, form }))]);
    const card = panel.page.locator("parley-form");
    await card.getByRole("button", { name: "Send" }).waitFor();
    assert.equal(await card.locator("img").count(), 0);
    assert.ok(!(await card.innerText()).includes("\u202e"), "no character changes the direction of the text");
    await card.getByRole("radio").check();
    await card.getByRole("button", { name: "Send" }).click();
    const [sent] = await answers(panel);
    assert.ok(sent?.type === "answerForm");
    assert.deepEqual(
      sent.answers?.map(({ field: name, value }) => [name, value]),
      [
        ["__proto__", evil],
        ["d", [evil]],
        ["b", false],
        ["c", evil],
      ],
    );
  });
});

describe("a web address", () => {
  usePanel();

  it("is shown in full with its host emphasised and decoded, and opens only when the user agrees", async () => {
    const panel = await openPanel([snapshot(asking(addressAsk))]);
    const card = panel.page.getByRole("form", { name: addressAsk.title });
    assert.equal(
      (await card.locator(".address").innerText()).trim(),
      "https://apple.com@xn--80ak6aa92e.com/login?next=%2Ftickets#start",
    );
    assert.equal(await card.locator(".address strong").innerText(), "xn--80ak6aa92e.com");
    await card.getByText(/Decoded, it reads “аррӏе.com”/).waitFor();
    await card.getByText(/begins with a user name, which is not its host/).waitFor();
    assert.equal(await card.locator("a, [data-href]").count(), 0, "nothing else opens it");
    await card.getByRole("button", { name: "Open in Browser" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "openAddress", question: "w1" }]);
  });

  it("is opened and declined by keyboard alone", async () => {
    for (const [tabs, name] of [
      [0, "Open in Browser"],
      [1, "Decline"],
    ] as const) {
      const panel = await openPanel([snapshot(asking(addressAsk))], { frozen: true });
      await panel.post({ type: "focus", target: "question" });
      await panel.page.getByRole("button", { name: "Open in Browser" }).and(panel.page.locator(":focus")).waitFor();
      await panel.page.keyboard.press("Enter");
      assert.deepEqual(await answers(panel), [], "the key came too early");
      await passGuard(panel);
      for (let tab = 0; tab < tabs; tab++) await panel.page.keyboard.press("Tab");
      await panel.page.getByRole("button", { name }).and(panel.page.locator(":focus")).press("Enter");
      const declined = { type: "answerForm", question: "w1", action: "decline" } as const;
      assert.deepEqual(await answers(panel), [tabs === 0 ? { type: "openAddress", question: "w1" } : declined]);
    }
  });

  it("stays after it was opened, can be opened again, and can be closed", async () => {
    const panel = await openPanel([snapshot(asking({ ...addressAsk, opened: true }))]);
    const card = panel.page.getByRole("form", { name: addressAsk.title });
    await card.getByText(/Demo Agent waits until you are done there/).waitFor();
    await card.getByRole("button", { name: "Open Again" }).click();
    await card.getByRole("button", { name: "Close" }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "openAddress", question: "w1" },
      { type: "answerForm", question: "w1", action: "cancel" },
    ]);
  });
});

describe("a card to sign in", () => {
  usePanel();

  it("is used by keyboard alone: the focus follows to the sign-in in progress, to its form, and to the message box", async () => {
    const signIn = [
      { id: "a", name: "Log in" },
      { id: "b", name: "Use a key" },
    ];
    const problem = { message: "Robo needs you to sign in.", next: ["restartAgent"], signIn } as const;
    const panel = await openPanel([snapshot(view([], { problem }))]);
    const focused = (role: "button" | "textbox", name: string): Promise<void> =>
      panel.page.getByRole(role, { name }).and(panel.page.locator(":focus")).waitFor();
    await panel.page.getByRole("button", { name: "Use a key" }).focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "signIn", method: "b" }]);
    const signingIn = { ...problem, signingIn: { name: "Use a key" } };
    await panel.show(view([], { problem: signingIn }));
    await panel.page.getByText("Signing in with “Use a key”…").waitFor();
    await focused("button", "Cancel");
    const secret = { type: "text", name: "K", title: "The key", required: true, secret: true } as const;
    const questions = [{ ...formAsk, title: "Use a key", form: { message: "Use a key", fields: [secret] } }];
    await panel.show(view([], { problem: signingIn, questions }));
    const key = panel.page.getByLabel("The key (required)");
    await key.and(panel.page.locator(":focus")).waitFor();
    assert.equal(await key.getAttribute("type"), "password");
    await panel.show(view([], { problem: signingIn }));
    await focused("textbox", "Message");
    await panel.page.getByRole("button", { name: "Cancel" }).focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual((await panel.intents()).at(-1), { type: "cancelSignIn" });
    await panel.show(view([], {}));
    await focused("textbox", "Message");
  });
});
