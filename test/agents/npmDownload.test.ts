// A first start by npx, which prints nothing: the progress has what npm downloads, from npm's log.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";

describe("a first start by npx", function () {
  if (process.platform === "win32") return;
  let folder: string;
  let pool: AgentPool;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-npx-"));
    pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"));
  });
  afterEach(async () => {
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows the last download of npm, of this package and this start only", async () => {
    const log = (title: string, file: string): string =>
      [
        `7 verbose title npm exec ${title}`,
        "8 silly idealTree buildDeps",
        `9 http fetch GET 200 https://registry.example/${file} 20ms (cache miss)`,
        "10 http fetch GET 200 https://registry.example/known 2ms (cache revalidated)",
        "11 silly reify mark retired []",
      ].join("\n");
    writeFileSync(join(folder, "2020-01-01T00_00_00_000Z-debug-0.log"), log("robo@1.0.0 acp", "earlier.tgz"));
    writeFileSync(join(folder, "9999-01-01T00_00_00_000Z-debug-0.log"), log("other@1.0.0", "other.tgz"));
    const npx = join(folder, "npx");
    const script = `#!${process.execPath}
      const { existsSync, writeFileSync } = require("node:fs");
      const name = new Date().toISOString().replace(/[.:]/g, "_") + "-debug-0.log";
      writeFileSync(process.env.npm_config_logs_dir + "/" + name, process.env.LOG);
      const wait = setInterval(() => {
        if (!existsSync(${JSON.stringify(join(folder, "seen"))})) return;
        clearInterval(wait);
        process.argv.splice(2, 2);
        import(${JSON.stringify(join(process.cwd(), "test/support/agents/bad.mjs"))});
      }, 20);`;
    writeFileSync(npx, script, { mode: 0o755 });
    const definition: AgentDefinition = {
      ...{ id: "robo", name: "Robo", command: npx, args: ["--yes", "robo@1.0.0", "none"], missingFiles: "error" },
      env: { npm_config_logs_dir: folder, LOG: log("robo@1.0.0 none", "robo.tgz") },
      startTimeout: 20,
    };
    const details: (string | undefined)[] = [];
    await pool.get(definition, ({ detail }) => {
      details.push(detail);
      if (detail !== undefined) writeFileSync(join(folder, "seen"), "");
    });
    assert.deepEqual(
      details.filter(detail => detail !== undefined),
      ["npm http fetch robo.tgz"],
    );
  });
});
