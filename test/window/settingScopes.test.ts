// The settings in the manifest: their groups, where each may come from, and the numbers that are checked when they are read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { checkedInteger, integerSettings, type IntegerSettingKey } from "../../src/window/numberSettings.ts";

interface Setting {
  readonly type: string;
  readonly scope?: string;
  readonly order?: number;
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Settings that the Settings editor shows under one title. */
interface SettingGroup {
  readonly title: string;
  readonly order: number;
  readonly properties: Readonly<Record<string, Setting>>;
}

/**
 * The scope of each setting, and why. A setting that is added needs a decision here. `application` and `machine` exclude
 * the settings of folders. `application`: the same on every machine. `machine`: different on each machine.
 */
const scopes: Readonly<Record<string, readonly ["application" | "machine" | "resource", string]>> = {
  "parley.agents": ["machine", "The programs are those of the machine."],
  "parley.agentRegistry": ["machine", "It offers programs, and the network is that of the machine."],
  "parley.mcpServers": ["machine", "The programs are those of the machine."],
  "parley.editorTools": ["application", "It lets agents see the user's editors."],
  "parley.extensionTools": ["application", "It lets agents call the tools of other extensions."],
  "parley.permissions.rules": ["application", "They answer for the user."],
  "parley.files.outsideWorkspace": ["application", "It answers for the user."],
  "parley.files.sensitive": ["resource", "A folder knows its secrets best. Its globs only add questions."],
  "parley.files.protected": ["application", "It can remove protection."],
  "parley.files.askForBuildFiles": ["application", "It can remove protection."],
  "parley.files.saveUnsaved": ["application", "It saves the user's unsaved text."],
  "parley.sendKey": ["application", "A habit of the user. A folder could make Enter send a half-written message."],
  "parley.notifications": ["application", "A habit of the user. A folder could hide permission requests."],
  "parley.sound": ["application", "A habit of the user."],
  "parley.hooks": ["machine", "The programs are those of the machine. A folder could run any program."],
  "parley.comments.gutter": ["application", "A habit of the user."],
  "parley.comments.askIn": ["application", "A habit of the user."],
  "parley.promptFiles.folder": ["machine", "The folder is on the machine. A folder could offer files of other places."],
  "parley.problems.sendWithNextPrompt": ["application", "A habit of the user. A folder could have its problems sent."],
  "parley.checkpoints.maxCount": ["machine", "It removes data, and the disk is that of the machine."],
  "parley.checkpoints.maxAgeDays": ["machine", "It removes data, and the disk is that of the machine."],
  "parley.checkpoints.maxIgnoredSize": ["machine", "The memory is that of the machine."],
  "parley.sessions.maxCount": ["machine", "It removes data, and the disk is that of the machine."],
  "parley.sessions.maxAgeDays": ["machine", "It removes data, and the disk is that of the machine."],
  "parley.sessions.maxSize": ["machine", "It removes data, and the disk is that of the machine."],
  "parley.sessions.askAboveTokens": ["application", "A habit of the user. A folder could have tokens used unasked."],
  "parley.sessions.askAboveSize": ["application", "A habit of the user. A folder could have tokens used unasked."],
  "parley.sessions.confirmDelete": [
    "application",
    "A habit of the user. A folder could have sessions deleted without a question.",
  ],
  "parley.worktrees.newSessions": ["application", "A habit of the user. A folder could have worktrees made."],
  "parley.worktrees.folder": ["machine", "The disk is that of the machine."],
  "parley.worktrees.copy": ["application", "It copies secrets."],
  "parley.worktrees.setup": ["application", "It is a command."],
  "parley.worktrees.setupTimeLimit": ["application", "It limits a command of the user."],
  "parley.worktrees.check": ["application", "It runs a command. A folder could run any program."],
  "parley.worktrees.checkTimeLimit": ["application", "A folder could stop the check of the user."],
  "parley.worktrees.maxCandidates": ["application", "A folder could make the user pay for more agents."],
};

describe("the settings in the manifest", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly contributes: { readonly configuration: readonly SettingGroup[] };
  };
  const groups = contributes.configuration;
  const texts = JSON.parse(readFileSync("package.nls.json", "utf8")) as Readonly<Record<string, string>>;
  const settings = Object.fromEntries(groups.flatMap(({ properties }) => Object.entries(properties)));

