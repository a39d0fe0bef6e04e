import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Refusal } from "../../src/base/errors.ts";
import { commandLineText } from "../../src/base/commandLineText.ts";
import { planLaunch, commandShell } from "../../src/terminals/launchPlan.ts";
import { programFinder, unattendedEnvironment } from "../../src/terminals/unattendedEnvironment.ts";

const finds =
  (...names: readonly string[]) =>
  (name: string): string | undefined =>
    names.includes(name) ? (/[\\/]/.test(name) ? name : `/usr/bin/${name}`) : undefined;

describe("planLaunch on POSIX", () => {
  const plan = (command: string, args?: readonly string[], ...known: readonly string[]) =>
    planLaunch({ command, ...(args && { args }) }, "/bin/bash", finds("git", "npm", "/opt/my tool", ...known), "posix");
  const direct = (...words: readonly string[]) => ({
    file: "/bin/sh",
    args: ["-c", 'exec "$@" 2>&1', "sh", ...words],
    verbatim: false,
  });

  it("passes arguments unchanged, without a shell", () => {
    assert.deepEqual(plan("git", ["log", "$(x)", "a b", "*"]), direct("/usr/bin/git", "log", "$(x)", "a b", "*"));
  });

  it("runs a single program directly", () => {
    assert.deepEqual(plan("git"), direct("/usr/bin/git"));
    assert.deepEqual(plan("git", []), direct("/usr/bin/git"));
  });

  it("runs a program whose path has a space", () => {
    assert.deepEqual(plan("/opt/my tool"), direct("/opt/my tool"));
  });

  for (const line of [
    "npm test",
    "npm test && git push",
    "FOO=1 npm",
    "cd /x; ls",
    "ls|wc",
    "~/bin/x",
    "(ls)",
    "a>b",
  ]) {
    it(`passes “${line}” to the shell unchanged`, () => {
      assert.deepEqual(plan(line), direct("/bin/bash", "-c", line));
      assert.deepEqual(plan(line, []), direct("/bin/bash", "-c", line));
    });
  }

  it("names a missing program", () => {
    const missing = (command: string, args: readonly string[] | undefined, message: RegExp): void =>
      assert.throws(
        () => plan(command, args),
        (error: unknown) => error instanceof Refusal && error.kind === "failed" && message.test(error.message),
      );
    missing("gti", ["push"], /“gti” was not found on the PATH/);
    missing("gti", undefined, /“gti” was not found on the PATH/);
    missing("npm test", ["--", "x"], /“npm test” was not found/);
    missing("./run.sh", ["x"], /“.\/run.sh” does not exist or may not be executed/);
  });

  it("refuses empty commands and NUL characters", () => {
    for (const [command, args] of [
      ["", []],
      ["  ", []],
      ["git", ["a\0b"]],
      ["g\0t", []],
    ] as const) {
      assert.throws(
        () => plan(command, args),
        (error: unknown) => error instanceof Refusal && error.kind === "invalid",
      );
    }
  });
});

describe("planLaunch on Windows", () => {
  const known = (name: string): string | undefined => ({ git: "C:\\Git\\git.exe", npm: "C:\\Node\\npm.cmd" })[name];
  const plan = (command: string, args: readonly string[] | undefined, shell: string) =>
    planLaunch({ command, ...(args && { args }) }, shell, known, "windows");

  it("runs programs directly and batch files through cmd.exe, quoted", () => {
    assert.deepEqual(plan("git", ["log", "a b"], "cmd.exe"), {
      file: "C:\\Git\\git.exe",
      args: ["log", "a b"],
      verbatim: false,
    });
    assert.deepEqual(plan("npm", ["run", "a & b", "c\\"], "cmd.exe"), {
      file: "cmd.exe",
      args: ["/d", "/s", "/c", '""C:\\Node\\npm.cmd" "run" "a & b" "c\\\\""'],
      verbatim: true,
    });
  });

  it("refuses arguments of a batch file that cannot be quoted", () => {
    for (const argument of ['a" & calc "', "%PATH%", "a\nb", "!x!"]) {
      assert.throws(() => plan("npm", [argument], "cmd.exe"), /safely/);
    }
  });

  it("passes a line to the shell in the form that the shell expects", () => {
    assert.deepEqual(plan("npm test", undefined, "C:\\pwsh.exe").args, [
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      "npm test",
    ]);
    assert.deepEqual(plan("dir", [], "cmd.exe").args, ["/d", "/s", "/c", '"dir"']);
  });

  it("names a missing program", () => {
    assert.throws(() => plan("C:\\none\\x.exe", [], "cmd.exe"), /does not exist/);
    assert.throws(() => plan("gti", ["push"], "cmd.exe"), /not found on the PATH/);
  });
});

