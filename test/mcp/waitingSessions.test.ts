// What a server asks the user belongs to the session that waits for the server.
import assert from "node:assert/strict";
import { WaitingSessions } from "../../src/mcp/waitingSessions.ts";

const never = new AbortController().signal;
const gate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
};

describe("what a server asks the user", () => {
  it("is asked in the session that waits for this server, the latest first", async () => {
    const waiting = new WaitingSessions();
    const asked: string[] = [];
    const ask = (session: string): Promise<string> => Promise.resolve(`${asked.push(session)}`);
    const [one, two, other] = [gate(), gate(), gate()];
    const first = waiting.whileWaiting("s", "one", never, () => one.opened);
    const second = waiting.whileWaiting("s", "two", never, () => two.opened);
    const third = waiting.whileWaiting("t", "three", never, () => other.opened);
    await waiting.ask("s", "cancelled", ask);
    two.open();
    await second;
    await waiting.ask("s", "cancelled", ask);
    assert.deepEqual(asked, ["two", "one"]);
    one.open();
    other.open();
    await Promise.all([first, third]);
    assert.equal(await waiting.ask("s", "cancelled", ask), "cancelled");
    assert.equal(asked.length, 2);
  });

  it("is withdrawn when the request ends", async () => {
    const waiting = new WaitingSessions();
    const request = gate();
    const running = waiting.whileWaiting("s", "one", never, () => request.opened);
    const answer = waiting.ask(
      "s",
      "cancelled",
      (_, signal) => new Promise<string>(resolve => signal.addEventListener("abort", () => resolve("withdrawn"))),
    );
    request.open();
    await running;
    assert.equal(await answer, "withdrawn");
  });

  it("is not asked again in a request after the user has cancelled", async () => {
    const waiting = new WaitingSessions();
    const request = gate();
    let questions = 0;
    const running = waiting.whileWaiting("s", "one", never, () => request.opened);
    const ask = (): Promise<string> => Promise.resolve(++questions === 1 ? "cancelled" : "answered");
    for (let at = 0; at < 50; at++) assert.equal(await waiting.ask("s", "cancelled", ask), "cancelled");
    assert.equal(questions, 1);
    request.open();
    await running;
  });
});
