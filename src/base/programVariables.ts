// Environment variables that choose what runs, or who hears it: programs, loaded code, configuration that names
// programs, and the other end of connections. An agent, a server or a folder may not set one without a question.
import { hostPlatform, type Platform } from "./platform.ts";

/**
 * What a variable chooses. `code`: a program or code that runs. `search`: where programs and libraries are looked up.
 * `configuration`: files that name programs. `connection`: who hears the traffic, or whom it trusts.
 */
export type ProgramVariableKind = "code" | "search" | "configuration" | "connection";

/** Names that one tool reads. The comment of each row names the documentation, and what the tool does with them. */
export interface ProgramVariables {
  readonly kind: ProgramVariableKind;
  /** Names, in which `*` stands for any characters. */
  readonly names: readonly string[];
  /** Names that fit `names` and are harmless, or are themselves credentials. */
  readonly except?: readonly string[];
  /** Whether the tool reads the names in any case, also where names of variables distinguish cases. */
  readonly anyCase?: true;
}

/** The rows for the families of names that several tools share come first. */
export const programVariables: readonly ProgramVariables[] = [
  // POSIX environment variables, xdg-open(1), git(1), ssh(1), sudo(8), gh(1), aws(1): programs by purpose.
  {
    kind: "code",
    names: ["*EDITOR", "VISUAL", "FCEDIT", "*PAGER", "*BROWSER", "*_ASKPASS"],
  },
  // The usual endings for a program: GIT_SSH_COMMAND, RESTIC_PASSWORD_COMMAND, PUPPETEER_EXECUTABLE_PATH.
  {
    kind: "code",
    names: ["*_COMMAND", "*_CMD", "*PASSCOMMAND", "*_SHELL", "*_EXECUTABLE", "*_EXECUTABLE_PATH", "*_BIN_PATH"],
  },
  // curl(1), Node.js NODE_USE_ENV_PROXY, Python urllib: the proxy reads and answers the traffic.
  {
    kind: "connection",
    names: ["*_PROXY", "SOCKS_SERVER", "SOCKS5_SERVER"],
    anyCase: true,
  },
  // OpenSSL, curl(1), Python Requests, Node.js: whose certificates are trusted, and where session keys go.
  {
    kind: "connection",
    names: ["SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "SSLKEYLOGFILE", "*_CA_BUNDLE", "*_CA_CERTS"],
  },

  // POSIX, cmd, PowerShell about_PSModulePath, zsh autoload: where a name of a program is looked up.
  {
    kind: "search",
    names: ["PATH", "PATHEXT", "PSModulePath", "FPATH"],
  },
  // POSIX, cmd; Node.js child_process and Python subprocess run command lines with it.
  {
    kind: "code",
    names: ["SHELL", "COMSPEC"],
  },
  // bash(1), POSIX sh: files and commands that run at the start, at a prompt or for each line.
  {
    kind: "code",
    names: ["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_*", "PS0", "PS1", "PS2", "PS4"],
  },
  // zsh(1), readline(3): folders of start-up files.
  { kind: "configuration", names: ["ZDOTDIR", "INPUTRC"] },
  // XDG Base Directory Specification: start-up files, and configuration of git, ssh and npm that names programs.
  {
    kind: "configuration",
    names: ["HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "HOMESHARE", "XDG_*_HOME", "XDG_*_DIRS", "XDG_RUNTIME_DIR"],
  },
  // Windows recognized environment variables: folders with configuration and programs.
  {
    kind: "configuration",
    names: ["APPDATA", "LOCALAPPDATA", "ALLUSERSPROFILE", "ProgramData", "ProgramFiles*", "CommonProgramFiles*"],
  },
  // Windows: programs of the system are found in this folder.
  {
    kind: "search",
    names: ["SystemRoot", "SystemDrive", "windir"],
  },
  // ld.so(8): LD_PRELOAD, LD_AUDIT and LD_LIBRARY_PATH load libraries into each program.
  {
    kind: "code",
    names: ["LD_*"],
  },
  // dyld(1): DYLD_INSERT_LIBRARIES loads libraries into each program.
  { kind: "code", names: ["DYLD_*"] },
  // iconv(1), glibc's list of variables that setuid programs drop, GIO, GTK: libraries that are loaded.
  {
    kind: "code",
    names: ["GCONV_PATH", "LOCPATH", "LIBPATH", "SHLIB_PATH", "GIO_*MODULE*", "GTK*_MODULES", "GTK_PATH"],
  },
  // GDK, GStreamer, Qt: libraries that are loaded.
  {
    kind: "code",
    names: ["GDK_PIXBUF_MODULE*", "GST_PLUGIN_*", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH"],
  },
  // resolv.conf(5), hostname(7): which host a name means.
  {
    kind: "connection",
    names: ["HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_HOST_CONF"],
  },
  // D-Bus specification: an address `unixexec:` starts a program.
  {
    kind: "code",
    names: ["DBUS_*_ADDRESS"],
  },
  // openssl-env(7), krb5.conf(5), gss-mech: libraries that are loaded, by configuration.
  {
    kind: "code",
    names: ["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "KRB5_CONFIG", "GSS_MECH_CONFIG", "SASL_PATH"],
  },

  // node(1): NODE_OPTIONS and NODE_PATH load code, NODE_TLS_REJECT_UNAUTHORIZED trusts every server.
  {
    kind: "code",
    names: ["NODE_*"],
    except: ["NODE_ENV", "NODE_*TOKEN", "NODE_DEBUG", "NODE_NO_WARNINGS", "NODE_DISABLE_COLORS", "NODE_NO_READLINE"],
  },
  // Electron environment variables, VS Code, ts-node, tsx: how the program starts, and code that it loads.
  {
    kind: "code",
    names: ["ELECTRON_*", "VSCODE_*", "TS_NODE_*", "TSX_*", "CHROME_*"],
  },
  // Bun and Deno environment variables: code that is loaded first, caches of code, certificates.
  {
    kind: "code",
    names: ["BUN_*", "DENO_*"],
    except: ["BUN_AUTH_TOKEN", "DENO_AUTH_TOKENS", "DENO_DEPLOY_TOKEN", "DENO_NO_UPDATE_CHECK"],
  },
  // npm config: script-shell, node-options, registry, git and userconfig, for npm and npx.
  {
    kind: "configuration",
    names: ["npm_config_*", "npm_execpath", "npm_node_execpath"],
    anyCase: true,
  },
  // pnpm, Yarn, Corepack and version managers of Node.js: which programs run, and where they come from.
  {
    kind: "configuration",
    names: ["PNPM_*", "YARN_*", "COREPACK_*", "VOLTA_*", "NVM_*", "FNM_*", "NODENV_*", "PROTO_*"],
    except: ["YARN_NPM_AUTH_TOKEN"],
  },
  // python(1): PYTHONPATH, PYTHONHOME, PYTHONSTARTUP, PYTHONBREAKPOINT and PYTHONWARNINGS import code.
  {
    kind: "code",
    names: ["PYTHON*", "VIRTUAL_ENV"],
    except: ["PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"],
  },
  // pip, uv, pipx, Poetry, conda, pyenv: interpreters, and indexes that packages come from.
  {
    kind: "configuration",
    names: ["PIP_*", "UV_*", "PIPX_*", "POETRY_*", "CONDA_*", "PYENV_*"],
    except: ["UV_PUBLISH_TOKEN", "UV_PUBLISH_PASSWORD", "POETRY_PYPI_TOKEN_*", "POETRY_HTTP_BASIC_*"],
  },
  // ruby(1), gem: code that is loaded first, and where it is looked up.
  {
    kind: "code",
    names: ["RUBYOPT", "RUBYLIB", "RUBYPATH", "RUBYSHELL", "RBENV_*", "GEM_HOME", "GEM_PATH", "GEMRC"],
  },
  // bundle-config(1): files of Ruby that run.
  {
    kind: "configuration",
    names: ["BUNDLE_GEMFILE", "BUNDLE_PATH", "BUNDLE_BIN*", "BUNDLE_APP_CONFIG", "BUNDLE_USER_*", "BUNDLE_MIRROR*"],
  },
  // perlrun(1): PERL5OPT, PERL5LIB and PERL5DB load code.
  {
    kind: "code",
    names: ["PERL5*", "PERLLIB", "PERLDB_OPTS", "PERL_MM_OPT", "PERL_MB_OPT"],
  },
  // lua(1): LUA_INIT runs, LUA_PATH and LUA_CPATH find code.
  { kind: "code", names: ["LUA_*"] },
  // php(1), Composer: auto_prepend_file, scripts.
  {
    kind: "code",
    names: ["PHPRC", "PHP_INI_SCAN_DIR", "COMPOSER", "COMPOSER_HOME", "COMPOSER_VENDOR_DIR", "COMPOSER_BIN_DIR"],
  },
  // java launcher and JVM TI: JAVA_TOOL_OPTIONS loads agents into each program of Java.
  {
    kind: "code",
    names: ["JAVA_*", "JAVACMD", "_JAVA_*", "JDK_*", "JRE_HOME", "CLASSPATH"],
  },
  // Maven, Gradle, Ant, sbt: options of the Java program, and folders of scripts that run.
  {
    kind: "code",
    names: ["MAVEN_*", "M2_HOME", "GRADLE_*", "ANT_*", "SBT_OPTS", "GROOVY_*", "KOTLIN_HOME"],
    except: ["MAVEN_USERNAME", "MAVEN_PASSWORD", "GRADLE_PUBLISH_KEY", "GRADLE_PUBLISH_SECRET"],
  },
  // .NET environment variables: DOTNET_STARTUP_HOOKS and profilers load code.
  {
    kind: "code",
    names: ["DOTNET_*", "CORECLR_*", "COR_*", "COMPlus_*", "MSBuild*", "NUGET_*", "DEVPATH", "APPDOMAIN_MANAGER_*"],
    except: ["DOTNET_CLI_TELEMETRY_OPTOUT", "DOTNET_NOLOGO", "DOTNET_ENVIRONMENT", "NUGET_API_KEY"],
    anyCase: true,
  },
  // go help environment: GOFLAGS=-toolexec, GOCACHEPROG and GOAUTH run programs.
  {
    kind: "code",
    names: ["GOROOT", "GOPATH", "GOBIN", "GOENV", "GOFLAGS", "GOTOOLCHAIN", "GOTOOLDIR", "GOCACHEPROG", "GOAUTH"],
  },
  // go help environment: where code comes from, whether it is checked, and flags of the compiler.
  {
    kind: "connection",
    names: ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GONOPROXY", "GOPRIVATE", "CGO_*"],
  },
  // Cargo environment variables: RUSTC_WRAPPER, CARGO_TARGET_*_RUNNER and CARGO_HOME name programs.
  {
    kind: "code",
    names: ["CARGO", "CARGO_*", "RUSTC*", "RUSTDOC*", "RUSTFLAGS", "RUSTUP_*"],
    except: ["CARGO_REGISTRY_TOKEN", "CARGO_REGISTRIES_*_TOKEN", "CARGO_TERM_*"],
  },
  // R Startup, Julia environment variables: files that run at the start.
  {
    kind: "code",
    names: ["R_PROFILE*", "R_ENVIRON*", "R_LIBS*", "R_HOME", "JULIA_LOAD_PATH", "JULIA_DEPOT_PATH", "JULIA_PROJECT"],
  },
  // erl(1), mix(1), ocamlrun(1), GHC: flags that run code, and where libraries are found.
  {
    kind: "code",
    names: ["ERL_*FLAGS", "ERL_LIBS", "ELIXIR_ERL_OPTIONS", "MIX_*", "CAML_LD_LIBRARY_PATH", "GHC_PACKAGE_PATH"],
  },
  // make(1), POSIX: the compiler, and files and options that make reads first.
  {
    kind: "code",
    names: [
      "CC",
      "CXX",
      "CPP",
      "FC",
      "LD",
      "AR",
      "MAKE",
      "MAKEFLAGS",
      "GNUMAKEFLAGS",
      "MFLAGS",
      "MAKEFILES",
      "MAKESHELL",
    ],
  },

  // git(1): GIT_SSH, GIT_CONFIG_*, GIT_EXEC_PATH, GIT_EXTERNAL_DIFF and GIT_PROXY_COMMAND name programs.
  {
    kind: "code",
    names: ["GIT_*"],
    except: ["GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_TERMINAL_PROMPT", "GIT_*TOKEN", "GIT_USERNAME", "GIT_PASSWORD"],
  },
  // ssh(1), ssh-agent(1), svn, cvs, rsync(1): programs and libraries of connections.
  {
    kind: "code",
    names: ["SSH_SK_*", "SSH_PKCS11_HELPER", "SSH_ASKPASS*", "SVN_SSH", "CVS_RSH", "RSYNC_RSH", "RSYNC_CONNECT_PROG"],
  },
  // ssh-agent(1), gpg(1): who gets requests for the user's keys.
  {
    kind: "connection",
    names: ["SSH_AUTH_SOCK", "GPG_AGENT_INFO"],
  },
  // gpg(1), hg(1): configuration that names programs.
  {
    kind: "configuration",
    names: ["GNUPGHOME", "HGRCPATH", "HGMERGE", "HGEDITOR", "HG"],
  },
  // less(1): LESSOPEN, and LESS=+!command; man(1), tar(1), zip(1), fzf(1): options that run programs.
  {
    kind: "code",
    names: ["LESS*", "MANPAGER", "MANOPT", "MANROFFOPT", "TAR_OPTIONS", "ZIPOPT", "UNZIP", "FZF_*", "BAT_*"],
    except: ["LESSCHARSET", "LESSUTFCHARDEF"],
  },
  // rg(1) --pre, curl(1), wget(1) use_askpass, psql(1), screen(1), Emacs: files whose options run programs.
  {
    kind: "configuration",
    names: ["RIPGREP_CONFIG_PATH", "CURL_HOME", "WGETRC", "PSQLRC", "SCREENRC", "EMACSLOADPATH"],
  },
  // vim starting.txt: commands that run at the start.
  {
    kind: "code",
    names: ["VIM", "VIMINIT", "GVIMINIT", "EXINIT", "VIMRUNTIME", "MYVIMRC"],
  },
  // docker(1), podman(1): DOCKER_HOST is where containers run, DOCKER_CONFIG has plug-ins and helpers.
  {
    kind: "connection",
    names: [
      "DOCKER_*",
      "BUILDX_*",
      "BUILDKIT_HOST",
      "CONTAINER_HOST",
      "CONTAINER_CONNECTION",
      "CONTAINERS_*",
      "COMPOSE_FILE",
      "COMPOSE_*PATH*",
    ],
    except: ["DOCKER_USERNAME", "DOCKER_PASSWORD", "DOCKER_*TOKEN", "DOCKER_AUTH_CONFIG"],
  },
  // kubectl exec plug-ins, helm, terraform, ansible-config: configuration that runs programs.
  {
    kind: "configuration",
    names: ["KUBECONFIG", "HELM_*", "TF_CLI_*", "TF_PLUGIN_*", "TF_DATA_DIR", "ANSIBLE_*"],
  },
  // AWS credential_process, az: configuration that runs programs, and where requests go.
  {
    kind: "configuration",
    names: [
      "AWS_CONFIG_FILE",
      "AWS_SHARED_CREDENTIALS_FILE",
      "AWS_ENDPOINT_URL*",
      "AZURE_CONFIG_DIR",
      "AZURE_EXTENSION_DIR",
    ],
  },
  // gcloud topic configurations (CLOUDSDK_PYTHON runs), AIP-4117, gh environment.
  {
    kind: "configuration",
    names: [
      "CLOUDSDK_*",
      "BOTO_CONFIG",
      "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
      "GH_CONFIG_DIR",
      "GH_HOST",
      "GH_PATH",
    ],
    except: ["CLOUDSDK_AUTH_ACCESS_TOKEN", "CLOUDSDK_CORE_PROJECT"],
  },
  // Version and environment managers: configuration that runs programs, and where they come from.
  {
    kind: "configuration",
    names: ["MISE_*", "ASDF_*", "DIRENV_*", "NIX_PATH", "NIX_CONFIG", "NIX_REMOTE", "GUIX_*"],
  },

  // Claude Code settings, Codex config, Gemini CLI settings: hooks, notifiers and MCP servers that run.
  {
    kind: "configuration",
    names: [
      "CLAUDE_CONFIG_DIR",
      "CLAUDE_ENV_FILE",
      "CLAUDE_CODE_SHELL*",
      "CODEX_HOME",
      "CODEX_PATH",
      "GEMINI_*SETTINGS*",
    ],
  },
  // Gemini CLI, Qwen Code, OpenCode, Copilot CLI, goose: configuration with MCP servers that run.
  {
    kind: "configuration",
    names: ["GEMINI_CLI_HOME", "QWEN_*SETTINGS*", "OPENCODE_CONFIG*", "COPILOT_HOME", "GOOSE_*PATH*"],
  },
];

/**
 * What a variable of this name chooses. Undefined if it chooses neither programs nor the other end of connections.
 * Windows ignores the case of names.
 */
export function programVariableKind(name: string, platform: Platform = hostPlatform): ProgramVariableKind | undefined {
  // A process gets `name=value`, so a name that contains `=` sets the variable before it.
  const [variable = ""] = name.split("=", 1);
  return matchers.find(({ exact, inAnyCase }) => (platform === "windows" ? inAnyCase : exact).test(variable))?.kind;
}

/** Whether a variable of this name chooses what runs, or who hears it. */
export const choosesProgram = (name: string, platform: Platform = hostPlatform): boolean =>
  programVariableKind(name, platform) !== undefined;

const alternatives = (names: readonly string[]): string => names.map(name => name.replaceAll("*", "[^]*")).join("|");

const matchers = programVariables.map(({ kind, names, except, anyCase }) => {
  const unless = except === undefined ? "" : `(?!(?:${alternatives(except)})$)`;
  const pattern = `^${unless}(?:${alternatives(names)})$`;
  const inAnyCase = new RegExp(pattern, "i");
  return { kind, exact: anyCase === true ? inAnyCase : new RegExp(pattern), inAnyCase };
});
