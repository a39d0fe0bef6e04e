// The mode, model and other options that the user chose: what they are, in which order an agent session gets them, and
// which of them it cannot have. Pure.
import { jsonEqual } from "../base/jsonEqual.ts";
import { approvesEverything } from "./approvesEverything.ts";
import type { SessionEvent, SessionOption } from "./events.ts";
import {
  isAllowed,
  toolKey,
  type Choice,
  type ChoiceRefusal,
  type OptionValue,
  type Question,
  type SessionState,
} from "./state.ts";

/** The next choice that an agent session needs. `option` is absent if the agent does not offer the chosen value. */
export interface NextChoice {
  readonly choice: Choice;
  readonly option?: SessionOption;
}

/**
 * The option of a choice: the one with its id. An agent can offer its modes or models under another id than before, so
 * otherwise it is the only option of the same category.
 */
export function optionOf(
  options: readonly SessionOption[],
  { id, category }: Pick<Choice, "id" | "category">,
): SessionOption | undefined {
  const sameId = options.find(option => option.id === id);
  if (sameId || (category !== "mode" && category !== "model")) return sameId;
  const sameCategory = options.filter(option => option.category === category);
  return sameCategory.length === 1 ? sameCategory[0] : undefined;
}

/** Whether the option can have the value. */
const offersValue = (option: SessionOption, value: OptionValue): boolean =>
  option.type === "boolean"
    ? typeof value === "boolean"
    : option.choices.some(choice => choice.value === value) || option.value === value;

/**
 * The next choice to send to the agent: models, then modes, then the rest in the agent's order. A choice whose option
 * is missing is skipped, because another model can have other options. A missing mode is not skipped.
 */
export function nextChoice({ choices, options }: Pick<SessionState, "choices" | "options">): NextChoice | undefined {
  let next: { readonly found: NextChoice; readonly rank: number } | undefined;
  for (const choice of choices) {
    if (choice.status !== "pending") continue;
    const option = optionOf(options, choice);
    if (option ? option.value === choice.value : choice.category !== "mode") continue;
    const rank = rankOf(choice, option, options);
    if (next && next.rank <= rank) continue;
    const isOffered = option !== undefined && offersValue(option, choice.value);
    next = { found: { choice, ...(isOffered && { option }) }, rank };
  }
  return next?.found;
}

function rankOf(choice: Choice, option: SessionOption | undefined, options: readonly SessionOption[]): number {
  const category = option?.category ?? choice.category;
  if (category === "model") return -2;
  return category === "mode" ? -1 : option ? options.indexOf(option) : options.length;
}

/** Whether prompts wait: a choice is not sent yet, or the agent refused one. */
export const areChoicesOpen = (state: SessionState): boolean =>
  state.choices.some(({ status }) => status === "refused") || nextChoice(state) !== undefined;