describe("commandShell", () => {
  const rows: readonly (readonly [string | undefined, string])[] = [
    ["/bin/zsh", "/bin/zsh"],
    ["/usr/bin/fish", "/bin/sh"],
    ["/usr/bin/nu", "/bin/sh"],
    ["/gone/bash", "/bin/sh"],
    [undefined, "/bin/sh"],
  ];
  for (const [preferred, expected] of rows) {
    it(`is ${expected} if the user's shell is ${preferred}`, () => {
      assert.equal(commandShell(preferred, finds("/bin/zsh", "/usr/bin/fish", "/usr/bin/nu"), "posix"), expected);
    });
  }

  it("prefers PowerShell 7 on Windows, because it supports “&&”", () => {
    const old = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe";
    assert.equal(commandShell(old, finds("pwsh.exe", "powershell.exe"), "windows"), "/usr/bin/pwsh.exe");
    assert.equal(commandShell(old, finds("powershell.exe"), "windows"), "/usr/bin/powershell.exe");
    assert.equal(commandShell("C:\\Windows\\cmd.exe", finds("pwsh.exe"), "windows"), "C:\\Windows\\cmd.exe");
    assert.equal(commandShell(undefined, finds(), "windows"), "cmd.exe");
  });
});

describe("commandLineText", () => {
  it("returns a command as a user would type it", () => {
    assert.equal(commandLineText("npm test && ls"), "npm test && ls");
    assert.equal(commandLineText("git", ["commit", "-m", "it's done", ""]), "git commit -m 'it'\\''s done' ''");
  });
});

describe("terminalEnv", () => {
  it("starts from the base, keeps commands from waiting for input, and prefers the request's variables", () => {
    const env = unattendedEnvironment(
      { A: "1", PAGER: "less", TERM: "dumb" },
      [{ name: "GIT_PAGER", value: "delta" }],
      "posix",
    );
    assert.deepEqual([env["A"], env["PAGER"], env["GIT_PAGER"]], ["1", "cat", "delta"]);
    assert.deepEqual([env["GIT_TERMINAL_PROMPT"], env["TERM"]], ["0", "xterm-256color"]);
  });

  it("removes VS Code's own variables, unless they are requested", () => {
    const base = { ELECTRON_RUN_AS_NODE: "1", VSCODE_PID: "7", VSC: "x", NOT: undefined };
    assert.deepEqual(
      Object.keys(unattendedEnvironment(base, [], "posix")).filter(name => name in base),
      ["VSC"],
    );
    const asked = unattendedEnvironment(base, [{ name: "ELECTRON_RUN_AS_NODE", value: "1" }], "posix");
    assert.equal(asked["ELECTRON_RUN_AS_NODE"], "1");
  });

  it("merges names that differ in case, on Windows only", () => {
    const request = [{ name: "PATH", value: "b" }];
    const paths = (env: Record<string, string>) => Object.entries(env).filter(([name]) => /^path$/i.test(name));
    assert.deepEqual(paths(unattendedEnvironment({ Path: "a" }, request, "windows")), [["PATH", "b"]]);
    assert.deepEqual(paths(unattendedEnvironment({ Path: "a" }, request, "posix")), [
      ["Path", "a"],
      ["PATH", "b"],
    ]);
  });

  it("refuses names and values that no process can have", () => {
    for (const [name, value] of [
      ["", "x"],
      ["A=B", "x"],
      ["A\0", "x"],
      ["A", "x\0y"],
    ] as const) {
      assert.throws(() => unattendedEnvironment({}, [{ name, value }], "posix"), Refusal);
    }
  });
});

describe("programFinder", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-find-"));
    await mkdir(join(folder, "bin", "dir"), { recursive: true });
    await writeFile(join(folder, "bin", "tool"), "#!/bin/sh\n");
    await chmod(join(folder, "bin", "tool"), 0o755);
    await writeFile(join(folder, "bin", "plain"), "");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("finds programs by name and by path, and nothing else", () => {
    const find = programFinder({ PATH: `/nowhere:${join(folder, "bin")}` }, folder, "posix");
    assert.equal(find("tool"), join(folder, "bin/tool"));
    assert.equal(find("bin/tool"), join(folder, "bin/tool"));
    assert.equal(find("./bin/tool"), join(folder, "bin/tool"));
    for (const name of ["plain", "dir", "none", "./none", "./bin/plain"]) assert.equal(find(name), undefined);
  });

  it("ignores relative entries of the PATH", () => {
    const here = relative(process.cwd(), join(folder, "bin"));
    assert.equal(programFinder({ PATH: `.:bin::${here}` }, folder, "posix")("tool"), undefined);
  });
});
