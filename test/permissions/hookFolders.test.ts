// The hook folders that a repository configures, and their protection.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGit } from "../../src/git/gitProgram.ts";
import { configuredHookFolders } from "../../src/git/hookFolders.ts";
import { defaultProtection, protectionTest } from "../../src/permissions/protectedFiles.ts";
import { gate } from "../support/fakes/accessGate.ts";

describe("the hook folders of a repository", () => {
  const git = findGit();
  let root: string;
  // The tests must not depend on the user's own configuration.
  const own = process.env["GIT_CONFIG_GLOBAL"];
  before(() => (process.env["GIT_CONFIG_GLOBAL"] = "/dev/null"));
  after(() => {
    if (own === undefined) delete process.env["GIT_CONFIG_GLOBAL"];
    else process.env["GIT_CONFIG_GLOBAL"] = own;
  });
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "parley-hooks-")));
    await mkdir(join(root, "sub"));
    run("init", "-q");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const run = (...args: readonly string[]): void => void execFileSync("git", args, { cwd: root, stdio: "pipe" });
  const folders = (folder = root): Promise<readonly string[]> => {
    assert.ok(git, "git is needed");
    return configuredHookFolders(git, folder);
  };

  it("are none by default", async () => {
    assert.deepEqual(await folders(), []);
  });

  it("are resolved against the root of the work tree, also from a folder below it", async () => {
    run("config", "core.hooksPath", "tools/hooks");
    assert.deepEqual(await folders(), [join(root, "tools/hooks")]);
    assert.deepEqual(await folders(join(root, "sub")), [join(root, "tools/hooks")]);
  });

  it("may be absolute", async () => {
    run("config", "core.hooksPath", "/opt/our hooks");
    assert.deepEqual(await folders(), ["/opt/our hooks"]);
  });

  it("are all that are configured, also in an included file", async () => {
    run("config", "core.hooksPath", "one");
    run("config", "--add", "core.hooksPath", "two");
    await writeFile(join(root, "more"), "[core]\n\thooksPath = three\n");
    run("config", "include.path", "../more");
    assert.deepEqual(
      await folders(),
      ["one", "two", "three"].map(name => join(root, name)),
    );
  });

  it("are found without running a program from the configuration", async () => {
    await writeFile(join(root, "evil.sh"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
    for (const name of ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand"])
      run("config", name, join(root, "evil.sh"));
    run("config", "core.hooksPath", "hooks");
    assert.deepEqual(await folders(), [join(root, "hooks")]);
    await assert.rejects(realpath(join(root, "ran")), { code: "ENOENT" });
    await assert.rejects(realpath(join(root, "sub/ran")), { code: "ENOENT" });
  });

  it("are none outside of a repository", async () => {
    await rm(join(root, ".git"), { recursive: true });
    assert.deepEqual(await folders(), []);
  });
});

describe("files in a configured hook folder", () => {
  const place = { roots: ["/ws"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
  const rows: readonly (readonly [folder: string, path: string, expected: string | undefined])[] = [
    ["/ws/tools/hooks", "/ws/tools/hooks/pre-commit", "ask"],
    ["/ws/tools/hooks", "/ws/tools/hooks/lib/deep.sh", "ask"],
    ["/ws/tools/hooks", "/ws/tools/hooks", "ask"],
    ["/ws/tools/hooks", "/ws/Tools/Hooks/pre-commit", "ask"],
    ["/ws/tools/hooks", "/ws/tools/h\u200cooks/pre-commit", "ask"],
    ["/ws/tools/hooks/", "/ws/tools/./hooks/pre-commit", "ask"],
    ["/ws/tools/hooks", "/ws/tools/hooks.md", undefined],
    ["/ws/{a,b}*", "/ws/{a,b}*/pre-commit", "ask"],
    ["/ws/tools/hooks", "/ws/tools/hooks/Makefile", "ask"],
    ["/ws/.git/hooks", "/ws/.git/hooks/pre-commit", "refuse"],
    // Of the whole work tree, only the files that git would run.
    ["/ws", "/ws/pre-commit", "ask"],
    ["/ws", "/ws/src/a.ts", undefined],
    ["/", "/ws/src/a.ts", undefined],
  ];
  for (const [folder, path, expected] of rows) {
    it(`are protected by ${folder}: ${path} as ${expected ?? "other files"}`, () => {
      assert.equal(protectionTest({ ...defaultProtection, hookFolders: [folder] }, place)(path), expected);
    });
  }

  it("are recognised by Windows paths", () => {
    const windows = { roots: ["C:\\ws"], platform: "windows", ignoresCase: true, home: "C:\\Users\\me" } as const;
    const test = protectionTest({ ...defaultProtection, hookFolders: ["C:/ws/tools/hooks"] }, windows);
    assert.equal(test("c:\\ws\\tools\\hooks\\pre-commit"), "ask");
    assert.equal(test("C:\\ws\\src\\a.ts"), undefined);
  });

  it("are not protected if the user has taken them out", () => {
    const settings = { ...defaultProtection, overrides: [["tools/**", false]] as const, hookFolders: ["/ws/tools"] };
    assert.equal(protectionTest(settings, place)("/ws/tools/pre-commit"), false);
  });

  it("are asked about, also behind a link, and other files are not", async () => {
    const { admit, asked, documents } = gate({ hookFolders: ["/ws/tools/hooks"] });
    documents.resolver.links.set("/ws/link", "/ws/tools/hooks");
    assert.equal(await admit("write", "/ws/tools/hooks/pre-commit"), true);
    assert.equal(await admit("write", "/ws/link/post-merge"), true);
    assert.equal(await admit("write", "/ws/tools/a.ts"), false);
    assert.equal(await admit("read", "/ws/tools/hooks/pre-commit"), false);
    assert.equal(asked.length, 2);
    assert.match(asked[0]?.title ?? "", /which can run programs by itself$/);
  });

  it("are not allowed by a wildcard rule for the agent's own question", async () => {
    const rule = { effect: "allow", kind: "edit", path: "**" } as const;
    const { policy } = gate({ hookFolders: ["/ws/tools/hooks"], rules: [rule] });
    const decisions = ["/ws/tools/hooks/pre-commit", "/ws/tools/a.ts"].map(path =>
      policy.decide({
        title: "Edit",
        options: [{ id: "yes", name: "Allow", kind: "allow_once" }],
        tool: { kind: "edit", locations: [{ path }] },
      }),
    );
    const [hook, other] = await Promise.all(decisions);
    assert.equal(hook?.decision, undefined);
    assert.match(hook?.reason ?? "", /run programs/);
    assert.equal(other?.decision?.option, "yes");
  });
});
