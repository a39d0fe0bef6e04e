// The file of environment variables that a definition of an MCP server names.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maskText } from "../../src/base/mask.ts";
import { readEnvFile } from "../../src/mcp/envFile.ts";

describe("the file of variables of an MCP server", () => {
  let root = "";
  let folder = "";
  before(() => {
    root = mkdtempSync(join(tmpdir(), "parley-env-"));
    folder = join(root, "workspace");
    mkdirSync(folder);
    writeFileSync(join(root, "outside.env"), "A=1\n");
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  const read = async (file: string, mustBeInside = true): Promise<Readonly<Record<string, string>>> =>
    (await readEnvFile(file, { server: "tickets", folder, mustBeInside })).variables;
  const write = (text: string): void => writeFileSync(join(folder, ".env"), text);

  it("is read with comments, quotes and `export`, by a relative or a full path", async () => {
    write('\uFEFF# a comment\r\nREGION=north # here\r\nexport NAME="two words"\nEMPTY=\nLINES="a\\nb"\nno variable\n');
    const expected = { REGION: "north", NAME: "two words", EMPTY: "", LINES: "a\nb" };
    assert.deepEqual(await read(".env"), expected);
    assert.deepEqual(await read(join(folder, ".env")), expected);
  });

  it("has credentials that are hidden in logs from then on, and other values that are not", async () => {
    write("TICKETS_API_KEY=walrus-and-carpenter\nSTAGE=development\n");
    await read(".env");
    assert.equal(maskText("got walrus-and-carpenter in development"), "got ••• in development");
  });

  it("of a workspace is in the workspace, also through links, and that of the user is anywhere", async () => {
    symlinkSync(join(root, "outside.env"), join(folder, "linked.env"));
    for (const file of ["../outside.env", join(root, "outside.env"), "linked.env"]) {
      await assert.rejects(read(file), {
        message: `The envFile ${file} of the MCP server tickets could not be read: it is outside the workspace folder.`,
      });
      assert.deepEqual(await read(file, false), { A: "1" });
    }
  });

  it("is read as UTF-8, and identified by its bytes", async () => {
    const digests = new Set<string>();
    for (const text of ["A=1\n", "A=2\n", "A=1", "A='1'\n", "\uFEFFA=1\n"]) {
      write(text);
      digests.add((await readEnvFile(".env", { server: "tickets", folder, mustBeInside: true })).digest);
    }
    assert.equal(digests.size, 5);
  });

  it("of a workspace sets no variable that chooses programs, also if a server of the user names it", async () => {
    const subject = "The envFile .env of the MCP server tickets";
    for (const name of [
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "PATH",
      "BASH_ENV",
      "PYTHONPATH",
      "GIT_SSH_COMMAND",
      "HTTPS_PROXY",
    ]) {
      write(`KEY=1\nexport ${name} = "x"\n`);
      for (const inside of [true, false])
        await assert.rejects(read(".env", inside), {
          message: `${subject} sets ${name}, which can choose what runs. Remove it, or set it in env of the definition.`,
        });
    }
    writeFileSync(join(root, "own.env"), "NODE_OPTIONS=--trace-warnings\n");
    assert.deepEqual(await read(join(root, "own.env"), false), { NODE_OPTIONS: "--trace-warnings" });
    // A link in the workspace chooses the file.
    symlinkSync(join(root, "own.env"), join(folder, "own.env"));
    await assert.rejects(read("own.env", false), /sets NODE_OPTIONS/);
    symlinkSync(join(folder, ".env"), join(root, "behind.env"));
    await assert.rejects(read(join(root, "behind.env"), false), /sets HTTPS_PROXY/);
  });

  it("is refused with a sentence if it cannot be read", async () => {
    const refused = async (file: string, reason: RegExp): Promise<void> => {
      for (const inside of [true, false]) await assert.rejects(read(file, inside), reason);
    };
    await refused("none.env", /^Error: The envFile none\.env of the MCP server tickets does not exist\.$/);
    mkdirSync(join(folder, "folder.env"));
    await refused("folder.env", /could not be read: it is not a file\.$/);
    writeFileSync(join(folder, "huge.env"), "A=".padEnd(1_000_001, "x"));
    await refused("huge.env", /could not be read: it has more than 1 MB\.$/);
    if (process.platform !== "win32") {
      execFileSync("mkfifo", [join(folder, "pipe.env")]);
      await refused("pipe.env", /could not be read: it is not a file\.$/);
    }
    write("A=b\0c\n");
    await refused(".env", /has a variable A with a NUL character\.$/);
    const nowhere = readEnvFile(".env", { server: "tickets", folder: "", mustBeInside: false });
    await assert.rejects(nowhere, /is not a full path, and no folder is open\.$/);
  });
});
