// The editor tab of the permission rules: shows the page, and answers its intents.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { createWebviewPanel } from "../../editor/editorItems.ts";
import { isRulesIntent, type RulesIntent, type RulesMessage, type TestResult } from "../../panel/rulesPage.ts";
import type { PermissionQuestion } from "../../session/agent.ts";
import type { RuleResult } from "../policy.ts";
import { questionFor, testRules } from "../ruleTest.ts";
import { openRuleSettings, type PermissionRules } from "./permissionRules.ts";

export interface RulesTabOptions {
  readonly rules: PermissionRules;
  readonly log: Log;
  /** Shows the page of rules in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  /** Applies the rules to a question of an agent. */
  readonly evaluate: (question: PermissionQuestion, agent: string) => Promise<RuleResult>;
}

/** The only tab of the rules. */
export class RulesTab implements Disposable {
  readonly #options: RulesTabOptions;
  readonly #listener: Disposable;
  #tab: vscode.WebviewPanel | undefined;
  #isReady = false;
  /** The row that the page shows first, once it is ready. */
  #revealed: string | undefined;

  constructor(options: RulesTabOptions) {
    this.#options = options;
    this.#listener = options.rules.onDidChange(() => this.#showRules());
  }

  /** Opens the tab, or shows it. `decision`: the text of a decision, whose rule is shown. */
  show(decision?: string): void {
    this.#revealed = decision === undefined ? undefined : this.#options.rules.rowOfDecision(decision);
    if (this.#tab) {
      this.#tab.reveal();
      return this.#reveal();
    }
    const tab = createWebviewPanel("parley.rules", vscode.l10n.t("Permission Rules"), vscode.ViewColumn.Active, {
      enableScripts: true,
      // The page keeps a rule that is being edited.
      retainContextWhenHidden: true,
    });
    this.#tab = tab;
    this.#isReady = false;
    const messages = tab.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    tab.onDidDispose(() => {
      messages.dispose();
      if (this.#tab === tab) this.#tab = undefined;
    });
    this.#options.openPage(tab.webview);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#tab?.dispose();
  }

  #receive(message: unknown): void {
    const { log } = this.#options;
    if (!isRulesIntent(message)) return log.warn("The page of permission rules sent an unknown message.");
    this.#run(message).catch((error: unknown) => {
      log.error("An action of the page of permission rules failed.", asError(error).message);
      this.#post({ type: "changed", problem: asError(error).message });
    });
  }

  async #run(intent: RulesIntent): Promise<void> {
    const { rules } = this.#options;
    switch (intent.type) {
      case "ready":
        this.#isReady = true;
        this.#showRules();
        return this.#reveal();
      case "test":
        return this.#post({ type: "tested", request: intent.request, results: await this.#test(intent) });
      case "save":
        return this.#post({
          ...{ type: "saved", request: intent.request },
          ...(await rules.save(intent.scope, intent.row, intent.fields)),
        });
      case "delete": {
        const problem = await rules.delete(intent.row);
        return this.#post({ type: "changed", ...(problem !== undefined && { problem }) });
      }
      case "undo":
        return this.#post({ type: "changed", ...(await rules.undo()) });
      case "openSettings":
        return openRuleSettings();
      default:
        return intent satisfies never;
    }
  }

  async #test(intent: RulesIntent & { readonly type: "test" }): Promise<readonly TestResult[]> {
    const { rules, evaluate } = this.#options;
    const question = questionFor(intent, homedir());
    if (typeof question === "string") return [{ effect: "ask", text: question, isHint: true }];
    return testRules(question, rules.ruleSet(), evaluate, rule => rules.rowOf(rule));
  }

  #showRules(): void {
    this.#post({ type: "rules", view: this.#options.rules.view() });
  }

  #reveal(): void {
    if (this.#revealed === undefined || !this.#isReady) return;
    this.#post({ type: "reveal", row: this.#revealed });
    this.#revealed = undefined;
  }

  /** A closed tab receives nothing, and one that is not ready asks for the rules. */
  #post(message: RulesMessage): void {
    if (!this.#isReady) return;
    this.#tab?.webview.postMessage(message).then(undefined, (error: unknown) => {
      this.#options.log.debug("A message did not reach the page of permission rules.", asError(error).message);
    });
  }
}
