// A connection to a server that is cut at every message of a turn with a question: the session connects again, loses
// nothing, repeats nothing, and works on.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import { RemoteAgents } from "../../src/agents/remote/remoteAgents.ts";
import { nullLog, systemClock, type Clock } from "../../src/base/log.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { Session } from "../../src/session/session.ts";
import { contentText, isBusy } from "../../src/session/state.ts";
import { remoteAgent, type RemoteAgentOptions } from "../support/agents/remoteAgent.ts";
import { RemoteTestServer } from "../support/agents/remoteServer.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { until } from "../support/fakes/until.ts";

/** The pauses between attempts are a hundredth of the real ones. */
const fastClock: Clock = {
  ...systemClock,
  now: () => systemClock.now(),
  after: (ms, run) => systemClock.after(ms / 100, run),
};

class Conversation {
  readonly session: Session;
  readonly pool: AgentPool;
  answersQuestions = true;

  constructor(url: string) {
    const definition: AgentDefinition = {
      ...{ id: "team", name: "Team Agent", command: "", args: [], env: {}, missingFiles: "error", startTimeout: 5 },
      remote: { url, headers: {}, sameFolder: false },
    };
    const remote = new RemoteAgents(() => ({ connectToAgent, newCookies }));
    const folder = join(tmpdir(), "no-agents");
    this.pool = new AgentPool(nullLog, systemClock, "0", folder, undefined, hostEnvironment, remote);
    let ids = 0;
    this.session = new Session({
      ...{
        id: "s",
        agent: { id: "team", name: "Team Agent" },
        workspaceFolder: "/work",
        clock: fastClock,
        log: nullLog,
      },
      newId: () => `p${++ids}`,
      connection: {
        connect: onProgress => this.pool.get(definition, ({ state }) => onProgress(state)),
        restart: () => this.pool.stop("team"),
      },
      createServices: report => questionServices(new PermissionBroker({ report, newId: () => `q${++ids}` }), () => {}),
    });
    this.session.onDidChange(({ questions }) => {
      const open = questions.find(({ answer }) => answer === undefined);
      if (open && this.answersQuestions) queueMicrotask(() => this.session.answer(open.id, "yes"));
    });
  }

  /** The texts of the conversation, in order. */
  get texts(): readonly string[] {
    return [...this.session.state.entries].flatMap(entry =>
      entry.kind === "message" ? [contentText(entry.content)] : entry.kind === "notice" ? [entry.title] : [],
    );
  }

  send(text: string): void {
    this.session.send([{ type: "text", text }]);
  }

  async idle(): Promise<void> {
    await until(() => {
      const { state } = this.session;
      return state.connection?.state === "ready" && !isBusy(state) && state.pendingPrompts.length === 0;
    });
  }

  async end(): Promise<void> {
    this.session.dispose();
    await this.pool.dispose();
  }
}

