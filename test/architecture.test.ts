// Checks the structure of the code: imports between rooms, and the manifest. Each rule is
// applied to the project and to a project that violates it, so that no rule passes because it finds nothing.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { commandIds } from "../src/window/commandIds.ts";
import {
  barrels,
  bundledTwice,
  computedCommands,
  duplicateExports,
  environmentReads,
  editorImports,
  filesWithoutHeader,
  forbiddenPackages,
  iconsInTexts,
  importCircles,
  isSource,
  namespaceCasts,
  otherSettingReads,
  packageExceptions,
  sameFileNames,
  textsPastTheDoor,
  unknownRooms,
  unresolvedImports,
  upwardImports,
  webviewImports,
  type SourceTree,
} from "./support/architectureRules.ts";

const ignored = new Set(["node_modules", "dist", "out", ".git"]);

/** Every file of the project, as a path with slashes relative to its root. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (ignored.has(entry.name) || entry.isSymbolicLink()) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return [relative(".", path).replaceAll("\\", "/")];
  });
}

const all = filesBelow(".");
const read = (file: string): string => readFileSync(file, "utf8");
const project: SourceTree = { paths: all, read };

/** The project with additional files, or with other texts in its files. */
const projectWith = (files: Readonly<Record<string, string>>): SourceTree => ({
  paths: [...new Set([...all, ...Object.keys(files)])],
  read: path => files[path] ?? read(path),
});

/** Files that both programs of the extension host contain, and why that is harmless. */
const allowedTwice: Readonly<Record<string, string>> = {
  "src/base/inertText.ts": "functions without state",
  "src/base/jsonEqual.ts": "a function without state",
  "src/base/visibleText.ts": "a function without state",
  "src/comments/storedComments.ts": "a name, and a function without state",
  "src/editor/editorItems.ts": "functions without state, and a class of which nothing asks whether an object is of it",
  "src/editor/editorUi.ts": "functions without state",
  "src/library/folderRequest.ts": "a function without state",
  "src/panel/chatSurface.ts": "a name",
  "src/review/storedFiles.ts": "names, and a function without state",
  "src/window/startup/storageFolders.ts": "functions without state",
};

interface RuleCase {
  readonly rule: (tree: SourceTree) => readonly string[];
  /** Files that violate the rule. */
  readonly broken: readonly Readonly<Record<string, string>>[];
  /** A part of each violation that these files cause. */
  readonly found: RegExp;
}

