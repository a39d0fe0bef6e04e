import assert from "node:assert/strict";
import { looksSensitive, readFolderGlobs, readGlobSetting } from "../../src/permissions/sensitiveFiles.ts";
import { readRules, evaluateRules, type Rule } from "../../src/permissions/rules.ts";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";

const place = { roots: ["/ws"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
const windows = { roots: ["C:\\ws"], platform: "windows", ignoresCase: true, home: "C:\\Users\\me" } as const;

describe("sensitive files", () => {
  for (const path of [
    "/ws/.env",
    "/ws/.ENV",
    "/ws/.env.production",
    "/ws/.envrc",
    "/ws/config/prod.env",
    "/ws/packages/a/.npmrc",
    "/home/me/.netrc",
    "/home/me/.pypirc",
    "/home/me/.ssh/config",
    "/home/me/.ssh/id_ed25519",
    "/ws/keys/id_rsa",
    "/ws/tls/server.key",
    "/ws/tls/server.pem",
    "/ws/android/release.keystore",
    "/ws/cert.p12",
    "/home/me/.aws/credentials",
    "/home/me/.config/gcloud/application_default_credentials.json",
    "/home/me/.kube/config",
    "/home/me/.docker/config.json",
    "/home/me/.git-credentials",
    "/home/me/.gnupg/private-keys-v1.d/a.key",
    "/ws/infra/prod.tfvars",
    "/ws/client_secret_123.json",
    "/etc/shadow",
    "/proc/1234/environ",
  ]) {
    it(`include ${path}`, () => assert.equal(looksSensitive(path, [], place), true));
  }

  for (const path of ["C:\\ws\\.env", "C:\\Users\\me\\.ssh\\id_rsa", "C:\\Users\\me\\_netrc"]) {
    it(`include ${path} on Windows`, () => assert.equal(looksSensitive(path, [], windows), true));
  }

  for (const path of [
    "/ws/src/env.ts",
    "/ws/environment.md",
    "/ws/keyboard.ts",
    "/ws/src/credentials.ts",
    "/ws/credentials/index.ts",
    "/ws/package.json",
    "/ws/id_rsa.md",
    "/ws/docs/ssh/config.md",
    "/ws/npmrc.txt",
    "/home/me/.config/other/settings.json",
  ]) {
    it(`do not include ${path}`, () => assert.equal(looksSensitive(path, [], place), false));
  }

  it("include the files that the settings name, in any case", () => {
    assert.equal(looksSensitive("/ws/Private/a.txt", ["private/**"], place), true);
    assert.equal(looksSensitive("/ws/deep/x.secret", ["**/*.secret"], place), true);
    assert.equal(looksSensitive("/ws/a.txt", ["private/**"], place), false);
  });
});

describe("the setting for sensitive globs", () => {
  it("keeps valid globs and reports invalid ones", () => {
    const { globs, problems } = readGlobSetting("parley.files.sensitive", ["**/secret/**", "a{b", 3, "../x"]);
    assert.deepEqual(globs, ["**/secret/**"]);
    assert.equal(problems.length, 3);
    assert.match(problems[0] ?? "", /^parley\.files\.sensitive: "a\{b" has an unbalanced brace/);
    assert.deepEqual(readGlobSetting("x", undefined), { globs: [], problems: [] });
    assert.equal(readGlobSetting("x", "**").problems.length, 1);
  });
});

describe("the sensitive globs of folders", () => {
  const read = (...values: readonly unknown[]): ReturnType<typeof readFolderGlobs> => readFolderGlobs("x", values);

  it("are those of the workspace and of each folder, each once", () => {
    assert.deepEqual(read(["a/**", "b"], ["b", "**/c"]), { globs: ["a/**", "b", "**/c"], problems: [] });
    assert.deepEqual(read(), { globs: [], problems: [] });
  });

  it("are bounded in number, length and alternatives, and the user reads how many are ignored", () => {
    const many = Array.from({ length: 300 }, (_, at) => `f${at}`);
    assert.equal(read(many).globs.length, 200);
    assert.match(read(many).problems[0] ?? "", /100 are ignored/);
    assert.deepEqual(read(["x".repeat(201), "y"]).globs, ["y"]);
    // Each stands for 100 alternatives.
    const braces = Array.from({ length: 20 }, (_, at) => `${at}{a,b,c,d,e,f,g,h,i,j}{0,1,2,3,4,5,6,7,8,9}`);
    assert.equal(read(braces).globs.length, 10);
  });

  it("are reported briefly if they are wrong, whatever they are", () => {
    const { globs, problems } = read([1, { a: "x".repeat(9999) }, null, "{", "a/../b", "**/ok"], "**", 3);
    assert.deepEqual(globs, ["**/ok", "**"]);
    assert.ok(problems.length <= 4 && problems.join("").length < 1000);
  });
});

describe("rules and secrets", () => {
  const verdict = (rule: Rule, facts: { readonly line?: string; readonly path?: string }): string =>
    evaluateRules(readRules([rule]), {
      agent: "bot",
      kind: facts.line === undefined ? "read" : "execute",
      ...(facts.line !== undefined && { command: parseCommandLine(facts.line, "posix") }),
      paths: facts.path === undefined ? [] : [facts.path],
      urls: [],
      trusted: true,
      place,
      isSensitive: path => looksSensitive(path, [], place),
    }).effect;

  it("do not let a URL rule cover a changed file, or a secret", () => {
    const set = readRules([{ effect: "allow", domain: "a.example" }]);
    const facts = { agent: "bot", urls: ["https://a.example/x"], trusted: true, place } as const;
    const isSensitive = (path: string): boolean => looksSensitive(path, [], place);
    const effectOf = (kind: string, paths: readonly string[]): string =>
      evaluateRules(set, { ...facts, kind, paths, isSensitive }).effect;
    assert.equal(effectOf("fetch", []), "allow");
    assert.equal(effectOf("fetch", ["/ws/a.html"]), "allow");
    assert.equal(effectOf("fetch", ["/ws/.env"]), "ask");
    assert.equal(effectOf("edit", ["/ws/a.ts"]), "ask");
    assert.equal(effectOf("read", ["/ws/a.ts"]), "ask");
  });

  it("do not let a command rule cover a changed file", () => {
    const command = parseCommandLine("ls", "posix");
    const facts = { agent: "bot", kind: "edit", command, urls: [], trusted: true, place } as const;
    const set = readRules([{ effect: "allow", command: "ls" }]);
    assert.equal(evaluateRules(set, { ...facts, paths: ["/ws/a.ts"] }).effect, "ask");
    assert.equal(evaluateRules(set, { ...facts, paths: [], kind: "execute" }).effect, "allow");
  });

  const rows: readonly (readonly [Rule, { readonly line?: string; readonly path?: string }, string])[] = [
    [{ effect: "allow", kind: "read" }, { path: "/ws/a.ts" }, "allow"],
    [{ effect: "allow", kind: "read" }, { path: "/ws/.env" }, "ask"],
    [{ effect: "allow", path: "**" }, { path: "/ws/.env" }, "ask"],
    [{ effect: "allow", path: "**/*" }, { path: "/ws/.env" }, "ask"],
    [{ effect: "allow", path: "**/{*,a}" }, { path: "/ws/.env" }, "ask"],
    [{ effect: "allow", path: "**/.env" }, { path: "/ws/.env" }, "allow"],
    [{ effect: "allow", path: ["**/*", "**/*.pem"] }, { path: "/ws/a.pem" }, "allow"],
    [{ effect: "allow", command: "cat **" }, { line: "cat a.ts" }, "allow"],
    [{ effect: "allow", command: "cat **" }, { line: "cat .env" }, "ask"],
    [{ effect: "allow", command: "cat **" }, { line: "cat a.ts ../home/.ssh/id_rsa" }, "ask"],
    [{ effect: "allow", command: "tool **" }, { line: "tool --file=.env" }, "ask"],
    [{ effect: "allow", command: "cat .env" }, { line: "cat .env" }, "allow"],
    [{ effect: "allow", command: "cat **" }, { line: "cat ~/.ssh/id_rsa" }, "ask"],
    [{ effect: "allow", command: "cat **" }, { line: "cat $HOME/.ssh/id_rsa" }, "ask"],
    [{ effect: "allow", command: "cat **" }, { line: "cat .en?" }, "ask"],
    [{ effect: "allow", command: "cat **" }, { line: 'cat "$PWD/.env"' }, "ask"],
    [{ effect: "allow", command: "cat **" }, { line: `cat ${"a ".repeat(1001)}` }, "ask"],
    [{ effect: "allow", kind: "execute" }, { line: "cat .env" }, "ask"],
    [{ effect: "allow", kind: "execute" }, { line: "cat a.ts" }, "allow"],
    [{ effect: "allow", command: "npm test" }, { line: "npm test", path: "/ws/.env" }, "ask"],
    [{ effect: "deny", path: "**/.env" }, { path: "/ws/.env" }, "deny"],
  ];
  for (const [rule, facts, expected] of rows) {
    it(`give ${facts.line ?? facts.path} the effect ${expected} with ${JSON.stringify(rule)}`, () => {
      assert.equal(verdict(rule, facts), expected);
    });
  }
});
