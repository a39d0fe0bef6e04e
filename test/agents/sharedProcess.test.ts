// Two sessions of one agent share its process: what a restart, a crash and changed settings do to the other session.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { Session } from "../../src/session/session.ts";
import { contentText, isBusy } from "../../src/session/state.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { until } from "../support/fakes/until.ts";

describe("two sessions of one process", function () {
  let pool: AgentPool;
  let folder: string;
  let definition: AgentDefinition;
  let sessions: Session[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-shared-"));
    pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"));
    const args = [join(process.cwd(), "test/support/agents/bad.mjs"), "ignores-cancel"];
    definition = { id: "bad", name: "Bad Agent", command: process.execPath, args, env: {}, missingFiles: "error", startTimeout: 20 }; // prettier-ignore
    sessions = [];
  });
  afterEach(async () => {
    for (const session of sessions) session.dispose();
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Session> {
    let ids = 0;
    const id = `session${sessions.length}`;
    const session = new Session({
      id,
      agent: { id: definition.id, name: definition.name },
      workspaceFolder: folder,
      clock: systemClock,
      log: nullLog,
      newId: () => `${id}-${++ids}`,
      connection: {
        connect: onProgress => pool.get(definition, ({ state }) => onProgress(state)),
        restart: () => pool.stop(definition.id),
      },
      createServices: report =>
        questionServices(new PermissionBroker({ report, newId: () => `${id}-q${++ids}` }), () => {}),
    });
    sessions.push(session);
    await session.open();
    assert.equal(session.state.connection?.state, "ready");
    return session;
  }

  async function work(session: Session, text: string): Promise<void> {
    session.send([{ type: "text", text }]);
    await until(() => isBusy(session.state));
  }

  const prompts = ({ state }: Session): readonly string[] =>
    [...state.entries].flatMap(entry =>
      entry.kind === "message" && entry.author === "user" ? [contentText(entry.content)] : [],
    );

  it("both end when one restarts it: the other says why, and its next prompt continues it", async () => {
    const [one, other] = [await start(), await start()];
    await work(other, "first");
    await one.restart();
    assert.equal(one.state.connection?.state, "ready");
    assert.match(other.state.lost?.message ?? "", /^Bad Agent was stopped because another session restarted it\./);
    assert.equal(isBusy(other.state), false);
    await work(other, "second");
    assert.deepEqual([other.state.lost, prompts(other)], [null, ["first", "second"]]);
  });

  it("both end when the settings of the agent change, and the other continues at one press", async () => {
    const one = await start();
    definition = { ...definition, env: { CHANGED: "1" } };
    await start();
    assert.match(one.state.lost?.message ?? "", /because its settings have changed\./);
    assert.deepEqual(one.state.lost?.next, ["retry"]);
    await one.open();
    assert.deepEqual([one.state.lost, one.state.connection?.state], [null, "ready"]);
  });

  it("both end when it crashes, and share the next process", async () => {
    definition = { ...definition, args: [...definition.args.slice(0, 1), "dies-in-turn"] };
    const [one, other] = [await start(), await start()];
    const { agent } = await pool.get(definition, () => {});
    one.send([{ type: "text", text: "go" }]);
    await until(() => one.state.lost !== null && other.state.lost !== null);
    assert.deepEqual(one.state.lost?.message, other.state.lost?.message);
    await Promise.all([one.open(), other.open()]);
    assert.deepEqual([one.state.connection?.state, other.state.connection?.state], ["ready", "ready"]);
    assert.notEqual((await pool.get(definition, () => {})).agent, agent);
  });
});
