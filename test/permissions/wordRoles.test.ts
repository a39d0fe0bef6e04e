// The wildcards of allow patterns: for which options and operands of a program they stand.
import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import { programOptions } from "../../src/permissions/commandLine/programOptions.ts";
import { evaluateRules, readRules } from "../../src/permissions/rules.ts";

function effect(command: string, line: string): string {
  const set = readRules([{ effect: "allow", command }]);
  assert.deepEqual(set.problems, []);
  const { reason, ...verdict } = evaluateRules(set, {
    agent: "demo",
    kind: "execute",
    command: parseCommandLine(line, "posix"),
    paths: [],
    urls: [],
    trusted: true,
    place: { roots: ["/work/app"], platform: "posix", ignoresCase: false },
  });
  assert.notEqual(reason, "");
  return verdict.effect;
}

type Rows = readonly (readonly [pattern: string, ...lines: readonly string[]])[];

const allowed: Rows = [
  [
    "git log *",
    "git log --oneline",
    "git log -5",
    "git log src/a.ts",
    "git log HEAD~3",
    "git log --stat",
    "git log --",
  ],
  ["git log * *", "git log --oneline -20", "git log -n 5", "git log -- --output=x", "git log --format='%h %s' -p"],
  ["git log **", "git log", "git log --foo", "git log -L1,2:a.ts", "git log -S'foo()' -- src", "git log --paginate"],
  ["git diff *", "git diff --cached", "git diff HEAD", "git diff --stat=80"],
  ["git status *", "git status -sb", "git status --porcelain=v2"],
  [
    "git **",
    "git push --force",
    "git -C sub log",
    "git --no-pager log -5",
    "git commit -m 'a --output=b'",
    "git add -A",
  ],
  ["git **", "git config user.name", "git config --get user.name", "git bisect good", "git submodule update --init"],
  [
    "git **",
    "git ls-files -o",
    "git grep -n -C2 foo",
    "git show --textconv HEAD:x",
    "git branch -d x",
    "git stash -u",
    "git checkout -- --exec=x",
  ],
  ["ls *", "ls -la", "ls -1", "ls src", "ls --color=auto", "ls -"],
  ["head *", "head -5", "head -n5", "head a.txt"],
  ["head * *", "head -n 5", "head -5 a.txt", "head -c 100"],
  ["tail **", "tail -f -n0 log.txt", "tail -20 a"],
  ["grep * *", "grep -rn foo", "grep -i foo", "grep --include=a foo"],
  ["rg * *", "rg -n foo", "rg -tjs foo", "rg --hidden foo", "rg -A3 foo"],
  ["rg **", "rg -z x", "rg --unknown x", "rg -g '!a' foo"],
  ["find **", "find . -name x", "find . -type f -not -path x", "find src -newer a"],
  ["find * * *", "find . -name x"],
  ["sort *", "sort -rn", "sort a.txt", "sort -k2", "sort --reverse"],
  ["sort **", "sort -k 2 -t : a", "sort -T /tmp a", "sort -o /dev/null a"],
  ["uniq **", "uniq -c", "uniq -f 1 a"],
  ["tar * *", "tar tf a.tgz", "tar -tzvf a.tgz", "tar --list --file=a.tgz"],
  ["tar **", "tar tzf a.tgz src/a"],
  ["curl *", "curl https://example.com", "curl -sSL"],
  [
    "curl **",
    "curl -sS -H 'A: b' https://example.com",
    "curl -so /dev/null https://example.com",
    "curl -X POST -d a https://b",
  ],
  ["node *", "node a.js", "node --version", "node -v", "node --test"],
  [
    "node **",
    "node a.js --import x -e y",
    "node --test --test-name-pattern=x a.js",
    "node --max-old-space-size=99 a.js",
  ],
  ["python3 **", "python3 -m pytest -k x", "python3 a.py -c x", "python3 -u a.py"],
  ["make *", "make test", "make -j4", "make -k", "make --dry-run"],
  ["make **", "make -j 4 test", "make -s all", "make -C sub all"],
  ["go test **", "go test ./... -run Foo -v", "go test -count=1 ./...", "go test . -args -exec=x"],
  ["npm run *", "npm run build", "npm run -s", "npm run --if-present"],
  ["npm run **", "npm run build -- --script-shell=x", "npm run build --production", "npm run set"],
  ["npm **", "npm config get registry", "npm config list"],
  [
    "sed **",
    "sed -n '1,20p' a.txt",
    "sed -n 1,20p a.txt",
    "sed 5q a",
    "sed -n '/foo/,/bar/p' a",
    "sed -n -e '$p' a",
    "sed -ne 1p a",
  ],
  ["sed 's/a/b/' **", "sed 's/a/b/' a.txt", "sed s/a/b/"],
  ["awk '{print $1}' **", "awk '{print $1}' a.txt"],
  ["unknown *", "unknown x", "unknown -5", "unknown -", "unknown --"],
  ["unknown **", "unknown -x --y=z"],
  ["unknown * *", "unknown -- --x"],
  ["/usr/bin/git log *", "/usr/bin/git log --oneline"],
  ["git diff --output=x", "git diff --output=x"],
  ["git diff --output=x **", "git diff --output=x HEAD"],
];

