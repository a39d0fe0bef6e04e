// `npm start` on a machine without VS Code: the printed address, its window, and Ctrl+C.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killTree, processTree } from "../../scripts/tools/processes.mjs";
import { inProject, waitFor } from "../../scripts/tools/project.mjs";
import { launchBrowser, restored } from "../../scripts/vscode/workbench.mjs";
import { chat } from "./harness.ts";

describe("npm start in the browser", () => {
  let tmp: string;
  let start: ChildProcess;
  let output = "";

  beforeEach(() => {
    tmp = mkdtempSync(join(tmpdir(), "parley-start-test-"));
    start = spawn(process.execPath, [inProject("scripts", "start.mjs"), "--browser", "--no-open", "--no-build"], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ["ignore", "pipe", "pipe"],
    });
    output = "";
    start.stdout?.on("data", data => (output += String(data)));
    start.stderr?.on("data", data => (output += String(data)));
  });

  afterEach(() => {
    if (start.pid && start.exitCode === null) killTree(start.pid);
    rmSync(tmp, { recursive: true, force: true });
  });

  it("opens the sample workspace with Parley, and leaves nothing behind after Ctrl+C", async () => {
    assert.ok(await waitFor(() => output.includes("Press Ctrl+C"), 60_000), output);
    const address = /http:\/\/127\.0\.0\.1:\S+/.exec(output)?.[0];
    assert.ok(address, output);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(address);
      await restored(page);
      // The chat opens by itself, beside a file of the sample.
      await chat(page).getByRole("textbox", { name: "Message" }).waitFor();
      await page.getByRole("tab", { name: /sum\.js/ }).waitFor();
      await page.getByText("sample-workspace").first().waitFor();
      assert.equal((await page.request.get(new URL("/", address).href, { headers: { cookie: "" } })).status(), 403);
    } finally {
      await browser.close();
    }
    assert.ok(start.pid);
    const tree = processTree(start.pid);
    assert.ok(tree.length > 1, "The server is not in the process tree, so this test cannot detect anything.");
    start.kill("SIGINT");
    assert.deepEqual(await once(start, "exit"), [0, null], output);
    const alive = tree.filter(({ pid, command }) => processTree(pid).some(each => each.command === command));
    assert.deepEqual(alive, []);
    assert.deepEqual(readdirSync(tmp), []);
  });
});
