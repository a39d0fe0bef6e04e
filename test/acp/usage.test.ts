// The token counts of agents, from the shapes that they use.
import assert from "node:assert/strict";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import { turnUsage } from "../../src/acp/usage.ts";
import type { JsonObject } from "../../src/acp/parse.ts";

const called = (inputTokens: unknown, outputTokens: unknown, more: JsonObject = {}, text = ""): JsonObject => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  _meta: { usage: { inputTokens, outputTokens }, ...more },
});
/** The usage events of the updates. */
const usages = (updates: readonly JsonObject[], setup: JsonObject = {}, upgrade = new V1Updates()): unknown[] => {
  upgrade.setup(setup);
  return updates.flatMap(update => upgrade.update(update)).filter(event => event.type === "usage");
};
const model = (modelId: string, contextLimit: unknown): JsonObject => ({ modelId, _meta: { contextLimit } });

describe("the context usage of an agent without usage updates", () => {
  const models = { currentModelId: "a", availableModels: [model("a", 1000), model("b", 500), model("c", "much")] };

  it("is the input and output of the last model call, and is never added up", () => {
    assert.deepEqual(usages([called(100, 20), called(150, 30, {}, "Done.")], { models }), [
      { type: "usage", used: 120, size: 1000 },
      { type: "usage", used: 180, size: 1000 },
    ]);
  });

  it("comes with the text of the chunk, which may be empty", () => {
    const upgrade = new V1Updates();
    assert.deepEqual(
      upgrade.update(called(1, 2)).map(event => event.type),
      ["usage"],
    );
    assert.deepEqual(
      upgrade.update(called(1, 2, {}, "Hi")).map(event => event.type),
      ["messageChunk", "usage"],
    );
  });

  it("has the limit of the chunk, else of the current model, else none", () => {
    assert.deepEqual(usages([called(1, 1, { contextLimit: 50 })], { models }), [{ type: "usage", used: 2, size: 50 }]);
    assert.deepEqual(usages([called(1, 1)], {}), [{ type: "usage", used: 2, size: 0 }]);
    const upgrade = new V1Updates();
    upgrade.setup({ models });
    upgrade.optionSet("parley.model", "b");
    assert.deepEqual(usages([called(1, 1)], {}, upgrade), [{ type: "usage", used: 2, size: 500 }]);
    upgrade.optionSet("parley.model", "c");
    assert.deepEqual(usages([called(1, 1)], {}, upgrade), [{ type: "usage", used: 2, size: 0 }]);
  });

  it("has the limit of the model in the options, and of a choice", () => {
    const option = (value: string): JsonObject => ({
      ...{ id: "m", name: "M", category: "model", type: "select", currentValue: value },
      options: [{ value: "a" }, { group: "g", options: [{ value: "d", _meta: { contextLimit: 70 } }] }],
    });
    const changed = { sessionUpdate: "config_option_update", configOptions: [option("d")] };
    const updates = [called(1, 1), changed, called(1, 1)];
    assert.deepEqual(usages(updates, { models, configOptions: [option("a")] }), [
      { type: "usage", used: 2, size: 1000 },
      { type: "usage", used: 2, size: 70 },
    ]);
  });

  it("ignores sub-agents, which have a context of their own, and malformed counts", () => {
    assert.deepEqual(usages([called(1, 1, { parentToolCallId: "t" }), called("1", 1), called(null, null)]), []);
  });

  it("is that of usage updates as soon as the agent sends them", () => {
    const update = { sessionUpdate: "usage_update", used: 5, size: 10 };
    assert.deepEqual(usages([called(1, 1), update, called(8, 1)], { models }), [
      { type: "usage", used: 2, size: 1000 },
      { type: "usage", used: 5, size: 10 },
    ]);
  });
});

describe("the usage of a turn", () => {
  it("is that of the result, in the names of the specification", () => {
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7, thoughtTokens: 1, cachedReadTokens: 4 };
    assert.deepEqual(turnUsage({ usage }), { input: 5, output: 2, total: 7, thought: 1, cachedRead: 4 });
  });

  it("is that of `_meta.quota` in either style, also by model", () => {
    const tokens = { input_tokens: 5, output_tokens: 2 };
    const quota = { token_count: tokens, model_usage: [{ model: "m", token_count: tokens }, { model: 3 }, null] };
    assert.deepEqual(turnUsage({ _meta: { quota } }), {
      input: 5,
      output: 2,
      models: [{ model: "m", input: 5, output: 2 }],
    });
    const count = { inputTokens: 9, cachedInputTokens: 0, reasoningOutputTokens: 3 };
    assert.deepEqual(turnUsage({ usage: { inputTokens: 5 }, _meta: { quota: { token_count: count } } }), {
      ...{ input: 5, thought: 3, cachedRead: 0 },
    });
  });

  it("is absent without numbers", () => {
    for (const result of [{}, { usage: null }, { usage: { inputTokens: "5" } }, { _meta: { quota: [] } }])
      assert.equal(turnUsage(result), undefined);
  });
});
