// The user's permission rules: read from the user settings and from the answers in this workspace, created by "Create
// Rule…", and managed by a command. The settings of a workspace or a folder are never read, because only the user may
// create rules.
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { readCommandLine } from "../questionFacts.ts";
import { updateUserSetting, userSetting } from "../../editor/userSettings.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import {
  evaluateRules,
  describeRule,
  readRules,
  narrowestRule,
  type QuestionFacts,
  type Rule,
  type RuleSet,
  type Verdict,
} from "../rules.ts";
import { secretMatcher, type SecretTest } from "../sensitiveFiles.ts";
import { exactPattern } from "../commandLine/pattern.ts";
import { baseName, runnerPrograms, shellPrograms } from "../commandLine/programs.ts";
import type { Shell, Word } from "../commandLine/types.ts";
import {
  createQuickPick,
  setItems,
  showErrorMessage,
  showInformationMessage,
  showInputBox,
  showQuickPick,
  showWarningMessage,
} from "../../editor/editorUi.ts";
import { factsContext } from "./questionContext.ts";

const setting = "permissions.rules";
const stateKey = "parley.permissionRules";

export interface PermissionRulesOptions {
  /** Stores the answers "for this workspace". */
  readonly workspaceState: vscode.Memento;
  readonly log: Log;
  /** Globs of files that look like secrets, in addition to the built-in ones. */
  readonly sensitive?: () => readonly string[];
}

type Scope = "user" | "workspace";

/** An item of one of the two lists, valid or not. */
interface Entry {
  readonly scope: Scope;
  /** Absent: there is no list. */
  readonly value?: unknown;
  readonly rule?: Rule;
  /** The error in the item. */
  readonly problem?: string;
}

interface ManageItem extends vscode.QuickPickItem {
  readonly entry?: Entry;
  readonly run?: () => Promise<void>;
}

interface CreateRuleItem extends vscode.QuickPickItem {
  /** Absent: the settings are opened. */
  readonly make?: { readonly rule: Rule; readonly scope: Scope };
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

  constructor(options: PermissionRulesOptions) {
    this.#options = options;
    this.#listener = vscode.workspace.onDidChangeConfiguration(event => {
      if (!event.affectsConfiguration(`parley.${setting}`)) return;
      this.#set = undefined;
      this.ruleSet();
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
    if (!picked.make) return void (await openSettings());
    const { rule, scope } = picked.make;
    const isMade = await this.#change(scope, list => (list.some(one => jsonEqual(one, rule)) ? list : [...list, rule]));
    return isMade && rule.effect !== "ask" ? rule.effect : undefined;
  }

  /** `Parley: Manage Permission Rules`. Resolves when the list is closed. */
  async manage(decision?: string): Promise<void> {
    const pick = createQuickPick<ManageItem>({
      title: vscode.l10n.t("Permission Rules"),
      placeHolder: vscode.l10n.t(
        "Deny takes precedence over ask, and ask over allow. Anything no rule allows, you are asked about.",
      ),
      matchOnDescription: true,
    });
    let afterClose: ManageItem["run"];
    const show = (): void => {
      setItems(pick, this.#manageItems());
    };
    const revoke = async (entry: Entry): Promise<void> => {
      pick.busy = true;
      await this.#revoke(entry);
      pick.busy = false;
      show();
    };
    const closed = new Promise<void>(resolve => pick.onDidHide(resolve));
    const disposables = [
      pick,
      pick.onDidTriggerItemButton(({ item, button }) => {
        if (button === revokeButton && item.entry) void revoke(item.entry);
        if (button === settingsButton) {
          afterClose = openSettings;
          pick.hide();
        }
      }),
      pick.onDidAccept(() => {
        afterClose = pick.selectedItems[0]?.run;
        if (afterClose) pick.hide();
      }),
      this.#disposal.token.onCancellationRequested(() => pick.hide()),
    ];
    show();
    const activeItem = pick.items.find(
      ({ entry }) => entry?.rule !== undefined && decision?.endsWith(`: ${describeRule(entry.rule)}`),
    );
    if (activeItem) pick.activeItems = [activeItem];
    pick.show();
    await closed;
    for (const disposable of disposables) disposable.dispose();
    await afterClose?.();
  }

  dispose(): void {
    this.#listener.dispose();
    this.#disposal.cancel();
    this.#disposal.dispose();
  }

  #stored(scope: Scope): unknown {
    if (scope === "workspace") return this.#options.workspaceState.get<unknown>(stateKey);
    return userSetting(setting);
  }

