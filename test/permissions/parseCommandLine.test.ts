// The strict parser of command lines: words, parts, wrappers, and lines that it does not understand.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseArguments, parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import type { CommandLine, Shell } from "../../src/permissions/commandLine/types.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

/** The words of each command, inexact ones in angle brackets; the reason for an opaque line. */
function shown(line: CommandLine): unknown {
  if (line.kind === "opaque") return line.reason;
  return line.commands.map(({ words }) => words.map(({ text, exact }) => (exact ? text : `<${text}>`)));
}

const posix = (line: string): unknown => shown(parseCommandLine(line, "posix"));

describe("parseCommandLine", () => {
  it("splits a POSIX line into commands and resolves quoting", () => {
    assert.deepEqual(posix(`a 'b c'"d"\\ e && f ""; g | h\ni &`), [["a", "b cd e"], ["f", ""], ["g"], ["h"], ["i"]]);
    assert.deepEqual(posix('a "x \\" \\$y \\z \\\\"'), [["a", 'x " $y \\z \\']]);
    assert.deepEqual(posix("a \\\n2>/dev/null"), [["a"]]);
    assert.deepEqual(posix("a\\\nb 'c\nd' e\\\n  f"), [["ab", "c\nd", "e", "f"]]);
  });

  it("marks the words that only the shell can expand", () => {
    assert.deepEqual(posix("a $b \"$c d\" ${e} *.ts ~/x f? HEAD~1 '$g' HEAD^ \\*"), [
      ["a", "<$b>", "<$c d>", "<${e}>", "<*.ts>", "<~/x>", "<f?>", "HEAD~1", "$g", "HEAD^", "*"],
    ]);
  });

  it("does not treat the numbers of harmless redirections as words", () => {
    assert.deepEqual(posix("a 2>&1 b 2 >/dev/null 1>&2 </dev/null"), [["a", "b", "2"]]);
    assert.deepEqual(posix('a "2">/dev/null'), [["a", "2"]]);
  });

  it("unwraps wrappers that run exactly the words that follow, and remembers the wrapper", () => {
    const line = parseCommandLine("time nice -n 5 bash -lc 'timeout 5s a b; c'", "posix");
    assert.deepEqual(shown(line), [["a", "b"], ["c"]]);
    assert.ok(line.kind === "commands");
    const wrappers = line.commands.map(command => command.wrappers.map(words => words[0]?.text));
    assert.deepEqual(wrappers, [
      ["time", "nice", "bash", "timeout"],
      ["time", "nice", "bash"],
    ]);
  });

  it("limits the depth of nested shells", () => {
    let line = "a";
    for (let depth = 0; depth < 7; depth++) line = `sh -c '${line.replaceAll("'", `'\\''`)}'`;
    assert.equal(posix(line), "nests shells too deeply");
  });

  it("explains why a line is opaque", () => {
    assert.equal(posix("a $(b)"), "substitutes the output of another command");
    assert.equal(posix("a <<X"), "contains a here-document");
    assert.equal(posix("a > b"), "redirects output to a file");
    assert.equal(posix("a 'b"), "has an unclosed quote");
    assert.equal(posix("a \\\n#b"), "contains a comment, which not every shell skips");
    assert.equal(posix("$a b"), "lets the shell choose the program");
  });

  it("reads the command of xargs, with a word for its input", () => {
    const words = (line: string): readonly string[] => {
      const parsed = parseCommandLine(line, "posix");
      assert.ok(parsed.kind === "commands", line);
      return (parsed.commands.at(-1)?.words ?? []).map(({ text, exact, appended }) =>
        appended ? `${text} added ${String(exact)}` : text,
      );
    };
    assert.deepEqual(words("a | xargs -0 -n 2 b -c"), ["b", "-c", "* added false"]);
    assert.deepEqual(words("a | xargs -I{} b x/{} {}"), ["b", "x/* added false", "* added false"]);
    assert.deepEqual(words("a | xargs -I{} b c"), ["b", "c"]);
    assert.deepEqual(words("a | xargs"), ["echo", "* added false"]);
    assert.deepEqual(words("a | xargs -- nice b"), ["b", "* added false"]);
    assert.deepEqual(words("a | xargs -I '$&' b '$&c'"), ["b", "*c added false"]);
  });

  it("recognizes commands inside of a line that it does not understand", () => {
    const recognised = (line: string, shell: Shell = "posix"): readonly string[] => {
      const parsed = parseCommandLine(line, shell);
      assert.equal(parsed.kind, "opaque", line);
      return parsed.kind === "opaque" ? parsed.fragments.map(words => words.map(({ text }) => text).join(" ")) : [];
    };
    for (const line of [
      "echo $(rm x)",
      "echo `rm x`",
      'echo "$(rm x)"',
      "if a; then rm x; fi",
      "A=1 B=2 rm x",
      "sudo -u b rm x",
      "a | xargs -p rm x",
      'eval "rm x"',
      "cat <<E\nrm x\nE",
      ">a rm x",
      "f() { r'm' x; }",
    ]) {
      assert.ok(recognised(line).includes("rm x"), line);
    }
    assert.ok(recognised("a; & r`m x", "powershell").includes("rm x"));
    assert.ok(recognised("a & r^m x", "cmd").includes("rm x"));
  });

  it("never throws for any line", () => {
    const pieces = fc.constantFrom(
      ..."ab .-=~*?[]{}()<>|&;!#$%^@,:/\\'\"`\n\r\t".split(""), "rm", "sh -c '", "env ", "$(", "\u200b", "\ud800", "é", "2>&1",
    ); // prettier-ignore
    const lines = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 40 }).map(all => all.join("")),
    );
    fc.assert(
      fc.property(lines, fc.constantFrom<Shell>("posix", "powershell", "cmd"), (line, shell) => {
        const parsed = parseCommandLine(line, shell);
        if (parsed.kind === "commands") {
          assert.ok(parsed.commands.length > 0);
          assert.ok(parsed.commands.every(({ words }) => words[0]?.exact && words[0].text !== ""));
        } else assert.notEqual(parsed.reason, "");
        parseArguments(line.split(" "));
      }),
      { numRuns: 2000 },
    );
  });

  it("parses 100 kB in linear time", () => {
    const seeds = ["a ", "a;", "'", '"\\', "\\\n", "$", "$(", "`", "(do ", "{", "sudo ", "<", "> ", "\\"];
    const lines = seeds.flatMap(seed => ["", 'a "'].map(start => start + seed.repeat(100_000 / seed.length)));
    for (const [index, line] of lines.entries()) {
      const used = processorTime();
      parseCommandLine(line, (["posix", "powershell", "cmd"] as const)[index % 5] ?? "posix");
      const ms = used();
      // Quadratic behavior would take minutes.
      assert.ok(ms < 4000, `${ms} ms for ${JSON.stringify(line.slice(0, 10))}`);
    }
  });
});

