// The files that programs run or obey without being started by the user, and the files that agents follow, as data. Each row
// names what reads the files, and the document or manual that says so.

/**
 * What happens with a write. `refuse`: only a rule that names the file allows it. `ask`: the file runs without an action
 * of the user. `askOnce`: agents follow the file, so one permission counts for all such files of the session.
 * `askForBuild`: it runs with the next build, test or installation.
 */
export type Protection = "refuse" | "ask" | "askOnce" | "askForBuild";

export interface ProtectedRow {
  readonly protection: Protection;
  /** What runs or obeys the files. */
  readonly by: string;
  readonly source: string;
  /** Recognised in any folder, in any case. */
  readonly globs: readonly string[];
}

const row =
  (protection: Protection) =>
  (by: string, source: string, ...globs: readonly string[]): ProtectedRow => ({ protection, by, source, globs });
const refuse = row("refuse");
const ask = row("ask");
const askOnce = row("askOnce");
const askForBuild = row("askForBuild");

// prettier-ignore
export const protectedRows: readonly ProtectedRow[] = [
  // Configuration and hooks. A file named .git, which the glob also matches, points to a folder with both.
  refuse("git", "git-scm.com/docs/gitrepository-layout", ".git/**"),

  // Instructions for agents.
  askOnce("most agents", "agents.md", "AGENTS.md", "AGENTS.override.md", "AGENT.md", ".agents/**", ".agent/**"),
  askOnce("Claude Code", "code.claude.com/docs/en/memory, /skills, /sub-agents, /slash-commands, /output-styles", "CLAUDE.md", "CLAUDE.local.md", ".claude/{commands,agents,skills,rules,output-styles,workflows}/**"),
  askOnce("Codex", "developers.openai.com/codex/guides/agents-md, /prompts, /skills", ".codex/{prompts,skills,agents,instructions}/**"),
  askOnce("Gemini CLI", "geminicli.com/docs/cli/gemini-md, /custom-commands, /system-prompt", "GEMINI.md", ".gemini/{commands,agents,skills}/**", ".gemini/system.md"),
  askOnce("Qwen Code", "qwenlm.github.io/qwen-code-docs", "QWEN.md", ".qwen/{commands,agents,skills}/**", ".qwen/system.md"),
  askOnce("GitHub Copilot", "code.visualstudio.com/docs/copilot/customization", ".github/copilot-instructions.md", ".github/{instructions,prompts,chatmodes,agents,skills}/**", "*.{instructions,prompt,chatmode,agent}.md"),
  askOnce("Cursor", "docs.cursor.com/context/rules", ".cursorrules", ".cursor/{rules,commands,agents,skills,plans}/**", ".cursor/BUGBOT.md"),
  askOnce("Windsurf", "docs.windsurf.com/windsurf/cascade/memories", ".windsurfrules", ".windsurf/{rules,workflows,skills}/**"),
  askOnce("Cline", "docs.cline.bot/features/cline-rules", ".clinerules/**", ".cline/**"),
  askOnce("Roo Code, Kilo Code", "docs.roocode.com/features/custom-instructions, kilocode.ai/docs", ".roo/**", ".roorules*", ".roomodes", ".kilocode/**", ".kilo/**", ".kilocoderules*", ".kilocodemodes"),
  askOnce("OpenCode", "opencode.ai/docs/rules, /commands, /agents, /skills", ".opencode/{command,commands,agent,agents,mode,modes,skill,skills,prompts}/**"),
  askOnce("Kiro, Amazon Q", "kiro.dev/docs/steering, docs.aws.amazon.com/amazonq", ".kiro/{steering,specs,prompts,skills}/**", ".amazonq/{rules,prompts}/**"),
  askOnce("Junie, JetBrains AI Assistant", "jetbrains.com/help/junie, /help/ai-assistant", ".junie/**", ".aiassistant/rules/**"),
  askOnce("Auggie", "docs.augmentcode.com/setup-augment/guidelines", ".augment-guidelines", ".augment/{rules,commands,agents,skills}/**"),
  askOnce("goose", "block.github.io/goose/docs/guides/using-goosehints", ".goosehints", ".goose/**"),
  askOnce("Zed", "zed.dev/docs/ai/rules", ".rules"),
  askOnce("Continue", "docs.continue.dev/customize/deep-dives/rules", ".continuerules", ".continue/{rules,prompts,agents}/**"),
  askOnce("Factory, Amp, Warp, Crush, Trae, OpenHands", "docs.factory.ai, ampcode.com/manual, docs.warp.dev, github.com/charmbracelet/crush, docs.trae.ai, docs.openhands.dev", ".factory/{commands,droids,skills,rules}/**", "WARP.md", "CRUSH.md", ".trae/**", ".openhands/microagents/**", ".openhands_instructions"),
  askOnce("Firebase Studio, Replit, Tabnine, Qoder, iFlow", "firebase.google.com/docs/studio, docs.replit.com, docs.tabnine.com, docs.qoder.com, platform.iflow.cn", ".idx/airules.md", "replit.md", ".tabnine/guidelines/**", ".qoder/rules/**", "IFLOW.md"),

  // Settings and hooks of agents.
  ask("clients of MCP", "modelcontextprotocol.io, code.visualstudio.com/docs/copilot/chat/mcp-servers", ".mcp.json", "mcp.json", "mcp_config.json", "mcp_settings.json"),
  ask("Claude Code", "code.claude.com/docs/en/settings, /hooks, /plugins", ".claude.json", ".claude/settings*.json", ".claude/hooks/**", ".claude/plugins/**", ".claude-plugin/**"),
  ask("Codex", "developers.openai.com/codex/config, /rules", ".codex/config.toml", ".codex/hooks/**", ".codex/hooks.json", ".codex/rules/**"),
  ask("Gemini CLI, Qwen Code", "geminicli.com/docs/get-started/configuration, /extensions, /policies", ".gemini/settings.json", ".gemini/{extensions,hooks,policies}/**", ".qwen/settings.json", ".qwen/{extensions,hooks}/**"),
  ask("Cursor, Windsurf, Cline", "docs.cursor.com/agent/hooks, docs.windsurf.com/windsurf/cascade/hooks, docs.cline.bot/features/hooks", ".cursor/{hooks,environment,cli,permissions,sandbox}.json", ".cursor/hooks/**", ".windsurf/hooks.json", ".clinerules/hooks/**"),
  ask("GitHub Copilot", "docs.github.com/en/copilot/concepts/agents/coding-agent/about-hooks", ".github/hooks/**"),
  ask("OpenCode, goose, Crush", "opencode.ai/docs/plugins, /config, block.github.io/goose, github.com/charmbracelet/crush", "opencode.json", "opencode.jsonc", ".opencode/{plugin,plugins,tool,tools}/**", ".config/{opencode,goose,crush}/**", "crush.json", ".crush.json"),
  ask("Auggie, aider, Kiro, Amazon Q, Amp, Factory, Continue, OpenHands", "the manuals of these agents", ".augment/settings*.json", ".aider.conf.yml", ".kiro/{hooks,agents}/**", ".amazonq/cli-agents/**", ".amp/settings.json*", ".factory/settings*.json", ".factory/hooks/**", ".continue/config.*", ".openhands/*.sh"),

  // Editors.
  ask("Visual Studio Code", "code.visualstudio.com/docs/configure/settings, /debugtest/tasks", ".vscode/*.json", "*.code-workspace", ".vscode-server/server-env-setup"),
  ask("development containers", "containers.dev/implementors/json_reference", ".devcontainer.json", ".devcontainer/**", ".gitpod.yml", ".gitpod/**", ".replit", ".idx/*.nix", "devbox.json"),
  ask("JetBrains IDEs", "jetbrains.com/help/idea/run-debug-configuration", ".idea/**/*.xml", "*.run.xml", "*.ipr", "*.iws", ".fleet/*.json", ".ideavimrc"),
  ask("Zed, Helix, Kakoune, Kate, nano", "zed.dev/docs/configuring-zed, docs.helix-editor.com/configuration, and the manuals", ".zed/*.json", ".helix/*.toml", ".config/{zed,helix,kak}/**", ".kakrc", ".kateproject", ".nanorc"),
  ask("Vim, Neovim", "vimhelp.org/starting.txt (exrc), neovim.io/doc/user/options (exrc)", ".exrc", "_exrc", ".vimrc", "_vimrc", ".gvimrc", "_gvimrc", ".vim/**", "vimfiles/**", ".nvimrc", ".nvim.lua", ".config/nvim/**", ".lvimrc", ".local.vimrc", ".lazy.lua", "coc-settings.json", ".vimspector.json", ".ycm_extra_conf.py"),
  ask("Emacs", "gnu.org/software/emacs/manual (Directory Variables, Init File)", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.el", ".emacs.d/**", ".config/{emacs,doom}/**", ".spacemacs", ".doom.d/**"),
  ask("Sublime Text, Eclipse, Visual Studio", "sublimetext.com/docs/projects.html, /build_systems.html, help.eclipse.org, learn.microsoft.com/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio", "*.sublime-project", "*.sublime-build", ".project", ".externalToolBuilders/**", "*.launch", "{tasks,launch}.vs.json"),
  ask("language servers", "rust-analyzer.github.io/book/configuration, luals.github.io/wiki/plugins, haskell-language-server.readthedocs.io", "rust-analyzer.toml", ".rust-analyzer.toml", ".luarc.json*", "hie.yaml", "omnisharp.json"),

  // Hooks and filters of version control.
  ask("git", "git-scm.com/docs/gitattributes, /gitmodules, /git-config", ".gitattributes", ".gitmodules", ".gitconfig", ".config/git/**"),
  ask("Mercurial, Jujutsu", "mercurial-scm.org/doc/hgrc.5, jj-vcs.github.io/jj/latest/config", ".hg/**", ".hgrc", ".jj/**"),
  ask("hook runners", "typicode.github.io/husky, lefthook.dev, pre-commit.com, github.com/sds/overcommit", ".husky/**", ".githooks/**", ".git-hooks/**", ".cargo-husky/**", ".lefthook.*", "lefthook.*", ".lefthook-local.*", "lefthook-local.*", ".lefthook/**", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "prek.toml", ".overcommit.yml", "captainhook.json", "grumphp.{yml,yml.dist,yaml}", "{.,}simple-git-hooks.*", ".rusty-hook.toml", "hk.pkl", ".gitlint"),
  ask("programs of hook runners", "github.com/lint-staged/lint-staged, commitlint.js.org/reference/configuration", "lint-staged.config.*", ".lintstagedrc*", "commitlint.config.*", ".commitlintrc*"),

  // Shells and the session of the user.
  ask("bash, ksh, csh, sh", "bash(1) INVOCATION, mksh(1), tcsh(1)", ".bashrc", ".bash_*", ".profile", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc"),
  ask("zsh", "zsh(1) STARTUP/SHUTDOWN FILES", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/zsh/**", ".oh-my-zsh/**", ".p10k.zsh"),
  ask("fish, nushell, elvish, xonsh", "fishshell.com/docs/current/language.html, and the manuals", ".config/{fish,nushell,elvish,xonsh}/**", ".xonshrc", ".config/starship.toml"),
  ask("PowerShell", "learn.microsoft.com/powershell (about_Profiles)", "*profile.ps1", ".config/powershell/**"),
  ask("direnv, shadowenv, autoenv", "direnv.net/man/direnv.1.html, shopify.github.io/shadowenv", ".envrc", ".direnvrc", ".config/direnv/**", ".shadowenv.d/**", ".autoenv*"),
  ask("the session of the user", "specifications.freedesktop.org/autostart-spec, systemd.unit(5), launchd.plist(5), startx(1)", ".config/autostart/**", ".config/systemd/**", ".config/environment.d/**", ".config/{i3,sway,hypr,openbox,bspwm,plasma-workspace}/**", "LaunchAgents/*.plist", "LaunchDaemons/*.plist", "Programs/Startup/**", ".xinitrc", ".xsession", ".xsessionrc", ".xprofile", ".pam_environment", ".ssh/rc", ".forward", ".local/share/applications/*.desktop"),
  ask("tmux, screen", "tmux(1), screen(1)", ".tmux.conf", ".config/tmux/**", ".screenrc"),
  ask("Windows Explorer", "learn.microsoft.com/windows/win32/shell (desktop.ini, autorun.inf)", "desktop.ini", "autorun.inf", "*.scf", "*.library-ms"),

  // Debuggers and consoles.
  ask("gdb, lldb", "sourceware.org/gdb/current/onlinedocs (Init File in the Current Directory), lldb(1)", ".gdbinit", ".gdbearlyinit", ".config/gdb/**", ".lldbinit*"),
  ask("debuggers and consoles of languages", "docs.python.org/3/library/pdb.html, irb(1), perldebug(1), stat.ethz.ch/R-manual (Startup), hexdocs.pm/iex, ghci (The .ghci file)", ".pdbrc*", ".pythonrc*", ".ipython/**", "ipython_config.py", ".jupyter/**", "jupyter_*config.py", ".irbrc", ".pryrc", ".byebugrc", ".rdbgrc*", ".perldb", ".Rprofile", ".Renviron", ".iex.exs", ".ghci", ".julia/config/**"),
  ask("clients of databases and servers", "psql(1) .psqlrc, sqlite3(1) -init, mongodb.com/docs/mongodb-shell, curl(1) -K, wget(1) .wgetrc, jq(1) MODULES", ".psqlrc*", ".sqliterc", ".duckdbrc", ".mongorc.js", ".mongoshrc.js", ".curlrc", "_curlrc", ".wgetrc", ".ackrc", ".lesskey", ".jq", "ansible.cfg"),
  ask("PHP, Apache", "php.net/manual/en/configuration.file.per-user.php, httpd.apache.org/docs/howto/htaccess.html", ".user.ini", ".htaccess"),

  // Version managers.
  ask("asdf, mise", "asdf-vm.com/manage/configuration.html, mise.jdx.dev/configuration.html", ".tool-versions", ".asdfrc", ".mise.toml", "mise.toml", ".mise.*.toml", "mise.*.toml", ".mise/**", ".config/mise/**", ".rtx.toml"),
  ask("pyenv, uv", "github.com/pyenv/pyenv, docs.astral.sh/uv/concepts/python-versions (a path to an interpreter)", ".python-version", ".python-versions"),
  ask("volta, flox, terraform", "docs.volta.sh, flox.dev/docs, developer.hashicorp.com/terraform/cli/config", ".volta/**", ".flox/**", ".terraform/**"),

  // Package managers.
  ask("npm, Yarn, pnpm, Bun", "npm help npmrc, Yarn manual (.yarnrc.yml), pnpm.io/pnpmfile, bun.com/docs/runtime/bunfig", ".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/{plugins,releases,sdks}/**", ".pnp.*", ".pnpmfile.*", "pnpm-workspace.yaml", "bunfig.toml", ".bunfig.toml", ".bowerrc", ".corepack.env", "node_modules/.bin/**"),
  ask("pip, uv, conda", "pip.pypa.io/en/stable/topics/configuration, docs.astral.sh/uv/reference/settings, docs.conda.io", "pip.conf", "pip.ini", "uv.toml", ".condarc", ".mambarc", ".pydistutils.cfg"),
  ask("Python", "docs.python.org/3/library/site.html, /venv.html", "sitecustomize.py", "usercustomize.py", "*.pth", "{.venv,venv}/{bin,Scripts}/**", "pyvenv.cfg"),
  ask("RubyGems, Bundler, NuGet, Maven, Cargo", "guides.rubygems.org, bundler.io, learn.microsoft.com/nuget, maven.apache.org/configure.html, doc.rust-lang.org/cargo/reference/config.html", ".gemrc", ".bundle/config", "nuget.config", ".mvn/**", ".cargo/config", ".cargo/config.toml", ".cargo/{bin,env}/**", ".bazeliskrc", "tools/bazel"),

  // The next build, test or installation.
  askForBuild("JavaScript", "npm help scripts, and the manuals of the programs", "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.json", "deno.jsonc", "deno.lock", "{eslint,prettier,stylelint,babel,vite,vitest,jest,webpack,rollup}.config.*", "{playwright,cypress,karma,postcss,tailwind,next,nuxt,svelte,astro,metro}.config.*", "{rspack,rsbuild,tsup,unbuild,vue,quasar,craco,docusaurus,ecosystem,release}.config.*", ".{eslintrc,prettierrc,stylelintrc,babelrc,mocharc}.*", ".{eslintrc,prettierrc,stylelintrc,babelrc,mocharc,swcrc,parcelrc,nycrc}", "gulpfile.*", "Gruntfile.*", "{turbo,nx,lerna,rush,angular}.json", "nodemon.json", ".moon/**"),
  askForBuild("make and its successors", "gnu.org/software/make/manual, cmake.org/cmake/help, bazel.build, and the manuals", "Makefile", "GNUmakefile", "*.mk", "Makefile.toml", "justfile", ".justfile", "Taskfile.*", "CMakeLists.txt", "CMake*Presets.json", "*.cmake", "meson.build", "build.ninja", "configure", "configure.ac", "SConstruct", "wscript", "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "*.bzl", ".bazelrc", ".bazelversion", "BUCK", ".buckconfig", "Tiltfile", "skaffold.yaml", "Earthfile"),
  askForBuild("continuous integration", "docs.github.com/actions, docs.gitlab.com/ci/yaml, and the manuals of the services", ".github/{actions,workflows}/**", ".{gitea,forgejo}/workflows/**", "action.{yml,yaml}", ".gitlab-ci.yml", ".circleci/**", ".buildkite/**", "azure-pipelines.yml", "Jenkinsfile", ".travis.yml", ".drone.yml", ".woodpecker.{yml,yaml}", ".woodpecker/**", ".cirrus.yml", ".semaphore/**", ".teamcity/**", "appveyor.yml", "bitbucket-pipelines.yml", "cloudbuild.{yml,yaml}", "buildspec.yml"),
  askForBuild("Rust, Go, Zig", "doc.rust-lang.org/cargo, rust-lang.github.io/rustup/overrides.html, go.dev/ref/mod, ziglang.org/learn/build-system", "build.rs", "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "Cross.toml", "go.mod", "go.sum", "go.work", ".golangci.*", "build.zig", "build.zig.zon"),
  askForBuild("Python", "docs.pytest.org/en/stable/reference/customize.html, packaging.python.org, pylint.readthedocs.io (init-hook), mypy.readthedocs.io (plugins)", "conftest.py", "pytest.ini", "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "tox.ini", ".pylintrc", "pylintrc", "mypy.ini", ".mypy.ini", ".flake8", ".coveragerc", "requirements*.txt", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "pixi.toml", "conanfile.*"),
  askForBuild("the JVM", "docs.gradle.org, maven.apache.org, scala-sbt.org, leiningen.org, ant.apache.org", "*.gradle", "*.gradle.kts", "gradle.properties", "gradle.lockfile", "gradlew", "gradlew.bat", "gradle/wrapper/**", "buildSrc/**", "pom.xml", "mvnw", "mvnw.cmd", "*.sbt", ".jvmopts", ".sbtopts", "build.sc", "build.mill", "build.xml", "project.clj", "deps.edn", "bb.edn"),
  askForBuild(".NET", "learn.microsoft.com/visualstudio/msbuild", "*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj", "*.props", "*.targets", "*.rsp", "*.sln", "*.slnx", "global.json", "packages.lock.json", "dotnet-tools.json", "*.cake"),
  askForBuild("Ruby, PHP, Swift, Dart, Elixir, Haskell, Lua, Nim", "bundler.io, getcomposer.org, swift.org/package-manager, dart.dev, hexdocs.pm/mix, cabal.readthedocs.io, and the manuals", "Rakefile", "Gemfile", "Gemfile.lock", "*.gemspec", ".rspec", ".rubocop*.yml", "Guardfile", "Dangerfile", "fastlane/**", "composer.json", "composer.lock", "phpunit.xml*", "phpstan*.neon*", ".php-cs-fixer*.php", "Package.swift", "Package.resolved", "*.pbxproj", "*.xcscheme", "Podfile", "Podfile.lock", "*.podspec", "pubspec.yaml", "pubspec.lock", "mix.exs", "mix.lock", ".formatter.exs", "rebar.config*", "stack.yaml", "*.cabal", "Setup.hs", "*.nims", "*.nimble", ".luacheckrc", "Makefile.PL", "Build.PL", ".proverc"),
  askForBuild("containers, machines and clouds", "docs.docker.com, developer.hashicorp.com/vagrant, nixos.org, docs.aws.amazon.com/cdk, and the manuals", "Dockerfile*", "*.dockerfile", "Containerfile", "docker-compose*.{yml,yaml}", "compose.{yml,yaml}", "docker-bake.*", "Vagrantfile", "Procfile*", "*.nix", "flake.lock", "cdk.json", "serverless.{yml,yaml}", "netlify.toml", "wrangler.*", "firebase.json"),
];
