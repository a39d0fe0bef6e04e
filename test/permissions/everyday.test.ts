// Everyday command lines must not lead to needless questions if rules allow their programs, and the same syntax must not
// hide anything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import { evaluateRules, readRules, type Verdict } from "../../src/permissions/rules.ts";
import { secretMatcher } from "../../src/permissions/sensitiveFiles.ts";

const place = { roots: ["/work/app"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
const programs =
  "ls cat echo npm rg git find grep jq sed head xxd test pwd date cd bash sh sort uniq tail wc [ nohup time timeout node " +
  "npx yarn pnpm python3 pip pytest docker kubectl gh terraform man ps cargo go make mvn ./gradlew psql sqlite3 aws curl " +
  "systemctl journalctl eslint prettier tsc";
const rules = readRules([
  { effect: "allow", command: programs.split(" ").map(program => `${program} **`) },
  { effect: "deny", command: "rm" },
]);

function judged(line: string, extra: readonly string[] = []): Verdict {
  return evaluateRules(rules, {
    agent: "demo",
    kind: "execute",
    command: parseCommandLine(line, "posix"),
    cwd: "/work/app",
    paths: [],
    urls: [],
    trusted: true,
    place,
    isSensitive: secretMatcher(extra, place),
  });
}

/** Lines with history, comments, control structures, and a here-document that the shell expands. */
const asked = new Set([
  'rg -g "!node_modules" foo',
  "# list\nls",
  "ls # list files",
  "for f in *.ts; do echo $f; done",
  "if true; then cat a; fi",
  "cat << EOF | wc -l\nhello\nEOF",
  // Folders outside the workspace folder, and one that only the shell knows.
  "cd /srv/app && npm test",
  "cd -",
]);

describe("an everyday command line", () => {
  const lines = JSON.parse(readFileSync("test/permissions/data/everyday-commands.json", "utf8")) as readonly string[];

  for (const line of lines) {
    const expected = asked.has(line) ? "ask" : "allow";
    it(`leads to ${expected}: ${JSON.stringify(line)}`, () => {
      const { effect, reason } = judged(line);
      assert.equal(effect, expected, reason);
    });
  }
});

describe("a line that resembles an everyday command line", () => {
  for (const line of [
    // Wildcards, variables and braces that may stand for a secret.
    "cat *",
    "cat .e*",
    "cat .env*",
    "cat ?env",
    "cat *.pem",
    "cat *.p?m",
    "cat [.]env",
    "cat src/*",
    "cat id_*",
    "cat *sa",
    "cat **/credentials*",
    "cat *.json",
    "cat ~/*",
    "cat ~/.ssh/*",
    "cat ~/.s*/config",
    "cat ~me/x",
    "cat $X",
    "cat ${HOME}/.netrc",
    "cat $HOME/.aws/*",
    "cat {a,.env}",
    "cat .{env,x}",
    "cat --x=*.key",
    "cat a/[i]d_rsa",
    "cat .en[v",
    "cat a{,.key}",
    "echo $TOKEN",
    "cat < .env",
    "cat < *.pem",
    "cat < ~/.ssh/id_rsa",
    "cat .env.production",
    "cat .env.local",
    // Syntax that runs or writes something.
    "cat <<EOF\n$(id)\nEOF",
    "cat <<EOF\n`id`\nEOF",
    "cat <<EOF\na\\\nEOF\nid",
    "cat <<'EOF'\na",
    "cat <<'EOF'\na\nEOF \nid",
    "cat <<'EOF'\na\nEOF\nid",
    "cat <<-EOF\na\nEOF",
    "cat <<'EOF' 'a\nb'\nEOF\nid\nEOF",
    "cat <<A <<B\nA\nB\nid",
    "cat <<< a",
    "node <<'EOF'\nid()\nEOF",
    "bash <<'EOF'\nid\nEOF",
    "nohup cat <<'EOF'\na\nEOF",
    "node < a",
    "bash < a",
    "cat <> a",
    "cat <(id)",
    "ls |& id",
    "ls |&id",
    "ls > /dev/stderrx",
    "ls > '/dev/null/../x'",
    "ls > '/dev/null'x",
    'echo "a!" "b"',
    'echo "a!b"',
    "git log @{1}",
    "git log {u}",
    "git log a{u}",
    "git log @{$(id)}",
    "git log @{u;id}",
    "npm {test,whoami}",
    "{ls,-la}",
    "git {diff,--output=x}",
    "git diff --{output=x,y}",
    "git diff -{O,x}",
    "sort {-o,a} b",
    "sort -{o,r}a",
    "uniq *.txt",
    "uniq {a,b}",
    "find . {-exec,id}",
    "find . -exe* a.b",
    "find . -*",
    "find . $X",
    "find . [-]delete",
    "find . *delete",
    "sed -n {1p,'w x'} a",
    "git submodule f{oreach,x}",
    "ls ! id; ! id",
    "! ls",
    "ls; ! id",
    "!ls",
    "ls !l",
    "ls !; id",
    "time ! id",
    "[ -f a",
    "[ a ] b",
    "[ -v 'a[$(id)]' ]",
    "[ 'a[$(id)]' -eq 1 ]",
    "[[ -f a ]]",
    "[ -f a ] && id",
    "DEBUG=$(id) ls",
    "DEBUG=a:b ls",
    "DEBUGX=1 ls",
  ]) {
    // prettier-ignore
    it(`leads to a question: ${JSON.stringify(line)}`, () => {
      const { effect, reason } = judged(line);
      assert.equal(effect, "ask", reason);
    });
  }

  for (const line of [
    "cat <<'EOF'\na\nEOF\nrm x",
    "cat <<EOF; rm x\na\nEOF",
    "ls |& rm x",
    "[ a ] && rm x",
    "cat < a; rm x",
    "cat <<EOF\n$(rm x)\nEOF",
    'echo "a!"; rm x',
    "ls > '/dev/null'; rm x",
  ]) {
    // prettier-ignore
    it(`is denied: ${JSON.stringify(line)}`, () => assert.equal(judged(line).effect, "deny"));
  }

  for (const line of [
    "cat *.ts",
    "cat src/*.md",
    "cat a?.ts",
    "cat [ab].ts",
    "ls $HOME",
    "ls ~/notes",
    "echo ${PWD}",
    "cat $PWD/a.ts",
    "cat {a,b}.ts",
    "cat .env.sample",
    "cat packages/a/.env.template",
    "wc -l < a.txt",
    "cat <<'EOF'\n$(not run) `a` \\\nEOF",
    "find src -name *.test.ts",
    "echo a 2> /dev/null > /dev/stdout",
    "[ -d a ] || echo no",
  ]) {
    // prettier-ignore
    it(`is allowed: ${JSON.stringify(line)}`, () => {
      const { effect, reason } = judged(line);
      assert.equal(effect, "allow", reason);
    });
  }

  it("leads to a question if a wildcard may stand for a file that the user named", () => {
    assert.equal(judged("cat src/*.ts").effect, "allow");
    assert.equal(judged("cat src/*.ts", ["src/private-*"]).effect, "ask");
    assert.equal(judged("cat src/*.ts", ["**/vault/**"]).effect, "allow");
    assert.equal(judged("cat */a.ts", ["vault/**"]).effect, "ask");
    assert.equal(judged("cat .env.example", ["**/.env.example"]).effect, "ask");
  });
});