/** The cases by requirement, which is also the title of the test. */
const ruleCases: Readonly<Record<string, RuleCase>> = {
  "imports only rooms below its own": {
    rule: upwardImports,
    broken: [
      { "src/session/planted.ts": '// x\nimport { x } from "../panel/protocol.ts";\n' },
      { "src/review/planted.ts": '// x\nimport type { x } from "../follow/followMode.ts";\n' },
      { "src/files/planted.ts": '// x\nconst x = import("../window/settings.ts");\n' },
      { "src/base/planted.ts": '// x\nimport { activate } from "../extension.ts";\n' },
      { "webview-ui/markdown/planted.ts": '// x\nimport "../transcript/message.ts";\n' },
      { "webview-ui/find/planted.ts": '// x\nimport "../composer/composer.ts";\n' },
    ],
    found: /planted\.ts imports/,
  },
  "is in a room of the order": {
    rule: unknownRooms,
    broken: [{ "src/common/planted.ts": "// x\n" }, { "webview-ui/misc/planted.ts": "// x\n" }],
    found: /common|misc/,
  },
  "imports only packages that its room may use": {
    rule: forbiddenPackages,
    broken: [
      { "src/session/planted.ts": '// x\nimport { readFileSync } from "node:fs";\n' },
      { "src/base/planted.ts": '// x\nimport { diffLines } from "diff";\n' },
      { "src/window/planted.ts": '// x\nimport { marked } from "marked";\n' },
      { "src/panel/planted.ts": '// x\nimport type { X } from "@agentclientprotocol/sdk";\n' },
      { "webview-ui/base/planted.ts": '// x\nimport { join } from "node:path";\n' },
    ],
    found: /planted\.ts imports/,
  },
  "uses the API of VS Code only on the editor side": {
    rule: editorImports,
    broken: [
      { "src/review/planted.ts": '// x\nimport * as vscode from "vscode";\n' },
      { "src/review/planted.ts": '// x\nimport type { Uri } from "vscode";\n' },
      { "src/review/planted.ts": '// x\nimport { x } from "./vscode/reviewStore.ts";\n' },
      { "src/files/planted.ts": '// x\nimport { x } from "../editor/diskText.ts";\n' },
      { "examples/planted.ts": '// x\nimport * as vscode from "vscode";\n' },
    ],
    found: /planted\.ts imports/,
  },
  "gives icons of items as their iconPath, not in their texts": {
    rule: iconsInTexts,
    broken: ["const label = `$(${icon}) ${name}`;", 'const label = "$(warning) " + name;'].map(code => ({
      "src/library/vscode/planted.ts": code,
    })),
    found: /planted\.ts has an icon/,
  },
  "gives texts to the editor only through the door that makes them harmless": {
    rule: textsPastTheDoor,
    broken: [
      "void vscode.window.showInformationMessage(title);",
      "void vscode . window\n  . showWarningMessage(title);",
      "const { window } = vscode;",
      "const { showErrorMessage } = vscode.window;",
      "const editor = vscode; void editor.window.showErrorMessage(title);",
      'void vscode["window"].showErrorMessage(title);',
      "const item = new vscode.TreeItem(title);",
      "const hover = new vscode.MarkdownString(title);",
      "words.isTrusted = true;",
      "const options = { supportHtml: true };",
      'await vscode.commands.executeCommand("vscode.diff", left, right, title);',
      "const terminal = vscode.window.createTerminal({ name });",
      "const thread = vscode.comments.createCommentController(id, title);",
    ]
      .map(code => ({ "src/review/vscode/planted.ts": `// x\nimport * as vscode from "vscode";\n${code}\n` }))
      .concat([
        {
          "src/review/vscode/planted.ts":
            '// x\nimport { window } from "vscode";\nvoid window.showErrorMessage(title);\n',
        },
        { "src/review/vscode/planted.ts": '// x\nimport * as editor from "vscode";\n' },
      ]),
    found: /planted\.ts gives a text/,
  },
  "imports only the shared files of src if it belongs to webview-ui": {
    rule: webviewImports,
    broken: [
      { "webview-ui/base/planted.ts": '// x\nimport type { X } from "../../src/session/state.ts";\n' },
      { "webview-ui/base/planted.ts": '// x\nimport { x } from "../../src/session/events.ts";\n' },
      { "src/panel/patch.ts": '// x\nimport { x } from "../session/state.ts";\n' },
    ],
    found: /(planted|patch)\.ts imports/,
  },
  "imports files by their full names": {
    rule: unresolvedImports,
    broken: [{ "src/base/planted.ts": '// x\nimport { x } from "./log";\n' }],
    found: /imports src\/base\/log$/,
  },
  "is not part of an import cycle": {
    rule: importCircles,
    broken: [
      {
        "src/base/planted.ts": '// x\nimport type { x } from "./planted2.ts";\n',
        "src/base/planted2.ts": '// x\nimport { y } from "./planted.ts";\n',
      },
    ],
    found: /planted\.ts → src\/base\/planted2\.ts → src\/base\/planted\.ts/,
  },
  "exports names that no other file of src exports": {
    rule: duplicateExports,
    broken: [{ "src/session/planted.ts": "// x\nexport const systemClock = 1;\n" }],
    found: /^systemClock is exported by/,
  },
  "has a unique name": {
    rule: sameFileNames,
    broken: [{ "src/session/log.ts": "// x\n" }, { "webview-ui/find/store.ts": "// x\n" }],
    found: /log\.ts|store\.ts/,
  },
  "has no default export and is not a barrel": {
    rule: barrels,
    broken: [
      { "src/base/planted.ts": "// x\nexport default 1;\n" },
      { "src/base/planted.ts": '// x\nexport * from "./log.ts";\n' },
      { "src/base/planted.ts": '// x\nexport { nullLog } from "./log.ts";\n' },
      { "webview-ui/base/planted.ts": '// x\nexport type { Store } from "./store.ts";\n' },
    ],
    found: /planted/,
  },
  "is bundled with one program of the extension host, or has neither classes nor state": {
    rule: tree => bundledTwice(tree).filter(file => !((file.split(" ")[0] ?? "") in allowedTwice)),
    broken: [
      { "src/window/startup/startup.ts": '// x\nimport { Emitter } from "../../base/lifecycle.ts";\n' },
      { "src/window/commandIds.ts": '// x\nimport { Session } from "../session/session.ts";\n' },
    ],
    found: /^src\/(?:base\/lifecycle|session\/session)\.ts is bundled twice$/,
  },
  "begins with a comment that describes it": {
    rule: filesWithoutHeader,
    broken: [{ "src/base/planted.ts": "const x = 1;\n" }],
    found: /planted/,
  },
  "does not cast the namespace of VS Code": {
    rule: namespaceCasts,
    broken: [{ "src/window/planted.ts": "// x\nconst x = vscode as unknown as object;\n" }],
    found: /planted/,
  },
  "reads the settings of Parley only as the user's values": {
    rule: otherSettingReads,
    broken: ['"parley"', '"parley.sessions"', "", "section", "`parley`"].map(section => ({
      "src/window/planted.ts": `// x\nconst x = vscode.workspace.getConfiguration(${section}).get("sound");\n`,
    })),
    found: /planted\.ts reads getConfiguration/,
  },
  "gives programs the environment that all of them share": {
    rule: environmentReads,
    broken: ["const x = { ...process.env };", "const { env } = process;"].map(code => ({
      "src/terminals/planted.ts": `// x\n${code}\n`,
    })),
    found: /planted\.ts reads process\.env/,
  },
  "runs only commands of VS Code with literal names": {
    rule: computedCommands,
    broken: [{ "src/window/planted.ts": "// x\nvoid vscode.commands.executeCommand(intent.command);\n" }],
    found: /planted\.ts runs intent\.command/,
  },
};