/** A pattern for one of the texts as a word, with or without quotes. */
function wordPattern(texts: readonly string[]): string {
  const escaped = texts.filter(text => text !== "").map(text => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return `["'“”‘’\`]*(?:${escaped.join("|")})(?![\\p{L}\\p{N}])["'“”‘’\`]*`;
}

/** Whether an agent refuses a value because the option has it already: "already in that mode". */
export function saysAlreadySet(refusal: string, option: SessionOption, value: OptionValue): boolean {
  const listed = option.type === "select" ? option.choices : [];
  const namesOf = (of: (choice: { readonly value: OptionValue }) => boolean): readonly string[] =>
    listed.filter(of).flatMap(choice => [choice.value, choice.name]);
  const own = [...(typeof value === "string" ? [value] : []), ...namesOf(choice => choice.value === value)].filter(
    text => text !== "",
  );
  const subject = wordPattern(["mode", "model", "option", "setting", "value", option.id, option.name, ...own]);
  const state = `set|selected|active|current|in effect|${value === false ? "disabled" : "enabled"}`;
  const article = "(?:(?:that|this|the|same|requested|current)\\s+)*";
  const isSaid = [
    `already\\s+(?:in|on|using|set\\s+to|switched\\s+to)\\s+${article}${subject}`,
    `${subject}(?:\\s+${subject})?\\s+(?:(?:is|was|has been)\\s+)?already\\s+(?:${state})(?![\\p{L}])`,
  ].some(pattern => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}`, "iu").test(refusal));
  const has = (text: string): boolean => new RegExp(`(?<![\\p{L}\\p{N}])${wordPattern([text])}`, "iu").test(refusal);
  const others = namesOf(choice => choice.value !== value).filter(text => text !== "");
  return (
    isSaid && !/\b(?:another|other|different|not already)\b/i.test(refusal) && (own.some(has) || !others.some(has))
  );
}

/** What the options of a new session get, by the agent's ids of the options. */
export interface InitialChoices {
  /** From the settings of the agent. */
  readonly defaults: Readonly<Record<string, OptionValue>>;
  /** What the user chose last. Defaults take precedence. */
  readonly last: Readonly<Record<string, OptionValue>>;
}

/**
 * The choices of a new session with these options. A last choice is left out if the option approves everything with it or
 * no longer offers it. One whose option is missing stays, because the option can depend on the model.
 */
export function initialChoices(
  options: readonly SessionOption[],
  { defaults, last }: InitialChoices,
): Extract<SessionEvent, { type: "chosen" }> | undefined {
  const isReused = ([id, value]: readonly [string, OptionValue]): boolean => {
    if (id in defaults) return false;
    const option = optionOf(options, { id });
    return !option || (offersValue(option, value) && !approvesEverything(option, value));
  };
  const chosen = [...Object.entries(last).filter(isReused), ...Object.entries(defaults)];
  return chosen.length === 0 ? undefined : { type: "chosen", choices: chosen.map(([id, value]) => ({ id, value })) };
}

/** The choices of a log that does not record them: the values that the agent reported last. */
export const lastReportedChoices = ({ options }: SessionState): Extract<SessionEvent, { type: "chosen" }> => ({
  type: "chosen",
  choices: options.map(({ id, value }) => ({ id, value })),
});

/** The state after the user chose these values. */
export function recordChoices(
  state: SessionState,
  chosen: Extract<SessionEvent, { type: "chosen" }>["choices"],
): SessionState {
  let { choices } = state;
  for (const { id, value, applied } of chosen) {
    const old = choices.find(choice => choice.id === id);
    if (value === null) {
      if (old) choices = choices.filter(choice => choice !== old);
      continue;
    }
    const option = optionOf(state.options, { id, ...(old?.category !== undefined && { category: old.category }) });
    const isSet = applied === true || (state.connection?.state === "ready" && option?.value === value);
    const choice = newChoice({ id, value, old, option, status: isSet ? "set" : "pending" });
    // An earlier choice of the same option under another id no longer counts.
    choices = choices.filter(each => each === old || option === undefined || optionOf(state.options, each) !== option);
    choices = old ? choices.map(each => (each === old ? choice : each)) : [...choices, choice];
  }
  return withChoices(state.recordsChoices ? state : { ...state, recordsChoices: true }, choices);
}

interface ChoiceParts {
  readonly id: string;
  readonly value: OptionValue;
  readonly old: Choice | undefined;
  readonly option: SessionOption | undefined;
  readonly status: Choice["status"];
}

function newChoice({ id, value, old, option, status }: ChoiceParts): Choice {
  const category = option ? option.category : old?.category;
  const listed = option?.type === "select" ? option.choices.find(choice => choice.value === value)?.name : undefined;
  const valueName = listed ?? (old?.value === value ? old.valueName : undefined);
  return {
    id,
    value,
    name: option?.name ?? old?.name ?? id,
    ...(category !== undefined && { category }),
    ...(valueName !== undefined && { valueName }),
    status,
  };
}

/** The state after the agent refused a choice. */
export function refuseChoice(
  state: SessionState,
  { id, reason, message }: Extract<SessionEvent, { type: "choiceRefused" }>,
): SessionState {
  const refusal: ChoiceRefusal = { reason, ...(message !== undefined && { message }) };
  const refuse = (choice: Choice): Choice => (choice.id === id ? { ...choice, status: "refused", refusal } : choice);
  return withChoices(state, state.choices.map(refuse));
}

/**
 * The state after the user sends prompts without the refused choices. A choice that the agent does not offer is no
 * longer one. A choice that it refused is tried again in the next agent session.
 */
export const waiveChoices = (state: SessionState): SessionState =>
  withChoices(
    state,
    state.choices
      .filter(({ refusal }) => refusal?.reason !== "missing")
      .map(choice => (choice.status === "refused" ? withStatus(choice, "waived") : choice)),
  );

/** The state without an agent session: the next one has none of the choices. */
export const withoutAgentSession = (state: SessionState): SessionState =>
  withChoices(
    withSwitchAllowed(state, false),
    state.choices.map(choice => withStatus(choice, "pending")),
  );

/**
 * The state after the agent reported its options; `before` is the state before that. A choice that the report shows is
 * set. A mode that changed after the user allowed the switch is a choice of the user.
 */
export function choicesAfterReport(before: SessionState, state: SessionState): SessionState {
  let { choices } = state;
  let next = state;
  for (const option of state.options) {
    const was = before.options.find(({ id }) => id === option.id);
    if (!state.switchAllowed || option.category !== "mode" || !was || was.value === option.value) continue;
    const old = choices.find(choice => optionOf([option], choice));
    const choice = newChoice({ id: option.id, value: option.value, old, option, status: "set" });
    choices = [...choices.filter(each => each !== old), choice];
    next = withSwitchAllowed(next, false);
  }
  return withChoices(
    next,
    choices.map(choice => choiceAfterReport(choice, state.options)),
  );
}

function choiceAfterReport(choice: Choice, options: readonly SessionOption[]): Choice {
  if (choice.status === "set") return choice;
  const option = optionOf(options, choice);
  if (option?.value === choice.value) return withStatus(choice, "set");
  const isBack = choice.refusal?.reason === "missing" && option !== undefined && offersValue(option, choice.value);
  return isBack ? withStatus(choice, "pending") : choice;
}

function withStatus({ refusal: _, ...choice }: Choice, status: Choice["status"]): Choice {
  return { ...choice, status };
}

/** The state after an answer to a question. If the user allowed the agent to switch its mode, its next report counts. */
export function withAnswer(state: SessionState, question: Question): SessionState {
  const { toolCallId } = question;
  const tool = toolCallId === undefined ? undefined : state.entries.get(toolKey(toolCallId));
  const isSwitch = tool?.kind === "tool" && tool.fields.kind === "switch_mode";
  return isSwitch ? withSwitchAllowed(state, isAllowed(question)) : state;
}

/** The state with the permission to switch the mode, or without it. */
export const withSwitchAllowed = (state: SessionState, switchAllowed: boolean): SessionState =>
  state.switchAllowed === switchAllowed ? state : { ...state, switchAllowed };

const withChoices = (state: SessionState, choices: readonly Choice[]): SessionState =>
  jsonEqual(state.choices, choices) ? state : { ...state, choices };
