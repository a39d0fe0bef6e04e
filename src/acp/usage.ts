// The token counts that agents report: of the context window, and of a turn.
import type { SessionEvent, TurnUsage } from "../session/events.ts";
import { asArray, asNumber, asObject, asString, isObject, optionalField, type JsonObject } from "./parse.ts";

type UsageEvent = Extract<SessionEvent, { type: "usage" }>;

/**
 * The usage of the context window: the latest `usage_update`. Agents without that update put the counts of a model call
 * into `_meta.usage` of a chunk, and the size of the window into `_meta.contextLimit` of the chunk or the model (de-facto
 * extensions). The input of a call contains the conversation so far, so calls are never added up.
 */
export class ContextUsage {
  #hasUpdates = false;
  /** The size of the context window of each model, in tokens. */
  readonly #limits = new Map<string, number>();
  #model: string | undefined;

  /** Reads the models of a session: the unofficial `models`, or the options. */
  setup(result: JsonObject): void {
    const { currentModelId, availableModels } = asObject(result["models"]);
    for (const model of asArray(availableModels).filter(isObject)) this.#readLimit(model, "modelId");
    this.modelChanged(currentModelId);
    this.optionsChanged(result["configOptions"]);
  }

  /** Reads the model from `configOptions`. */
  optionsChanged(options: unknown): void {
    for (const option of asArray(options).filter(isObject)) {
      if (option["category"] !== "model") continue;
      this.modelChanged(option["currentValue"]);
      const choices = asArray(option["options"]).filter(isObject);
      for (const choice of choices.flatMap(each => [each, ...asArray(each["options"]).filter(isObject)]))
        this.#readLimit(choice, "value");
    }
  }

  modelChanged(model: unknown): void {
    this.#model = asString(model) ?? this.#model;
  }

  #readLimit(model: JsonObject, key: string): void {
    const id = asString(model[key]);
    const limit = asNumber(asObject(model["_meta"])["contextLimit"]);
    if (id !== undefined && limit !== undefined) this.#limits.set(id, limit);
  }

  /** A `usage_update`. Undefined if it is malformed. */
  update(update: JsonObject): UsageEvent | undefined {
    const used = asNumber(update["used"]);
    const size = asNumber(update["size"]);
    if (used === undefined || size === undefined) return undefined;
    this.#hasUpdates = true;
    const cost = asObject(update["cost"]);
    const amount = asNumber(cost["amount"]);
    const currency = asString(cost["currency"]);
    const known = amount !== undefined && currency !== undefined;
    return { type: "usage", used, size, ...(known && { cost: { amount, currency } }) };
  }

  /** The counts in the `_meta` of a chunk. Undefined if there are none, or if the agent sends updates. */
  chunk(meta: JsonObject): UsageEvent | undefined {
    if (this.#hasUpdates) return undefined;
    const { inputTokens, outputTokens } = asObject(meta["usage"]);
    const input = asNumber(inputTokens);
    if (input === undefined) return undefined;
    const size = asNumber(meta["contextLimit"]) ?? this.#limits.get(this.#model ?? "") ?? 0;
    return { type: "usage", used: input + (asNumber(outputTokens) ?? 0), size };
  }
}

/**
 * The tokens of a turn in the result of its prompt: `usage` (spec RFD "End Turn Token Usage"), with `_meta.quota`, a
 * de-facto extension, for what it lacks.
 */
export function turnUsage(result: JsonObject): TurnUsage | undefined {
  const quota = asObject(asObject(result["_meta"])["quota"]);
  const counts = { ...tokenCount(asObject(quota["token_count"])), ...tokenCount(asObject(result["usage"])) };
  const models = asArray(quota["model_usage"])
    .map(asObject)
    .flatMap(each => {
      const model = asString(each["model"]);
      const tokens = tokenCount(asObject(each["token_count"]));
      return model === undefined || Object.keys(tokens).length === 0
        ? []
        : [{ model: model.slice(0, maxModelLength), ...tokens }];
    })
    .slice(0, maxModels);
  if (Object.keys(counts).length === 0 && models.length === 0) return undefined;
  return { ...counts, ...(models.length > 0 && { models }) };
}

const maxModels = 10;
const maxModelLength = 2000;

/** Agents use the names of the specification, or names of their own. */
function tokenCount(count: JsonObject): Omit<TurnUsage, "models"> {
  const first = (...names: readonly string[]): number | undefined =>
    names.map(name => asNumber(count[name])).find(value => value !== undefined && value >= 0);
  return {
    ...optionalField("input", first("inputTokens", "input_tokens")),
    ...optionalField("output", first("outputTokens", "output_tokens")),
    ...optionalField("total", first("totalTokens", "total_tokens")),
    ...optionalField("thought", first("thoughtTokens", "reasoningOutputTokens", "thought_tokens")),
    ...optionalField("cachedRead", first("cachedReadTokens", "cachedInputTokens", "cached_read_tokens")),
    ...optionalField("cachedWrite", first("cachedWriteTokens", "cached_write_tokens")),
  };
}
