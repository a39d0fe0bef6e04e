// What the list of agents says about their programs, without starting them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPresence } from "../../src/agents/agentPresence.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { WindowEnvironment } from "../../src/base/windowEnvironment.ts";

describe("the presence of an agent", function () {
  if (process.platform === "win32") return;
  let folder: string;
  let shells: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-presence-"));
    shells = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const program = (...path: string[]): void => {
    const file = join(folder, ...path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "#!/bin/sh\nexit 1\n");
    chmodSync(file, 0o755);
  };
  const environment = (): WindowEnvironment =>
    new WindowEnvironment({
      host: { PATH: join(folder, "host"), npm_config_cache: join(folder, "npm") },
      askShell: () => {
        shells++;
        return Promise.resolve({ shell: "/bin/zsh", path: join(folder, "shell") });
      },
    });
  const agent = (fields: Partial<AgentDefinition>): AgentDefinition => ({
    ...{ id: "a", name: "A", command: "robo", args: [], env: {}, missingFiles: "error", startTimeout: 60 },
    ...fields,
  });

  it("is found on the PATH of VS Code without the login shell, else on that of the login shell", async () => {
    program("host", "robo");
    assert.equal(await agentPresence(agent({}), environment()), "installed");
    assert.equal(shells, 0);
    assert.equal(await agentPresence(agent({ command: "nowhere" }), environment()), "notFound");
    program("shell", "other");
    assert.equal(await agentPresence(agent({ command: "other" }), environment()), "installed");
    assert.equal(shells, 2);
  });

  it("of a full path needs a program there, and that of a replaced PATH is unknown", async () => {
    program("own");
    assert.equal(await agentPresence(agent({ command: join(folder, "own") }), environment()), "installed");
    assert.equal(await agentPresence(agent({ command: join(folder, "gone") }), environment()), "notFound");
    assert.equal(await agentPresence(agent({ env: { PATH: "${env:PATH}:/x" } }), environment()), undefined);
    assert.equal(shells, 0);
  });

  it("of a package of npx is a download until npx has it", async () => {
    const packageSpec = "@scope/robo-cli@1.2.3";
    const robo = agent({ command: "npx", args: ["--yes", packageSpec, "--acp"] });
    assert.equal(await agentPresence(robo, environment()), "notFound");
    program("host", "npx");
    assert.equal(await agentPresence(robo, environment()), "downloads");
    const hash = createHash("sha512").update(packageSpec).digest("hex").slice(0, 16);
    program("npm", "_npx", hash, "node_modules", "@scope/robo-cli", "package.json");
    assert.equal(await agentPresence(robo, environment()), "installed");
    // With another program of the package, the package is in an option.
    const args = ["--yes", `--package=${packageSpec}`, "robo-acp", "--acp"];
    assert.equal(await agentPresence(agent({ command: "npx", args }), environment()), "installed");
  });
});