  it("are in titled groups, each in exactly one", () => {
    assert.deepEqual(
      groups.map(({ title, order }) => [texts[title.replaceAll("%", "")], order]),
      [
        ["Agents", 1],
        ["MCP Servers", 2],
        ["Permissions and Files", 3],
        ["Chat", 4],
        ["Checkpoints and Sessions", 5],
        ["Worktrees", 6],
      ],
    );
    const ids = groups.flatMap(({ properties }) => Object.keys(properties));
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  // Without an order, the Settings editor sorts the settings of a group by name.
  it("are shown in the order of the manifest", () => {
    for (const { title, properties } of groups) {
      const orders = Object.values(properties).map(({ order }) => order);
      assert.deepEqual(
        orders,
        orders.map((_, index) => index + 1),
        title,
      );
    }
  });

  it("have the scope that was decided for each", () => {
    const actual = Object.entries(settings).map(([key, { scope }]) => [key, scope]);
    assert.deepEqual(
      actual,
      Object.entries(scopes).map(([key, [scope]]) => [key, scope]),
    );
  });

  it("cannot be set by a folder, except for those that only add", () => {
    const ofFolders = Object.entries(settings).filter(
      ([, { scope }]) => scope !== "application" && scope !== "machine",
    );
    assert.deepEqual(
      ofFolders.map(([key]) => key),
      ["parley.files.sensitive"],
    );
  });

  it("have the limits and defaults of the numbers that are checked when they are read", () => {
    const numbers = Object.entries(settings).filter(([, { type }]) => type === "integer" || type === "number");
    assert.deepEqual(
      numbers.map(([key, { type, minimum, maximum, default: fallback }]) => [
        key,
        type,
        { minimum, maximum, fallback },
      ]),
      Object.entries(integerSettings).map(([key, limits]) => [`parley.${key}`, "integer", limits]),
    );
  });
});

describe("the number of a setting", () => {
  const key = fc.constantFrom(...(Object.keys(integerSettings) as IntegerSettingKey[]));

  it("is a whole number within the limits, whatever the user wrote", () => {
    const value = fc.oneof(fc.anything(), fc.double(), fc.integer(), fc.maxSafeInteger(), fc.jsonValue());
    fc.assert(
      fc.property(key, value, (name, written) => {
        const { minimum, maximum, fallback } = integerSettings[name];
        const { value: used, problem } = checkedInteger(name, written);
        assert.ok(Number.isSafeInteger(used) && used >= minimum && used <= maximum && !Object.is(used, -0));
        const isValid = written === undefined || written === used;
        assert.equal(problem === undefined, isValid, String(problem));
        if (!isValid) assert.ok(used === fallback || (used === maximum && (written as number) > maximum));
        assert.ok((problem ?? "").length < 200);
      }),
      { numRuns: 5000 },
    );
  });

  it("never removes more than the default if it is wrong", () => {
    for (const wrong of [0.5, -1, -0.5, NaN, "1", "", null, [], [1], {}, true, false, 1e-9]) {
      for (const [name, { fallback }] of Object.entries(integerSettings))
        assert.equal(checkedInteger(name as IntegerSettingKey, wrong).value, fallback, `${name}: ${String(wrong)}`);
    }
    assert.equal(checkedInteger("sessions.maxCount", Infinity).value, 100_000);
    assert.equal(checkedInteger("checkpoints.maxCount", 0).value, 50);
    assert.equal(checkedInteger("sessions.maxCount", 0).value, 0);
    assert.equal(
      checkedInteger("sessions.maxCount", 0.5).problem,
      "parley.sessions.maxCount must be a whole number from 0 to 100000, but is 0.5. Parley uses 1000.",
    );
  });
});
