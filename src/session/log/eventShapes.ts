// The shapes of stored events. A log can be damaged, and code that gets an event of another shape would fail later, for
// the whole conversation.
import {
  isAnyOf,
  isAnything,
  isBoolean,
  isFiniteNumber,
  isListOf,
  isOneOf,
  isRecordWith,
  isString,
  isTrue,
  nullable,
  optional,
  type Validator,
} from "../../base/validators.ts";
import type { LoggedEvent, SessionEvent, ToolFields } from "../events.ts";

const isValue = isAnyOf(isString, isBoolean);
const isExtra = optional(isString);

const isContentBlock = isAnyOf(
  isRecordWith({ type: isOneOf("text"), text: isString }),
  isRecordWith({ type: isOneOf("image"), mimeType: isString, data: isString, uri: isExtra }),
  isRecordWith({ type: isOneOf("audio"), mimeType: isString, data: isString }),
  isRecordWith({
    type: isOneOf("link"),
    uri: isString,
    name: isString,
    title: isExtra,
    description: isExtra,
    mimeType: isExtra,
    size: optional(isFiniteNumber),
  }),
  isRecordWith({ type: isOneOf("resource"), uri: isString, mimeType: isExtra, text: isExtra, blob: isExtra }),
  isRecordWith({ type: isOneOf("other"), kind: isString }),
);
const isContent = isListOf(isContentBlock);

const isToolContent = isAnyOf(
  isRecordWith({ type: isOneOf("content"), content: isContentBlock }),
  isRecordWith({
    type: isOneOf("diff"),
    path: isString,
    oldText: isExtra,
    newText: isString,
    deleted: optional(isTrue),
    line: optional(isFiniteNumber),
  }),
  isRecordWith({
    type: isOneOf("changes"),
    changes: isListOf(isRecordWith({ operation: isString, path: isString, oldPath: isExtra })),
    patch: isExtra,
  }),
  isRecordWith({ type: isOneOf("terminal"), terminalId: isString }),
  isRecordWith({ type: isOneOf("other"), kind: isString }),
);

const patched = (check: Validator): Validator => optional(nullable(check));
const toolFields: { readonly [F in keyof ToolFields]-?: Validator } = {
  title: patched(isString),
  name: patched(isString),
  kind: patched(isString),
  status: patched(isString),
  content: patched(isListOf(isToolContent)),
  locations: patched(isListOf(isRecordWith({ path: isString, line: optional(isFiniteNumber) }))),
  rawInput: isAnything,
  rawOutput: isAnything,
  canCancel: patched(isBoolean),
  subAgent: patched(isBoolean),
};

const isProblem = isRecordWith({
  message: isString,
  detail: isExtra,
  command: isExtra,
  next: isListOf(isString),
  signIn: optional(isListOf(isRecordWith({ id: isString, name: isString, description: isExtra }))),
});
const isFormValue = isAnyOf(isString, isFiniteNumber, isBoolean, isListOf(isString));
const isFormAnswer = isAnyOf(
  isRecordWith({ field: isString, value: isFormValue }),
  isRecordWith({ field: isString, answered: isTrue }),
);
const isAnswer = isAnyOf(
  isOneOf("cancelled"),
  isRecordWith({ option: isString }),
  isRecordWith({ action: isOneOf("accept", "decline"), answers: optional(isListOf(isFormAnswer)) }),
);
const fieldParts = { name: isString, title: isString, description: isExtra, required: isBoolean };
const number = optional(isFiniteNumber);
const isChoices = isListOf(isRecordWith({ value: isString, name: isString, description: isExtra }));
const isForm = isRecordWith({
  message: isString,
  title: isExtra,
  description: isExtra,
  fields: isListOf(
    isAnyOf(
      isRecordWith({
        ...fieldParts,
        type: isOneOf("text"),
        minLength: number,
        maxLength: number,
        pattern: isExtra,
        format: isExtra,
        secret: optional(isTrue),
        default: isExtra,
      }),
      isRecordWith({
        ...fieldParts,
        type: isOneOf("number"),
        integer: isBoolean,
        minimum: number,
        maximum: number,
        default: number,
      }),
      isRecordWith({ ...fieldParts, type: isOneOf("boolean"), default: optional(isBoolean) }),
      isRecordWith({ ...fieldParts, type: isOneOf("select"), choices: isChoices, default: isExtra }),
      isRecordWith({
        ...fieldParts,
        type: isOneOf("multiselect"),
        choices: isChoices,
        minItems: number,
        maxItems: number,
        default: optional(isListOf(isString)),
      }),
    ),
  ),
});
const isAddress = isRecordWith({
  href: isString,
  host: isString,
  decodedHost: isExtra,
  hasUserName: optional(isTrue),
});
const isAuthor = isOneOf("user", "agent", "thought");

const isSubject = isRecordWith({
  kind: isExtra,
  command: isExtra,
  argv: optional(isListOf(isString)),
  env: optional(isListOf(isRecordWith({ name: isString, value: isString }))),
  cwd: isExtra,
  paths: optional(isListOf(isString)),
});

const optionFields = { id: isString, name: isString, description: isExtra, category: isExtra };
const isOption = isAnyOf(
  isRecordWith({
    ...optionFields,
    type: isOneOf("select"),
    value: isString,
    choices: isListOf(isRecordWith({ value: isString, name: isString, description: isExtra, group: isExtra })),
  }),
  isRecordWith({ ...optionFields, type: isOneOf("boolean"), value: isBoolean }),
);

const count = optional(isFiniteNumber);
const counts = { input: count, output: count, total: count, thought: count, cachedRead: count, cachedWrite: count };
const isTurnUsage = isRecordWith({
  ...counts,
  models: optional(isListOf(isRecordWith({ ...counts, model: isString }))),
});
const isExitStatus = isRecordWith({ exitCode: count, signal: isExtra, cancelled: optional(isTrue) });

