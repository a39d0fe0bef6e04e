// Everything that can happen to a session, as plain JSON. The events are shaped like ACP v2: src/acp/v1/v1Updates.ts
// converts v1 updates to them, and Parley's own facts are events too. Logs store them, so fields keep their names even
// where the code has other words: `submission` is the id of a prompt, `ask` of a question, `cwd` a workspace folder.
// The types of the events and the checks of stored events derive from the tables here.
import {
  isAnyOf,
  isAnything,
  isBoolean,
  isFiniteNumber,
  isListOf,
  isOneOf,
  isRecordWith,
  isString,
  isStringLike,
  isTrue,
  nullable,
  optional,
  type Fields,
  type FieldsOf,
  type Flat,
  type Named,
  type TypeOf,
  type Validator,
} from "../base/validators.ts";
import { isForm, isFormDecision, isProblem, isWebAddress } from "./forms/formShapes.ts";

/** A patch as in ACP v2: absent leaves a field, null clears it, a value replaces it. */
export type Patch<T> = { readonly [K in keyof T]?: T[K] | null };

const isPatchOf = <const F extends Fields>(fields: F): Validator<Patch<FieldsOf<F>>> =>
  isRecordWith(
    Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, optional(nullable(check))])),
  ) as Validator<Patch<FieldsOf<F>>>;
const patched = <T>(check: Validator<T>): Validator<T | null | undefined> => optional(nullable(check));

const optionalString = optional(isString);
const optionalNumber = optional(isFiniteNumber);
const optionalTrue = optional(isTrue);
const isOptionValue = isAnyOf(isString, isBoolean);

/** The audience of a block, its priority (0 to 1), and when it last changed (ISO 8601). */
const annotationFields = {
  audience: optional(isListOf(isString)),
  priority: optionalNumber,
  lastModified: optionalString,
};
export interface Annotations extends FieldsOf<typeof annotationFields> {}
const annotated = { annotations: optional(isRecordWith(annotationFields)) };

const contentBlock = isAnyOf(
  isRecordWith({ ...annotated, type: isOneOf("text"), text: isString }),
  isRecordWith({ ...annotated, type: isOneOf("image"), mimeType: isString, data: isString, uri: optionalString }),
  isRecordWith({ ...annotated, type: isOneOf("audio"), mimeType: isString, data: isString }),
  isRecordWith({
    ...annotated,
    type: isOneOf("link"),
    uri: isString,
    name: isString,
    title: optionalString,
    description: optionalString,
    mimeType: optionalString,
    size: optionalNumber,
  }),
  isRecordWith({
    ...annotated,
    type: isOneOf("resource"),
    uri: isString,
    mimeType: optionalString,
    text: optionalString,
    blob: optionalString,
  }),
  isRecordWith({ ...annotated, type: isOneOf("other"), kind: isString, raw: isAnything }),
);
/** A content block. Types that Parley does not know become `other`. `data` and `blob` are base64. */
export type ContentBlock = Named<TypeOf<typeof contentBlock>>;
const isContentBlock: Validator<ContentBlock> = contentBlock;
const isContent = isListOf(isContentBlock);

const fileOperations = ["add", "delete", "modify", "move", "copy"] as const;
export type FileOperation = (typeof fileOperations)[number];

const toolContent = isAnyOf(
  isRecordWith({ type: isOneOf("content"), content: isContentBlock }),
  isRecordWith({
    type: isOneOf("diff"),
    path: isString,
    oldText: optionalString,
    newText: isString,
    deleted: optionalTrue,
    line: optionalNumber,
  }),
  isRecordWith({
    type: isOneOf("changes"),
    changes: isListOf(
      isRecordWith({ operation: isStringLike(...fileOperations), path: isString, oldPath: optionalString }),
    ),
    patch: optionalString,
  }),
  isRecordWith({ type: isOneOf("terminal"), terminalId: isString }),
  /** A sub-agent, by the tool call that is its card. */
  isRecordWith({ type: isOneOf("session"), toolCallId: isString }),
  isRecordWith({ type: isOneOf("other"), kind: isString, raw: isAnything }),
);
/**
 * The content of a tool call. A `diff` without `oldText` is a new file; with `deleted` the file was deleted. `line` is
 * the 1-based line of the file where its texts begin. Parley adds it, because many agents send only the changed lines.
 */
export type ToolContent = Named<TypeOf<typeof toolContent>>;
const isToolContent: Validator<ToolContent> = toolContent;

