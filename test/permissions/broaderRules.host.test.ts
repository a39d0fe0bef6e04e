// Rules that also answer similar questions. The function is pure, but its module imports the editor.
import assert from "node:assert/strict";
import { broaderRule } from "../../src/permissions/vscode/permissionRules.ts";
import { readCommandLine } from "../../src/permissions/questionFacts.ts";
import { narrowestRule, type QuestionFacts, type Rule } from "../../src/permissions/rules.ts";

const place = { roots: ["/work/app"], platform: "posix", ignoresCase: false } as const;
const facts: QuestionFacts = { agent: "demo", paths: [], urls: [], trusted: true, place };
const runs = (line: string): QuestionFacts => ({
  ...facts,
  kind: "execute",
  command: readCommandLine(line, ["posix"]),
});
const edits = (...paths: readonly string[]): QuestionFacts => ({ ...facts, kind: "edit", paths });

describe("a broader rule", () => {
  const broader = (asked: QuestionFacts): Rule | undefined => broaderRule(asked, narrowestRule(asked));

  it("matches any words after the first two", () => {
    assert.equal(broader(runs("npm run test"))?.command, "npm run **");
    assert.equal(broader(runs("npm test"))?.command, "npm test **");
    assert.equal(broader(runs("git log --oneline src/$X"))?.command, "git log **");
    // The variable may become `--output=x`.
    assert.equal(broader(runs("git log --oneline $X")), undefined);
    assert.deepEqual(broader(runs("cd src && npm run test"))?.command, ["cd src **", "npm run **"]);
  });

  it("is not offered if the first two words do not determine the program", () => {
    for (const line of [
      "ls",
      "python -c x",
      "npx cowsay hi",
      "npm exec x",
      "ssh host ls",
      "docker run x",
      "cat src/a",
      "./run",
    ]) {
      assert.equal(broader(runs(line)), undefined, line);
    }
    for (const line of ["bash x.sh", "sudo npm test", "npm run $(x)", "echo $X && npm run x", "echo $X"]) {
      assert.equal(broader(runs(line)), undefined, line);
    }
  });

  it("covers the folder of a file, inside the session's folders", () => {
    assert.equal(broader(edits("/work/app/src/lib/a.ts"))?.path, "src/lib/**");
    assert.deepEqual(broader(edits("/work/app/src/a.ts", "/work/app/test/b.ts"))?.path, ["src/**", "test/**"]);
    for (const path of ["/work/app/a.ts", "/etc/hosts"]) assert.equal(broader(edits(path)), undefined, path);
    const secret = { ...edits("/work/app/src/.env"), isSensitive: () => true };
    assert.equal(broader(secret), undefined);
    assert.equal(broader({ ...facts, kind: "fetch", urls: ["https://a.example"] }), undefined);
  });
});
