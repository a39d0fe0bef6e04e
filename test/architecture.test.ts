// What keeps the code in shape, kept by machine: who may import whom, how large a file may be, what the manifest says.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";

const ignored = new Set(["node_modules", "dist", "out", ".git"]);

/** Every file of the project, as a path with slashes from its root. */
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
const sources = all.filter(file => /^(src|webview-ui)\/.*\.ts$/.test(file));
/** Text without comments, so that words about code are not taken for code. */
const code = (file: string): string =>
  read(file)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
  const statements = code(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?from\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|\brequire\(\s*"([^"]+)"\s*\)/g,
  );
  return [...statements].map(([, type, named, dynamic, required]) => ({
    file,
    target: resolved(file, named ?? dynamic ?? required ?? ""),
    typeOnly: type !== undefined,
  }));
}

/** A relative import as the file it means; a package as it is named. */
const resolved = (file: string, target: string): string =>
  target.startsWith(".") ? join(dirname(file), target).replaceAll("\\", "/") : target;

/** The layer of a file of src: the editor's side of each room is one layer, the rest of most rooms another. */
function layerOf(file: string): string | undefined {
  const room = /^src\/(\w+)\//.exec(file)?.[1];
  if (room === undefined) return undefined;
  if (file === "src/window/code/codeProposal.ts") return "workspace";
  if (file === "src/mentions/promptContent.ts") return "panel";
  if (room === "editor" || room === "window" || file.startsWith(`src/${room}/vscode/`)) return "vscode";
  return room in rules ? room : "workspace";
}

interface Rule {
  /** Layers of src below this one. */
  readonly layers: readonly string[];
  readonly packages: readonly (string | RegExp)[];
  /** Single files of other layers. */
  readonly files?: readonly string[];
}

/** The arrows of docs/ARCHITECTURE.md: down only, and siblings do not know each other. */
const rules: Readonly<Record<string, Rule>> = {
  base: { layers: [], packages: [] },
  session: { layers: ["base"], packages: [] },
  panel: { layers: ["session", "base"], packages: ["diff", "marked", "node:vm"] },
  acp: { layers: ["session", "base"], packages: ["vscode-jsonrpc/node", "node:stream"] },
  workspace: {
    layers: ["session", "base"],
    packages: [
      "diff",
      "fuzzysort",
      "ignore",
      "node:child_process",
      "node:crypto",
      "node:fs",
      "node:fs/promises",
      "node:path",
      "node:stream",
      "node:string_decoder",
      "node:os",
      "node:url",
    ],
  },
  agents: {
    layers: ["acp", "session", "base"],
    packages: ["node:child_process", "node:fs", "node:path", "node:stream", "node:string_decoder"],
  },
  vscode: {
    layers: ["panel", "workspace", "agents", "session", "base"],
    packages: ["vscode", /^node:/],
    files: ["src/acp/trafficRecorder.ts"],
  },
};

/** Files that need more than their layer may, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // Ends processes for agents and terminals alike, which are siblings.
  "src/base/processTree.ts": ["node:child_process", "node:fs"],
  // Finds programs for both.
  "src/base/program.ts": ["node:fs", "node:path"],
  // Compare lines and words for the panel's cards and for the review of changes.
  "src/base/lineDiff.ts": ["diff"],
  "src/base/wordDiff.ts": ["diff"],
};

const webview: Rule = {
  layers: [],
  packages: [/^lit($|\/)/, /^highlight\.js($|\/)/, "marked", "dompurify", /^@xterm\/headless($|\/)/],
  files: [
    "src/panel/protocol.ts",
    "src/panel/intents.ts",
    "src/panel/patch.ts",
    "src/panel/validators.ts",
    "src/session/events.ts",
    "src/base/errors.ts",
    "src/base/lifecycle.ts",
    "src/base/jsonEqual.ts",
    "src/base/visibleText.ts",
  ],
};
/** Of these the panel may know the types only: their code belongs to the extension host. */
const typesForWebview = new Set(["src/session/events.ts"]);