describe("parseArguments", () => {
  it("takes arguments unchanged", () => {
    assert.deepEqual(shown(parseArguments(["npm", "run", "a; b", "$(c)", "*"])), [["npm", "run", "a; b", "$(c)", "*"]]);
  });

  it("parses the script that a shell is given", () => {
    assert.deepEqual(shown(parseArguments(["bash", "-lc", "npm ci && npm test"])), [
      ["npm", "ci"],
      ["npm", "test"],
    ]);
    assert.deepEqual(shown(parseArguments(["powershell.exe", "-NoProfile", "-Command", "npm test; git status"])), [
      ["npm", "test"],
      ["git", "status"],
    ]);
    assert.equal(parseArguments(["pwsh", "-Command", "a", "b"]).kind, "opaque");
    assert.equal(parseArguments(["pwsh", "-EncodedCommand", "a"]).kind, "opaque");
    assert.equal(parseArguments(["bash", "-c", "a", "b"]).kind, "opaque");
  });

  it("refuses programs that run other programs", () => {
    for (const argv of [
      ["sudo", "a"],
      ["xargs", "-p", "a"],
      ["find", ".", "-delete"],
      ["cmd", "/c", "a"],
      ["npm test"],
      [],
    ]) {
      assert.equal(parseArguments(argv).kind, "opaque", argv.join(" "));
    }
  });
});

