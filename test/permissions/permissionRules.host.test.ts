// Permission rules in a real editor: how they are read, created, listed, changed and undone.
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { PermissionRules } from "../../src/permissions/vscode/permissionRules.ts";
import { readCommandLine } from "../../src/permissions/questionFacts.ts";
import { RulesTab } from "../../src/permissions/vscode/rulesTab.ts";
import { evaluateRules, type QuestionFacts, type Rule } from "../../src/permissions/rules.ts";
import { until } from "../support/fakes/until.ts";

const stateKey = "parley.permissionRules";

/** The memento of a workspace. */
class Memory implements vscode.Memento {
  readonly values = new Map<string, unknown>();
  keys(): readonly string[] {
    return [...this.values.keys()];
  }
  get<T>(key: string): T | undefined {
    return this.values.get(key) as T | undefined;
  }
  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  }
}

const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("parley");
const userRules = (): unknown => configuration().inspect("permissions.rules")?.globalValue;
async function setUserRules(value: unknown): Promise<void> {
  await configuration().update("permissions.rules", value, vscode.ConfigurationTarget.Global);
}

const place = { roots: ["/work/app"], platform: "posix", ignoresCase: false } as const;
const facts: QuestionFacts = { agent: "demo", paths: [], urls: [], trusted: true, place };
const runs = (line: string): QuestionFacts => ({
  ...facts,
  kind: "execute",
  command: readCommandLine(line, ["posix"]),
});
const edits = (...paths: readonly string[]): QuestionFacts => ({ ...facts, kind: "edit", paths });
const title = "Run npm test";

const npmTest: Rule = { effect: "allow", command: "npm test" };
const noRm: Rule = { effect: "deny", command: "rm" };
const wrong = { effect: "deny", comand: "rm" };

type Items = readonly (vscode.QuickPickItem & { readonly buttons?: readonly vscode.QuickInputButton[] })[];

/** The label with the name of its icon. */
const labelOf = ({ label, iconPath }: vscode.QuickPickItem): string =>
  iconPath instanceof vscode.ThemeIcon ? `$(${iconPath.id}) ${label}` : label;
const wordsOf = (item: vscode.QuickPickItem): string => `${labelOf(item)} ${item.description ?? ""}`;

/** Replaces VS Code's quick picks, input boxes and messages, and acts as the user. */
class Hands {
  readonly warnings: string[] = [];
  readonly messages: string[] = [];
  readonly ran: (readonly unknown[])[] = [];
  /** A pattern that matches the item to choose; undefined closes the list. */
  choose: RegExp | undefined;
  offered: Items = [];
  readonly #own: Readonly<Record<string, unknown>>;
  readonly #run = vscode.commands.executeCommand;

  constructor() {
    const window = vscode.window as unknown as Record<string, unknown>;
    const names = ["showQuickPick", "showWarningMessage", "showInformationMessage"];
    this.#own = Object.fromEntries(names.map(name => [name, window[name]]));
    window["showWarningMessage"] = (message: string) => Promise.resolve(void this.warnings.push(message));
    window["showInformationMessage"] = (message: string) => Promise.resolve(void this.messages.push(message));
    window["showQuickPick"] = (items: Items) => {
      this.offered = items;
      return Promise.resolve(items.find(item => this.choose?.test(wordsOf(item))));
    };
    (vscode.commands as unknown as Record<string, unknown>)["executeCommand"] = (...all: readonly unknown[]) =>
      Promise.resolve(void this.ran.push(all));
  }