  #entries(scope: Scope): readonly Entry[] {
    const stored = this.#stored(scope);
    if (!Array.isArray(stored)) {
      return readRules(stored).problems.map(({ message }) => ({ scope, problem: message }));
    }
    const { problems } = readRules(stored);
    return (stored as readonly unknown[]).map((value, index) => {
      const message = problems.find(problem => problem.index === index)?.message;
      if (message === undefined) return { scope, value, rule: value as Rule };
      return { scope, value, problem: scope === "user" ? message : workspaceMessage(message) };
    });
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
        if (answer === open) await openSettings();
      },
      (error: unknown) => this.#options.log.warn("The settings could not be opened.", asError(error).message),
    );
  }

  /** Changes one of the lists. False: it could not be written, and the user has seen the reason. */
  async #change(scope: Scope, change: (list: readonly unknown[]) => readonly unknown[]): Promise<boolean> {
    const changed = this.#writes.queue(async () => {
      const stored = this.#stored(scope) ?? [];
      if (!Array.isArray(stored) && scope === "user") {
        throw new Error(vscode.l10n.t("The permission rules must be a list. Fix them in Settings first."));
      }
      const list = change(Array.isArray(stored) ? (stored as readonly unknown[]) : []);
      if (list === stored) return;
      const value = list.length === 0 ? undefined : list;
      if (scope === "workspace") await this.#options.workspaceState.update(stateKey, value);
      else await updateUserSetting(setting, value);
      this.#set = undefined;
    });
    try {
      await changed;
      return true;
    } catch (error) {
      const { message } = asError(error);
      this.#options.log.error("The permission rules could not be changed.", message);
      void showErrorMessage(vscode.l10n.t("The permission rules could not be changed: {0}", message));
      return false;
    }
  }

  async #revoke({ scope, value }: Entry): Promise<void> {
    await this.#change(scope, list => {
      const index = list.findIndex(one => jsonEqual(one, value));
      return index < 0 ? list : list.filter((_, other) => other !== index);
    });
  }

  #offer(rule: Rule, scope: Scope, facts: QuestionFacts): CreateRuleItem {
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

  #manageItems(): readonly ManageItem[] {
    const user = this.#entries("user");
    const workspace = this.#entries("workspace");
    const separator = (label: string): ManageItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
    return [
      {
        label: vscode.l10n.t("Try a command…"),
        iconPath: new vscode.ThemeIcon("beaker"),
        run: () => this.#showTryCommand(),
      },
      { label: vscode.l10n.t("Open Settings"), iconPath: new vscode.ThemeIcon("gear"), run: openSettings },
      ...(user.length > 0 ? [separator(vscode.l10n.t("Everywhere (user settings)")), ...user.map(itemOf)] : []),
      ...(workspace.length > 0 ? [separator(vscode.l10n.t("In this workspace")), ...workspace.map(itemOf)] : []),
      ...(user.length + workspace.length === 0
        ? [separator(""), { label: vscode.l10n.t("There are no rules: you are asked about everything.") }]
        : []),
    ];
  }

  /** Shows the verdict of the rules on a command line while it is typed. Runs nothing. */
  async #showTryCommand(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
    const facts = hostFacts(folder);
    const context = { ...facts, isSensitive: this.#secrets(facts) };
    await showInputBox(
      {
        title: vscode.l10n.t("Try a Command"),
        prompt: vscode.l10n.t("Shows how the rules apply to a command line. Nothing is run."),
        ignoreFocusOut: true,
        validateInput: line => ({
          message: tryCommand(line, this.ruleSet(), context),
          severity: vscode.InputBoxValidationSeverity.Info,
        }),
      },
      this.#disposal.token,
    );
  }

  #secrets({ place }: Pick<QuestionFacts, "place">): SecretTest {
    return secretMatcher(this.#options.sensitive?.() ?? [], place);
  }
}

