// The editor tab of the permission rules: shows the page, and answers its intents.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { PageTab } from "../../editor/pageTab.ts";
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
  readonly #page: PageTab<RulesMessage>;
  readonly #store = new DisposableStore();
  /** The row that the page shows first, once it is ready. */
  #revealed: string | undefined;

  constructor(options: RulesTabOptions) {
    this.#options = options;
    const { log, openPage, rules } = options;
    const title = vscode.l10n.t("Permission Rules");
    const about = "the page of permission rules";
    this.#page = this.#store.add(new PageTab({ viewType: "parley.rules", title, about, openPage, log }));
    this.#store.add(this.#page.onDidReceive(message => this.#receive(message)));
    this.#store.add(rules.onDidChange(() => this.#showRules()));
  }

  /** Opens the tab, or shows it. `decision`: the text of a decision, whose rule is shown. */
  show(decision?: string): void {
    this.#revealed = decision === undefined ? undefined : this.#options.rules.rowOfDecision(decision);
    if (this.#page.show()) this.#reveal();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #receive(message: unknown): void {
    const { log } = this.#options;
    if (!isRulesIntent(message)) return log.warn("The page of permission rules sent an unknown message.");
    this.#run(message).catch((error: unknown) => {
      log.error("An action of the page of permission rules failed.", asError(error).message);
      this.#page.post({ type: "changed", problem: asError(error).message });
    });
  }

  async #run(intent: RulesIntent): Promise<void> {
    const { rules } = this.#options;
    switch (intent.type) {
      case "ready":
        this.#page.setReady();
        this.#showRules();
        return this.#reveal();
      case "test":
        return this.#page.post({ type: "tested", request: intent.request, results: await this.#test(intent) });
      case "save":
        return this.#page.post({
          ...{ type: "saved", request: intent.request },
          ...(await rules.save(intent.scope, intent.row, intent.fields)),
        });
      case "delete": {
        const problem = await rules.delete(intent.row);
        return this.#page.post({ type: "changed", ...(problem !== undefined && { problem }) });
      }
      case "undo":
        return this.#page.post({ type: "changed", ...(await rules.undo()) });
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
    this.#page.post({ type: "rules", view: this.#options.rules.view() });
  }

  #reveal(): void {
    if (this.#revealed === undefined || !this.#page.isReady) return;
    this.#page.post({ type: "reveal", row: this.#revealed });
    this.#revealed = undefined;
  }
}
