// Agents on servers in the real VS Code: the official SDK's server on loopback, over both transports, by mouse and keyboard.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { remoteAgent } from "../support/agents/remoteAgent.ts";
import { RemoteTestServer } from "../support/agents/remoteServer.ts";
import { chooseAgent } from "./agents.ts";
import { pictureThemes, screenshot, sharedWorkbench } from "./harness.ts";

const token = "Bearer tk-e2e-0123456789abcdef";

for (const [theme, colors] of pictureThemes) {
  for (const kind of ["ws", "http"] as const) {
    describe(`an agent on a server over ${kind === "ws" ? "WebSocket" : "Streamable HTTP"}, ${theme} theme`, () => {
      const { create, record } = remoteAgent();
      let server: RemoteTestServer;
      before(async () => {
        server = await RemoteTestServer.start(create, { token });
      });
      after(() => server.stop());
      const log = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });

      it("signs in by a header, asks, writes a file for review, and goes on after the connection was lost", async () => {
        const agents = { team: { name: "Team Agent", url: server.url(kind), sameFolder: true } };
        const settings = { "parley.agents": agents, "workbench.colorTheme": colors };
        const { page, panel, folder, errors } = await sharedWorkbench({ "notes.md": "before\n" }, settings);
        const picture = (name: string): Promise<void> => screenshot(page, `remote-${kind}-${theme}-${name}`);
        await chooseAgent(panel, "team");
        const problem = panel.getByRole("group", { name: "Problem" });
        await problem
          .getByText(/^Team Agent needs a sign-in: 127\.0\.0\.1:\d+ refused the connection \(401\)/)
          .waitFor();
        await picture("sign-in");

        await problem.getByRole("button", { name: "Set Header…" }).click();
        const input = page.locator(".quick-input-widget input.input");
        await page.locator(".quick-input-widget").getByText("The name of the header").waitFor();
        assert.equal(await input.inputValue(), "Authorization");
        await page.keyboard.press("Enter");
        await page
          .locator(".quick-input-widget")
          .getByText(/^The value of Authorization/)
          .waitFor();
        await page.keyboard.type(token);
        await picture("header");
        await page.keyboard.press("Enter");
        await problem.waitFor({ state: "detached" });

        const message = panel.getByRole("textbox", { name: "Message" });
        const send = async (text: string): Promise<void> => {
          await message.fill(text);
          await message.press("Enter");
        };
        const question = panel.getByRole("group", { name: "Deploy", exact: true });
        await send(`write ${join(folder, "notes.md")}`);
        await question.waitFor();
        await picture("question");
        await question.getByRole("button", { name: /^Allow/ }).click();
        await log(panel).getByText("You answered: yes").waitFor();
        await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
        await panel.getByRole("button", { name: "Review", exact: true }).click();
        await page.locator(".editor-instance .view-lines").getByText("written on the server").first().waitFor();
        await picture("review");
        await panel.getByRole("button", { name: "Keep All" }).click();
        assert.deepEqual(record.folders.slice(-1), [folder]);

        await send("second");
        await question.waitFor();
        server.refuses = 503;
        server.cut();
        await problem.getByText(/Parley connects again by itself\.$/).waitFor();
        await log(panel)
          .getByText(/^The question is closed, because the connection was lost\./)
          .waitFor();
        await question.waitFor({ state: "detached" });
        await picture("lost");
        server.refuses = undefined;
        await log(panel).getByText("Team Agent loaded this conversation.").waitFor();
        await problem.waitFor({ state: "detached" });
        await picture("back");
        await send("third");
        await question.waitFor();
        await question.getByRole("button", { name: /^Allow/ }).click();
        await log(panel).getByText("You answered: yes").nth(1).waitFor();
        assert.equal(record.continued.at(-1), "load");
        assert.deepEqual(errors, []);
      });
    });
  }
}
