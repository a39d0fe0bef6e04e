// The requests of a chat panel to the extension host, and the validation of all messages from panels.
import type { NextStep } from "../base/errors.ts";
import type { FormValue } from "../session/forms/form.ts";
import { intentScopes, type IntentScope } from "./intentScopes.ts";
import { attachmentKinds } from "./mentionKinds.ts";
import {
  isAnyOf,
  isBoolean,
  isFiniteNumber,
  isNonNegativeInteger,
  isListOf,
  isOneOf,
  isRecordOf,
  isString,
  optional,
  type Validator,
} from "../base/validators.ts";
import type { FindQuery } from "./find/findProtocol.ts";
import type { Attachment, SettleFileChoice } from "./protocol.ts";

/** Panel → extension host: an intent of the user. There is no direct answer. The outcome arrives as state. */
export type Intent =
  /**
   * The first message of a panel, with the revision that it still has (0: none). `whole`: the panel restores a
   * remembered place, so the end of the conversation alone does not help.
   */
  | { readonly type: "hello"; readonly revision: number; readonly whole?: true }
  | { readonly type: "resync" }
  /** The panel has painted everything up to this revision. */
  | { readonly type: "painted"; readonly revision: number }
  | { readonly type: "send"; readonly text: string; readonly attachments?: readonly Attachment[] }
  /** Requests the items that the composer offers after `@`. Answered by `completions`. */
  | { readonly type: "complete"; readonly request: number; readonly query: string }
  /** Attaches the chosen completion. Answered by `attached` or `refused`. */
  | { readonly type: "attachItem"; readonly request: number; readonly key: string }
  /** Attaches dropped files, by URI. */
  | { readonly type: "attachUris"; readonly uris: readonly string[] }
  /** The Attach button: the host asks which files. */
  | { readonly type: "pickAttachment" }
  /**
   * Searches the whole conversation. Answered by `found`, unless a newer search starts. An empty query ends the search.
   */
  | ({ readonly type: "find"; readonly request: number } & FindQuery)
  | { readonly type: "withdraw"; readonly submission: string }
  /** Replaces the text of a queued prompt. Its attachments stay. */
  | { readonly type: "editQueued"; readonly submission: string; readonly text: string }
  /** Moves a queued prompt before another, or to the end. */
  | { readonly type: "moveQueued"; readonly submission: string; readonly before?: string }
  /** Sends a queued prompt next, and stops a running turn for it. */
  | { readonly type: "sendNow"; readonly submission: string }
  /** Sends a queued prompt into the running turn. */
  | { readonly type: "sendWhileRunning"; readonly submission: string }
  /** Sends the queued prompts that wait since a stop or a failure. */
  | { readonly type: "resumeQueue" }
  /** Sends the queued prompts although the agent refused choices of the user. */
  | { readonly type: "sendAnyway" }
  | { readonly type: "stop" }
  /** Ends the agent's process while Parley connects to it. */
  | { readonly type: "cancelConnecting" }
  | { readonly type: "answer"; readonly ask: string; readonly option: string }
  /** Answers a form or a web address. `accept` needs the answers of a form. */
  | {
      readonly type: "answerForm";
      readonly ask: string;
      readonly action: "accept" | "decline" | "cancel";
      readonly answers?: readonly { readonly field: string; readonly value: FormValue }[];
      /** Fields that the user sends although their patterns could not be checked. */
      readonly unchecked?: readonly string[];
    }
  /** Signs in to the agent by one of its methods. */
  | { readonly type: "signIn"; readonly method: string }
  | { readonly type: "cancelSignIn" }
  | { readonly type: "signOut" }
  /** The user consents to open the web address of a question. */
  /** The user has typed `/`: the MCP servers start, so that their prompts can be offered. */
  | { readonly type: "listPrompts" }
  /** Uses a prompt of an MCP server, by its name. `text` is what the user typed after the name. */
  | { readonly type: "usePrompt"; readonly prompt: string; readonly text: string }
  /** Asks for values of an argument. Answered by `argumentValues`. */
  | {
      readonly type: "completeArgument";
      readonly ask: string;
      readonly field: string;
      readonly typed: string;
      readonly others: readonly { readonly field: string; readonly value: FormValue }[];
    }
  | { readonly type: "answerPreview"; readonly ask: string; readonly answer: "send" | "edit" | "cancel" }
  /** Switches an MCP server on or off for this session, allows to start it, or starts it again. */
  | { readonly type: "setMcpServer"; readonly server: string; readonly action: "on" | "off" | "allow" | "retry" }
  | { readonly type: "openAddress"; readonly ask: string }
  /** Creates a rule from a question, after asking the user which one. */
  | { readonly type: "always"; readonly ask: string }
  /** Shows the rules, and highlights the one that `decision` names. */
  | { readonly type: "manageRules"; readonly decision?: string }
  | { readonly type: "killTerminal"; readonly terminal: string }
  /** Ends one tool call, or a sub-agent. */
  | { readonly type: "cancelTool"; readonly toolCall: string }
  /** Shows the output in a terminal of VS Code, which stays up to date. */
  | { readonly type: "openTerminal"; readonly terminal: string }
  | { readonly type: "settleFile"; readonly path: string; readonly how: SettleFileChoice }
  | { readonly type: "newSession" }
  /** Shows another session of the workspace in this panel. */
  | { readonly type: "showSession"; readonly id: string }
  /** Sets a title chosen by the user. Empty restores the agent's title. */
  | { readonly type: "rename"; readonly title: string }
  /** Shows the chat in an editor tab too. */
  | { readonly type: "openInEditor" }
  /** Turns following the agent in the editor on or off. */
  | { readonly type: "follow"; readonly on: boolean }
  /** Copies the conversation to the clipboard as Markdown. */
  | { readonly type: "copyConversation" }
  | { readonly type: "saveTranscript" }
  /** Restores the checkpoint of a prompt, after a preview and a choice. */
  | { readonly type: "restoreCheckpoint"; readonly entry: string }
  | { readonly type: "reviewChanges" }
  /** Without a path: all changes. */
  | { readonly type: "keepChanges"; readonly path?: string }
  | { readonly type: "undoChanges"; readonly path?: string }
  | { readonly type: "selectAgent"; readonly agent: string }
  | { readonly type: "setOption"; readonly option: string; readonly value: string | boolean }
  /**
   * Lines and columns are 1-based. The path is resolved against each workspace folder in turn, and never leaves them.
   */
  | {
      readonly type: "openFile";
      readonly path: string;
      readonly line?: number;
      readonly column?: number;
      readonly endLine?: number;
    }
  /** Opens the content block behind a part of an entry in an editor, or saves it as a file. */
  | { readonly type: "openContent"; readonly entry: string; readonly part: number }
  | { readonly type: "saveContent"; readonly entry: string; readonly part: number }
  /**
   * Inserts code of an answer at the cursor, or proposes it as a change to a file: `path`, or the file of the active
   * editor.
   */
  | { readonly type: "insertCode"; readonly text: string }
  | { readonly type: "applyCode"; readonly text: string; readonly path?: string }
  /** Draws Mermaid source in a separate panel. */
  | { readonly type: "openDiagram"; readonly text: string }
  /** Opens the diff of a tool card's part in a diff editor. */
  | { readonly type: "openDiff"; readonly entry: string; readonly part: number }
  | { readonly type: "openLink"; readonly href: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "nextStep"; readonly step: NextStep }
  /** Logs an error inside the panel. */
  | { readonly type: "report"; readonly kind: "error" | "csp"; readonly text: string };

