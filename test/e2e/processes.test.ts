// The processes of an agent end with its window, however the window ends: the agent itself, its commands, and their
// child processes. The test identifies them by the process IDs that they write into the workspace.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import type { Server } from "../../scripts/vscode/server.mjs";
import { isAlive } from "../support/fakes/until.ts";
import { chooseAgent, tempers, withAgents, type Temper } from "./agents.ts";
import { allowCommand, closeWindow, newSession, openChat, reloadWindow, type Workbench } from "./harness.ts";

/** The maximum time until all processes are gone. Milliseconds. */
const limit = 5000;

/**
 * A command that starts a second process, which starts a third. All of them keep the output open and write nothing, so
 * that none of them notices its end. The second and third ignore SIGTERM, and the third has its own process group.
 */
const command = `
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const roles = ["command", "grandchild", "escaped"];
const [, file, role = "command"] = process.argv;
const next = roles[roles.indexOf(role) + 1];
if (role !== "command") for (const name of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(name, () => {});
if (next) spawn(process.execPath, [file, next], { stdio: "inherit", detached: next === "escaped" });
writeFileSync(role + ".pid", String(process.pid));
setInterval(() => {}, 1000);
`;
const roles = ["agent", "command", "grandchild", "escaped"] as const;

describe("the processes of an agent", function () {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  const files = Object.fromEntries(tempers.map(agent => [`${agent}/command.cjs`, command]));

  it("are gone within 5 s after the extension host is killed, the window is reloaded, or the window is closed", async () => {
    const workbench = await withAgents(files);
    // A desktop VS Code has many processes and doesn't report which one is the extension host.
    if ("extensionHost" in workbench.server) {
      const killed = [await started(workbench, "patient"), await started(workbench, "stubborn")];
      killHost(workbench.server);
      await areGone(killed);
      await reloadWindow(workbench.page);
    }
    const reloaded = await started(workbench, "stubborn");
    await reloadWindow(workbench.page);
    await areGone([reloaded]);
    const closed = await started(workbench, "stubborn");
    await closeWindow(workbench);
    await areGone([closed]);
  });
});

function killHost(server: Server): void {
  const host = server.extensionHost();
  assert.ok(host, "there is an extension host");
  process.kill(host.pid, "SIGKILL");
}

type Pids = Readonly<Record<(typeof roles)[number], number>>;

/** Lets the agent run the command, and waits until all of its processes run. */
async function started({ page, folder }: Workbench, agent: Temper): Promise<Pids> {
  const file = (role: string): string => join(folder, agent, `${role}.pid`);
  for (const role of roles) rmSync(file(role), { force: true });
  const panel = await openChat(page);
  await newSession(page, panel);
  await chooseAgent(panel, agent);
  const params = { command: process.execPath, args: ["command.cjs"], cwd: join(folder, agent) };
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(JSON.stringify([{ request: "terminal/create", params }]));
  await composer.press("Enter");
  await allowCommand(panel);
  const numberOf = (role: string): number => (existsSync(file(role)) ? Number(readFileSync(file(role), "utf8")) : 0);
  await waitFor(() => roles.every(role => numberOf(role) > 0), 30_000);
  const pids = Object.fromEntries(roles.map(role => [role, numberOf(role)])) as Pids;
  assert.deepEqual(living(pids), roles, "all processes run");
  return pids;
}

const living = (pids: Pids): readonly (keyof Pids)[] => roles.filter(role => pids[role] > 0 && isAlive(pids[role]));

async function areGone(all: readonly Pids[]): Promise<void> {
  const from = performance.now();
  const left = (): readonly string[] => all.flatMap(living);
  await waitFor(() => left().length === 0, limit, 20);
  const stayed = left();
  console.log(`    after ${Math.round(performance.now() - from)} ms`);
  for (const pids of all) for (const role of living(pids)) process.kill(pids[role], "SIGKILL");
  assert.deepEqual(stayed, [], "some processes still run");
}