/** The context in which a command line is tried. */
export interface TryContext extends Pick<QuestionFacts, "cwd" | "place" | "trusted" | "isSensitive"> {
  readonly shells: readonly Shell[];
}

/** The verdict of the rules on a command line, as a sentence for each agent that they distinguish. Pure. */
export function tryCommand(line: string, set: RuleSet, context: TryContext): string {
  if (line.trim() === "") return vscode.l10n.t("Type a command line.");
  const { shells: readers, ...around } = context;
  const command = readCommandLine(line, readers);
  const verdictFor = (agent: string): string =>
    verdictText(evaluateRules(set, { ...around, agent, kind: "execute", command, paths: [], urls: [] }));
  const named = [...new Set(set.rules.flatMap(({ agent }) => agent ?? []))];
  // No agent has an empty id.
  const others = verdictFor("");
  const own = named.filter(agent => verdictFor(agent) !== others);
  if (own.length === 0) return others;
  return [
    ...own.map(agent => vscode.l10n.t("Agent “{0}”: {1}", agent, verdictFor(agent))),
    vscode.l10n.t("Other agents: {0}", others),
  ].join(" ");
}

function verdictText({ effect, reason }: Verdict): string {
  if (effect === "allow") return vscode.l10n.t("Runs without asking. {0}", reason);
  return effect === "deny" ? vscode.l10n.t("Is denied. {0}", reason) : vscode.l10n.t("You are asked. {0}", reason);
}

function hostFacts(folder: string | undefined): TryContext {
  const roots = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ uri }) => uri.fsPath);
  const { place, shells: known, trusted } = factsContext("", folder ?? "", new Confinement(nodePaths(), roots));
  return { ...(folder !== undefined && { cwd: folder }), place, shells: known, trusted };
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
    shortened(
      listed(value)
        .map(text => `\`${text}\``)
        .join(", "),
    );
  if (command !== undefined && path !== undefined) return vscode.l10n.t("{0} in {1}", ticked(command), ticked(path));
  const subject = ticked(command ?? path ?? domain);
  return kind === undefined ? subject : `${subject} (${listed(kind).join(", ")})`;
}

const revokeButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("trash"),
  tooltip: vscode.l10n.t("Revoke"),
};
const settingsButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("gear"),
  tooltip: vscode.l10n.t("Edit in Settings"),
};
const icons = { allow: "check", ask: "question", deny: "circle-slash" } as const;

function itemOf(entry: Entry): ManageItem {
  const { scope, rule, problem } = entry;
  const canRevoke = "value" in entry || scope === "workspace";
  const buttons = [...(scope === "user" ? [settingsButton] : []), ...(canRevoke ? [revokeButton] : [])];
  const label = rule ? shortened(describeRule(rule)) : (problem ?? "");
  return { label, iconPath: new vscode.ThemeIcon(rule ? icons[rule.effect] : "warning"), entry, buttons };
}

const workspaceMessage = (message: string): string =>
  message.replace(/^Permission rule (\d+)/, "Permission rule $1 of this workspace");
const shortened = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

async function openSettings(): Promise<void> {
  // The rules are a setting of the application, which only the user settings list, also in a remote window.
  await vscode.commands.executeCommand("workbench.action.openGlobalSettings", { query: `parley.${setting}` });
}