/** One shape per event. The mapped type makes a missing event or field a compile error. */
const shapes: {
  readonly [K in SessionEvent["type"]]: {
    readonly [F in keyof Omit<Extract<SessionEvent, { type: K }>, "type">]-?: Validator;
  };
} = {
  opened: { agent: isString, agentName: isString, cwd: isString, choices: optional(isTrue) },
  connection: {
    state: isOneOf("starting", "connecting", "opening", "ready", "closed"),
    detail: isExtra,
    accepts: optional(isRecordWith({ image: isBoolean, audio: isBoolean, embeddedContext: isBoolean })),
    steers: optional(isTrue),
  },
  agentSession: { sessionId: isString, continued: optional(isTrue) },
  promptSent: { submission: isString, content: isContent },
  promptAccepted: { submission: isString, messageId: isString, awaitsTurn: optional(isTrue) },
  promptSubmitted: { submission: isString },
  promptReturned: { submission: isString },
  promptFailed: { submission: isString, problem: isProblem, forgotten: optional(isTrue) },
  promptWithdrawn: { submission: isString },
  promptEdited: { submission: isString, text: isString },
  promptMoved: { submission: isString, before: isExtra },
  queuePaused: { paused: isBoolean },
  cancelRequested: {},
  stopIgnored: {},
  backgroundEnded: {},
  titled: { title: nullable(isString) },
  askOpened: {
    ask: isString,
    title: isString,
    description: isExtra,
    toolCallId: isExtra,
    options: isListOf(isRecordWith({ id: isString, name: isString, kind: isString })),
    subject: optional(isSubject),
    reason: isExtra,
    always: optional(isTrue),
    kind: optional(isOneOf("form", "url")),
    form: optional(isForm),
    address: optional(isAddress),
    answer: optional(isAnswer),
    by: isExtra,
  },
  chosen: {
    choices: isListOf(isRecordWith({ id: isString, value: nullable(isValue), applied: optional(isTrue) })),
  },
  choiceRefused: { id: isString, reason: isOneOf("missing", "refused"), message: isExtra },
  choicesWaived: {},
  askClosed: { ask: isString, answer: isAnswer, by: isExtra },
  addressOpened: { ask: isString },
  signInNeeded: { problem: isProblem },
  signedIn: {},
  file: { path: isString, note: nullable(isOneOf("unsaved", "diverged")) },
  fileResult: { path: isString, before: isString, after: isString },
  diffLines: { toolCallId: isString, lines: isListOf(isRecordWith({ item: isFiniteNumber, line: isFiniteNumber })) },
  agentLost: { problem: isProblem },
  message: { author: isAuthor, messageId: isString, content: patched(isContent), parent: isExtra },
  messageChunk: { author: isAuthor, messageId: isString, content: isContentBlock, parent: isExtra },
  tool: { toolCallId: isString, patch: isRecordWith(toolFields), parent: isExtra },
  toolChunk: { toolCallId: isString, content: isToolContent, item: optional(isTrue) },
  terminal: {
    terminalId: isString,
    own: optional(isTrue),
    command: patched(isString),
    cwd: patched(isString),
    output: isExtra,
    exit: patched(isExitStatus),
    truncated: optional(isBoolean),
    size: patched(isRecordWith({ cols: isFiniteNumber, rows: isFiniteNumber })),
    canCancel: optional(isBoolean),
  },
  terminalOutput: { terminalId: isString, text: isString },
  activity: {
    state: isString,
    stopReason: isExtra,
    problem: optional(isProblem),
    usage: optional(isTurnUsage),
    unsent: optional(isTrue),
    background: optional(isListOf(isRecordWith({ kind: isString, toolCallId: isExtra, terminalId: isExtra }))),
    forgotten: optional(isTrue),
  },
  plan: {
    planId: isString,
    entries: isListOf(isRecordWith({ content: isString, priority: isString, status: isString })),
    markdown: isExtra,
    uri: isExtra,
    kind: isExtra,
  },
  planRemoved: { planId: isString },
  commands: { commands: isListOf(isRecordWith({ name: isString, description: isString, hint: isExtra })) },
  options: { options: isListOf(isOption) },
  option: { id: isString, value: isValue },
  usage: {
    used: isFiniteNumber,
    size: isFiniteNumber,
    cost: optional(isRecordWith({ amount: isFiniteNumber, currency: isString })),
  },
  info: { title: patched(isString), updatedAt: patched(isString) },
  notice: { severity: isString, title: isString, description: isExtra, retry: optional(isTrue) },
  compaction: {
    compactionId: isString,
    status: isExtra,
    summary: patched(isContent),
    error: patched(isString),
  },
  compactionChunk: { compactionId: isString, content: isContentBlock },
  unknown: { method: isString, raw: isAnything, variant: optional(isString) },
};

const isEnvelope = isRecordWith({ seq: isFiniteNumber, at: isFiniteNumber, event: isRecordWith({ type: isString }) });
const checks: Readonly<Record<string, Validator>> = Object.fromEntries(
  Object.entries(shapes).map(([type, fields]) => [type, isRecordWith(fields)]),
);

/**
 * The value as an event of a log. Undefined if its type is unknown or a field has another type than it was stored with.
 * Unknown fields are kept.
 */
export function asLoggedEvent(value: unknown): LoggedEvent | undefined {
  if (!isEnvelope(value)) return undefined;
  const logged = value as LoggedEvent;
  const { type } = logged.event;
  return Object.hasOwn(checks, type) && checks[type]?.(logged.event) ? logged : undefined;
}
