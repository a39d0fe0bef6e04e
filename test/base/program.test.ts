// Finding programs, and starting them on Windows. The tests of both systems run on either.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Environment } from "../../src/base/platform.ts";
import { findProgram, windowsSpawn, type PathLookup } from "../../src/base/program.ts";

/** A disk with these files, as a lookup on its system sees them. */
const disk =
  (kinds: Readonly<Record<string, ReturnType<PathLookup>>>): PathLookup =>
  path =>
    kinds[path];

describe("the search for a program on Windows", () => {
  const look = disk({
    "C:\\Node\\npx": "program",
    "C:\\Node\\npx.CMD": "program",
    "C:\\Node\\node.exe": "program",
    "C:\\Node\\node.exe.CMD": "program",
    "C:\\Node\\script": "program",
    "C:\\Node\\folder.EXE": "folder",
    "C:\\My Tools\\tool.v2.EXE": "program",
    "C:\\work\\local.CMD": "program",
    "D:\\tools\\npx.EXE": "program",
    "C:\\Windows\\System32\\cmd.exe": "program",
    "\\\\server\\tools\\shared.EXE": "program",
    "\\tools\\npx.EXE": "program",
  });
  const standard = { Path: 'C:\\none;"C:\\My Tools";C:\\Node', PATHEXT: ".EXE;.CMD;;" };
  const find = (name: string, env: Environment = standard, cwd?: string) =>
    findProgram(name, { env, platform: "windows", look, ...(cwd !== undefined && { cwd }) });

  it("tries the extensions of PATHEXT, and never returns the shell script next to a batch file", () => {
    assert.deepEqual(find("npx"), { path: "C:\\Node\\npx.CMD" });
    assert.deepEqual(find("tool.v2"), { path: "C:\\My Tools\\tool.v2.EXE" });
    assert.deepEqual(find("C:\\Node\\npx"), { path: "C:\\Node\\npx.CMD" });
    assert.deepEqual(find("c:/Node/../Node/npx.CMD"), { missing: "notFound" });
    assert.deepEqual(find("C:/Node/npx"), { path: "C:\\Node\\npx.CMD" });
  });

  it("uses a name with an extension unchanged", () => {
    assert.deepEqual(find("node.exe"), { path: "C:\\Node\\node.exe" });
    assert.deepEqual(find("C:\\Node\\node.exe"), { path: "C:\\Node\\node.exe" });
  });

  it("reports what it found instead", () => {
    assert.deepEqual(find("script"), { missing: "notExecutable", at: "C:\\Node\\script" });
    assert.deepEqual(find("C:\\Node\\script"), { missing: "notExecutable", at: "C:\\Node\\script" });
    assert.deepEqual(find("folder"), { missing: "folder", at: "C:\\Node\\folder.EXE" });
    assert.deepEqual(find("gti"), { missing: "notFound" });
    assert.deepEqual(find(""), { missing: "notFound" });
  });

  it("skips the folders of the PATH that depend on the current directory", () => {
    for (const entry of [".", "", "tools", "\\tools", "/tools", "C:", "C:tools"])
      assert.deepEqual(find("npx", { PATH: entry }), { missing: "notFound" }, entry);
    assert.deepEqual(find("npx", { PATH: ".;D:\\tools" }), { path: "D:\\tools\\npx.EXE" });
    assert.deepEqual(find("shared", { PATH: "\\\\server\\tools" }), { path: "\\\\server\\tools\\shared.EXE" });
  });

  it("resolves a path that is not absolute against the given folder, and finds nothing without one", () => {
    for (const name of [".\\local", "./local", "local.CMD\\..\\local", "C:local"]) {
      assert.deepEqual(find(name), { missing: "notFound" }, name);
      assert.deepEqual(find(name, standard, "C:\\work"), { path: "C:\\work\\local.CMD" }, name);
    }
    assert.deepEqual(find("local", standard, "C:\\work"), { missing: "notFound" });
    assert.deepEqual(find("\\Node\\npx"), { missing: "notFound" });
    assert.deepEqual(find("\\Node\\npx", standard, "C:\\work"), { path: "C:\\Node\\npx.CMD" });
  });

  it("reads variables in any case, preferring the last one, and works without PATHEXT", () => {
    assert.deepEqual(find("npx", { Path: "D:\\tools", PATH: "C:\\Node" }), { path: "C:\\Node\\npx.CMD" });
    assert.deepEqual(find("npx", { path: "C:\\Node", pathext: ";" }), { path: "C:\\Node\\npx.CMD" });
  });

  it("finds cmd.exe in the system folder, for any PATH", () => {
    assert.deepEqual(find("cmd.exe", {}), { path: "C:\\Windows\\System32\\cmd.exe" });
    assert.deepEqual(find("cmd.exe", { SystemRoot: "D:\\Windows" }), { missing: "notFound" });
  });
});

