// The table of variables that choose programs finds their names, and leaves those of keys alone.
import assert from "node:assert/strict";
import fc from "fast-check";
import { choosesProgram, programVariableKind, programVariables } from "../../src/base/programVariables.ts";

const dangerous = `
  PATH PATHEXT LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS
  NODE_TLS_REJECT_UNAUTHORIZED PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS RUBYOPT RUBYLIB PERL5OPT PERL5LIB
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASH_FUNC_ls%%
  ZDOTDIR GIT_SSH_COMMAND GIT_SSH GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_GLOBAL GIT_EXEC_PATH
  GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_ASKPASS GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_TEMPLATE_DIR GIT_DIR EDITOR
  VISUAL PAGER MANPAGER LESSOPEN LESS BROWSER GH_BROWSER SHELL COMSPEC npm_config_script_shell NPM_CONFIG_REGISTRY
  npm_config_node_options DOCKER_HOST DOCKER_CONFIG HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY NO_PROXY
  SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK SSH_SK_PROVIDER ELECTRON_RUN_AS_NODE HOME USERPROFILE APPDATA XDG_CONFIG_HOME
  XDG_DATA_DIRS SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE OPENSSL_CONF GCONV_PATH DBUS_SESSION_BUS_ADDRESS
  DOTNET_STARTUP_HOOKS CORECLR_PROFILER_PATH RUSTC_WRAPPER CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER CARGO_HOME GOFLAGS
  GOAUTH KUBECONFIG AWS_CONFIG_FILE CLOUDSDK_PYTHON TF_CLI_CONFIG_FILE ANSIBLE_CONFIG PIP_INDEX_URL UV_INDEX_URL BUN_OPTIONS
  MAKEFLAGS VIMINIT FZF_DEFAULT_OPTS RIPGREP_CONFIG_PATH CLAUDE_CONFIG_DIR CLAUDE_CODE_EXECUTABLE CODEX_HOME CODEX_PATH
  OPENCODE_CONFIG OPENCODE_BIN_PATH PUPPETEER_EXECUTABLE_PATH RESTIC_PASSWORD_COMMAND LUA_INIT_5_4 PHPRC R_PROFILE_USER
`;

const harmless = `
  ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
  GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN GH_TOKEN COPILOT_GITHUB_TOKEN
  GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_PROFILE
  AZURE_OPENAI_API_KEY AZURE_CLIENT_SECRET MISTRAL_API_KEY DASHSCOPE_API_KEY MOONSHOT_API_KEY OPENROUTER_API_KEY XAI_API_KEY
  NPM_TOKEN NODE_AUTH_TOKEN CARGO_REGISTRY_TOKEN NUGET_API_KEY GIT_TOKEN GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL
  GIT_TERMINAL_PROMPT DOCKER_PASSWORD PGHOST PGPASSWORD DATABASE_URL REDIS_URL LANG LC_ALL TZ TERM COLORTERM NO_COLOR
  FORCE_COLOR CI DEBUG LOG_LEVEL NODE_ENV PYTHONUNBUFFERED PYTHONIOENCODING PORT HOST API_KEY MCP_TOKEN UV_PUBLISH_TOKEN
`;

const words = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== "");

describe("variables that choose programs", () => {
  for (const platform of ["posix", "windows"] as const) {
    it(`are found by name (${platform})`, () => {
      assert.deepEqual(
        words(dangerous).filter(name => !choosesProgram(name, platform)),
        [],
      );
    });

    it(`are not the variables of keys and of ordinary options (${platform})`, () => {
      assert.deepEqual(
        words(harmless).filter(name => choosesProgram(name, platform)),
        [],
      );
    });
  }

  it("are found in any case on Windows, and elsewhere if their program ignores the case", () => {
    const inAnyCase = fc
      .tuple(fc.constantFrom(...words(dangerous)), fc.infiniteStream(fc.boolean()))
      .map(([name, upper]) => Array.from(name, c => (upper.next().value ? c.toUpperCase() : c.toLowerCase())).join(""));
    fc.assert(fc.property(inAnyCase, name => assert.ok(choosesProgram(name, "windows"), name)));
    assert.ok(!choosesProgram("Path", "posix"), "another variable where cases differ");
    assert.ok(choosesProgram("NPM_Config_Registry", "posix"));
    assert.ok(choosesProgram("Https_Proxy", "posix"));
  });

  it("are found before an equals sign, because the process gets name=value", () => {
    fc.assert(
      fc.property(fc.constantFrom(...words(dangerous)), fc.string(), (name, rest) =>
        assert.ok(choosesProgram(`${name}=${rest}`, "posix"), name),
      ),
    );
  });

  it("are the names of each row, whatever the asterisk stands for", () => {
    const names = programVariables.flatMap(({ names, except }) => (except ? [] : names));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.stringMatching(/^[A-Z0-9_]{0,8}$/), (name, any) =>
        assert.ok(programVariableKind(name.replaceAll("*", any), "posix"), name),
      ),
    );
  });

  it("stand in the table once", () => {
    const names = programVariables.flatMap(row => row.names);
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    );
  });
});