const asked: Rows = [
  ["git log *", "git log --output=x", "git log --outp=x", "git log --foo", "git log --ext-diff", "git log -O/x"],
  ["git diff * *", "git diff --output x", "git diff HEAD --output=x", "git diff --foo HEAD"],
  ["git diff **", "git diff --output=x", "git diff --outpu x", "git diff HEAD --output=src/a.ts -- a"],
  ["git **", "git -c core.pager=x log", "git --exec-path=x log", "git --git-dir=x log", "git --work-tree=/ status"],
  [
    "git **",
    "git grep -Ox foo",
    "git grep --open-files-in-pager=x foo",
    "git grep -lOx foo",
    "git grep -nOx foo",
    "git rebase -x id main",
  ],
  [
    "git **",
    "git rebase --exec=id main",
    "git rebase --exec id main",
    "git difftool -x id",
    "git difftool --extcmd=id",
  ],
  [
    "git **",
    "git clone -u id a",
    "git clone --upload-pack=id a",
    "git clone -c core.pager=id a",
    "git clone --config=a.b=c d",
  ],
  [
    "git **",
    "git fetch --upload-pack=id",
    "git push --receive-pack=id",
    "git push --exec=id",
    "git ls-remote --upload-p=id",
  ],
  ["git **", "git format-patch -o x", "git format-patch -ox", "git archive -o x HEAD", "git archive --output=x HEAD"],
  [
    "git **",
    "git config core.pager id",
    "git config --global alias.a '!id'",
    "git config set a.b c",
    "git config --unset a.b",
  ],
  ["git **", "git bisect run id", "git submodule foreach id", "git filter-branch x", "git -C sub format-patch -o x"],
  ["git **", "git -C sub diff --output=x", "git init --template=x", "git --config-env=a=b log", "git diff $X"],
  ["head *", "head --unknown -5"],
  ["rg **", "rg --pre id x", "rg --pre=id x", "rg --hostname-bin=id x", "rg $X"],
  ["rg * *", "rg -z x", "rg --unknown x"],
  ["find **", "find . -exec id ';'", "find . -delete", "find . -fprintf a b", "find . -fls a"],
  ["sort *", "sort -oa", "sort --output=a", "sort -ruoa", "sort --foo"],
  [
    "sort **",
    "sort -o a b",
    "sort b -o a",
    "sort -ro a b",
    "sort --outp a b",
    "sort --compress-program=id a",
    "sort --comp=id a",
  ],
  ["sort **", "sort *.txt", "sort $X"],
  ["uniq **", "uniq a b", "uniq -c a b"],
  ["xxd **", "xxd -r a b"],
  ["tar **", "tar xf a", "tar -xf a", "tar -zxf a", "tar fx a", "tar --extract --file=a", "tar cf a b", "tar rf a b"],
  [
    "tar **",
    "tar tf a --to-command=id",
    "tar tf a --checkpoint-action=exec=id",
    "tar -I id -tf a",
    "tar tf a --use-comp=id",
  ],
  ["tar **", "tar tf host:a", "tar tf a --rsh-command=id", "tar tfF a id"],
  ["curl *", "curl --foo", "curl -oa", "curl -O"],
  [
    "curl **",
    "curl -o a https://b",
    "curl -so a https://b",
    "curl -O https://b",
    "curl --output=a https://b",
    "curl --outp a https://b",
  ],
  [
    "curl **",
    "curl -K a",
    "curl --config a",
    "curl -T a https://b",
    "curl -D a https://b",
    "curl -c a https://b",
    "curl --libcurl a b",
  ],
  [
    "curl **",
    "curl -w '%output{a}x' https://b",
    "curl -w'%output{a}x' https://b",
    "curl --write-out '%output{a}' b",
    "curl $U",
  ],
  ["node *", "node --import=x", "node --require=x", "node -p", "node --unknown", "node -"],
  [
    "node **",
    "node --import=x a.js",
    "node --import x a.js",
    "node -r x a.js",
    "node -rx a.js",
    "node -e 'x()'",
    "node -pe 'x()'",
  ],
  ["node **", "node --eval=x", "node --print x", "node --loader=x a.js", "node --experimental_loader=x a.js", "node -"],
  [
    "node **",
    "node --env-file=x a.js",
    "node --cpu-prof a.js",
    "node --inspect=0.0.0.0 a.js",
    "node --test --test-reporter=x",
  ],
  ["python3 **", "python3 -c 'x()'", "python3 -Ic 'x()'", "python3 -"],
  ["python **", "python -c 'x()'"],
  ["perl **", "perl -e 'x'", "perl -ne 'x' a", "perl -i a", "perl -Mx a"],
  ["ruby **", "ruby -e 'x'", "ruby -rx a"],
  ["php **", "php -r 'x();'"],
  ["make *", "make SHELL=id", "make CC=id", "make -fx", "make --eval=x", "make --foo"],
  [
    "make **",
    "make SHELL=id",
    "make all SHELL=id",
    "make -j SHELL=id",
    "make -- SHELL=id",
    "make SHELL:=id",
    "make A+=b",
    "make .SHELLFLAGS=x",
  ],
  [
    "make **",
    "make -f x",
    "make -sf x",
    "make --file=x",
    "make --makefile x",
    "make --eval 'x:;id'",
    "make --eval=x",
    "make -E x",
  ],
  ["go test *", "go test -exec=id", "go test -foo"],
  [
    "go test **",
    "go test -exec=id",
    "go test --exec=id",
    "go test ./... -exec id",
    "go test -toolexec=id",
    "go test -o x",
    "go test -c",
  ],
  [
    "go **",
    "go build -o x",
    "go build -ldflags=-extld=id",
    "go vet -vettool=id",
    "go build -overlay=x",
    "go env -w A=b",
  ],
  ["npm run *", "npm run --script-shell=id", "npm run --prefix=/x", "npm run --foo"],
  [
    "npm run **",
    "npm run build --script-shell=id",
    "npm run build --script-sh id",
    "npm run build --node-options=--import=x",
  ],
  ["cargo **", "cargo --config build.rustc-wrapper=id test", "cargo test --target-dir=x"],
  ["fd **", "fd . -x id", "fd . --exec id", "fd . -Xid"],
  ["rsync **", "rsync -e id a b", "rsync --rsh=id a b"],
  ["wget **", "wget -O a https://b", "wget --use-askpass=id https://b"],
  [
    "sed **",
    "sed 's/a/b/' a",
    "sed -i 's/a/b/' a",
    "sed -n '1e id' a",
    "sed 'w x' a",
    "sed '1,2w x' a",
    "sed 's/a/id/e' a",
  ],
  ["sed **", "sed -i.bak 1p a", "sed -ni 1p a", "sed --in-place 1p a", "sed -f x a", "sed -nfx a", "sed --file=x a"],
  [
    "sed **",
    "sed -e 1p -e 'w x' a",
    "sed -e'w x' a",
    "sed -ne 'w x' a",
    "sed --expression='w x' a",
    "sed --expr 'w x' a",
    "sed -- 'w x' a",
  ],
  ["sed **", "sed '1p;w x' a", "sed '1p\nw x' a", "sed $X a", "sed '/[/]/w x/p' a", "sed -l 5 'w x' a"],
  ["sed *", "sed 'w x'"],
  [
    "awk **",
    "awk '{print $1}' a",
    "awk -F: '{print}' a",
    "awk -f x a",
    "awk 'BEGIN{system(\"id\")}'",
    "gawk -e x",
    "awk -v a=b '{print}' a",
  ],
  ["gawk **", "gawk -i inplace '{print}' a"],
  ["shuf **", "shuf -o a b"],
  ["tree **", "tree -o a"],
  ["date **", "date -s 1", "date --set=1"],
  ["yq **", "yq -i .a b"],
  ["unknown *", "unknown -x", "unknown --y"],
  ["npm *", "npm --x", "npm set"],
  ["npm **", "npm config set script-shell id", "npm set script-shell id", "npm c set script-shell=id"],
];

