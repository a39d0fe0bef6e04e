// The user's permission rules: read from the user settings and from the answers in this workspace, created by "Create
// Rule…", and changed in the page of rules (rulesTab.ts). The settings of a workspace or a folder are never read, because
// only the user may create rules.
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { updateUserSetting, userSetting } from "../../editor/userSettings.ts";
import {
  evaluateRules,
  describeRule,
  readRules,
  narrowestRule,
  type QuestionFacts,
  type Rule,
  type RuleSet,
} from "../rules.ts";
import { ruleScopes, type RuleFields, type RulesView, type RuleScope } from "../../panel/rulesPage.ts";
import { changedList, rowsOf, undoOf, valueOf, type RuleChange } from "../ruleLists.ts";
import { ruleProblem } from "../ruleProblems.ts";
import { secretMatcher, type SecretTest } from "../sensitiveFiles.ts";
import { exactPattern } from "../commandLine/pattern.ts";
import { baseName, runnerPrograms, shellPrograms } from "../commandLine/programs.ts";
import type { Word } from "../commandLine/types.ts";
import { showErrorMessage, showInformationMessage, showQuickPick, showWarningMessage } from "../../editor/editorUi.ts";
import { asSentence, commaSeparated } from "../../base/sentences.ts";

const setting = "permissions.rules";
const stateKey = "parley.permissionRules";
/** The number of changes that can be undone. */
const maxUndo = 100;

export interface PermissionRulesOptions {
  /** Stores the answers "for this workspace". */
  readonly workspaceState: vscode.Memento;
  readonly log: Log;
  /** Globs of files that look like secrets, in addition to the built-in ones. */
  readonly sensitive?: () => readonly string[];
}

interface CreateRuleItem extends vscode.QuickPickItem {
  /** Absent: the settings are opened. */
  readonly make?: { readonly rule: Rule; readonly scope: RuleScope };
}

export class PermissionRules implements Disposable {
  readonly #options: PermissionRulesOptions;
  readonly #listener: vscode.Disposable;
  /** Closes dialogs that still wait for the user. */
  readonly #disposal = new vscode.CancellationTokenSource();
  #set: RuleSet | undefined;
  /** The problems that the user has been notified of. */
  #reportedProblems = "";
  readonly #writes = new Sequencer();
  /** The changes that Undo undoes, the latest last. */
  readonly #done: RuleChange[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  /** The stored rules, or what can be undone. */
  readonly onDidChange = this.#changed.event;