/**
 * An intent as a panel posts it. An intent about a session names the session that the panel showed; without a name, the
 * panel showed none.
 */
export type IntentMessage = Intent & { readonly session?: string };

const scopes: { readonly [Type in Intent["type"]]: IntentScope } = intentScopes;

const nextSteps: Record<NextStep, true> = {
  retry: true,
  restartAgent: true,
  selectAgent: true,
  openSettings: true,
  showLog: true,
  showTraffic: true,
  checkAgent: true,
  manageTrust: true,
  openFolder: true,
  newSession: true,
  exportSession: true,
  useDraftProtocol: true,
};

const isAttachmentSource: Validator = value =>
  [
    isRecordOf({
      type: isOneOf("path"),
      path: isString,
      line: optional(isNonNegativeInteger),
      endLine: optional(isNonNegativeInteger),
    }),
    isRecordOf({ type: isOneOf("text"), text: isString, uri: optional(isString), mimeType: optional(isString) }),
    isRecordOf({ type: isOneOf("data"), mimeType: isString, data: isString }),
  ].some(check => check(value));
const isAttachmentShape = isRecordOf({
  id: isString,
  kind: isOneOf(...Object.keys(attachmentKinds)),
  label: isString,
  detail: optional(isString),
  bytes: optional(isNonNegativeInteger),
  source: isAttachmentSource,
});

/** Whether a value is an attachment without unknown fields. */
export const isAttachment = (value: unknown): value is Attachment => isAttachmentShape(value);