  dispose(): void {
    Object.assign(vscode.window, this.#own);
    Object.assign(vscode.commands, { executeCommand: this.#run });
  }
}

describe("permission rules", () => {
  let memory: Memory;
  let rules: PermissionRules;
  let hands: Hands;
  let logged: string[];
  /** Rules listen to the settings until they are disposed. */
  const made: PermissionRules[] = [];
  const make = (): PermissionRules => {
    const one = new PermissionRules({
      workspaceState: memory,
      log: { ...nullLog, warn: message => void logged.push(message), error: message => void logged.push(message) },
    });
    made.push(one);
    return one;
  };
  beforeEach(async () => {
    await setUserRules(undefined);
    hands = new Hands();
    memory = new Memory();
    logged = [];
    rules = make();
  });
  afterEach(async () => {
    for (const one of made.splice(0)) one.dispose();
    hands.dispose();
    await setUserRules(undefined);
  });

  const workspaceRules = (): unknown => memory.values.get(stateKey);
  const isRead = (count: number): Promise<void> => until(() => rules.ruleSet().rules.length === count);

  it("are empty by default", () => {
    assert.deepEqual(rules.ruleSet(), { rules: [], problems: [] });
  });

  it("include the user's settings, then this workspace", async () => {
    await memory.update(stateKey, [noRm]);
    await setUserRules([npmTest]);
    assert.deepEqual(make().ruleSet().rules, [npmTest, noRm]);
    await isRead(2);
    assert.equal(rules.ruleSet(), rules.ruleSet(), "they are read once");
  });

  it("are never read from a folder's settings", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(folder);
    const settings = join(folder, ".vscode", "settings.json");
    await mkdir(join(folder, ".vscode"), { recursive: true });
    await writeFile(settings, JSON.stringify({ "editor.tabSize": 7, "parley.permissions.rules": [npmTest] }));
    try {
      await until(() => vscode.workspace.getConfiguration("editor").get("tabSize") === 7);
      assert.deepEqual(make().ruleSet().rules, []);
      await setUserRules([noRm]);
      assert.deepEqual(make().ruleSet().rules, [noRm]);
    } finally {
      await rm(settings);
      await until(() => vscode.workspace.getConfiguration("editor").get("tabSize") !== 7);
    }
  });

  it("are never read from the settings that VS Code merges for a workspace", () => {
    const getConfiguration = vscode.workspace.getConfiguration;
    const merged = { key: "permissions.rules", workspaceValue: [npmTest], workspaceFolderValue: [npmTest] };
    Object.assign(vscode.workspace, { getConfiguration: () => ({ inspect: () => merged, get: () => [npmTest] }) });
    try {
      assert.deepEqual(make().ruleSet().rules, []);
    } finally {
      Object.assign(vscode.workspace, { getConfiguration });
    }
  });

  it("report a problem once, and allow nothing until it is fixed", async () => {
    await memory.update(stateKey, [{ effect: "allow", command: "'" }]);
    await setUserRules([npmTest, wrong]);
    rules.dispose();
    rules = make();
    logged = [];
    for (let i = 0; i < 3; i++) rules.ruleSet();
    assert.deepEqual(rules.ruleSet().rules, [npmTest]);
    assert.equal(logged.length, 2);
    assert.match(
      logged[0] ?? "",
      /^Permission rule 2 \(deny, comand “rm”\) has an unknown field “comand”\. Did you mean “command”\?/,
    );
    assert.match(logged[1] ?? "", /^Permission rule 1 of this workspace \(allow, command “'”\) has a command/);
    assert.ok(
      hands.warnings.some(message =>
        /^Permission rule 2 .*\? Allow rules are ignored until this is fixed\. Other invalid rules: 1\.$/.test(message),
      ),
    );
    const asked = evaluateRules(rules.ruleSet(), runs("npm test")).reason;
    assert.match(asked, /^Allow rules are ignored until this is fixed: Permission rule 2/);
  });

  it("report a problem when the settings change, once until it is fixed, and a rule that may deny first", async () => {
    const badAllow = { effect: "allow", path: "a{b" };
    const mistyped = { effect: "dney", command: "rm" };
    await setUserRules([badAllow, mistyped]);
    // Each problem is logged when it is reported. The extension itself reports the rules of this window, too.
    const reports = (): number => logged.filter(message => message.includes("“dney”")).length;
    await until(() => reports() === 1);
    const deny = /^Permission rule 2 \(dney, command “rm”\).* Did you mean “deny”\?.* Other invalid rules: 1\.$/;
    assert.ok(
      hands.warnings.some(message => deny.test(message)),
      hands.warnings.join(),
    );
    await setUserRules([badAllow, mistyped, npmTest]);
    await isRead(1);
    assert.equal(reports(), 1);
    await setUserRules([npmTest, noRm]);
    await isRead(2);
    await setUserRules([badAllow]);
    const allow = /^Permission rule 1 .* This rule is ignored until it is fixed\.$/;
    await until(() => hands.warnings.some(message => allow.test(message)));
  });

  describe("created from a question", () => {
    const offers = (): readonly string[] =>
      hands.offered.filter(({ kind }) => kind === undefined).map(item => wordsOf(item));

    it("offer the exact command, similar commands, and denial, for this workspace and for all", async () => {
      assert.equal(await rules.createRule(title, runs("npm run build")), undefined);
      assert.deepEqual(offers(), [
        "$(check) Always allow `npm run build` in this workspace",
        "$(check) Always allow `npm run build` everywhere (user settings)",
        "$(check) Always allow `npm run **` in this workspace",
        "$(check) Always allow `npm run **` everywhere (user settings)",
        "$(circle-slash) Never allow `npm run build` in this workspace",
        "$(circle-slash) Never allow `npm run build` everywhere (user settings)",
        "$(gear) Edit rules in Settings ",
      ]);
      assert.deepEqual([userRules(), workspaceRules()], [undefined, undefined]);
    });

    it("are stored for this workspace", async () => {
      hands.choose = /`npm run build`/;
      assert.equal(await rules.createRule(title, runs("npm run build")), "allow");
      const made = { effect: "allow", agent: "demo", command: "npm run build" };
      assert.deepEqual([userRules(), workspaceRules()], [undefined, [made]]);
      assert.deepEqual(rules.ruleSet().rules, [made]);
    });

    it("are added to the user's settings, next to invalid rules, and only once", async () => {
      await setUserRules([wrong, noRm]);
      await isRead(1);
      for (let i = 0; i < 2; i++) {
        hands.choose = /`src\/\*\*` \(edit\) everywhere/;
        assert.equal(await rules.createRule(title, edits("/work/app/src/a.ts")), "allow");
      }
      const made = { effect: "allow", agent: "demo", kind: "edit", path: "src/**" };
      await until(() => Array.isArray(userRules()));
      assert.deepEqual(userRules(), [wrong, noRm, made]);
      assert.deepEqual(rules.ruleSet().rules, [noRm, made]);
    });

    it("may deny", async () => {
      hands.choose = /Never allow/;
      assert.equal(await rules.createRule(title, runs("rm -r x")), "deny");
      assert.deepEqual(workspaceRules(), [{ effect: "deny", agent: "demo", command: "rm -r x" }]);
    });

    it("mention a rule that takes precedence", async () => {
      await memory.update(stateKey, [{ effect: "ask", command: "npm" }]);
      await rules.createRule(title, runs("npm test"));
      assert.match(hands.offered[0]?.detail ?? "", /^A rule asks about this: ask command “npm”/);
    });

    it("show no icons from an agent's text", async () => {
      await rules.createRule("a\nb", runs("echo '$(trash) a\nb'"));
      assert.equal(hands.offered[0]?.label, "Always allow `echo '$\u200b(trash) a⏎b'`");
    });

    it("are not offered if none is specific enough", async () => {
      assert.equal(await rules.createRule(title, runs("echo $(whoami)")), undefined);
      assert.deepEqual(hands.offered, []);
      assert.match(
        hands.messages[0] ?? "",
        /^Parley can't create a rule specific enough for this request\. No rule can allow this/,
      );
    });

    it("can be edited in the settings", async () => {
      hands.choose = /Edit rules/;
      assert.equal(await rules.createRule(title, runs("npm test")), undefined);
      assert.deepEqual(hands.ran, [["workbench.action.openGlobalSettings", { query: "parley.permissions.rules" }]]);
    });

    it("are not created if they cannot be stored, which is reported", async () => {
      const errors: string[] = [];
      const { showErrorMessage } = vscode.window;
      Object.assign(vscode.window, { showErrorMessage: (text: string) => Promise.resolve(void errors.push(text)) });
      memory.update = () => Promise.reject(new Error("disk full"));
      hands.choose = /Always allow/;
      try {
        assert.equal(await rules.createRule(title, runs("npm test")), undefined);
      } finally {
        Object.assign(vscode.window, { showErrorMessage });
      }
      assert.deepEqual(errors, ["The permission rules could not be changed: disk full"]);
    });
  });

  describe("in their page", () => {
    const rowOf = (text: string): string => {
      const row = rules.view().rows.find(({ name }) => name.includes(text));
      assert.ok(row, `no row with ${text}`);
      return row.id;
    };
    const fields = { effect: "allow", command: [], path: [], domain: [], kind: [], agent: [] };
    const names = (): readonly string[] => rules.view().rows.map(({ scope, name }) => `${scope}: ${name}`);

    it("are shown with their problems, deleted one by one, and come back in the reverse order", async () => {
      await setUserRules([npmTest, wrong]);
      await memory.update(stateKey, [noRm, noRm]);
      rules.dispose();
      rules = make();
      const before = names();
      assert.deepEqual(before, [
        "user: allow command “npm test”",
        "user: (deny, comand “rm”)",
        "workspace: deny command “rm”",
        "workspace: deny command “rm”",
      ]);
      assert.match(rules.view().rows[1]?.problem ?? "", /^Permission rule 2 .* has an unknown field/);
      for (const text of ["npm test", "comand", "deny command"])
        assert.equal(await rules.delete(rowOf(text)), undefined);
      assert.deepEqual([userRules(), workspaceRules()], [undefined, [noRm]]);
      assert.deepEqual(rules.ruleSet(), { rules: [noRm], problems: [] });
      assert.equal(rules.view().undo, "Deleted: deny command “rm”");
      for (let i = 0; i < 3; i++) assert.equal((await rules.undo()).problem, undefined);
      assert.deepEqual(
        [userRules(), workspaceRules()],
        [
          [npmTest, wrong],
          [noRm, noRm],
        ],
      );
      assert.deepEqual(names(), before);
      assert.equal(rules.view().undo, undefined);
      assert.deepEqual(await rules.undo(), { problem: "There is nothing to undo." });
    });

    it("are added and edited, and each change is undone", async () => {
      const added = await rules.save("workspace", undefined, { ...fields, command: ["npm test"] });
      assert.deepEqual(added, { row: rowOf("npm test") });
      const edited = await rules.save("user", rowOf("npm test"), { ...fields, command: ["npm test", "npm ci"] });
      assert.equal(edited.problem, undefined);
      assert.deepEqual(
        [userRules(), workspaceRules()],
        [undefined, [{ effect: "allow", command: ["npm test", "npm ci"] }]],
      );
      assert.equal(rules.view().undo, "Changed: allow command “npm test”");
      assert.deepEqual(await rules.undo(), { row: rowOf("npm test") });
      assert.deepEqual(workspaceRules(), [npmTest]);
      assert.equal(rules.view().undo, "Added: allow command “npm test”");
      assert.deepEqual(await rules.undo(), {});
      assert.equal(workspaceRules(), undefined);
    });

    it("are not stored if they are wrong, a repetition, or changed elsewhere meanwhile", async () => {
      await setUserRules([npmTest, noRm]);
      await isRead(2);
      const saved = async (row: string | undefined, effect: string, ...command: readonly string[]) =>
        (await rules.save("user", row, { ...fields, effect, command })).problem;
      assert.equal(await saved(undefined, "allow"), "The rule must have at least one condition.");
      assert.equal(
        await saved(undefined, "alow", "ls"),
        "The rule has an unknown effect “alow”. Did you mean “allow”?",
      );
      assert.equal(await saved(undefined, "allow", "npm test"), "There is already the same rule.");
      const row = rowOf("npm test");
      await setUserRules([noRm]);
      await isRead(1);
      const elsewhere = "This rule was changed or deleted elsewhere. Look at the list, and try again.";
      assert.equal(await saved(row, "allow", "npm ci"), elsewhere);
      assert.equal(await rules.delete(row), elsewhere);
      assert.deepEqual(userRules(), [noRm]);
    });

    it("are not undone if the rule is gone elsewhere, and the changes before it still are", async () => {
      await rules.save("workspace", undefined, { ...fields, command: ["npm ci"] });
      await rules.save("user", undefined, { ...fields, command: ["npm test"] });
      await setUserRules(undefined);
      await isRead(1);
      assert.match((await rules.undo()).problem ?? "", /changed or deleted elsewhere/);
      assert.deepEqual(await rules.undo(), {});
      assert.equal(workspaceRules(), undefined);
    });

    it("report a change that is made in the settings", async () => {
      let changes = 0;
      rules.onDidChange(() => changes++);
      await setUserRules([npmTest]);
      await until(() => changes > 0 && rules.view().rows.length === 1);
    });

    it("can be discarded if the stored value for the workspace is not a list", async () => {
      await memory.update(stateKey, "rubbish");
      rules.dispose();
      rules = make();
      assert.equal(await rules.delete(rowOf("must be a list")), undefined);
      assert.deepEqual([workspaceRules(), rules.ruleSet().problems], [undefined, []]);
    });

    it("stay if they cannot be stored, which is a sentence", async () => {
      memory.update = () => Promise.reject(new Error("disk full"));
      const { problem } = await rules.save("workspace", undefined, { ...fields, command: ["npm test"] });
      assert.equal(problem, "The permission rules could not be changed: disk full");
      assert.equal(rules.view().undo, undefined);
    });

    it("are found by the text of a decision", async () => {
      await setUserRules([npmTest, noRm]);
      await isRead(2);
      assert.equal(rules.rowOfDecision("Refused by rule: deny command “rm”"), rowOf("deny"));
      assert.equal(rules.rowOfDecision("Refused by rule: deny command “cp”"), undefined);
    });
  });
});

describe("the tab of permission rules", () => {
  it("is one tab, which asks for the rules and closes with the extension", async () => {
    const rules = new PermissionRules({ workspaceState: new Memory(), log: nullLog });
    const opened: vscode.Webview[] = [];
    const tab = new RulesTab({
      ...{ rules, log: nullLog, openPage: (webview: vscode.Webview) => void opened.push(webview) },
      evaluate: () => Promise.reject(new Error("unused")),
    });
    const tabs = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(({ label }) => label === "Permission Rules");
    tab.show();
    await until(() => tabs().length === 1);
    tab.show("Allowed by rule: allow command “npm test”");
    assert.equal(opened.length, 1);
    tab.dispose();
    await until(() => tabs().length === 0);
    rules.dispose();
  });
});

describe("the lists of permission rules, in VS Code's real UI,", () => {
  it("return no choice when they are closed", async () => {
    const rules = new PermissionRules({ workspaceState: new Memory(), log: nullLog });
    let ended = false;
    const chosen = rules.createRule(title, runs("npm test")).finally(() => (ended = true));
    for (let i = 0; i < 500 && !ended; i++) {
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    }
    assert.equal(ended, true);
    assert.equal(await chosen, undefined);
    rules.dispose();
  });

  it("close when the extension is deactivated", async () => {
    const rules = new PermissionRules({ workspaceState: new Memory(), log: nullLog });
    const chosen = rules.createRule(title, runs("npm test"));
    rules.dispose();
    assert.equal(await chosen, undefined);
  });
});
