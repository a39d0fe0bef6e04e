// A closed session of an agent that cannot close it stays open at the agent. Its conversation must not stay in memory.
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe("a closed session that the agent still has open", () => {
  it("frees its client and what its calls have shown, although the traffic is recorded", async () => {
    const agent = new WireAgent();
    const connected = await agent.ready();
    const opened = async (): Promise<readonly WeakRef<object>[]> => {
      const client = recordingClient();
      const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
      agent.answer(await agent.request("session/new"), { sessionId: "s" });
      const session = await opening;
      const prompt = session.prompt([{ type: "text", text: "hello" }]);
      const content = [{ type: "content", content: { type: "text", text: "what it read" } }];
      agent.update("s", { sessionUpdate: "tool_call", toolCallId: "t", title: "Read", kind: "read", content });
      agent.answer(await agent.request("session/prompt"), { stopReason: "end_turn" });
      await prompt;
      await until(() => client.events.some(({ type }) => type === "tool"));
      const shown = client.events.flatMap(event => (event.type === "tool" ? (event.patch.content ?? []) : []));
      assert.equal(shown.length, 1);
      session.dispose();
      return [client, ...shown].map(one => new WeakRef(one));
    };
    const conversation = await opened();
    await until(() => {
      collect();
      return conversation.every(one => one.deref() === undefined);
    });
    assert.ok(agent.recorder.records.length > 3);
    connected.dispose();
  });
});
