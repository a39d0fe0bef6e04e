// Permission requests of an agent that is built on the official SDK, and the answers it gets.
import assert from "node:assert/strict";
import { isBusy, openQuestions } from "../../src/session/state.ts";
import { sdkSuite, type Outcome, type SdkSession, type Step } from "../support/host/sdkSession.ts";

describe("an agent that requests permission", () => {
  const suite = sdkSuite();
  const { put, read } = suite;
  let sdk: SdkSession;
  beforeEach(() => ({ sdk } = suite));

  const options = [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const question = (toolCallId: string, as?: string): Step => ({
    request: "session/request_permission",
    params: { toolCall: { toolCallId, title: `Do ${toolCallId}`, kind: "execute" }, options },
    ...(as !== undefined && { as }),
  });
  const selected = (optionId: string): Outcome => ({ result: { outcome: { outcome: "selected", optionId } } });
  const cancelled: Outcome = { result: { outcome: { outcome: "cancelled" } } };
  const idle = (): void => assert.deepEqual([openQuestions(sdk.state), isBusy(sdk.state)], [[], false]);

  it("gets the user's answer", async () => {
    const turn = sdk.begin(question("p1"));
    const [ask] = await sdk.waitForQuestions(1);
    assert.deepEqual(
      [ask?.title, ask?.options.map(option => option.id), sdk.state.activity.state],
      ["Do p1", ["yes", "no"], "requires_action"],
    );
    sdk.session.answer(ask?.id ?? "", "none of these");
    assert.equal(openQuestions(sdk.state).length, 1, "an option that is not offered is no answer");
    sdk.session.answer(ask?.id ?? "", "yes");
    sdk.session.answer(ask?.id ?? "", "no");
    assert.deepEqual(await turn.done, [selected("yes")]);
    idle();
  });

  it("may have two requests open at once, and each gets its own answer", async () => {
    const turn = sdk.begin([question("p2"), question("p3")]);
    const asks = await sdk.waitForQuestions(2);
    assert.deepEqual(
      asks.map(ask => ask.title),
      ["Do p2", "Do p3"],
    );
    sdk.session.answer(asks[1]?.id ?? "", "no");
    sdk.session.answer(asks[0]?.id ?? "", "yes");
    assert.deepEqual(await turn.done, [[selected("yes"), selected("no")]]);
    idle();
  });

  it('gets the outcome "cancelled" if the turn was cancelled', async () => {
    const turn = sdk.begin([question("p4"), question("p5")], question("p6"));
    await sdk.waitForQuestions(2);
    sdk.session.stop();
    assert.deepEqual(await turn.done, [[cancelled, cancelled]]);
    assert.equal(sdk.state.activity.stopReason, "cancelled");
    idle();
    assert.equal(await put("a.txt", "still here\n").then(() => read("a.txt")), "still here\n");
  });

  it("may withdraw one request, while another stays open", async () => {
    const turn = sdk.begin([question("p7", "first"), question("p8")]);
    const [first, second] = await sdk.waitForQuestions(2);
    await sdk.session.setOption("withdraw", "first");
    assert.deepEqual(await sdk.waitForQuestions(1), [second]);
    sdk.session.answer(first?.id ?? "", "yes");
    sdk.session.answer(second?.id ?? "", "yes");
    assert.deepEqual(await turn.done, [[cancelled, selected("yes")]]);
    idle();
  });
});
