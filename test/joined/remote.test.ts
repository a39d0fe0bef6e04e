// Agents on servers, in the panel: a turn with a question, a lost connection in the middle of one, and how the session goes on.
import assert from "node:assert/strict";
import { remoteAgent } from "../support/agents/remoteAgent.ts";
import { RemoteTestServer } from "../support/agents/remoteServer.ts";
import { openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

describe("an agent on a server in the panel", () => {
  useJoined();
  let server: RemoteTestServer | undefined;
  afterEach(() => server?.stop());

  for (const kind of ["ws", "http"] as const) {
    it(`asks, and loads the conversation after the connection was lost in a question: ${kind}`, async () => {
      const { create, record } = remoteAgent();
      const running = await RemoteTestServer.start(create);
      server = running;
      const window: JoinedWindow = await openJoined({
        agents: { team: { name: "Team Agent", url: running.url(kind) } },
      });
      const { page, log } = window;
      const question = page.getByRole("group", { name: "Deploy", exact: true });
      const allow = question.getByRole("button", { name: /^Allow/ });
      await window.send("first");
      await allow.click();
      await log.getByText("You answered: yes").waitFor();
      await window.idle();

      await window.send("second");
      await question.waitFor();
      running.cut();
      await log.getByText(/^The question is closed, because the connection was lost\./).waitFor();
      await log.getByText("Team Agent loaded this conversation.").waitFor();
      await question.waitFor({ state: "detached" });
      assert.equal(await log.getByText("You said: second").count(), 1);
      assert.deepEqual(record.continued, ["load"]);

      await window.send("third");
      await allow.click();
      await log.getByText("You answered: yes").nth(1).waitFor();
      await window.idle();
      assert.deepEqual(record.answers.slice(-1), ["yes"]);
      assert.deepEqual(window.failures, []);
    });
  }
});
