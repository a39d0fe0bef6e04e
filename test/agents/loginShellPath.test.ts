// The PATH of a login shell: shells whose startup files print, wait, hang, or end the shell; and what an agent gets.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { locateAgent } from "../../src/agents/locateAgent.ts";
import { loginShellPath } from "../../src/agents/loginShellPath.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { asProblem, type Problem } from "../../src/base/errors.ts";
import { findProgram } from "../../src/base/program.ts";
import type { ShellPath } from "../../src/base/programEnvironment.ts";
import { WindowEnvironment } from "../../src/base/windowEnvironment.ts";

const bash = findProgram("bash", { env: process.env, platform: "posix" });

describe("the PATH of a login shell", function () {
  if (process.platform === "win32") return;
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), "parley-shell-"))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** A program named as a shell, which gets `-l -i -c SCRIPT`. */
  function shellNamed(name: string, text: string): string {
    const file = join(home, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  }
  const ask = (shell: string, timeout = 5000): Promise<ShellPath> =>
    loginShellPath({ HOME: home, PATH: "/usr/bin:/bin" }, { shell, timeout });

  it("is what the startup files of bash make it, whatever they print", async function () {
    if (!("path" in bash)) return this.skip();
    writeFileSync(
      join(home, ".bash_profile"),
      'echo "Welcome! PATH=$PATH"; echo error >&2; export PATH="/opt/my tools:$PATH"; read -r answer; trap "echo bye" EXIT\n',
    );
    const { shell, path } = await ask(bash.path);
    assert.equal(shell, bash.path);
    // The startup files of the machine can change the rest.
    assert.match(path ?? "", /^\/opt\/my tools:[^\n]*\/bin$/);
  });

  for (const [name, file, text] of [
    ["zsh", ".zshrc", 'echo "Welcome!"; path=("/opt/my tools" $path); read answer; printf "noise without an end"\n'],
    [
      "fish",
      ".config/fish/config.fish",
      'echo "Welcome!"; set -gx PATH "/opt/my tools" $PATH; read answer; printf "noise without an end"\n',
    ],
  ] as const) {
    it(`is what the startup files of ${name} make it, whatever they print, if it is installed`, async function () {
      const shell = findProgram(name, { env: process.env, platform: "posix" });
      if (!("path" in shell)) return this.skip();
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), text);
      const { path } = await ask(shell.path);
      assert.match(path ?? "", /^\/opt\/my tools:[^\n]*\/bin\b[^\n]*$/);
    });
  }

  for (const name of ["bash", "zsh", "fish"]) {
    it(`is asked for as a login shell with its files for interactive use: ${name}`, async () => {
      // Runs the script with the syntax of fish replaced, since fish may not be installed.
      const shell = shellNamed(
        name,
        `[ "$1 $2 $3" = "-l -i -c" ] || exit 9
         echo noise; printf 'noise without an end'
         PATH="/from/${name}:$PATH"
         eval "$(printf '%s' "$4" | sed 's/(string join : $PATH)/"$PATH"/')"
         echo more noise`,
      );
      assert.deepEqual(await ask(shell), { shell, path: `/from/${name}:/usr/bin:/bin` });
    });
  }

  it("is not known if the startup files hang, and says so after the time limit", async () => {
    const shell = shellNamed("bash", "sleep 60");
    assert.deepEqual(await ask(shell, 400), {
      shell,
      reason: `Your login shell (${shell}) could not be asked for its PATH: Its startup files did not end within 0 seconds.`,
    });
  });

  it("does not wait for programs that the startup files leave behind", async () => {
    const shell = shellNamed("zsh", 'sleep 60 & eval "$4"');
    const began = Date.now();
    assert.equal((await ask(shell)).path, "/usr/bin:/bin");
    assert.ok(Date.now() - began < 4000);
  });

  it("is found behind a flood of output", async () => {
    const shell = shellNamed("bash", 'head -c 3000000 /dev/zero | tr "\\0" "x"; eval "$4"');
    assert.equal((await ask(shell)).path, "/usr/bin:/bin");
  });

  it("is not known if the shell ends early, does not start, or has another syntax", async () => {
    assert.match((await ask(shellNamed("bash", "exit 3"))).reason ?? "", /ended with code 3 before/);
    assert.match((await ask(join(home, "missing", "zsh"))).reason ?? "", /ENOENT/);
    assert.match((await ask("/usr/bin/nu")).reason ?? "", /bash, zsh and fish only/);
  });

  const windowWith = (host: Record<string, string>, shell?: ShellPath): WindowEnvironment =>
    new WindowEnvironment({ host, ...(shell && { askShell: () => Promise.resolve(shell) }) });
  const agent = (more: Partial<AgentDefinition> = {}): AgentDefinition => ({
    id: "mine",
    name: "Mine",
    command: "my-agent",
    args: ["--acp"],
    env: {},
    missingFiles: "error",
    startTimeout: 60,
    ...more,
  });
  function toolsFolder(): string {
    const tools = join(home, "tools");
    mkdirSync(tools);
    writeFileSync(join(tools, "my-agent"), "#!/bin/sh\n");
    chmodSync(join(tools, "my-agent"), 0o755);
    return tools;
  }

  it("is asked for again after an agent was not found on it, which the user may have installed since", async () => {
    const tools = toolsFolder();
    const paths = ["/usr/bin", `${tools}:/usr/bin`];
    const askShell = (): Promise<ShellPath> => Promise.resolve({ shell: "/bin/zsh", path: paths.shift() ?? "" });
    const window = new WindowEnvironment({ host: { PATH: "/usr/bin" }, askShell });
    await assert.rejects(locateAgent(agent(), window), /was not found/);
    assert.equal((await locateAgent(agent(), window)).path, join(tools, "my-agent"));
    assert.deepEqual(paths, []);
  });

  it("is searched for an agent that is not on VS Code's PATH, and passed to the agent", async () => {
    const tools = toolsFolder();
    const shell: ShellPath = { shell: "/bin/zsh", path: `${tools}:/usr/bin` };
    const located = await locateAgent(agent(), windowWith({ PATH: "/usr/bin" }, shell));
    assert.deepEqual([located.path, located.env["PATH"], located.shell], [join(tools, "my-agent"), shell.path, shell]);
  });

  it("is passed to an agent that is on VS Code's PATH or has a path, too, for what the agent starts", async () => {
    const tools = toolsFolder();
    const shell: ShellPath = { shell: "/bin/zsh", path: "/usr/bin:/of/shell" };
    const onPath = await locateAgent(agent(), windowWith({ PATH: `${tools}:/usr/bin` }, shell));
    assert.deepEqual([onPath.env["PATH"], onPath.shell], [`${tools}:/usr/bin:/of/shell`, undefined]);
    const byPath = await locateAgent(agent({ command: join(tools, "my-agent") }), windowWith({ PATH: "" }, shell));
    assert.deepEqual([byPath.env["PATH"], byPath.shell], ["/usr/bin:/of/shell", undefined]);
  });

  it("does not replace the agent's own PATH", async () => {
    const own = windowWith({ PATH: "/usr/bin" }, { shell: "/bin/zsh", path: toolsFolder() });
    await assert.rejects(locateAgent(agent({ env: { PATH: "/nowhere" } }), own), /not found/);
  });

  it("is shown beside VS Code's if neither has the agent", async () => {
    const problemWith = (shell: ShellPath): Promise<Problem> =>
      locateAgent(agent(), windowWith({ PATH: "/usr/bin" }, shell)).then(() => assert.fail(), asProblem);
    const known = await problemWith({ shell: "/bin/zsh", path: "/opt/bin" });
    assert.match(
      known.message,
      /`my-agent` was not found on the PATH that VS Code sees nor on that of your login shell\. Install/,
    );
    assert.equal(known.detail, "PATH of VS Code: /usr/bin\nPATH of /bin/zsh: /opt/bin");
    const unknown = await problemWith({ shell: "/bin/zsh", reason: "It hung." });
    assert.match(unknown.message, /was not found on the PATH that VS Code sees\. Install/);
    assert.equal(unknown.detail, "PATH of VS Code: /usr/bin\nIt hung.");
  });

  it("keeps the proxy variables of VS Code", async () => {
    const tools = toolsFolder();
    const proxies = { HTTPS_PROXY: "http://proxy:8080", no_proxy: "localhost" };
    const { env } = await locateAgent(agent(), windowWith({ PATH: tools, ...proxies, VSCODE_PID: "1" }));
    const direct = "localhost,127.0.0.1,::1";
    assert.deepEqual(env, { PATH: tools, ...proxies, NO_PROXY: direct, no_proxy: direct });
  });
});
