// A call of a client of the SDK that takes longer than the client waits for an answer without progress.
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import type { FakeClock } from "../fakes/fakePorts.ts";
import { until } from "../fakes/until.ts";

/** The time that the client waits without progress (ms). */
const maxWait = 1000;

/**
 * Calls a tool whose answer comes with `release`, after three times the time that the client waits. Each notification of
 * progress advances the clock of the server to the next one.
 */
export async function callOutlivingTimeout(client: Client, clock: FakeClock, release: () => void): Promise<void> {
  const began = performance.now();
  const heard: number[] = [];
  const messages = new Set<string | undefined>();
  const onprogress = ({
    progress,
    message,
  }: {
    readonly progress: number;
    readonly message?: string | undefined;
  }): void => {
    heard.push(progress);
    messages.add(message);
    if (performance.now() - began > 3 * maxWait) release();
    else clock.advance(10_000);
  };
  const options = { onprogress, timeout: maxWait, resetTimeoutOnProgress: true };
  const called = client.callTool({ name: "hover", arguments: {} }, options);
  await until(() => clock.pendingTimers === 1);
  clock.advance(9_999);
  assert.deepEqual(heard, []);
  clock.advance(1);
  const { content } = await called;
  assert.deepEqual(content, [{ type: "text", text: "done" }]);
  assert.deepEqual(
    heard,
    heard.map((_, index) => index + 1),
  );
  assert.deepEqual([...messages], ["The call is still running. It may be waiting for the user's answer."]);
  assert.equal(clock.pendingTimers, 0);
}