describe("a wildcard of an allow pattern", () => {
  for (const [pattern, ...lines] of allowed) {
    for (const line of lines) it(`${pattern} allows ${line}`, () => assert.equal(effect(pattern, line), "allow"));
  }
  for (const [pattern, ...lines] of asked) {
    for (const line of lines) it(`${pattern} asks about ${line}`, () => assert.equal(effect(pattern, line), "ask"));
  }

  it("does not limit rules that deny or ask", () => {
    const set = readRules([{ effect: "deny", command: ["git ** --force", "sort **", "make *"] }]);
    for (const line of ["git push --foo --force", "sort -o a", "make SHELL=id"]) {
      const verdict = evaluateRules(set, {
        agent: "demo",
        command: parseCommandLine(line, "posix"),
        paths: [],
        urls: [],
        trusted: true,
        place: { roots: ["/work/app"], platform: "posix", ignoresCase: false },
      });
      assert.equal(verdict.effect, "deny", line);
    }
  });

  it("never stands for an option that the table of its program calls harmful", () => {
    for (const [program, { harmful = "" }] of Object.entries(programOptions)) {
      for (const option of harmful.split(" ").filter(one => one !== "")) {
        const line = `${program} ${option}${option.endsWith("=") && !option.startsWith("--") ? " " : ""}x`;
        const words = option.endsWith("=") ? line : `${program} ${option}`;
        for (const wildcard of ["*", "* *", "**"]) {
          assert.equal(effect(`${program} ${wildcard}`, words), "ask", `${program} ${wildcard}: ${words}`);
        }
      }
    }
  });

  it("knows no option as both harmless and harmful", () => {
    for (const [program, { harmless, harmful = "" }] of Object.entries(programOptions)) {
      const name = (option: string): string => option.replace(/=$/, "");
      const known = new Set(harmless.split(" ").map(name));
      assert.deepEqual(
        harmful.split(" ").filter(option => option !== "" && known.has(name(option))),
        [],
        program,
      );
    }
  });
});