const isFormValue = isAnyOf(isString, isFiniteNumber, isBoolean, isListOf(isString));

/** One schema per intent. The mapped type makes a missing intent or field a compile error. */
const shapes: {
  readonly [K in Intent["type"]]: { readonly [F in keyof Omit<Extract<Intent, { type: K }>, "type">]-?: Validator };
} = {
  hello: { revision: isNonNegativeInteger, whole: optional(value => value === true) },
  resync: {},
  painted: { revision: isNonNegativeInteger },
  send: { text: isString, attachments: optional(isListOf(isAttachmentShape)) },
  complete: { request: isNonNegativeInteger, query: isString },
  attachItem: { request: isNonNegativeInteger, key: isString },
  attachUris: { uris: isListOf(isString) },
  pickAttachment: {},
  find: {
    request: isNonNegativeInteger,
    query: isString,
    matchCase: isBoolean,
    wholeWord: isBoolean,
    regex: isBoolean,
  },
  withdraw: { submission: isString },
  editQueued: { submission: isString, text: isString },
  moveQueued: { submission: isString, before: optional(isString) },
  sendNow: { submission: isString },
  sendWhileRunning: { submission: isString },
  resumeQueue: {},
  sendAnyway: {},
  stop: {},
  cancelConnecting: {},
  answer: { ask: isString, option: isString },
  answerForm: {
    ask: isString,
    action: isOneOf("accept", "decline", "cancel"),
    answers: optional(isListOf(isRecordOf({ field: isString, value: isFormValue }))),
    unchecked: optional(isListOf(isString)),
  },
  listPrompts: {},
  usePrompt: { prompt: isString, text: isString },
  completeArgument: {
    ask: isString,
    field: isString,
    typed: isString,
    others: isListOf(isRecordOf({ field: isString, value: isFormValue })),
  },
  answerPreview: { ask: isString, answer: isOneOf("send", "edit", "cancel") },
  setMcpServer: { server: isString, action: isOneOf("on", "off", "allow", "retry") },
  openAddress: { ask: isString },
  signIn: { method: isString },
  cancelSignIn: {},
  signOut: {},
  always: { ask: isString },
  manageRules: { decision: optional(isString) },
  killTerminal: { terminal: isString },
  cancelTool: { toolCall: isString },
  openTerminal: { terminal: isString },
  settleFile: {
    path: isString,
    how: value => typeof value === "string" && ["save", "compare", "take", "keep"].includes(value),
  },
  newSession: {},
  showSession: { id: isString },
  rename: { title: isString },
  openInEditor: {},
  follow: { on: isBoolean },
  copyConversation: {},
  saveTranscript: {},
  restoreCheckpoint: { entry: isString },
  reviewChanges: {},
  keepChanges: { path: optional(isString) },
  undoChanges: { path: optional(isString) },
  selectAgent: { agent: isString },
  setOption: { option: isString, value: value => typeof value === "string" || typeof value === "boolean" },
  openFile: {
    path: isString,
    line: optional(isNonNegativeInteger),
    column: optional(isNonNegativeInteger),
    endLine: optional(isNonNegativeInteger),
  },
  openContent: { entry: isString, part: isNonNegativeInteger },
  saveContent: { entry: isString, part: isNonNegativeInteger },
  insertCode: { text: isString },
  applyCode: { text: isString, path: optional(isString) },
  openDiagram: { text: isString },
  openDiff: { entry: isString, part: isNonNegativeInteger },
  openLink: { href: isString },
  copy: { text: isString },
  nextStep: { step: value => typeof value === "string" && Object.hasOwn(nextSteps, value) },
  report: { kind: value => value === "error" || value === "csp", text: isString },
};

/** The message as an intent, or undefined if it is not one. Messages with unknown fields are rejected. */
export function parseIntent(message: unknown): IntentMessage | undefined {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return undefined;
  const fields = message as Record<string, unknown>;
  const type = fields["type"];
  if (typeof type !== "string" || !Object.hasOwn(shapes, type)) return undefined;
  const isAboutSession = scopes[type as Intent["type"]] === "session";
  const shape: Record<string, Validator> = {
    ...shapes[type as Intent["type"]],
    ...(isAboutSession && { session: optional(isString) }),
  };
  for (const [field, check] of Object.entries(shape)) if (!check(fields[field])) return undefined;
  for (const field of Object.keys(fields)) if (field !== "type" && !Object.hasOwn(shape, field)) return undefined;
  return message as IntentMessage;
}