  constructor(options: PermissionRulesOptions) {
    this.#options = options;
    this.#listener = vscode.workspace.onDidChangeConfiguration(event => {
      if (!event.affectsConfiguration(`parley.${setting}`)) return;
      this.#set = undefined;
      this.ruleSet();
      this.#changed.fire();
    });
  }

  /** All current rules: those in the user settings, then those of this workspace. */
  ruleSet(): RuleSet {
    if (this.#set) return this.#set;
    const user = readRules(this.#stored("user"));
    const workspace = readRules(this.#stored("workspace"));
    const problems = workspace.problems.map(problem => ({ ...problem, message: workspaceMessage(problem.message) }));
    this.#set = { rules: [...user.rules, ...workspace.rules], problems: [...user.problems, ...problems] };
    this.#reportProblems(this.#set);
    return this.#set;
  }

  /** Offers rules that would have answered this question, with its title. Resolves with the effect of the created rule. */
  async createRule(title: string, facts: QuestionFacts): Promise<"allow" | "deny" | undefined> {
    const known: QuestionFacts = {
      ...facts,
      isSensitive: facts.isSensitive ?? this.#secrets(facts),
    };
    const exact = narrowestRule(known, "allow");
    const candidates = [exact, broaderRule(known, exact), narrowestRule(known, "deny")].filter(
      rule => rule !== undefined,
    );
    if (candidates.length === 0) {
      const why = evaluateRules(this.ruleSet(), known).reason;
      void showInformationMessage(
        vscode.l10n.t("Parley can't create a rule specific enough for this request. {0}", why),
      );
      return undefined;
    }
    const picked = await showQuickPick<CreateRuleItem>(
      [
        ...candidates.flatMap(rule => [this.#offer(rule, "workspace", known), this.#offer(rule, "user", known)]),
        { label: "", kind: vscode.QuickPickItemKind.Separator },
        { label: vscode.l10n.t("Edit rules in Settings"), iconPath: new vscode.ThemeIcon("gear") },
      ],
      {
        title: shortened(title),
        placeHolder: vscode.l10n.t("From now on, when the agent “{0}” asks this", facts.agent),
        matchOnDescription: true,
      },
      this.#disposal.token,
    );
    if (!picked) return undefined;
    if (!picked.make) return void (await openRuleSettings());
    const { rule, scope } = picked.make;
    const list = this.#list(scope);
    const isKnown = list.some(one => jsonEqual(one, rule));
    const problem = isKnown ? undefined : await this.#change({ scope, index: list.length, after: rule });
    if (problem !== undefined) void showErrorMessage(problem);
    return problem === undefined && rule.effect !== "ask" ? rule.effect : undefined;
  }

  /** The rules as the page of rules shows them. */
  view(): RulesView {
    const last = this.#done.at(-1);
    const rows = [
      ...rowsOf("user", this.#stored("user")),
      ...rowsOf("workspace", this.#stored("workspace"), workspaceMessage),
    ];
    return { rows, ...(last && { undo: changeText(last) }) };
  }

  /** The row of a rule of {@link ruleSet}. */
  rowOf(rule: Rule): string | undefined {
    for (const scope of ruleScopes) {
      const stored = this.#stored(scope);
      const index = Array.isArray(stored) ? stored.findIndex(value => jsonEqual(value, rule)) : -1;
      if (index >= 0) return rowsOf(scope, stored)[index]?.id;
    }
    return undefined;
  }

  /** The row of the rule that a decision names: `Allowed by rule: allow command “npm test”`. */
  rowOfDecision(decision: string): string | undefined {
    const rule = this.ruleSet().rules.find(one => decision.endsWith(`: ${describeRule(one)}`));
    return rule && this.rowOf(rule);
  }

  /** Replaces the rule of a row, or adds a rule. Resolves with its row, or with a sentence about what is wrong. */
  async save(
    scope: RuleScope,
    row: string | undefined,
    fields: RuleFields,
  ): Promise<{ readonly row?: string; readonly problem?: string }> {
    const after = valueOf(fields);
    const wrong = ruleProblem(after);
    if (wrong !== undefined) {
      return { problem: asSentence(t("The rule {0}", wrong)) };
    }
    const place = row === undefined ? undefined : this.#find(row);
    if (row !== undefined && !place) return { problem: changedElsewhere() };
    const list = this.#list(scope);
    if (list.some((value, index) => jsonEqual(value, after) && index !== place?.index))
      return { problem: t("There is already the same rule.") };
    const index = place?.index ?? list.length;
    const problem = await this.#change({ scope: place?.scope ?? scope, index, ...place, after });
    if (problem !== undefined) return { problem };
    const saved = this.rowOf(after as Rule);
    return saved === undefined ? {} : { row: saved };
  }

  /** Deletes the rule of a row. Resolves with a sentence if it can't be deleted. */
  async delete(row: string): Promise<string | undefined> {
    const place = this.#find(row);
    return place ? this.#change(place) : changedElsewhere();
  }

  /** Undoes the last change that was made in this window. Resolves with the row that is back, or with a sentence. */
  async undo(): Promise<{ readonly row?: string; readonly problem?: string }> {
    const last = this.#done.at(-1);
    if (!last) return { problem: t("There is nothing to undo.") };
    const change = undoOf(last);
    const problem = await this.#change(change, true);
    // What can't be undone must not hide the changes before it.
    if (this.#done.at(-1) === last) this.#done.pop();
    this.#changed.fire();
    if (problem !== undefined) return { problem };
    const back = rowsOf(change.scope, this.#stored(change.scope))[change.index];
    return change.after === undefined || !back ? {} : { row: back.id };
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
    this.#disposal.cancel();
    this.#disposal.dispose();
  }

  #stored(scope: RuleScope): unknown {
    if (scope === "workspace") return this.#options.workspaceState.get<unknown>(stateKey);
    return userSetting(setting);
  }

  #list(scope: RuleScope): readonly unknown[] {
    const stored = this.#stored(scope);
    return Array.isArray(stored) ? (stored as readonly unknown[]) : [];
  }

  /** The place and the value of a row. */
  #find(row: string): { readonly scope: RuleScope; readonly index: number; readonly before: unknown } | undefined {
    for (const scope of ruleScopes) {
      const stored = this.#stored(scope);
      const index = rowsOf(scope, stored).findIndex(({ id }) => id === row);
      if (index >= 0) return { scope, index, before: Array.isArray(stored) ? (stored[index] as unknown) : stored };
    }
    return undefined;
  }

  #reportProblems({ problems }: RuleSet): void {
    const all = problems.map(({ message }) => message).join(" ");
    if (all === this.#reportedProblems) return;
    this.#reportedProblems = all;
    // A rule that was meant to deny matters most.
    const [first, ...others] = [...problems].sort((a, b) => Number(b.blocksAllow) - Number(a.blocksAllow));
    if (!first) return;
    for (const { message } of problems) this.#options.log.warn(message);
    const consequence = first.blocksAllow
      ? ` ${vscode.l10n.t("Allow rules are ignored until this is fixed.")}`
      : ` ${vscode.l10n.t("This rule is ignored until it is fixed.")}`;
    const more = others.length === 0 ? "" : ` ${vscode.l10n.t("Other invalid rules: {0}.", others.length)}`;
    const open = vscode.l10n.t("Open Settings");
    showWarningMessage(first.message + consequence + more, open).then(
      async answer => {
        if (answer === open) await openRuleSettings();
      },
      (error: unknown) => this.#options.log.warn("The settings could not be opened.", asError(error).message),
    );
  }

  /** Changes one of the lists. Resolves with a sentence if it can't be changed. */
  async #change(change: RuleChange, isUndo = false): Promise<string | undefined> {
    const { scope } = change;
    try {
      return await this.#writes.queue(async () => {
        const stored = this.#stored(scope) ?? [];
        if (!Array.isArray(stored) && scope === "user") {
          return t("The permission rules must be a list. Fix them in Settings first.");
        }
        const isDiscarded = !Array.isArray(stored) && change.after === undefined;
        const list = changedList(isDiscarded ? [stored] : this.#list(scope), change);
        if (!list) return changedElsewhere();
        const value = list.length === 0 ? undefined : list;
        if (scope === "workspace") await this.#options.workspaceState.update(stateKey, value);
        else await updateUserSetting(setting, value);
        this.#set = undefined;
        if (!isUndo) this.#done.push(change);
        if (this.#done.length > maxUndo) this.#done.shift();
        this.#changed.fire();
        return undefined;
      });
    } catch (error) {
      const { message } = asError(error);
      this.#options.log.error("The permission rules could not be changed.", message);
      return t("The permission rules could not be changed: {0}", message);
    }
  }

  #offer(rule: Rule, scope: RuleScope, facts: QuestionFacts): CreateRuleItem {
    const { rules, problems } = this.ruleSet();
    const then = evaluateRules({ rules: [...rules, rule], problems }, { ...facts, trusted: true });
    const label =
      rule.effect === "deny"
        ? vscode.l10n.t("Never allow {0}", subjectOf(rule))
        : vscode.l10n.t("Always allow {0}", subjectOf(rule));
    return {
      label,
      iconPath: new vscode.ThemeIcon(icons[rule.effect]),
      description: scope === "user" ? vscode.l10n.t("everywhere (user settings)") : vscode.l10n.t("in this workspace"),
      // Another rule still takes precedence.
      ...(then.effect !== rule.effect && { detail: then.reason }),
      make: { rule, scope },
    };
  }

  #secrets({ place }: Pick<QuestionFacts, "place">): SecretTest {
    return secretMatcher(this.#options.sensitive?.() ?? [], place);
  }
}

/** Programs that run other programs, after a word that looks harmless. */
const indirectRunners = new Set(
  "npx pnpx bunx uvx pipx ssh docker podman kubectl uv poetry pipenv conda bundle nix deno go".split(" "),
);
const runSubcommands = new Set(["exec", "dlx", "x", "eval"]);

/** A rule that also answers similar questions: the same command with other arguments, or files in the same folder. */
export function broaderRule(facts: QuestionFacts, exact: Rule | undefined): Rule | undefined {
  const { command, agent, urls } = facts;
  if (command?.kind === "commands") {
    const exactly = (words: readonly Word[]): string | undefined =>
      words.every(word => word.exact) ? exactPattern(words) : undefined;
    const all = command.commands.map(({ words }) => broaderPattern(words) ?? exactly(words));
    const patterns = [...new Set(all)].filter(pattern => pattern !== undefined);
    if (all.includes(undefined) || jsonEqual(patterns, listed(exact?.command))) return undefined;
    return verifiedAllowRule({ effect: "allow", agent, ...exact, command: single(patterns) }, facts);
  }
  if (command || urls.length > 0 || exact?.path === undefined) return undefined;
  const folders = listed(exact.path).map(folderGlob);
  if (folders.includes(undefined)) return undefined;
  return verifiedAllowRule({ ...exact, path: single([...new Set(folders)].filter(glob => glob !== undefined)) }, facts);
}

/** `npm run build` → `npm run **`. Undefined if the two words are not specific enough. */
function broaderPattern(words: readonly Word[]): string | undefined {
  const [program, subcommand] = words;
  if (!program?.exact || !subcommand?.exact || !/^[a-z][\w:-]*$/i.test(subcommand.text)) return undefined;
  const name = baseName(program.text)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "");
  if (
    runnerPrograms.has(name) ||
    shellPrograms.has(name) ||
    indirectRunners.has(name) ||
    runSubcommands.has(subcommand.text)
  )
    return undefined;
  return `${exactPattern([program, subcommand])} **`;
}

/** `src/a.ts` → `src/**`. Undefined directly in a workspace folder, and outside. */
function folderGlob(path: string): string | undefined {
  const end = path.lastIndexOf("/");
  return end > 0 && !/^(?:[a-z]:)?\//i.test(path) ? `${path.slice(0, end)}/**` : undefined;
}

/** The rule, if it is valid and allows what was asked. */
function verifiedAllowRule(rule: Rule, facts: QuestionFacts): Rule | undefined {
  const set = readRules([rule]);
  const isAllowed = evaluateRules(set, { ...facts, trusted: true }).effect === "allow";
  return set.problems.length === 0 && isAllowed ? rule : undefined;
}

const listed = (value: Rule["command"]): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;
const single = (values: readonly string[]): string | readonly string[] =>
  values.length === 1 ? (values[0] ?? "") : values;

/** The subject of the rule: `npm test`, `src/a.ts` (edit). */
function subjectOf({ command, path, domain, kind }: Rule): string {
  const ticked = (value: Rule["command"]): string =>
    shortened(commaSeparated(listed(value).map(text => `\`${text}\``)));
  if (command !== undefined && path !== undefined) return vscode.l10n.t("{0} in {1}", ticked(command), ticked(path));
  const subject = ticked(command ?? path ?? domain);
  return kind === undefined ? subject : `${subject} (${listed(kind).join(", ")})`;
}

const icons = { allow: "check", ask: "question", deny: "circle-slash" } as const;

/** What a change did, as a sentence without a period. */
function changeText({ before, after }: RuleChange): string {
  const nameOf = (value: unknown): string => rowsOf("user", [value])[0]?.name ?? "";
  if (after === undefined) return t("Deleted: {0}", nameOf(before));
  return before === undefined ? t("Added: {0}", nameOf(after)) : t("Changed: {0}", nameOf(before));
}

const changedElsewhere = (): string =>
  t("This rule was changed or deleted elsewhere. Look at the list, and try again.");

const workspaceMessage = (message: string): string =>
  message.replace(/^Permission rule (\d+)/, "Permission rule $1 of this workspace");
const shortened = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** Opens the user's rules in the settings. */
export async function openRuleSettings(): Promise<void> {
  // The rules are a setting of the application, which only the user settings list, also in a remote window.
  await vscode.commands.executeCommand("workbench.action.openGlobalSettings", { query: `parley.${setting}` });
}
