// The requests of a chat panel to the extension host. The type, the check and the scope of an intent derive from one
// table, so a new intent needs an entry here and a handler in the table of its feature.
import { nextSteps } from "../base/errors.ts";
import {
  isAnyOf,
  isBoolean,
  isFiniteNumber,
  isListOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordOf,
  isString,
  isTrue,
  optional,
  type Fields,
  type FieldsOf,
  type Flat,
} from "../base/validators.ts";
import { isAttachmentList } from "./attachment.ts";

/** An intent is about the session that the panel shows, or about the window, whatever session it shows meanwhile. */
interface IntentDefinition {
  readonly scope: "session" | "window";
  readonly fields: Fields;
}

const isFormValue = isAnyOf(isString, isFiniteNumber, isBoolean, isListOf(isString));
const isFormAnswerList = isListOf(isRecordOf({ field: isString, value: isFormValue }));

const isPreviewTarget = isAnyOf(
  isRecordOf({ type: isOneOf("item"), request: isNonNegativeInteger, key: isString }),
  isRecordOf({
    type: isOneOf("path"),
    path: isString,
    line: optional(isNonNegativeInteger),
    endLine: optional(isNonNegativeInteger),
  }),
);

/** Every intent of the user. There is no direct answer. The outcome arrives as state. */
export const intents = {
  /**
   * The first message of a panel, with the revision that it still has (0: none). `whole`: the panel restores a
   * remembered place, so the end of the conversation alone does not help.
   */
  hello: { scope: "window", fields: { revision: isNonNegativeInteger, whole: optional(isTrue) } },
  resync: { scope: "window", fields: {} },
  /** The panel has painted everything up to this revision. */
  painted: { scope: "window", fields: { revision: isNonNegativeInteger } },
  send: { scope: "session", fields: { text: isString, attachments: optional(isAttachmentList) } },
  /** Answers `readDraft`. */
  draft: {
    scope: "window",
    fields: { request: isNonNegativeInteger, text: isString, attachments: isAttachmentList },
  },
  // Attachments belong to the draft, which stays when another session starts.
  /** Requests the items that the composer offers after `@`. Answered by `completions`. */
  complete: { scope: "window", fields: { request: isNonNegativeInteger, query: isString } },
  /** Attaches the chosen completion. Answered by `attached` or `refused`. */
  attachItem: { scope: "window", fields: { request: isNonNegativeInteger, key: isString } },
  /** Asks what an item stands for: an item of `completions`, or the path of an attachment. Answered by `preview`. */
  preview: { scope: "window", fields: { request: isNonNegativeInteger, target: isPreviewTarget } },
  /** Attaches dropped files, by URI. */
  attachUris: { scope: "window", fields: { uris: isListOf(isString) } },
  /** The Attach button: the host asks which files. */
  pickAttachment: { scope: "window", fields: {} },
  /**
   * Searches the whole conversation. Answered by `found`, unless a newer search starts. An empty query ends the search.
   */
  find: {
    scope: "session",
    fields: {
      request: isNonNegativeInteger,
      query: isString,
      matchCase: isBoolean,
      wholeWord: isBoolean,
      /** The query is a regular expression. */
      regex: isBoolean,
    },
  },
  /** Opens the next or the previous hit of the search of all conversations. */
  goToSearchHit: { scope: "window", fields: { step: isOneOf("next", "previous") } },
  withdraw: { scope: "session", fields: { prompt: isString } },
  /** Replaces the text of a queued prompt. Its attachments stay. */
  editQueued: { scope: "session", fields: { prompt: isString, text: isString } },
  /** Moves a queued prompt before another, or to the end. */
  moveQueued: { scope: "session", fields: { prompt: isString, before: optional(isString) } },
  /** Puts a queued prompt on hold, or releases it. */
  holdQueued: { scope: "session", fields: { prompt: isString } },
  releaseQueued: { scope: "session", fields: { prompt: isString } },
  /** Sends a queued prompt next, and stops a running turn for it. */
  sendNow: { scope: "session", fields: { prompt: isString } },
  /** Sends a queued prompt into the running turn. */
  sendWhileRunning: { scope: "session", fields: { prompt: isString } },
  /** Sends the queued prompts that wait since a stop or a failure. */
  resumeQueue: { scope: "session", fields: {} },
  /** Sends the queued prompts although the agent refused choices of the user. */
  sendAnyway: { scope: "session", fields: {} },
  /** Answers whether the agent gets a large conversation again. `readOnly` returns the prompts that wait to the composer. */
  answerResume: { scope: "session", fields: { answer: isOneOf("resume", "digest", "readOnly") } },
  stop: { scope: "session", fields: {} },
  /** Ends the agent's process while Parley connects to it. */
  cancelConnecting: { scope: "session", fields: {} },
  answer: { scope: "session", fields: { question: isString, option: isString } },
  /** Answers a form or a web address. `accept` needs the answers of a form. */
  answerForm: {
    scope: "session",
    fields: {
      question: isString,
      action: isOneOf("accept", "decline", "cancel"),
      answers: optional(isFormAnswerList),
      /** Fields that the user sends although their patterns could not be checked. */
      unchecked: optional(isListOf(isString)),
    },
  },
  /** The user consents to open the web address of a question. */
  openAddress: { scope: "session", fields: { question: isString } },
  /** Signs in to the agent by one of its methods. */
  signIn: { scope: "session", fields: { method: isString } },
  cancelSignIn: { scope: "session", fields: {} },
  signOut: { scope: "session", fields: {} },
  /** The user has typed `/`: the MCP servers start, so that their prompts can be offered. */
  listPrompts: { scope: "session", fields: {} },
  /** Uses a prompt of an MCP server, by its name. `text` is what the user typed after the name. */
  usePrompt: { scope: "session", fields: { prompt: isString, text: isString } },
  /** Asks for values of an argument. Answered by `argumentValues`. */
  completeArgument: {
    scope: "session",
    fields: { question: isString, field: isString, typed: isString, others: isFormAnswerList },
  },
  answerPreview: { scope: "session", fields: { question: isString, answer: isOneOf("send", "edit", "cancel") } },
  /** Switches an MCP server on or off for this session, allows to start it, or starts it again. */
  setMcpServer: { scope: "session", fields: { server: isString, action: isOneOf("on", "off", "allow", "retry") } },
  /** The user's sign-in to an MCP server, and whether the agent gets it. */
  signInToServer: {
    scope: "session",
    fields: {
      server: isString,
      action: isOneOf("signIn", "cancelSignIn", "signOut", "giveSignIn", "keepSignIn"),
    },
  },
  /** Creates a rule from a question, after asking the user which one. */
  always: { scope: "session", fields: { question: isString } },
  /** Allows all edits of the session, or stops that. */
  allowAllEdits: { scope: "session", fields: { isOn: isBoolean } },
  /** Shows the rules, and highlights the one that `decision` names. */
  manageRules: { scope: "window", fields: { decision: optional(isString) } },
  killTerminal: { scope: "session", fields: { terminal: isString } },
  /** Ends one tool call, or a sub-agent. */
  cancelTool: { scope: "session", fields: { toolCall: isString } },
  /** Shows the output in a terminal of VS Code, which stays up to date. */
  openTerminal: { scope: "session", fields: { terminal: isString } },
  /** Settles a file whose text is not on disk, or differs between disk and editor. */
  settleFile: { scope: "window", fields: { path: isString, how: isOneOf("save", "compare", "take", "keep") } },
  newSession: { scope: "session", fields: {} },
  /** Shows another session of the workspace in this panel. */
  showSession: { scope: "window", fields: { id: isString } },
  /** Sets a title chosen by the user. Empty restores the agent's title. */
  rename: { scope: "session", fields: { title: isString } },
  /** Shows a list of the window: the sessions to choose one, a view below the chat, or the log of permissions. */
  show: {
    scope: "window",
    fields: { place: isOneOf("sessionHistory", "sessions", "changes", "permissionLog", "inspector") },
  },
  /** The user clicks or types in the panel, so commands act on its session. */
  used: { scope: "window", fields: {} },
  /** Shows the chat in an editor tab too. */
  openInEditor: { scope: "window", fields: {} },
  /** Shows the worktree of the session, or removes it after a question. */
  worktree: {
    scope: "session",
    fields: {
      action: isOneOf("showChanges", "openTerminal", "openWindow", "bringBack", "commit", "update", "remove"),
    },
  },
  /** Sends a part of the active file with each message, or stops that. */
  sendActiveFile: { scope: "window", fields: { part: isOneOf("file", "selection"), isOn: isBoolean } },
  /** Lists the new problems of the turn that ended with the entry, or attaches them to the message. */
  showNewProblems: { scope: "session", fields: { entry: isString } },
  fixNewProblems: { scope: "session", fields: { entry: isString } },
  /** Sends the new problems of the latest turn with the next prompt, or not with that one. */
  sendNewProblems: { scope: "session", fields: { isOn: isBoolean } },
  /** Turns following the agent in the editor on or off. */
  follow: { scope: "session", fields: { on: isBoolean } },
  /** Copies the conversation to the clipboard as Markdown. */
  copyConversation: { scope: "session", fields: {} },
  saveTranscript: { scope: "session", fields: {} },
  /** Restores the checkpoint of a prompt, after a preview and a choice. */
  restoreCheckpoint: { scope: "session", fields: { entry: isString } },
  /** Continues from before a prompt in a new session, with the prompt again, or with another text and its attachments. */
  retryPrompt: { scope: "session", fields: { entry: isString } },
  editPrompt: { scope: "session", fields: { entry: isString, text: isString } },
  /** Continues after the turn of a message in a new session. */
  branchFrom: { scope: "session", fields: { entry: isString } },
  /** Shows another branch of the conversation in this panel. */
  showBranch: { scope: "window", fields: { id: isString } },
  // The changes of earlier sessions stay in the window's review.
  /** Sends the comments on lines that are collected. */
  sendComments: { scope: "window", fields: {} },
  reviewChanges: { scope: "window", fields: {} },
  /** Without a path: all changes. */
  keepChanges: { scope: "window", fields: { path: optional(isString) } },
  undoChanges: { scope: "window", fields: { path: optional(isString) } },
  selectAgent: { scope: "session", fields: { agent: isString } },
  setOption: { scope: "session", fields: { option: isString, value: isAnyOf(isString, isBoolean) } },
  /**
   * Lines and columns are 1-based. The path is resolved against each workspace folder in turn, and never leaves them.
   * `leading`: text before the path that may belong to it (`FoundPath`).
   */
  openFile: {
    scope: "session",
    fields: {
      path: isString,
      leading: optional(isString),
      line: optional(isNonNegativeInteger),
      column: optional(isNonNegativeInteger),
      endLine: optional(isNonNegativeInteger),
    },
  },
  /** Opens the plan with this id of the agent as a document, or its file. */
  openPlan: { scope: "session", fields: { plan: isString } },
  /** Opens the content block behind a part of an entry in an editor, or saves it as a file. */
  openContent: { scope: "session", fields: { entry: isString, part: isNonNegativeInteger } },
  saveContent: { scope: "session", fields: { entry: isString, part: isNonNegativeInteger } },
  /**
   * Inserts code of an answer at the cursor, or proposes it as a change to a file: `path`, or the file of the active
   * editor.
   */
  insertCode: { scope: "window", fields: { text: isString } },
  applyCode: { scope: "session", fields: { text: isString, path: optional(isString) } },
  /** Draws Mermaid source in a separate panel. */
  openDiagram: { scope: "window", fields: { text: isString } },
  /** Opens the diff of a tool card's part in a diff editor. */
  openDiff: { scope: "session", fields: { entry: isString, part: isNonNegativeInteger } },
  openLink: { scope: "session", fields: { href: isString } },
  copy: { scope: "window", fields: { text: isString } },
  nextStep: { scope: "session", fields: { step: isOneOf(...nextSteps) } },
  /** Logs an error inside the panel. */
  report: { scope: "window", fields: { kind: isOneOf("error", "csp"), text: isString } },
} as const satisfies Readonly<Record<string, IntentDefinition>>;

type Intents = typeof intents;

/** Panel → extension host: an intent of the user. */
export type Intent = {
  [Type in keyof Intents]: Flat<{ readonly type: Type } & FieldsOf<Intents[Type]["fields"]>>;
}[keyof Intents];

/**
 * An intent as a panel posts it. An intent about a session names the session that the panel showed; without a name, the
 * panel showed none.
 */
export type IntentMessage = Intent & { readonly session?: string };

const checksOf = (
  table: Readonly<Record<string, IntentDefinition>>,
): ReadonlyMap<unknown, (message: unknown) => boolean> =>
  new Map(
    Object.entries(table).map(([type, { scope, fields }]) => [
      type,
      isRecordOf({ type: isString, ...fields, ...(scope === "session" && { session: optional(isString) }) }),
    ]),
  );
/** The check of each type of message. The webview, which has no use for it, is bundled without it. */
const checks = /* @__PURE__ */ checksOf(intents);

/** The message as an intent, or undefined if it is not one. Messages with unknown fields are rejected. */
export function parseIntent(message: unknown): IntentMessage | undefined {
  if (typeof message !== "object" || message === null || !("type" in message)) return undefined;
  return checks.get(message.type)?.(message) ? (message as IntentMessage) : undefined;
}