// Real shells verify the parser: they must run exactly the commands that it found.
describe("a line that the parser understands", function () {
  if (process.platform === "win32") return;
  const folder = mkdtempSync(join(tmpdir(), "parley-shell-"));
  const bin = join(folder, "bin");
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  before(() => {
    spawnSync("mkdir", ["-p", bin, join(folder, "at")]);
    for (const name of ["aa", "bb", "rm"]) {
      writeFileSync(
        join(bin, name),
        // A single write, because the programs of a pipeline run at the same time.
        `#!/bin/sh\nall=$(printf '%s' ${name}; printf '\\001%s' "$@"; printf '\\002')\nprintf '%s' "$all" >>"$SEEN"\n`,
      );
      chmodSync(join(bin, name), 0o755);
    }
  });

  let runs = 0;

  /** The commands that the shell ran; a program without arguments prints one empty argument. */
  function ran(shell: string, line: string): readonly string[] {
    // One file per run: dash reads `&>` as `&` and `>`, so a program may still run when its shell has ended.
    const seen = join(folder, `seen-${++runs}`);
    const script = `: >"$SEEN"; PATH=${bin}:$PATH; ${shell} -c "$LINE" </dev/null >/dev/null 2>&1; sleep 0; cat "$SEEN"`;
    const { stdout } = spawnSync("/bin/sh", ["-c", script], {
      cwd: join(folder, "at"),
      env: { PATH: process.env["PATH"], SEEN: seen, LINE: line, X: "x y" },
      encoding: "utf8",
      timeout: 10_000,
    });
    return stdout.split("\u0002").filter(one => one !== "");
  }

  const pieces = fc.constantFrom(
    "aa", "bb", "rm", "a", " ", " ", " ", ";", "\n", "'", '"', "\\", "&&", "||", "|", "$X", "=", "#", "2", ">/dev/null",
    "2>&1", ">&2", "\\\n", "$'", "(", ")", "{", "}", "~", "*", "!", "-", "time ", "env ", "bash -c ", "CI=1 ", "`", "&>/dev/null",
    "é", "^", "@", "%", ":", ",", "<", "[", "]", "|& ", "@{u}", "a@{0}", "{a,b}", "! ", "!\"", "cat <<'E'\n", "cat <<E\n", "\nE\n", "cat < a ",
    ">'/dev/null'", ">/dev/stderr", "[ a ]",
  ); // prettier-ignore

  it("runs exactly the parsed commands in sh and bash", function () {
    // Hundreds of shells start slowly on a busy machine.
    this.timeout(200_000);
    const shells = ["sh", "bash"].filter(shell => spawnSync(shell, ["-c", ":"]).status === 0);
    let understood = 0;
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 9 }).map(all => `aa ${all.join("")}`),
        line => {
          const parsed = parseCommandLine(line, "posix");
          if (parsed.kind === "opaque") return;
          understood++;
          const read = parsed.commands.map(({ words }) => words);
          for (const shell of shells) {
            for (const one of ran(shell, line)) {
              const words = one.split("\u0001");
              const known = read.some(own => matches(own, words));
              assert.ok(known, `${shell} ran ${JSON.stringify(words)} of ${JSON.stringify(line)}`);
            }
          }
        },
      ),
      { numRuns: Number(process.env["PARLEY_SHELL_RUNS"] ?? 400) },
    );
    assert.ok(understood > 20, `only ${understood} lines were understood`);
  }).timeout(Number(process.env["PARLEY_SHELL_RUNS"] ?? 400) * 100);

  function matches(read: readonly { text: string; exact: boolean }[], words: readonly string[]): boolean {
    if (read.some(word => !word.exact)) return read[0]?.text === words[0];
    const own = read.map(word => word.text);
    return [own, [...own, ""]].some(form => form.length === words.length && form.every((word, i) => word === words[i]));
  }
});
