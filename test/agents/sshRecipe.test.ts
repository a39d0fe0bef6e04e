// The recipe of the README for an agent on another machine: its entry of `parley.agents`, with a stand-in for ssh that runs
// the command of the last argument in a shell, as the far machine does.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import { resolveAgents } from "../../src/agents/registry.ts";
import { asProblem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { parseJsonc } from "../../src/mcp/jsonc.ts";

/** The entry of the README. */
function recipe(): Record<string, unknown> {
  const [, text] = /```jsonc\n("far": \{[^`]*)```/.exec(readFileSync("README.md", "utf8")) ?? [];
  const { far } = parseJsonc(`{${text ?? ""}}`) as { readonly far: Record<string, unknown> };
  return far;
}

describe("the recipe for an agent behind ssh", function () {
  if (process.platform === "win32") return;
  let folder: string;
  let pool: AgentPool;
  const program = (name: string, text: string): void =>
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-ssh-"));
    mkdirSync(join(folder, "bin"));
    pool = new AgentPool(nullLog, systemClock, "0", join(folder, "agents"));
  });
  afterEach(async () => {
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const connect = (): ReturnType<AgentPool["get"]> => {
    const PATH = `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
    const { agents } = resolveAgents([], { far: { ...recipe(), env: { PATH } } });
    const definition = agents.find(({ id }) => id === "far") ?? assert.fail();
    return pool.get(definition, () => {});
  };

  it("starts the agent there without a terminal and without a question", async () => {
    const given = join(folder, "given");
    program("ssh", `printf '%s\\n' "$@" > '${given}'\nfor last; do :; done\n/bin/sh -c "$last"`);
    program("my-agent", `exec '${process.execPath}' '${join(process.cwd(), "test/support/agents/bad.mjs")}' none`);
    const { agent } = await connect();
    assert.equal(agent.info.name, "Bad Agent");
    assert.deepEqual(readFileSync(given, "utf8").trim().split("\n"), [
      ...["-T", "-o", "BatchMode=yes", "build-host", "exec my-agent --acp"],
    ]);
    await pool.stop("far");
  });

  it("shows what ssh says if it cannot sign in", async () => {
    program("ssh", "echo 'me@build-host: Permission denied (publickey).' >&2\nexit 255");
    const problem = await connect().then(
      () => assert.fail("it connected"),
      (error: unknown) => asProblem(error),
    );
    assert.match(problem.message, /^Agent on build-host ended with code 255 before it was ready/);
    assert.match(problem.detail ?? "", /Permission denied \(publickey\)/);
  });
});