function forbidden(one: Import, own: string, rule: Rule): boolean {
  const { file, target, typeOnly } = one;
  if (
    target.startsWith(`${own}/`) ||
    layerOf(target) === own ||
    exceptions[file]?.includes(target) ||
    rule.files?.includes(target)
  )
    return false;
  if (target.startsWith("src/") || target.startsWith("webview-ui/")) {
    return !rule.layers.some(layer => layerOf(target) === layer);
  }
  if (typeOnly && target === "@agentclientprotocol/sdk" && own === "acp") return false;
  return !rule.packages.some(name => (typeof name === "string" ? name === target : name.test(target)));
}

const named = (imports: readonly Import[]): readonly string[] =>
  imports.map(one => `${one.file} imports ${one.target}`);

describe("the layers", () => {
  for (const [layer, rule] of Object.entries(rules)) {
    it(`${layer} imports only what it may`, () => {
      const files = sources.filter(file => layerOf(file) === layer);
      assert.ok(files.length > 0);
      const imports = files.flatMap(importsOf);
      assert.deepEqual(named(imports.filter(one => forbidden(one, layer, rule))), []);
    });
  }

  it("are all there is in src", () => {
    const layers = new Set(sources.flatMap(file => layerOf(file) ?? []));
    assert.deepEqual([...layers].sort(), Object.keys(rules).sort());
    assert.deepEqual(
      readdirSync("src").filter(name => name.endsWith(".ts")),
      // The composition root, and a process of its own that only ends others.
      ["extension.ts", "watchdog.ts"],
    );
  });

  it("let only src/vscode and the composition root know the editor", () => {
    const known = all.filter(file => /^(src|webview-ui|examples)\/.*\.ts$/.test(file)).flatMap(importsOf);
    const outside = known.filter(
      one => one.target === "vscode" && !/^src\/(\w+\/vscode\/|editor\/|window\/|extension\.ts$)/.test(one.file),
    );
    assert.deepEqual(named(outside), []);
  });

  it("keep the panel apart: it knows the protocol, and nothing of Node.js or of the extension host", () => {
    const imports = sources.filter(file => file.startsWith("webview-ui/")).flatMap(importsOf);
    assert.deepEqual(named(imports.filter(one => forbidden(one, "webview-ui", webview))), []);
    assert.deepEqual(named(imports.filter(one => typesForWebview.has(one.target) && !one.typeOnly)), []);
    const shared = webview.files ?? [];
    // What the panel runs of src may itself need nothing else.
    const run = shared
      .filter(file => !typesForWebview.has(file))
      .flatMap(importsOf)
      .filter(one => !one.typeOnly);
    assert.deepEqual(named(run.filter(one => !shared.includes(one.target))), []);
  });

  it("run no command of the editor whose name is not written out", () => {
    const calls = sources
      .filter(file => file.startsWith("src/"))
      .flatMap(file =>
        [...readFileSync(file, "utf8").matchAll(/executeCommand(?:<[^>]*>)?\(\s*(.{0,40})/g)].map(
          call => call[1] ?? "",
        ),
      );
    assert.ok(calls.length > 0);
    assert.deepEqual(
      calls.filter(call => !/^(?:"[\w.]+|`\$\{Chat\w+\.\w+\}\.focus`)/.test(call)),
      [],
    );
  });

  it("would be seen to be broken", () => {
    const one = { file: "src/session/state.ts", target: "src/editor/outputChannel.ts", typeOnly: true };
    assert.ok(forbidden(one, "session", rules["session"] as Rule));
    assert.ok(forbidden({ ...one, target: "node:fs" }, "session", rules["session"] as Rule));
    assert.ok(!forbidden({ ...one, target: "src/base/log.ts" }, "session", rules["session"] as Rule));
    const found = importsOf("src/extension.ts");
    assert.ok(found.some(each => each.target === "vscode") && found.some(each => each.target === "src/base/log.ts"));
  });

  it("import files by their whole name", () => {
    const imports = sources
      .flatMap(importsOf)
      .filter(one => one.target.startsWith("src/") || one.target.startsWith("webview-ui/"));
    assert.deepEqual(named(imports.filter(one => !all.includes(one.target))), []);
  });
});

describe("a source file", () => {
  /** Files that need more than 500 lines, and why. */
  const large: Readonly<Record<string, string>> = {
    "webview-ui/styles.css": "one sheet: its parts share tokens, and their order is what decides",
    "test/interop/model-server.mjs": "runs by itself, copied whole to wherever agents are tried",
  };

  it("has at most 500 lines, or a reason", () => {
    const counted = all.filter(file => /\.(ts|mts|mjs|cjs|js|css|html)$/.test(file));
    const long = counted.filter(file => read(file).split("\n").length > 501);
    assert.deepEqual(
      long.filter(file => !(file in large)),
      [],
    );
    assert.deepEqual(
      Object.keys(large).filter(file => all.includes(file) && !long.includes(file)),
      [],
      "no longer large",
    );
  });

  it("names what it exports, and is no barrel", () => {
    const found = sources.filter(file =>
      /^\s*export\s+(default\b|\*|\{[^}]*\}\s*from\b|type\s+\{[^}]*\}\s*from\b)/m.test(code(file)),
    );
    assert.deepEqual(found, []);
  });

  it("begins with what it is", () => {
    assert.deepEqual(
      sources.filter(file => !/^\/\/ \S/.test(read(file))),
      [],
    );
  });

  it("casts the editor's namespace to nothing: what is not in its types is not there", () => {
    const cast = /\(\s*vscode\s+as\b|\bvscode\s+as\s+(unknown|any)|<\w+>\s*vscode\b|vscode\.\w+\s+as\s+unknown/;
    assert.deepEqual(
      sources.filter(file => cast.test(code(file))),
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

  it("contributes to stable menus only, and uses no proposed API", () => {
    const own = new Set(submenus.map(submenu => submenu.id));
    assert.deepEqual(
      Object.keys(menus).filter(menu => !stableMenus.has(menu) && !own.has(menu)),
      [],
    );
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  it("names the commands that the tables in src hold, each once", () => {
    const held = ["src/window/commands.ts", "src/review/vscode/reviewCommands.ts"].flatMap(file => {
      const table = /export const commands = \{([\s\S]*?)\n\} satisfies/.exec(read(file))?.[1] ?? "";
      const ids = [...table.matchAll(/^ {2}"(parley\.\w+)":/gm)].map(([, id]) => id);
      assert.ok(ids.length > 0, file);
      return ids;
    });
    assert.deepEqual([...ids].sort(), held.sort());
    assert.deepEqual(
      commands.filter(command => command.category !== "Parley"),
      [],
    );
  });

  it("puts only its own commands into menus and on keys", () => {
    const used = [...Object.values(menus).flat(), ...keybindings].flatMap(item => item.command ?? []);
    assert.deepEqual(
      used.filter(command => !ids.includes(command)),
      [],
    );
  });

  it("says every word in package.nls.json, and every word there is said", () => {
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

  it("names no package registry's host", () => {
    assert.deepEqual(
      matching(
        /\bregistry\.[a-z0-9-]+\.[a-z]{2,}|\b(npmjs|npmmirror|yarnpkg|jfrog)\.(org|com|io)\b|artifactory\./i,
        /^test\/architecture\.test\.ts$/,
      ),
      [],
    );
  });

  it("names no folder of the machine it was written on", () => {
    // People in examples and recordings are made up, and these are their names.
    assert.deepEqual(matching(/(?<![\w.~-])\/(home|Users)\/(?!ada\b|me\b|Me\b|user\b|you\b)[A-Za-z][\w.-]*\//), []);
    const here = process.cwd().replaceAll("\\", "/");
    const literal = (path: string): RegExp =>
      new RegExp(`(?<![\\w.-])${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`);
    // A short path is a word of examples as well.
    for (const path of [here, homedir()].filter(one => one.length > 6))
      assert.deepEqual(matching(literal(path), /^test\/transcripts\//), []);
  });

  it("locks every dependency by its content, not by an address", () => {
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
