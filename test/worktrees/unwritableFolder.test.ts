// Worktrees in folders without write access. Root may write everywhere, so another user runs the code if the tests run as root.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { inProject } from "../../scripts/tools/project.mjs";
import { RealRepository } from "../support/fakes/realRepository.ts";

/** The user and the group “nobody” of most systems. */
const nobody = 65_534;

describe("a worktree in a folder without write access", () => {
  let real: RealRepository;
  beforeEach(async function () {
    if (process.platform === "win32") return this.skip();
    real = await RealRepository.create({ "a.txt": "a\n" });
  });
  afterEach(() => {
    chmodSync(real.base, 0o755);
    return real.remove();
  });

  /** What another user gets who makes a worktree in the folder: its path, or the error. */
  async function made(parent: string | undefined): Promise<string> {
    const from = (path: string): string => JSON.stringify(inProject("src", ...path.split("/")));
    const contents = `
      import { findGit } from ${from("git/gitProgram.ts")};
      import { findRepository } from ${from("git/gitWorktrees.ts")};
      import { makeWorktree } from ${from("worktrees/makeWorktree.ts")};
      import { WorktreeRecords } from ${from("worktrees/worktreeRecords.ts")};
      const [app, records, parent] = ${JSON.stringify([real.app, join(real.base, "records"), parent ?? null])};
      const git = findGit();
      const repository = await findRepository(git, app);
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const choices = { repository, branch: "one", base: repository.head, takesUncommitted: false, copy: [] };
      const options = { git, records: new WorktreeRecords(records, log), clock: { now: () => 1 } };
      const result = makeWorktree({ ...choices, parent: parent ?? undefined }, options);
      console.log(await result.then(one => one.folder, error => \`\${error.constructor.name}: \${error.message}\`));`;
    chmodSync(real.base, 0o755);
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: inProject() },
      ...{ bundle: true, platform: "node", format: "esm", write: false, keepNames: true },
    });
    const script = join(real.base, "script.mjs");
    writeFileSync(script, outputFiles[0]?.contents ?? "");
    const own = ["app", "records", "own"].map(name => join(real.base, name));
    for (const folder of own) mkdirSync(folder, { recursive: true });
    // Git refuses a repository of another user.
    const isRoot = process.getuid?.() === 0;
    const give = (user: number): void => void (isRoot && execFileSync("chown", ["-R", `${user}:${user}`, ...own]));
    give(nobody);
    // Everyone may look into it, and nobody but root may write.
    chmodSync(real.base, 0o555);
    try {
      const user = isRoot ? { uid: nobody, gid: nobody } : {};
      const env = { ...process.env, HOME: join(real.base, "own") };
      return execFileSync(process.execPath, [script], { ...user, env, encoding: "utf8" }).trim();
    } finally {
      give(0);
    }
  }

  it("is refused with a sentence that names the folder and the setting, and leaves nothing", async () => {
    const refusal = (folder: string): string =>
      `WorktreeUnavailableError: Parley cannot write in “${folder}”. Choose another folder for worktrees with “parley.worktrees.folder”.`;
    const beside = join(real.base, "app.worktrees");
    assert.equal(await made(undefined), refusal(beside), "beside the repository, in a folder that does not exist");
    assert.equal(await made(real.base), refusal(real.base), "in a folder of the setting that exists");
    assert.equal(await made(join(real.base, "deep", "er")), refusal(join(real.base, "deep", "er")));
    assert.equal(real.branches, "main");
  });

  it("is made in another folder that the setting names", async () => {
    assert.equal(await made(join(real.base, "own")), join(real.base, "own", "one"));
  });
});