for (const kind of ["ws", "http"] as const) {
  describe(`a connection over ${kind === "ws" ? "WebSocket" : "Streamable HTTP"} that is cut`, function () {
    let server: RemoteTestServer;
    let conversation: Conversation;
    const start = async (options?: RemoteAgentOptions): Promise<ReturnType<typeof remoteAgent>> => {
      const made = remoteAgent(options);
      server = await RemoteTestServer.start(made.create);
      conversation = new Conversation(server.url(kind));
      await conversation.session.open();
      return made;
    };
    afterEach(async () => {
      await conversation.end();
      await server.stop();
    });

    for (const continues of [["load"], ["resume"], []] as const) {
      it(`at any message of a turn works on with an agent that continues by ${continues.join() || "nothing"}`, async () => {
        await start({ continues });
        const before = server.messages;
        conversation.send("count");
        await until(() => conversation.texts.includes("You answered: yes"));
        await conversation.idle();
        const count = server.messages - before;
        await conversation.end();
        await server.stop();
        assert.ok(count >= 8, `${count} messages`);
        for (let at = 1; at <= count; at++) {
          const { record } = await start({ continues });
          server.cutsAt = server.messages + at;
          conversation.send("first");
          await until(() => record.introductions.length === 2);
          await conversation.idle().catch(() => {});
          const label = `cut at message ${at} of ${count}: ${JSON.stringify(conversation.texts)}`;
          const { state } = conversation.session;
          assert.equal(state.lost, null, label);
          assert.ok(
            state.questions.every(({ answer }) => answer !== undefined),
            label,
          );
          const received = [...record.sessions.values()]
            .flat()
            .filter(({ from, text }) => from === "user" && text === "first");
          assert.ok(received.length <= 1, `the agent got the prompt ${received.length} times, ${label}`);
          conversation.send("second");
          conversation.session.resumeQueue();
          await until(() => conversation.texts.filter(text => text.endsWith("You answered: yes")).length > 0);
          await until(() => conversation.texts.some(text => text.includes("You said: ") && text.includes("second")));
          await conversation.idle();
          const said = conversation.texts.filter(text => text === "You said: first");
          assert.ok(said.length <= 1, label);
          assert.equal(conversation.texts.filter(text => text === "first").length, 1, label);
          await conversation.end();
          await server.stop();
        }
      });
    }

    if (kind === "http")
      it("before the answer to a prompt sends the prompt no second time", async () => {
        const { record } = await start();
        // Its connection is used again.
        conversation.send("earlier");
        await until(() => conversation.texts.includes("You answered: yes"));
        await conversation.idle();
        server.losesNextAnswer = true;
        conversation.send("first");
        await until(() => record.introductions.length === 2);
        await conversation.idle();
        assert.equal(server.losesNextAnswer, false);
        const received = [...record.sessions.values()].flat().filter(({ from }) => from === "user");
        assert.deepEqual(
          received.map(({ text }) => text),
          ["earlier", "first"],
        );
      });

    if (kind === "http")
      it("because the events of the session end during a prompt connects again", async () => {
        const { record } = await start();
        conversation.answersQuestions = false;
        conversation.send("first");
        await until(() => conversation.session.state.questions.some(({ answer }) => answer === undefined));
        server.endSessionStreams();
        await until(() => record.introductions.length === 2);
        await conversation.idle();
        assert.match(conversation.texts.join("\n"), /^The question is closed, because the connection was lost\./m);
        assert.match(conversation.texts.join("\n"), /^Team Agent loaded this conversation\.$/m);
      });

    it("while a question is open closes the question, and says so", async () => {
      await start();
      conversation.answersQuestions = false;
      conversation.send("first");
      await until(() => conversation.session.state.questions.some(({ answer }) => answer === undefined));
      server.cut();
      await conversation.idle();
      assert.equal(conversation.session.state.questions[0]?.answer, "cancelled");
      const [closed, lost, loaded] = conversation.texts.filter(text => /connection|loaded/.test(text));
      assert.match(lost ?? "", /Parley connects again by itself\.$/);
      assert.match(closed ?? "", /^The question is closed, because the connection was lost\. Team Agent asks again/);
      assert.equal(loaded, "Team Agent loaded this conversation.");
    });

    it("after a restart says nothing about the question that the restart closed", async () => {
      await start();
      conversation.answersQuestions = false;
      conversation.send("first");
      await until(() => conversation.session.state.questions.some(({ answer }) => answer === undefined));
      await conversation.session.restart();
      await conversation.idle();
      server.cut();
      await until(() => conversation.session.state.lost !== null);
      await conversation.idle();
      assert.doesNotMatch(conversation.texts.join("\n"), /is closed, because/);
    });

    it("again and again is given up after ten attempts, and the user can retry", async () => {
      const { record } = await start();
      conversation.send("first");
      await conversation.idle();
      server.refuses = 503;
      server.cut();
      const { session } = conversation;
      const isGivenUp = (): boolean => session.state.lost?.message.includes("503") === true;
      await until(isGivenUp);
      assert.doesNotMatch(session.state.lost?.message ?? "", /by itself/);
      assert.equal(record.introductions.length, 1);
      server.refuses = undefined;
      await session.open();
      assert.equal(session.state.connection?.state, "ready");
    });

    it("and then refused for lack of a sign-in is not tried again", async () => {
      await start();
      conversation.send("first");
      await conversation.idle();
      server.refuses = 401;
      server.cut();
      await until(() => conversation.session.state.lost?.next[0] === "setAgentHeader");
      const { message } = conversation.session.state.lost ?? assert.fail();
      assert.match(message, /needs a sign-in/);
      assert.doesNotMatch(message, /by itself/);
    });
  });
}
