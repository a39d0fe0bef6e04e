// When the extension host is killed, only the watchdog is left to end the processes that the host started.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie process, which its parent has not reaped, counts as ended.
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

describe("the watchdog", function () {
  const folder = mkdtempSync(join(tmpdir(), "parley-watchdog-"));
  before(async () => {
    const common = {
      bundle: true,
      platform: "node",
      target: "node20",
      outdir: folder,
      entryNames: "[name]",
      logLevel: "error",
    } as const;
    await build({ ...common, entryPoints: ["src/watchdog.ts", "test/support/fakes/watchedHost.ts"], format: "cjs" });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("ends the processes of a killed host within 5 s, also a descendant that ignores SIGTERM", async () => {
    const agent = join(process.cwd(), "test/support/agents/bad.mjs");
    const host = spawn(process.execPath, [join(folder, "watchedHost.js"), join(folder, "watchdog.js"), agent, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = (await once(host.stdout, "data")) as [Buffer];
    const pid = Number(/\d+/.exec(output.toString())?.[0]);
    assert.ok(isAlive(pid), "the descendant runs");
    host.kill("SIGKILL");
    const killed = Date.now();
    while (isAlive(pid)) {
      assert.ok(Date.now() - killed < 5000, "the descendant is still there");
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  });
});
