// The API of a window for another extension, with a stub agent, dialogs that a test answers, and a message box that keeps what it gets.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { ApiHost, WindowApi } from "../../../src/api/vscode/apiModule.ts";
import type { ParleyApi, ParleySession, ParleyTurn } from "../../../src/api/vscode/parleyApi.ts";
import { createWindowApi } from "../../../src/api/vscode/windowApi.ts";
import { maskKnownSecrets, unfinishedSecretLength } from "../../../src/base/secrets/knownSecrets.ts";
import type { PromptDraft } from "../../../src/mentions/promptDraft.ts";
import type { PanelMessage } from "../../../src/panel/protocol.ts";
import type { SessionOption } from "../../../src/session/events.ts";
import { until } from "../fakes/until.ts";
import { WindowBench } from "./windowBench.ts";

/** The extension with tools that the host tests install. */
export const callerId = "parley-test.notes";
const caller = (): vscode.Extension<unknown> => {
  const found = vscode.extensions.getExtension(callerId);
  assert.ok(found, "The extension of the tests is not installed.");
  return found;
};

/** Replaces a function of VS Code's window, which shows dialogs, until the test ends. */
const replaced: (() => void)[] = [];
export function replaceInWindow(
  name: "showWarningMessage" | "showInformationMessage" | "showQuickPick",
  by: unknown,
): void {
  const before = Object.getOwnPropertyDescriptor(vscode.window, name);
  assert.ok(before);
  Object.defineProperty(vscode.window, name, { value: by, configurable: true });
  replaced.push(() => Object.defineProperty(vscode.window, name, before));
}

const mode: SessionOption = {
  type: "select",
  id: "mode",
  name: "Mode",
  category: "mode",
  value: "ask",
  choices: [
    { value: "ask", name: "Ask" },
    { value: "plan", name: "Plan" },
    { value: "bypassPermissions", name: "Bypass permissions" },
  ],
} as SessionOption;

/** What a test of the API uses. */
export interface ApiBench {
  bench: WindowBench;
  window: WindowApi;
  /** The warnings, and the questions about the consent. */
  questions: string[];
  /** What the user answers to the question about the consent. */
  answer: () => Promise<string | undefined>;
  /** Why the user does not want to send so many attachments. */
  refusal: (attachments: number) => Promise<string | undefined>;
  /** What the message box got. */
  shown: PanelMessage[];
  draft: PromptDraft | undefined;
  sent: PromptDraft[];
  readonly connect: () => Promise<ParleyApi>;
  readonly opened: () => Promise<ParleySession>;
  readonly say: (text: string) => void;
  /** The agent answers, and ends the turn. */
  readonly end: () => void;
  /** Sends the prompt, and waits until the agent has it. */
  readonly prompting: (session: ParleySession, text: string) => Promise<{ readonly turn: Promise<ParleyTurn> }>;
}

/** Creates the API before each test of the suite, and ends it after the test. */
export function useApiBench(): ApiBench {
  const at = {} as { -readonly [Key in keyof ApiBench]: ApiBench[Key] };
  beforeEach(() => {
    at.bench = new WindowBench();
    at.bench.agent.options = [mode];
    at.questions = [];
    at.answer = () => Promise.resolve("Allow");
    at.refusal = () => Promise.resolve(undefined);
    at.shown = [];
    at.sent = [];
    at.draft = undefined;
    replaceInWindow("showWarningMessage", (text: string, options: unknown) => {
      at.questions.push(text);
      return typeof options === "object" ? at.answer() : Promise.resolve(undefined);
    });
    const state = new Map<string, unknown>();
    const globalState = {
      get: (key: string) => state.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    };
    const host = {
      context: { globalState, extension: { id: "parley.parley" } },
      registry: at.bench.sessions,
      agents: at.bench.windowAgents,
      folders: { usual: () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath },
      chat: {
        reveal: (message: PanelMessage) => Promise.resolve(void at.shown.push(message)),
        focus: () => Promise.resolve(),
      },
      prompts: {
        read: () => Promise.resolve(at.draft),
        refusalOf: (attachments: readonly unknown[]) => at.refusal(attachments.length),
        contentOf: (one: PromptDraft) => {
          at.sent.push(one);
          return Promise.resolve({ content: [{ type: "text", text: one.text }] });
        },
      },
      secrets: { hide: maskKnownSecrets, unfinished: unfinishedSecretLength },
      show: () => Promise.resolve(),
    };
    at.window = createWindowApi(host as unknown as ApiHost);
  });
  afterEach(async () => {
    at.window.dispose();
    for (const restore of replaced.splice(0).reverse()) restore();
    await at.bench.dispose();
  });

  const connect = (): Promise<ParleyApi> => at.window.connect(caller());
  const opened = async (): Promise<ParleySession> => (await connect()).openSession();
  const say = (text: string): void => {
    const messageId = `a${at.bench.remote?.prompts.length}`;
    at.bench.remote?.report({ type: "messageChunk", author: "agent", messageId, content: { type: "text", text } });
  };
  /** The agent answers, and ends the turn. */
  const end = (): void => {
    say("Done.");
    at.bench.remote?.end();
  };
  /** Sends the prompt, and waits until the agent has it. */
  const prompting = async (session: ParleySession, text: string): Promise<{ readonly turn: Promise<ParleyTurn> }> => {
    const turn = session.prompt(text);
    turn.catch(() => undefined);
    await until(() => at.bench.prompts.flat().includes(text));
    return { turn };
  };
  return Object.assign(at, { connect, opened, say, end, prompting });
}