describe("the search for a program on POSIX", () => {
  const look = disk({
    "/usr/bin/tool": "program",
    "/home/ada/tool": "program",
    "/opt/plain": "notExecutable",
    "/opt/dir": "folder",
    "/usr/bin/a:b": "program",
    "/usr/bin/a\\b": "program",
  });
  const find = (name: string, path = "/opt:/usr/bin", cwd?: string) =>
    findProgram(name, { env: { PATH: path }, platform: "posix", look, ...(cwd !== undefined && { cwd }) });

  it("uses the absolute folders of the PATH", () => {
    for (const name of ["tool", "a:b", "a\\b"]) assert.deepEqual(find(name), { path: `/usr/bin/${name}` });
    for (const path of [".", "", "bin:./usr/bin", "C:\\usr\\bin"])
      assert.deepEqual(find("tool", path), { missing: "notFound" }, path);
  });

  it("resolves a path against the given folder, and accepts only an absolute path without one", () => {
    assert.deepEqual(find("/home/ada/tool"), { path: "/home/ada/tool" });
    assert.deepEqual(find("./tool"), { missing: "notFound" });
    assert.deepEqual(find("./tool", "", "/home/ada"), { path: "/home/ada/tool" });
    assert.deepEqual(find("tool", "", "/home/ada"), { missing: "notFound" });
  });

  it("reports what it found instead, but continues to search", () => {
    assert.deepEqual(find("plain"), { missing: "notExecutable", at: "/opt/plain" });
    assert.deepEqual(find("dir"), { missing: "folder", at: "/opt/dir" });
    const second = disk({ "/a/tool": "folder", "/b/tool": "program" });
    assert.deepEqual(findProgram("tool", { env: { PATH: "/a:/b" }, platform: "posix", look: second }), {
      path: "/b/tool",
    });
  });

  it("respects the case of variables", () => {
    assert.deepEqual(findProgram("tool", { env: { Path: "/usr/bin" }, platform: "posix", look }), {
      missing: "notFound",
    });
  });
});

describe("the start of a program on Windows", () => {
  const cmd = "C:\\Windows\\System32\\cmd.exe";
  const start = (program: string, args: readonly string[]) =>
    windowsSpawn(program, args, name => (name === "cmd.exe" ? cmd : undefined));

  it("runs a program directly, with any arguments", () => {
    const args = ["a b", '"', "%PATH%"];
    assert.deepEqual(start("C:\\x.exe", args), { file: "C:\\x.exe", args, verbatim: false });
  });

  it("runs a batch file through cmd.exe, with every word quoted", () => {
    for (const program of ["C:\\Program Files\\n\\npx.cmd", "C:\\a & b\\npx.BAT"])
      assert.deepEqual(start(program, ["-y", "@scope/name@1.0", "a & b ^ c", "d\\", ""]), {
        file: cmd,
        args: ["/d", "/s", "/c", `""${program}" "-y" "@scope/name@1.0" "a & b ^ c" "d\\\\" """`],
        verbatim: true,
      });
  });

  it("names the argument that cannot be quoted safely", () => {
    for (const unsafe of ['a" & calc "', "%PATH%", "!x!", "a\nb", "a\rb"])
      assert.deepEqual(start("C:\\npx.cmd", ["fine", unsafe]), { unsafe });
  });

  it("quotes words so that they are read back unchanged", () => {
    const word = fc.string().filter(text => !/["%!\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(word), words => {
        const started = start("C:\\npx.cmd", words);
        assert.ok("args" in started);
        const line = started.args[3] ?? "";
        // cmd.exe removes the outer quotes. Within the inner ones no character is special to it.
        assert.deepEqual(readBack(line.slice(1, -1)), ["C:\\npx.cmd", ...words]);
      }),
    );
  });
});

/** How a C program on Windows parses its command line, for words that are all quoted. */
function readBack(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\+(?!")(?!\\)|(?:\\\\)+(?="))*)"(?: |$)/g)].map(([, word = ""]) =>
    word.replace(/(\\+)$/, slashes => slashes.slice(slashes.length / 2)),
  );
}
