// The lists of files that programs run or obey by themselves: each row, and the user's changes to them.
import assert from "node:assert/strict";
import {
  defaultProtection,
  protectionTest,
  readProtectionSetting,
  runsOf,
  strongestProtection,
} from "../../src/permissions/protectedFiles.ts";
import { protectedRows, type Protection } from "../../src/permissions/protectedRows.ts";
import { pathGlobs, restrictionTest } from "../../src/permissions/pathGlob.ts";

const place = { roots: ["/ws"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
const windows = { roots: ["C:\\ws"], platform: "windows", ignoresCase: true, home: "C:\\Users\\me" } as const;
const builtIn = protectionTest(defaultProtection, place);

/** The same files without the glob's wildcards and braces: one for each alternative. */
function examplesOf(glob: string): readonly string[] {
  const all = pathGlobs(glob).map(one => one.glob.map(segment => (segment === "**" ? "deep/file" : segment)).join("/"));
  return all.map(path => path.replaceAll("*", "x"));
}

describe("the lists of protected files", () => {
  const anyCase = { ...place, ignoresCase: true };
  const strength = ["refuse", "ask", "askOnce", "askForBuild"];

  for (const { protection, by, globs } of protectedRows) {
    for (const glob of globs) {
      it(`have ${glob} of ${by} as ${protection}, at any depth and in any case`, () => {
        const examples = examplesOf(glob);
        assert.ok(examples.length > 0);
        for (const example of examples) {
          for (const path of [`/ws/${example}`, `/ws/packages/a/${example}`, `/ws/${example.toUpperCase()}`])
            assert.equal(builtIn(path), protection, path);
          assert.equal(
            protectionTest(defaultProtection, windows)(`C:\\ws\\${example.replaceAll("/", "\\")}`),
            protection,
          );
          // No other row of this strength has these files, so the test fails without this one.
          const others = protectedRows.flatMap(row =>
            row.globs.filter(
              other => other !== glob && strength.indexOf(row.protection) <= strength.indexOf(protection),
            ),
          );
          const rest = others.flatMap(other => pathGlobs(`**/${other}`));
          assert.equal(restrictionTest(rest, anyCase)(`/ws/${example}`), false, example);
        }
      });
    }
  }

  it("name a source for each row", () => {
    for (const { by, source } of protectedRows) assert.match(source, /\w[./(]\w|the manuals?/, by);
    assert.ok(protectedRows.length >= 50);
  });

  const real: readonly (readonly [string, Protection])[] = [
    [".git", "refuse"],
    [".git/config", "refuse"],
    [".git/hooks/pre-commit", "refuse"],
    [".git/modules/sub/config", "refuse"],
    ["sub/.git/info/attributes", "refuse"],
    [".Git/config", "refuse"],
    [".g\u200cit/config", "refuse"],
    [".vscode/settings.json", "ask"],
    [".vscode/tasks.json", "ask"],
    ["my.code-workspace", "ask"],
    [".devcontainer/devcontainer.json", "ask"],
    [".husky/pre-commit", "ask"],
    [".githooks/post-checkout", "ask"],
    [".gitattributes", "ask"],
    [".gitmodules", "ask"],
    [".envrc", "ask"],
    [".bashrc", "ask"],
    [".bash_profile", "ask"],
    [".npmrc", "ask"],
    [".mcp.json", "ask"],
    ["AGENTS.md", "askOnce"],
    ["agents.md", "askOnce"],
    ["packages/a/AGENTS.md", "askOnce"],
    ["CLAUDE.md", "askOnce"],
    ["CLAUDE.local.md", "askOnce"],
    ["GEMINI.md", "askOnce"],
    ["AGENT\u017f.md", "askOnce"],
    [".github/copilot-instructions.md", "askOnce"],
    [".GitHub/Copilot-Instructions.MD", "askOnce"],
    [".github/instructions/a.instructions.md", "askOnce"],
    [".github/prompts/a.prompt.md", "askOnce"],
    [".cursorrules", "askOnce"],
    [".cursor/rules/a.mdc", "askOnce"],
    [".windsurfrules", "askOnce"],
    [".clinerules", "askOnce"],
    [".clinerules/a.md", "askOnce"],
    [".clinerules/hooks/PreToolUse", "ask"],
    [".roo/rules/a.md", "askOnce"],
    [".roo/mcp.json", "ask"],
    [".kiro/steering/a.md", "askOnce"],
    [".junie/guidelines.md", "askOnce"],
    [".claude/commands/a.md", "askOnce"],
    [".claude/agents/a.md", "askOnce"],
    [".claude/skills/a/SKILL.md", "askOnce"],
    [".claude/settings.json", "ask"],
    [".claude/hooks/a.sh", "ask"],
    [".codex/prompts/a.md", "askOnce"],
    [".codex/config.toml", "ask"],
    [".gemini/commands/a.toml", "askOnce"],
    [".gemini/settings.json", "ask"],
    [".opencode/command/a.md", "askOnce"],
    [".opencode/plugin/a.ts", "ask"],
    [".v\u017fcode/tasks.json", "ask"],
    [".gdbinit", "ask"],
    [".lldbinit", "ask"],
    [".pdbrc", "ask"],
    [".vimrc", "ask"],
    [".emacs.d/init.el", "ask"],
    ["app.sublime-project", "ask"],
    [".helix/languages.toml", "ask"],
    [".idea/runConfigurations/a.xml", "ask"],
    [".run/App.run.xml", "ask"],
    [".zshenv", "ask"],
    [".config/fish/config.fish", "ask"],
    ["Microsoft.PowerShell_profile.ps1", "ask"],
    [".tool-versions", "ask"],
    ["mise.local.toml", "ask"],
    [".python-version", "ask"],
    ["lefthook.yml", "ask"],
    ["lint-staged.config.js", "ask"],
    [".lintstagedrc", "ask"],
    [".yarnrc.yml", "ask"],
    [".pnpmfile.cjs", "ask"],
    ["bunfig.toml", "ask"],
    ["pip.conf", "ask"],
    ["rust-toolchain.toml", "askForBuild"],
    [".eslintrc", "askForBuild"],
    ["pytest.ini", "askForBuild"],
    [".claude/settings.local.json", "ask"],
    [".cursor/mcp.json", "ask"],
    ["node_modules/.bin/node", "ask"],
    [".cargo/config.toml", "ask"],
    ["package.json", "askForBuild"],
    ["packages/a/package-lock.json", "askForBuild"],
    ["Makefile", "askForBuild"],
    [".github/workflows/ci.yml", "askForBuild"],
    ["build.rs", "askForBuild"],
    ["tests/conftest.py", "askForBuild"],
    ["setup.py", "askForBuild"],
    ["app/build.gradle.kts", "askForBuild"],
    ["App.csproj", "askForBuild"],
  ];
  for (const [path, protection] of real) {
    it(`have ${JSON.stringify(path)} as ${protection}`, () => assert.equal(builtIn(`/ws/${path}`), protection));
  }

  for (const path of [
    "src/index.ts",
    "README.md",
    ".gitignore",
    "git/config",
    "src/package.ts",
    ".vscode/notes.md",
    "docs/Makefile.md",
    "node_modules/a/index.js",
    ".claude/worktrees/a/src/index.ts",
    "bin/run.txt",
    "poem.txt",
    "docs/agents.txt",
    "src/agents/index.ts",
    "CONTRIBUTING.md",
    ".nvmrc",
    ".editorconfig",
    ".github/ISSUE_TEMPLATE/a.md",
    ".github/CODEOWNERS",
    ".cursorignore",
    "src/prompt.md.ts",
    "tsconfig.json",
    "app.config.ts",
    "src/rules.ts",
    "project/plan.md",
  ]) {
    it(`do not have ${path}`, () => assert.equal(builtIn(`/ws/${path}`), undefined));
  }
});

describe("a folder that is moved", () => {
  const rows: readonly (readonly [string, Protection | undefined])[] = [
    [".github", "ask"],
    [".cline", "askOnce"],
    [".vscode", "ask"],
    [".VSCode", "ask"],
    [".idea", "ask"],
    [".cargo", "ask"],
    [".config", "ask"],
    [".claude", "ask"],
    [".cursor", "ask"],
    [".git", "refuse"],
    ["sub/.husky", "ask"],
    ["src", undefined],
    ["node_modules", undefined],
    ["gradle", undefined],
    ["project", undefined],
    ["src/.github.ts", undefined],
  ];
  for (const [folder, protection] of rows) {
    it(`counts with the files in it: ${folder} is ${protection ?? "not in the lists"}`, () => {
      assert.equal(builtIn.ofFolder(`/ws/${folder}`), protection);
    });
  }

  it("counts like a file if it is one", () => {
    assert.equal(builtIn.ofFolder("/ws/AGENTS.md"), "askOnce");
    assert.equal(builtIn.ofFolder("/ws/package.json"), "askForBuild");
  });
});

describe("the user's changes to the lists", () => {
  const test = (value: unknown, askForBuildFiles = true) =>
    protectionTest({ overrides: readProtectionSetting("s", value).overrides, askForBuildFiles }, place);

  it("add files to each list, in any case", () => {
    const changed = test({ "tools/**": "ask", "keep/**": "refuse", "**/*.sh": "askForBuild", "STYLE.md": "askOnce" });
    assert.equal(changed("/ws/style.md"), "askOnce");
    assert.equal(changed("/ws/Tools/a"), "ask");
    assert.equal(changed("/ws/keep/a"), "refuse");
    assert.equal(changed("/ws/deep/a.sh"), "askForBuild");
  });

  it("take files out of each list", () => {
    const changed = test({ "**/.git/description": false, "**/.vscode/settings.json": false, "**/package.json": false });
    assert.equal(changed("/ws/.git/description"), false);
    assert.equal(changed("/ws/.git/config"), "refuse");
    assert.equal(changed("/ws/.vscode/settings.json"), false);
    assert.equal(changed("/ws/.vscode/tasks.json"), "ask");
    assert.equal(changed("/ws/a/package.json"), false);
  });

  it("take out only what surely matches", () => {
    const other = protectionTest(
      { overrides: [["~/.bashrc", false]], askForBuildFiles: true },
      { roots: ["/ws"], platform: "posix", ignoresCase: false },
    );
    assert.equal(other("/home/me/.bashrc"), "ask");
    assert.equal(test({ "**/makefile": false })("/ws/Makefile"), "askForBuild");
  });

  it("count in their order: the last glob that matches decides", () => {
    assert.equal(test({ "**": false, "src/**": "ask" })("/ws/src/a.ts"), "ask");
    assert.equal(test({ "src/**": "ask", "**": false })("/ws/src/a.ts"), false);
  });

  it("switch off the files of the next build, and no others", () => {
    const changed = test({ "**/*.sh": "askForBuild" }, false);
    assert.equal(changed("/ws/package.json"), false);
    assert.equal(changed("/ws/a.sh"), false);
    assert.equal(changed("/ws/.vscode/tasks.json"), "ask");
  });

  it("are reported if they are invalid", () => {
    const { overrides, problems } = readProtectionSetting("s", {
      "a{b": "ask",
      "c/**": "allow",
      "d/**": true,
      e: "ask",
    });
    assert.deepEqual(overrides, [["e", "ask"]]);
    assert.deepEqual(problems, [
      's: "a{b" has an unbalanced brace.',
      's: "c/**" must be "refuse", "ask", "askOnce", "askForBuild" or false.',
      's: "d/**" must be "refuse", "ask", "askOnce", "askForBuild" or false.',
    ]);
    assert.deepEqual(readProtectionSetting("s", ["a"]).problems, ["s must be an object with globs."]);
  });
});

it("the strongest of two protections counts, and a list counts more than a file taken out", () => {
  assert.equal(strongestProtection(["askForBuild", "refuse"]), "refuse");
  assert.equal(strongestProtection([false, "ask"]), "ask");
  assert.equal(strongestProtection([undefined, false]), false);
  assert.equal(strongestProtection([undefined]), undefined);
});

it("files of git and files that are asked about run by themselves, those of the build with the next one, and agents follow the others", () => {
  const all = ["refuse", "ask", "askOnce", "askForBuild", false, undefined] as const;
  assert.deepEqual(all.map(runsOf), ["byItself", "byItself", "byAgents", "withBuild", undefined, undefined]);
});
