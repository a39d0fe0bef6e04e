// Adding agents of a registry on the loopback interface in the real VS Code, by mouse and by keyboard.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { tarGzOf } from "../support/fakes/archives.ts";
import { LoopbackRegistry } from "../support/fakes/loopbackRegistry.ts";
import { until } from "../support/fakes/until.ts";
import {
  openChat,
  openWorkbench,
  pictureThemes,
  runCommand,
  screenshot,
  startingSession,
  type Workbench,
} from "./harness.ts";

const icon = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><path fill="currentColor" d="${path}"/></svg>`;
const demoAgent = readFileSync(inProject("dist", "demo-agent.mjs"));

const rows = (page: Page): Locator => page.locator(".quick-input-list .monaco-list-row");
const row = (page: Page, text: string | RegExp): Locator => rows(page).filter({ hasText: text });
const dialog = (page: Page): Locator => page.locator(".monaco-dialog-box");
/** A picture of the window as a narrow one. */
async function screenshotNarrow(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 420, height: 700 });
  await screenshot(page, name);
  if (size) await page.setViewportSize(size);
}
/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string | RegExp): Promise<Locator> {
  const found = page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
  // The list closes when its last notification goes, for example that of the progress.
  await until(async () => {
    if (await found.isVisible()) return true;
    await runCommand(page, "Notifications: Show Notifications");
    return found.isVisible();
  });
  return found;
}

/** Waits for a notification, and removes it with all others. */
async function read(page: Page, text: string | RegExp): Promise<void> {
  await notified(page, text);
  await runCommand(page, "Notifications: Clear All Notifications");
}

for (const [theme, colors] of pictureThemes) {
  describe(`adding agents of a registry, ${theme} theme`, () => {
    let registry: LoopbackRegistry;
    let folder: string;
    let window: Workbench;

    before(async () => {
      registry = await LoopbackRegistry.start();
      folder = mkdtempSync(join(tmpdir(), "parley-registry-"));
      mkdirSync(join(folder, "bin"));
      // The stand-ins for npx and uvx start the demo agent for every package except the broken one.
      for (const name of ["npx", "uvx"]) {
        const broken = 'case "$*" in *broken*) echo "no such package" >&2; exit 1;; esac';
        program(
          join(folder, "bin", name),
          `${broken}\nexec "${process.execPath}" "${inProject("dist", "demo-agent.mjs")}"`,
        );
      }
    });
    after(async () => {
      await registry.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    function program(path: string, text: string): void {
      writeFileSync(path, `#!/bin/sh\n${text}\n`);
      chmodSync(path, 0o755);
    }

    /** The entries of the three agents, and of some that cannot be installed. */
    async function offer(
      version: string,
      fields: { readonly env?: object; readonly broken?: boolean } = {},
    ): Promise<void> {
      const name = `/agent-${version}.tar.gz`;
      const body = await tarGzOf([
        { name: "agent/run", content: `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/demo-agent.mjs" "$@"\n` },
        { name: "agent/demo-agent.mjs", content: demoAgent },
      ]);
      registry.answer(name, { body });
      registry.answer("/square.svg", { body: icon("M2 2h12v12H2z") });
      registry.answer("/ring.svg", {
        body: icon("M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8z"),
      });
      const common = {
        version,
        authors: ["Example Ltd."],
        license: "Apache-2.0",
        repository: "https://code.example/agent",
      };
      const binary = { archive: `${registry.origin}${name}`, cmd: "./agent/run", ...fields };
      const target = `${process.platform}-${process.arch === "arm64" ? "aarch64" : "x86_64"}`;
      registry.agents = [
        {
          ...{ id: "node-agent", name: "Node Agent", ...common, icon: `${registry.origin}/square.svg` },
          description: "Writes code with a package of npm",
          distribution: { npx: { package: `${fields.broken ? "broken" : "node-agent"}@${version}`, args: ["--acp"] } },
        },
        {
          ...{ id: "python-agent", name: "Python Agent", ...common, icon: `${registry.origin}/ring.svg` },
          description: "Writes code with a package of PyPI",
          distribution: { uvx: { package: `python-agent==${version}`, args: ["acp"] } },
        },
        {
          ...{ id: "native-agent", name: "Native Agent", ...common },
          description: "Writes code with a program of its own",
          distribution: { binary: { [target]: { ...binary, args: ["acp"] } } },
        },
        {
          id: "gemini",
          name: "Gemini CLI",
          version: "9.9.9",
          distribution: { npx: { package: "@google/gemini-cli@9.9.9" } },
        },
        { id: "odd-agent", name: "Odd Agent", version: "1.0.0", distribution: { docker: { image: "odd" } } },
        { id: "other-system", name: "Plan 9 Agent", version: "1.0.0", distribution: { binary: { "plan9-mips": {} } } },
        { id: "Not An ID", name: "Nameless", version: 7 },
      ];
    }

    const settings = (): Record<string, Record<string, unknown>> => {
      const file = readdirSync(window.server.dataDir, { recursive: true, encoding: "utf8" })
        .filter(name => /settings\.json$/.test(name) && !name.includes("profiles"))
        .map(name => JSON.parse(readFileSync(join(window.server.dataDir, name), "utf8")) as Record<string, unknown>)
        .find(each => "parley.agents" in each);
      return (file?.["parley.agents"] ?? {}) as Record<string, Record<string, unknown>>;
    };

    async function choose(page: Page, name: string): Promise<void> {
      await runCommand(page, "Parley: Add Agent…");
      await row(page, name).first().click();
    }

    async function press(page: Page, button: string): Promise<void> {
      await dialog(page).getByRole("button", { name: button, exact: true }).click();
      await dialog(page).waitFor({ state: "detached" });
    }

    async function startSession(page: Page, panel: FrameLocator, message: string, agent: string): Promise<void> {
      const start = (await notified(page, message)).getByRole("button", { name: "Start Session" });
      await startingSession(panel, () => start.click());
      await panel.getByRole("button", { name: `Agent: ${agent}` }).waitFor();
      await panel.getByRole("textbox", { name: "Message" }).fill("hello");
      await panel.getByRole("textbox", { name: "Message" }).press("Enter");
      await panel
        .getByRole("log", { name: "Conversation" })
        .getByText(/I am the demo agent/)
        .first()
        .waitFor();
    }

    it("installs, updates, rolls back and removes agents for npx, for uvx and with a program", async () => {
      await offer("1.0.0");
      window = await openWorkbench({
        settings: { "parley.agentRegistry": registry.address, "workbench.colorTheme": colors },
        env: { PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}` },
      });
      const { page } = window;
      const panel = await openChat(page);

      // The list.
      await runCommand(page, "Parley: Add Agent…");
      await row(page, "Node Agent").waitFor();
      await row(page, /Odd Agent.*docker/).waitFor();
      await screenshot(page, `registry-list-${theme}`);
      await screenshotNarrow(page, `registry-list-narrow-${theme}`);
      await page.keyboard.type("python");
      await row(page, "Python Agent").waitFor();
      await page.keyboard.press("Escape");
      assert.deepEqual(settings(), {}, "Nothing is installed by looking.");

      // An agent for npx, by mouse.
      await choose(page, "Node Agent");
      await dialog(page).getByText("npx --yes node-agent@1.0.0 --acp").waitFor();
      await screenshot(page, `registry-install-npx-${theme}`);
      await press(page, "Cancel");
      assert.deepEqual(settings(), {});
      await choose(page, "Node Agent");
      await press(page, "Install");
      await startSession(page, panel, "Node Agent 1.0.0 is installed.", "Node Agent");
      assert.deepEqual(settings()["node-agent"]?.["args"], ["--yes", "node-agent@1.0.0", "--acp"]);

      // An agent for uvx, by keyboard.
      await runCommand(page, "Parley: Add Agent…");
      await row(page, "Node Agent").waitFor();
      await page.keyboard.type("python");
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "Python Agent" }).waitFor();
      await page.keyboard.press("Enter");
      await dialog(page).getByText("uvx python-agent==1.0.0 acp").waitFor();
      await dialog(page).getByRole("button", { name: "Install" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await startSession(page, panel, "Python Agent 1.0.0 is installed.", "Python Agent");

      // An agent with a program of its own.
      await choose(page, "Native Agent");
      await dialog(page)
        .getByText(/Unverified/)
        .waitFor();
      await screenshot(page, `registry-install-program-${theme}`);
      await screenshotNarrow(page, `registry-install-program-narrow-${theme}`);
      await press(page, "Install");
      await startSession(page, panel, "Native Agent 1.0.0 is installed.", "Native Agent");
      const first = String(settings()["native-agent"]?.["command"]);
      assert.match(first, /native-agent\/1\.0\.0-[0-9a-f]{8}\/agent\/run$/);

      // Updates: what changes is shown, and a version that does not answer changes nothing.
      await offer("2.0.0", { env: { AGENT_MODE: "fast" }, broken: true });
      await runCommand(page, "Parley: Add Agent…");
      await row(page, /Native Agent.*2\.0\.0.*1\.0\.0 installed/).waitFor();
      await screenshot(page, `registry-updates-${theme}`);
      await row(page, "Native Agent").click();
      await row(page, "Update to 2.0.0").waitFor();
      await screenshot(page, `registry-actions-${theme}`);
      await row(page, "Update to 2.0.0").click();
      await dialog(page).getByText("+ variable: AGENT_MODE=fast").waitFor();
      await screenshot(page, `registry-update-${theme}`);
      await press(page, "Update");
      await read(page, "Native Agent 2.0.0 is installed.");
      const second = String(settings()["native-agent"]?.["command"]);
      assert.match(second, /native-agent\/2\.0\.0-/);
      assert.deepEqual(settings()["native-agent"]?.["env"], { AGENT_MODE: "fast" });
      assert.ok(existsSync(first) && existsSync(second));

      await choose(page, "Node Agent");
      await row(page, "Update to 2.0.0").click();
      await press(page, "Update");
      await notified(page, /Node Agent 2\.0\.0 was not installed, and version 1\.0\.0 stays/);
      await screenshot(page, `registry-update-failed-${theme}`);
      await runCommand(page, "Notifications: Clear All Notifications");
      assert.deepEqual(settings()["node-agent"]?.["args"], ["--yes", "node-agent@1.0.0", "--acp"]);

      await choose(page, "Python Agent");
      await row(page, "Update to 2.0.0").click();
      await press(page, "Update");
      await read(page, "Python Agent 2.0.0 is installed.");

      // Rolling back.
      for (const [id, name] of [
        ["native-agent", "Native Agent"],
        ["python-agent", "Python Agent"],
      ] as const) {
        await choose(page, name);
        await row(page, "Roll Back to 1.0.0").click();
        await dialog(page).getByText(`Roll back ${name} from 2.0.0 to 1.0.0?`).waitFor();
        await press(page, "Roll Back");
        await startSession(page, panel, `${name} is version 1.0.0 again.`, name);
        assert.match(JSON.stringify(settings()[id]), /1\.0\.0/);
      }
      assert.equal(settings()["native-agent"]?.["command"], first);

      // Removing.
      for (const name of ["Node Agent", "Python Agent", "Native Agent"]) {
        await choose(page, name);
        await row(page, "Remove…").click();
        await dialog(page).getByText(`Remove ${name}?`).waitFor();
        await press(page, "Remove");
        await read(page, `${name} was removed.`);
      }
      assert.deepEqual(settings(), {});
      assert.ok(!existsSync(first) && !existsSync(second));

      // An entry that cannot be installed says why.
      await choose(page, "Plan 9 Agent");
      await read(page, /Plan 9 Agent cannot be added\..*only for plan9-mips/);

      // Without a network, the list is that of the cache.
      await registry.stop();
      await runCommand(page, "Parley: Add Agent…");
      await row(page, "Native Agent").waitFor();
      await row(page, "Try Again").waitFor();
      await screenshot(page, `registry-offline-${theme}`);
      await page.keyboard.press("Escape");
      // VS Code also logs the notification of the version that did not start.
      assert.deepEqual(
        window.errors.filter(error => !error.startsWith("Node Agent 2.0.0 was not installed")),
        [],
      );
    });
  });
}