describe("a file of src and webview-ui", () => {
  for (const [requirement, { rule, broken, found }] of Object.entries(ruleCases)) {
    it(requirement, () => {
      assert.ok(all.filter(isSource).length > 100, "the project's files are found");
      assert.deepEqual(rule(project), []);
    });

    it(`${requirement}, or a violation is reported`, () => {
      for (const files of broken) {
        const violations = rule(projectWith(files));
        assert.ok(
          violations.some(violation => found.test(violation)),
          `${JSON.stringify(files)}: ${violations.join(", ")}`,
        );
      }
    });
  }

  it("is listed as an exception only while it exceeds the limit", () => {
    assert.deepEqual(
      Object.keys(packageExceptions).filter(file => !all.includes(file)),
      [],
    );
    const twice = bundledTwice(project);
    assert.deepEqual(
      Object.keys(allowedTwice).filter(file => !twice.includes(`${file} is bundled twice`)),
      [],
    );
  });
});

// https://code.visualstudio.com/api/references/contribution-points#contributes.menus, without proposed ones.
const stableMenus = new Set(["commandPalette", "comments/comment/title", "comments/comment/context", "comments/commentThread/title", "comments/commentThread/context",
  "comments/commentThread/additionalActions", "debug/callstack/context", "debug/toolBar", "debug/variables/context", "debug/watch/context",
  "editor/context", "editor/context/copy", "editor/context/share", "editor/lineNumber/context", "editor/title", "editor/title/context", "editor/title/run",
  "explorer/context", "extension/context", "file/newFile", "interactive/cell/title", "interactive/toolbar", "issue/reporter", "notebook/cell/title",
  "notebook/cell/execute", "notebook/toolbar", "scm/change/title", "scm/resourceFolder/context", "scm/resourceGroup/context",
  "scm/resourceState/context", "scm/sourceControl", "scm/title", "terminal/context", "terminal/title/context", "testing/item/context",
  "testing/item/gutter", "testing/item/result", "testing/message/content", "testing/message/context", "timeline/item/context", "timeline/title",
  "touchBar", "view/item/context", "view/title", "viewContainer/title", "webview/context"]); // prettier-ignore

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category?: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command?: string; readonly submenu?: string }[]>>;
    readonly keybindings?: readonly { readonly command: string }[];
    readonly submenus?: readonly { readonly id: string }[];
  };
  readonly enabledApiProposals?: readonly string[];
}

