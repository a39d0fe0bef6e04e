// Reports an agent's locations inside the extension host, for follow.ts, which watches the window for them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { emptySession } from "../../src/session/state.ts";
import { FedEvents } from "../support/fakes/fedEvents.ts";
import { FollowController } from "../../src/follow/vscode/followController.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { agentName, lastLine, type AgentUpdate } from "./followPlaces.ts";

/** The time between two updates (ms), so long that they are painted separately. */
const apart = 300;

/**
 * Opens the workspace's `long.ts`, moves an agent down its first lines, and writes the times of the updates, or the
 * error.
 */
export async function measureFollowing(outcome: string): Promise<void> {
  try {
    writeFileSync(outcome, JSON.stringify(await moveAgent()));
  } catch (error) {
    writeFileSync(outcome, JSON.stringify({ error: String(error) }));
  }
}

async function moveAgent(): Promise<readonly AgentUpdate[]> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const path = join(folder, "long.ts");
  await vscode.window.showTextDocument(vscode.Uri.file(path));
  const follow = new FollowController({
    clock: systemClock,
    log: nullLog,
    turn: () => "",
  });
  const agent = follow.startSession(new Confinement(nodePaths(), [folder]), "session");
  follow.show("session");
  const activity = { state: "running", since: 0 };
  agent.stateChanged(emptySession, { ...emptySession, agent: { id: "bench", name: agentName }, activity });
  const fed = new FedEvents(() => agent);
  const times: AgentUpdate[] = [];
  for (let line = 1; line <= lastLine; line++) {
    await new Promise(resolve => setTimeout(resolve, apart));
    times.push({ line, at: performance.timeOrigin + performance.now() });
    const patch = { kind: "read", status: "in_progress", locations: [{ path, line }] } as const;
    fed.feed({ type: "tool", toolCallId: `${line}`, patch });
  }
  await new Promise(resolve => setTimeout(resolve, 10 * apart));
  follow.dispose();
  return times;
}