const isAuthor = isOneOf("user", "agent", "thought");
export type MessageAuthor = TypeOf<typeof isAuthor>;
const isStopReason = isStringLike("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error");
export type StopReason = TypeOf<typeof isStopReason>;
const isToolStatus = isStringLike("pending", "in_progress", "completed", "failed", "cancelled", "paused");
export type ToolStatus = TypeOf<typeof isToolStatus>;
const isToolKind = isStringLike(
  ...(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"] as const),
);
export type ToolKind = TypeOf<typeof isToolKind>;

const isFileLocation = isRecordWith({ path: isString, line: optionalNumber });
/** A place in a file. `line` is 1-based; 0 is shown as the first line. */
export interface FileLocation extends TypeOf<typeof isFileLocation> {}

const toolFields = {
  title: isString,
  name: isString,
  kind: isToolKind,
  status: isToolStatus,
  content: isListOf(isToolContent),
  locations: isListOf(isFileLocation),
  rawInput: isAnything,
  rawOutput: isAnything,
  /** The user can end this call alone. */
  canCancel: isBoolean,
  /** The call stands for a sub-agent, which has a session of its own at the agent and may outlive the turn. */
  subAgent: isBoolean,
};
export interface ToolFields extends FieldsOf<typeof toolFields> {}
const isToolPatch: Validator<Patch<ToolFields>> = isPatchOf(toolFields);

const isQuestionOption = isRecordWith({
  id: isString,
  name: isString,
  kind: isStringLike("allow_once", "allow_always", "reject_once", "reject_always"),
});
export interface QuestionOption extends TypeOf<typeof isQuestionOption> {}

const isPlanEntry = isRecordWith({
  content: isString,
  priority: isStringLike("high", "medium", "low"),
  status: isStringLike("pending", "in_progress", "completed", "cancelled"),
});
export interface PlanEntry extends TypeOf<typeof isPlanEntry> {}

const planFields = {
  entries: isListOf(isPlanEntry),
  markdown: optionalString,
  uri: optionalString,
  kind: optionalString,
  path: optionalString,
};
/**
 * A plan: a list of entries, a text in Markdown, or the address of a file (earlier drafts of the protocol). `path` is the
 * absolute path of the file that has the plan. `kind` names a form that Parley does not know. A log of an earlier version
 * has only entries.
 */
export interface Plan extends FieldsOf<typeof planFields> {}

const isSessionLink = isRecordWith({
  session: isString,
  relation: isOneOf("continues", "continuedBy"),
  title: isString,
  agentName: isString,
});
/** Another session of Parley, with its title and the name of its agent at the time. */
export interface SessionLink extends TypeOf<typeof isSessionLink> {}

const isAgentCommand = isRecordWith({ name: isString, description: isString, hint: optionalString });
/** A slash command of the agent, named without the slash. */
export interface AgentCommand extends TypeOf<typeof isAgentCommand> {}

const isOptionChoice = isRecordWith({
  value: isString,
  name: isString,
  description: optionalString,
  group: optionalString,
});
export interface OptionChoice extends TypeOf<typeof isOptionChoice> {}

const optionFields = {
  id: isString,
  name: isString,
  description: optionalString,
  category: optional(isStringLike("mode", "model", "model_config", "thought_level")),
};
const sessionOption = isAnyOf(
  isRecordWith({ ...optionFields, type: isOneOf("select"), value: isString, choices: isListOf(isOptionChoice) }),
  isRecordWith({ ...optionFields, type: isOneOf("boolean"), value: isBoolean }),
);
/** A session option the agent offers: mode, model, thought level or anything else. */
export type SessionOption = Named<TypeOf<typeof sessionOption>>;
const isSessionOption: Validator<SessionOption> = sessionOption;

const questionSubject = isRecordWith({
  kind: optional(isToolKind),
  /** As shown to the user. */
  command: optionalString,
  /** The program and its arguments, if they were given separately. */
  argv: optional(isListOf(isString)),
  /** Environment variables for the command, with secret values masked. */
  env: optional(isListOf(isRecordWith({ name: isString, value: isString }))),
  cwd: optionalString,
  paths: optional(isListOf(isString)),
});
/** The subject of Parley's own questions, which have no tool call. */
export interface QuestionSubject extends TypeOf<typeof questionSubject> {}
const isQuestionSubject: Validator<QuestionSubject> = questionSubject;

const isFileNote = isOneOf("unsaved", "diverged");
/**
 * Why a file that the agent wrote needs the user. `unsaved`: the text is only in the editor, because the user has unsaved
 * changes there. `diverged`: the file changed on disk while the user has unsaved changes in it.
 */
export type FileNote = TypeOf<typeof isFileNote>;

const isExitStatus = isRecordWith({
  exitCode: optionalNumber,
  signal: optionalString,
  /** The user or the agent stopped it. */
  cancelled: optionalTrue,
});
/** How a process ended. All absent: it ended, nothing more is known. */
export interface ExitStatus extends TypeOf<typeof isExitStatus> {}

const isNewProblem = isRecordWith({
  path: isString,
  line: isFiniteNumber,
  column: isFiniteNumber,
  severity: isOneOf("error", "warning"),
  message: isString,
  source: optionalString,
  code: optionalString,
  /** The text of the line, without blanks around it. Absent: it was not known. */
  lineText: optionalString,
});
/** A problem in a file that is new since a turn began to change files. Line and column are 1-based. */
export interface NewProblem extends TypeOf<typeof isNewProblem> {}

const problemCounts = {
  /**
   * `pending`: the language servers still check the files. `unknown`: they had not finished when the next turn began, or
   * checked none of the files.
   */
  state: isOneOf("known", "pending", "unknown"),
  /** The numbers of errors and warnings that are new, and of those that are gone. */
  added: optionalNumber,
  fixed: optionalNumber,
  /** The number of new ones that are only counted, because their files look like secrets. */
  withheld: optionalNumber,
  /** The number of changed files whose problems are not known. */
  unchecked: optionalNumber,
};
/** How the problems in files changed since a turn began to change files. */
export interface ProblemCounts extends FieldsOf<typeof problemCounts> {}

const isBackgroundWork = isRecordWith({
  kind: isStringLike("tool_call", "terminal", "subagent"),
  toolCallId: optionalString,
  terminalId: optionalString,
});
/** Work that the agent continues while no turn is running: a tool call, a terminal, or something else. */
export interface BackgroundWork extends TypeOf<typeof isBackgroundWork> {}

const tokenCounts = {
  input: optionalNumber,
  output: optionalNumber,
  total: optionalNumber,
  thought: optionalNumber,
  cachedRead: optionalNumber,
  cachedWrite: optionalNumber,
};
const turnUsage = isRecordWith({
  ...tokenCounts,
  models: optional(isListOf(isRecordWith({ ...tokenCounts, model: isString }))),
});
/** The tokens of one turn, as the agent counted them. `models` has the counts of each model, if the agent tells them apart. */
export interface TurnUsage extends TypeOf<typeof turnUsage> {}
const isTurnUsage: Validator<TurnUsage> = turnUsage;

const isConnectionState = isOneOf("starting", "connecting", "opening", "ready", "closed");
/** The steps to a usable session, in order. */
export type ConnectionState = TypeOf<typeof isConnectionState>;
const isActivityState = isStringLike("running", "idle", "requires_action");
export type ActivityState = TypeOf<typeof isActivityState>;

const isQuestionAnswer = isAnyOf(isOneOf("cancelled"), isRecordWith({ option: isString }));
/** The id of the chosen option, or `cancelled` if none was chosen. */
export type QuestionAnswer = TypeOf<typeof isQuestionAnswer>;
const isAskAnswer = isAnyOf(isQuestionAnswer, isFormDecision);
/** The answer to a question of any kind. Free text of a form is not part of it. */
export type AskAnswer = TypeOf<typeof isAskAnswer>;

/** The fields that the event and the state of a question have in common. */
export const questionFields = {
  title: isString,
  description: optionalString,
  toolCallId: optionalString,
  options: isListOf(isQuestionOption),
  subject: optional(isQuestionSubject),
  /** Why no rule answered the question, as a sentence. */
  reason: optionalString,
  /** The user can create a rule from the question. */
  always: optionalTrue,
  /** It is an edit that the user can allow with all edits of the session. */
  edits: optionalTrue,
  /** Absent for a permission. A form has a `form`, unless Parley declined it, and a web address an `address`. */
  kind: optional(isOneOf("form", "url")),
  form: optional(isForm),
  address: optional(isWebAddress),
  /** An answer without the user: of a rule, or of Parley to a form that it cannot show. */
  answer: optional(isAskAnswer),
  by: optionalString,
};

/** The fields of each event. */
export const sessionEvents = {
  // Parley's own events.
  opened: {
    agent: isString,
    agentName: isString,
    cwd: isString,
    /** The log records choices as `chosen`. Without it, the values that the agent reported last are the choices. */
    choices: optionalTrue,
  },
  connection: {
    state: isConnectionState,
    detail: optionalString,
    /** The content types that the agent supports in prompts, besides text and links. Set once it is known. */
    accepts: optional(isRecordWith({ image: isBoolean, audio: isBoolean, embeddedContext: isBoolean })),
    /** The agent accepts prompts while it works. */
    steers: optionalTrue,
  },
  /**
   * The agent opened this session, or continued it. Everything that it reports afterwards belongs to the session. Agents
   * can give a new session the id of an earlier one.
   */
  agentSession: { sessionId: isString, continued: optionalTrue },
  promptSent: { submission: isString, content: isContent },
  /** The prompt went to an agent that can hold it before it accepts it. */
  promptSubmitted: { submission: isString },
  /** The agent gave the prompt back. It waits in the queue again. */
  promptReturned: { submission: isString },
  promptAccepted: {
    submission: isString,
    messageId: isString,
    /** The agent has not begun to work on it. */
    awaitsTurn: optionalTrue,
  },
  promptFailed: {
    submission: isString,
    problem: isProblem,
    /** The agent no longer has the session. */
    forgotten: optionalTrue,
  },
  promptWithdrawn: { submission: isString },
  /** Another text for a queued prompt. Its attachments stay. */
  promptEdited: { submission: isString, text: isString },
  /** Moves a queued prompt before another one, or to the end. */
  promptMoved: { submission: isString, before: optionalString },
  /** The user puts a queued prompt on hold, or releases it. */
  promptOnHold: { submission: isString, onHold: isBoolean },
  /** Whether queued prompts wait until the user resumes the queue. */
  queuePaused: { paused: isBoolean },
  cancelRequested: {},
  /** The agent has not ended the turn some seconds after Stop. */
  stopIgnored: {},
  /** The agent has reported nothing about its turn for some seconds. `since`: its last report, in ms since the epoch. */
  agentSilent: { since: isFiniteNumber },
  /** The work outside of a turn has ended or was stopped. */
  backgroundEnded: {},
  /**
   * From here on, this session is a branch. Everything before is a copy of another session, of which `from` wrote the last
   * part. `after`: the id of the last copied entry; empty if nothing was copied. No session of the agent has the copy.
   */
  branched: { session: isString, from: isString, after: isString },
  /** The user's own title for the session; null restores the agent's. */
  titled: { title: nullable(isString) },
  askOpened: { ask: isString, ...questionFields },
  /**
   * Values of options that the user chose; null: no choice any more. Sent to the agent unless it has them already, which
   * `applied` states.
   */
  chosen: {
    choices: isListOf(isRecordWith({ id: isString, value: nullable(isOptionValue), applied: optionalTrue })),
  },
  /** The agent lacks a chosen option or value (`missing`), or did not accept it. `message` is a sentence. */
  choiceRefused: { id: isString, reason: isOneOf("missing", "refused"), message: optionalString },
  /** The user sends prompts although choices were refused. */
  choicesWaived: {},
  askClosed: { ask: isString, answer: isAskAnswer, by: optionalString },
  /** The agent refused something because the user has to sign in. */
  signInNeeded: { problem: isProblem },
  signedIn: {},
  /** The user has opened the web address of a question, which stays open until the agent reports its end. */
  addressOpened: { ask: isString },
  /** A file that the agent wrote needs the user; null: it no longer does. */
  file: { path: isString, note: nullable(isFileNote) },
  /** The agent changed a file that a rule denies, without asking. `by` describes the rule. */
  deniedChange: { path: isString, by: isString },
  /** The result of an agent's write, where the user's save settings changed its text. */
  fileResult: { path: isString, before: isString, after: isString },
  /** The lines where diffs of a tool call begin. `item` is the index of the diff in the content of the call. */
  diffLines: { toolCallId: isString, lines: isListOf(isRecordWith({ item: isFiniteNumber, line: isFiniteNumber })) },
  /** How the problems in files changed with the turn that ended with this entry. `problems`: the first new ones. */
  turnProblems: { entry: isString, ...problemCounts, problems: optional(isListOf(isNewProblem)) },
  agentLost: { problem: isProblem },
  // Events that the agent reported.
  message: {
    author: isAuthor,
    messageId: isString,
    content: patched(isContent),
    parent: optionalString,
    /** The author to show from now on. The agent named it late, so that the message has the id of another author. */
    shownAuthor: optional(isAuthor),
    /** Parley has created the id, because the agent accepted a prompt without naming its message. */
    unnamed: optionalTrue,
    /** The id of an `unnamed` message in the conversation. From now on, `messageId` names this message, too. */
    shownAs: optionalString,
  },
  messageChunk: {
    author: isAuthor,
    messageId: isString,
    content: isContentBlock,
    /** The tool call of the sub-agent that wrote it. */
    parent: optionalString,
  },
  tool: {
    toolCallId: isString,
    patch: isToolPatch,
    /** The tool call of the sub-agent that made this call. */
    parent: optionalString,
    /** The agent still runs the call, which an interruption had closed. */
    reopened: optionalTrue,
  },
  toolChunk: {
    toolCallId: isString,
    content: isToolContent,
    /** The content is an item of its own. Otherwise, text continues the text before it. */
    item: optionalTrue,
  },
  terminal: {
    terminalId: isString,
    /** Parley runs the command, so the user can end it. */
    own: optionalTrue,
    command: patched(isString),
    cwd: patched(isString),
    /** Replaces all output so far. */
    output: optionalString,
    exit: patched(isExitStatus),
    truncated: optional(isBoolean),
    /** The size of the screen for which the agent formats the output, in characters. */
    size: patched(isRecordWith({ cols: isFiniteNumber, rows: isFiniteNumber })),
    /** The agent runs it, and the user can end it. */
    canCancel: optional(isBoolean),
  },
  terminalOutput: { terminalId: isString, text: isString },
  activity: {
    state: isActivityState,
    stopReason: optional(isStopReason),
    problem: optional(isProblem),
    usage: optional(isTurnUsage),
    /** The agent did not begin the turn, because the user has to sign in. */
    unsent: optionalTrue,
    /** All work outside of a turn. Absent: not reported. */
    background: optional(isListOf(isBackgroundWork)),
    /** The agent did not begin the turn, because it no longer has the session. */
    forgotten: optionalTrue,
    /** Parley ended the turn, because the agent is gone or has nothing to end. */
    byParley: optionalTrue,
  },
  plan: {
    planId: isString,
    ...planFields,
    /** The tool call of the sub-agent whose plan it is. */
    parent: optionalString,
  },
  planRemoved: { planId: isString, parent: optionalString },
  commands: { commands: isListOf(isAgentCommand) },
  options: { options: isListOf(isSessionOption) },
  option: { id: isString, value: isOptionValue },
  usage: {
    used: isFiniteNumber,
    size: isFiniteNumber,
    cost: optional(isRecordWith({ amount: isFiniteNumber, currency: isString })),
  },
  info: { title: patched(isString), updatedAt: patched(isString) },
  notice: {
    severity: isStringLike("info", "warning", "error"),
    title: isString,
    description: optionalString,
    /** The agent has met an error and tries again by itself. */
    retry: optionalTrue,
    /** The agent's id of the turn that tries again. Agents repeat the report with updates of later turns. */
    turn: optionalString,
    /** The session that this one continues, or that continues this one. Only Parley reports it. */
    link: optional(isSessionLink),
  },
  compaction: {
    compactionId: isString,
    status: optional(isStringLike("in_progress", "completed", "failed", "cancelled")),
    summary: patched(isContent),
    error: patched(isString),
    /** The tool call of the sub-agent whose context it is. */
    parent: optionalString,
  },
  compactionChunk: { compactionId: isString, content: isContentBlock, parent: optionalString },
  /** An update that Parley does not know. It is kept in the log, and shown if it has a `variant`: the name of its kind. */
  unknown: { method: isString, raw: isAnything, variant: optionalString },
} as const satisfies Readonly<Record<string, Fields>>;

type Events = typeof sessionEvents;
export type SessionEvent = {
  [Type in keyof Events]: Flat<{ readonly type: Type } & FieldsOf<Events[Type]>>;
}[keyof Events];

/**
 * An event as the log stores it and the reducer gets it. `at` (ms since the epoch) is set on dispatch, because the reducer
 * never reads a clock.
 */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: SessionEvent;
}
