// The build fails with an error message when a file that it needs is missing. Otherwise a package could lack a page
// that has not been opened yet.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

describe("the build", () => {
  let folder: string;
  const build = (): { readonly status: number | null; readonly output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["esbuild.mjs", "--production"], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-build-"));
    for (const name of ["esbuild.mjs", "package.json", "src", "webview-ui", "examples/demo-agent"]) {
      cpSync(name, join(folder, name), { recursive: true });
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"), "junction");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("succeeds if all files exist", () => {
    const { status, output } = build();
    assert.equal(status, 0, output);
  });

  for (const missing of [
    "src/watchdog.ts",
    "webview-ui/diagram/diagram.ts",
    "webview-ui/diagram/diagram.css",
    "webview-ui/base/base.css",
    "webview-ui/panel/panel.css",
  ]) {
    it(`fails without ${missing}`, () => {
      rmSync(join(folder, missing), { recursive: true });
      const { status, output } = build();
      assert.notEqual(status, 0);
      assert.ok(output.includes(missing), output);
    });
  }

  it("fails when an output with a budget is not built", () => {
    const file = join(folder, "esbuild.mjs");
    writeFileSync(file, readFileSync(file, "utf8").replace('"dist/watchdog.js": 20_000', '"dist/other.js": 20_000'));
    const { status, output } = build();
    assert.notEqual(status, 0);
    assert.match(output, /dist\/other\.js has a budget but was not built/);
  });
});