describe("the manifest", () => {
  const manifest = JSON.parse(read("package.json")) as Manifest;
  const { commands, menus, keybindings = [], submenus = [] } = manifest.contributes;
  const ids = commands.map(command => command.command);

  it("contributes only to stable menus, and uses no proposed API", () => {
    const own = new Set(submenus.map(submenu => submenu.id));
    assert.deepEqual(
      Object.keys(menus).filter(menu => !stableMenus.has(menu) && !own.has(menu)),
      [],
    );
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  // The compiler checks that the handlers in src are exactly those of this list.
  it("declares the commands of the tables in src, each once", () => {
    assert.deepEqual([...ids].sort(), [...commandIds].sort());
    assert.deepEqual(
      commands.filter(command => command.category !== "Parley"),
      [],
    );
  });

  it("uses only its own commands in menus and keybindings", () => {
    const used = [...Object.values(menus).flat(), ...keybindings].flatMap(item => item.command ?? []);
    assert.deepEqual(
      used.filter(command => !ids.includes(command)),
      [],
    );
  });

  it("uses every text in package.nls.json, and no others", () => {
    const words = [...read("package.json").matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key as string);
    const known = Object.keys(JSON.parse(read("package.nls.json")) as object);
    assert.deepEqual([...new Set(words)].sort(), known.sort());
  });
});

describe("the repository", () => {
  const texts = all.filter(file =>
    /\.(ts|mts|mjs|cjs|js|json|ndjson|md|css|html|yml|yaml|svg|txt)$|^\.[a-z.]+(\/\w+)?$/.test(file),
  );
  const matching = (pattern: RegExp, but: RegExp = /^$/): readonly string[] =>
    texts
      .filter(file => !but.test(file) && pattern.test(read(file)))
      .map(file => `${file}: ${pattern.exec(read(file))?.[0] ?? ""}`);

  it("contains no host name of a package registry", () => {
    assert.deepEqual(
      matching(
        /\bregistry\.(?!open\.)[a-z0-9-]+\.[a-z]{2,}|\b(npmjs|npmmirror|yarnpkg|jfrog)\.(org|com|io)\b|artifactory\./i,
        /^test\/architecture\.test\.ts$/,
      ),
      [],
    );
  });

  it("contains no path of a developer's machine", () => {
    // The made-up people of examples and recordings have these names.
    assert.deepEqual(matching(/(?<![\w.~-])\/(home|Users)\/(?!ada\b|me\b|Me\b|user\b|you\b)[A-Za-z][\w.-]*\//), []);
    const here = process.cwd().replaceAll("\\", "/");
    const literal = (path: string): RegExp =>
      new RegExp(`(?<![\\w.-])${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`);
    // A short path may also be a word of an example.
    for (const path of [here, homedir()].filter(one => one.length > 6))
      assert.deepEqual(matching(literal(path), /^test\/transcripts\//), []);
  });

  it("locks every dependency by its content, not by a URL", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      readonly packages: Readonly<Record<string, LockedPackage>>;
    };
    const locked = Object.entries(lock.packages).filter(([path]) => path !== "");
    assert.ok(locked.length > 0);
    assert.deepEqual(
      locked.filter(([, one]) => one.resolved !== undefined).map(([path]) => path),
      [],
    );
    assert.deepEqual(
      locked
        .filter(([, one]) => one.integrity === undefined && one.link !== true && one.inBundle !== true)
        .map(([path]) => path),
      [],
    );
    assert.ok(!/git\+|git@|github:|"file:/.test(read("package-lock.json")));
  });
});

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
}
