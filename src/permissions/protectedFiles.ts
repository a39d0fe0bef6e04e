// Files that programs run or obey without being started by the user, as data. An agent writes them through Parley only
// with the user's permission, even inside the workspace folders.
import { posix, win32 } from "node:path";
import { expandGlob, pathFits, pathGlobs, restrictionTest, type PathContext } from "./pathGlob.ts";

/**
 * What happens with a write. `refuse`: only a rule that names the file allows it. `ask`: the file runs without an action
 * of the user. `askForBuild`: it runs with the next build, test or installation.
 */
export type Protection = "refuse" | "ask" | "askForBuild";

/** Recognised in any folder, in any case. */
// prettier-ignore
export const protectedGlobs: Readonly<Record<Protection, readonly string[]>> = {
  // Configuration and hooks of git. A file named .git, which the glob also matches, points to a folder with both.
  refuse: [".git/**"],
  ask: [
    // Editors.
    ".vscode/*.json", "*.code-workspace", ".devcontainer.json", ".devcontainer/**", ".idea/**/*.xml", ".zed/*.json",
    ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
    // Hooks and filters of git.
    ".husky/**", ".githooks/**", ".lefthook.*", "lefthook.*", ".pre-commit-config.yaml", ".gitattributes", ".gitmodules",
    ".gitconfig", ".config/git/**",
    // Shells and the session of the user.
    ".envrc", ".mise.toml", "mise.toml", ".config/mise/**", ".bashrc", ".bash_*", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish/**", "*profile.ps1", ".config/autostart/**",
    ".config/systemd/**", "LaunchAgents/*.plist",
    // Package managers.
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/{plugins,releases}/**", ".pnp.*", ".pnpmfile.*", "pnpm-workspace.yaml",
    "bunfig.toml", "pip.conf", "pip.ini", "uv.toml", ".condarc", ".gemrc", ".bundle/config", "nuget.config", ".mvn/**",
    ".cargo/config", ".cargo/config.toml", "node_modules/.bin/**",
    // Python runs these with every start.
    "sitecustomize.py", "usercustomize.py", "*.pth", "{.venv,venv}/{bin,Scripts}/**",
    // Settings and hooks of agents.
    ".mcp.json", "mcp.json", ".claude.json", ".claude/settings*.json", ".claude/hooks/**", ".codex/config.toml", ".codex/hooks/**",
    ".gemini/settings.json", ".gemini/{extensions,hooks}/**", ".qwen/settings.json", ".cursor/{hooks,environment,cli}.json",
    ".cursor/hooks/**", ".github/hooks/**", "opencode.json", "opencode.jsonc", ".opencode/{plugin,plugins,tool,tools}/**",
    ".config/{opencode,goose}/**", ".augment/settings.json", ".aider.conf.yml", ".kiro/hooks/**",
  ],
  askForBuild: [
    // JavaScript.
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
    "deno.json", "deno.jsonc", "deno.lock", "{eslint,prettier,stylelint,babel,vite,vitest,jest,webpack,rollup}.config.*",
    "{playwright,cypress,karma,postcss,tailwind,next,nuxt,svelte,astro,metro}.config.*",
    ".{eslintrc,prettierrc,stylelintrc,babelrc,mocharc}.*", "gulpfile.*", "Gruntfile.*",
    // Make and its successors.
    "Makefile", "GNUmakefile", "*.mk", "justfile", ".justfile", "Taskfile.*", "CMakeLists.txt", "CMake*Presets.json", "*.cmake",
    "meson.build", "build.ninja", "configure", "configure.ac", "SConstruct", "BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel",
    "*.bzl", ".bazelrc",
    // Continuous integration.
    ".github/{actions,workflows}/**", ".gitlab-ci.yml", ".circleci/**", ".buildkite/**", "azure-pipelines.yml", "Jenkinsfile",
    ".travis.yml", ".drone.yml", "appveyor.yml", "bitbucket-pipelines.yml",
    // Rust, Go, Zig.
    "build.rs", "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "go.mod", "go.sum", "go.work", "build.zig",
    "build.zig.zon",
    // Python.
    "conftest.py", "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "tox.ini", "requirements*.txt", "poetry.lock", "uv.lock",
    "Pipfile", "Pipfile.lock",
    // The JVM.
    "*.gradle", "*.gradle.kts", "gradle.properties", "gradle.lockfile", "gradlew", "gradlew.bat", "gradle/wrapper/**", "buildSrc/**",
    "pom.xml", "mvnw", "mvnw.cmd", "*.sbt",
    // .NET.
    "*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj", "*.props", "*.targets", "*.sln", "*.slnx", "global.json", "packages.lock.json",
    // Ruby, PHP, Swift, Dart, Elixir, Haskell.
    "Rakefile", "Gemfile", "Gemfile.lock", "*.gemspec", "composer.json", "composer.lock", "Package.swift", "Package.resolved",
    "Podfile", "Podfile.lock", "*.podspec", "pubspec.yaml", "pubspec.lock", "mix.exs", "mix.lock", "stack.yaml", "*.cabal", "Setup.hs",
    // Containers and machines.
    "Dockerfile*", "*.dockerfile", "docker-compose*.{yml,yaml}", "compose.{yml,yaml}", "Vagrantfile", "Procfile", "*.nix", "flake.lock",
  ],
};

/** The user's changes to the lists. */
export interface ProtectionSettings {
  /** Each glob puts its files in a list, or takes them out of all (`false`). The last glob that matches decides. */
  readonly overrides: readonly (readonly [glob: string, protection: Protection | false])[];
  /** Whether files that run with the next build are protected. */
  readonly askForBuildFiles: boolean;
  /** Folders in which repositories have their hooks, by their configuration. Absolute paths. */
  readonly hookFolders?: readonly string[];
  /** Further files that programs run or obey, such as the scripts of MCP servers. Absolute paths. */
  readonly files?: readonly string[];
}

/** Finds out how a file is protected. Undefined: it is not. False: the user has taken it out of the lists. */
export type ProtectionTest = (path: string) => Protection | false | undefined;

const protections: readonly Protection[] = ["refuse", "ask", "askForBuild"];

/** The valid entries of the setting, and the errors in the others, as sentences. */
export function readProtectionSetting(
  setting: string,
  value: unknown,
): { readonly overrides: ProtectionSettings["overrides"]; readonly problems: readonly string[] } {
  if (value === undefined || value === null) return { overrides: [], problems: [] };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { overrides: [], problems: [`${setting} must be an object with globs.`] };
  }
  const overrides: (readonly [string, Protection | false])[] = [];
  const problems: string[] = [];
  for (const [glob, item] of Object.entries(value)) {
    const protection = item === false ? false : protections.find(one => one === item);
    const expanded = expandGlob(glob);
    if (typeof expanded === "string") problems.push(`${setting}: ${JSON.stringify(glob)} ${expanded}.`);
    else if (protection === undefined)
      problems.push(`${setting}: ${JSON.stringify(glob)} must be "refuse", "ask", "askForBuild" or false.`);
    else overrides.push([glob, protection]);
  }
  return { overrides, problems };
}

/** Characters that some file systems ignore in names. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The same test for many paths. In doubt a file is protected. */
export function protectionTest(settings: ProtectionSettings, place: PathContext): ProtectionTest {
  const anyCase = { ...place, ignoresCase: true };
  const lists = protections.map(protection => {
    const globs = protectedGlobs[protection].flatMap(glob => pathGlobs(`**/${glob}`));
    const listed = restrictionTest(globs, anyCase);
    if (protection !== "ask") return { protection, matches: listed };
    const isHook = hookTest(settings.hookFolders ?? [], place);
    const isNamed = fileTest(settings.files ?? [], place);
    return { protection, matches: (path: string) => listed(path) || isHook(path) || isNamed(path) };
  });
  const overrides = settings.overrides.map(([glob, protection]) => {
    const globs = pathGlobs(glob);
    // Only a glob that surely matches removes a protection.
    const matches =
      protection === false
        ? (path: string) => globs.some(one => pathFits(one, path, place))
        : restrictionTest(globs, anyCase);
    return { protection, matches };
  });
  return path => {
    const plain = path.replace(ignoredCharacters, "");
    const found = overrides.findLast(({ matches }) => matches(plain)) ?? lists.find(({ matches }) => matches(plain));
    const protection = found?.protection;
    return protection === "askForBuild" && !settings.askForBuildFiles ? false : protection;
  };
}

/** Whether a path is one of the files, in any case. */
function fileTest(files: readonly string[], { platform }: PathContext): (path: string) => boolean {
  const { normalize } = platform === "windows" ? win32 : posix;
  const normal = (path: string): string => normalize(path).normalize("NFC").toLowerCase();
  const all = new Set(files.map(normal));
  return path => all.has(normal(path));
}

/** Whether a path is in one of the folders. If the folder contains a whole workspace, only the files in it are hooks. */
function hookTest(folders: readonly string[], { platform, roots }: PathContext): (path: string) => boolean {
  const { dirname, normalize, relative } = platform === "windows" ? win32 : posix;
  const normal = (path: string): string => normalize(path).toLowerCase();
  const isWithin = (path: string, folder: string): boolean => {
    const rest = relative(folder, path);
    return rest !== path && !/^\.\.(?:[\\/]|$)/.test(rest);
  };
  const all = folders.map(folder => {
    const at = normal(folder).replace(/(?<=.)[\\/]$/, "");
    return { at, isWhole: roots.some(root => isWithin(normal(root), at)) };
  });
  return path => {
    const plain = normal(path);
    return all.some(({ at, isWhole }) => (isWhole ? dirname(plain) === at : isWithin(plain, at)));
  };
}

/** The strongest of several results. */
export const strongestProtection = (results: readonly ReturnType<ProtectionTest>[]): ReturnType<ProtectionTest> =>
  protections.find(protection => results.includes(protection)) ?? (results.includes(false) ? false : undefined);

/** When programs run the file, for a mark on its changes. Undefined: it is in no list. */
export function runsOf(protection: ReturnType<ProtectionTest>): "byItself" | "withBuild" | undefined {
  if (!protection) return undefined;
  return protection === "askForBuild" ? "withBuild" : "byItself";
}

/** The settings with further files. The same object until one of them changes. */
export function withProtectedFiles(
  settings: () => ProtectionSettings,
  files: () => readonly string[],
): () => ProtectionSettings {
  let known:
    | { readonly of: ProtectionSettings; readonly files: readonly string[]; readonly all: ProtectionSettings }
    | undefined;
  return () => {
    const [of, more] = [settings(), files()];
    if (known?.of !== of || known.files !== more) known = { of, files: more, all: { ...of, files: more } };
    return known.all;
  };
}

/** The lists of Parley without changes of the user. */
export const defaultProtection: ProtectionSettings = { overrides: [], askForBuildFiles: true };
