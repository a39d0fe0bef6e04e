// Attacks on an agent that npx starts, with the real npm and a registry on loopback: what an opened folder contains is
// no part of an agent's start. Each attack also runs with `cwd` set to the opened folder, where it succeeds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";

const packageName = "parley-planted-files";
const version = "1.0.0";

/** The folders and files of one attack. */
interface Stage {
  /** The opened folder, three levels below `place`. */
  readonly folder: string;
  readonly place: string;
  /** Planted code creates this file. */
  readonly trace: string;
}

interface Attack {
  readonly title: string;
  /** npm has not downloaded the agent yet. */
  readonly isFirstStart?: true;
  readonly plant: (stage: Stage) => void;
}

const attacks: readonly Attack[] = [
  {
    title: "the registry in .npmrc",
    isFirstStart: true,
    plant: ({ folder }) => write(join(folder, ".npmrc"), `registry=${urlOf(hostileRegistry)}\n`),
  },
  {
    title: "the script shell in .npmrc",
    plant: ({ folder, trace }) => {
      const shell = join(folder, "shell");
      write(shell, `#!/bin/sh\n: > "${trace}"\nexec /bin/sh "$@"\n`, 0o755);
      write(join(folder, ".npmrc"), `script-shell=${shell}\n`);
    },
  },
  {
    title: "the options of Node.js in .npmrc",
    plant: ({ folder, trace }) => {
      write(join(folder, "planted.cjs"), `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "");\n`);
      write(join(folder, ".npmrc"), `node-options=--require=${join(folder, "planted.cjs")}\n`);
    },
  },
  {
    title: "a package in node_modules with the name and version of the agent",
    plant: ({ folder, trace }) => {
      const modules = join(folder, "node_modules");
      cpSync(agentPackage, join(modules, packageName), { recursive: true });
      write(join(modules, ".bin", packageName), program(trace), 0o755);
    },
  },
  {
    title: "a program named node in node_modules/.bin",
    plant: ({ folder, trace }) => write(join(folder, "node_modules", ".bin", "node"), interpreter(trace), 0o755),
  },
  {
    title: "a program named node in node_modules/.bin of a parent folder",
    plant: ({ place, trace }) => write(join(place, "outer", "node_modules", ".bin", "node"), interpreter(trace), 0o755),
  },
];

/** A program that leaves its trace and runs the real Node.js, so that the agent answers in any case. */
const interpreter = (trace: string): string => `#!/bin/sh\n: > "${trace}"\nexec "${process.execPath}" "$@"\n`;

/** A program that leaves its trace and is the agent. */
const program = (trace: string): string =>
  `#!/bin/sh\n: > "${trace}"\nexec "${process.execPath}" "${join(agentPackage, "agent.mjs")}" none\n`;

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-planted-")));
const agentPackage = join(root, "package");
let registry: Server;
let hostileRegistry: Server;
let requestsOfHostile = 0;

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** Serves one package, as the npm registry does. */
async function serve(tarball: Buffer, onRequest: () => void): Promise<Server> {
  const server = createServer((request, response) => {
    onRequest();
    if (request.url?.endsWith(".tgz")) return void response.end(tarball);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${urlOf(server)}${packageName}.tgz`, integrity };
    const manifest = { ...packageJson, dist };
    const found = { name: packageName, "dist-tags": { latest: version }, versions: { [version]: manifest } };
    if (request.url !== `/${packageName}`) response.statusCode = 404;
    response.setHeader("content-type", "application/json").end(JSON.stringify(found));
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const packageJson = { name: packageName, version, bin: { [packageName]: "start.mjs" } };

describe("files in the opened folder", function () {
  before(async function () {
    // The planted programs are shell scripts.
    if (process.platform === "win32") this.skip();
    cpSync(join(process.cwd(), "test/support/agents"), agentPackage, { recursive: true });
    cpSync(join(agentPackage, "bad.mjs"), join(agentPackage, "agent.mjs"));
    write(join(agentPackage, "package.json"), JSON.stringify(packageJson));
    const start = `#!/usr/bin/env node\nprocess.argv[2] = "none";\nawait import("./agent.mjs");\n`;
    write(join(agentPackage, "start.mjs"), start, 0o755);
    const env = { ...environment(join(root, "cache")), PATH: process.env["PATH"] };
    execFileSync("npm", ["pack", "--silent", "--pack-destination", root], { cwd: agentPackage, env });
    const tarball = readFileSync(join(root, `${packageName}-${version}.tgz`));
    registry = await serve(tarball, () => {});
    hostileRegistry = await serve(tarball, () => requestsOfHostile++);
    // The registry is a setting of the user, as in a company, and not of the environment, which is stronger.
    const settings = [`registry=${urlOf(registry)}`, "audit=false", "fund=false", "update-notifier=false"];
    write(join(root, "home", ".npmrc"), settings.join("\n"));
  });
  after(() => {
    for (const server of [registry, hostileRegistry]) {
      server?.closeAllConnections();
      server?.close();
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Variables of an `npm run` around the tests would be stronger than `.npmrc`. */
  function environment(cache: string): Record<string, string> {
    const names = Object.keys(process.env).filter(name => /^npm_/i.test(name));
    return {
      ...Object.fromEntries(names.map(name => [name, ""])),
      HOME: join(root, "home"),
      NO_PROXY: "127.0.0.1",
      no_proxy: "127.0.0.1",
      npm_config_cache: cache,
      npm_config_userconfig: join(root, "home", ".npmrc"),
    };
  }

  /** Whether something that was planted in the opened folder has run or was used. */
  async function start(attack: Attack, where: "default" | "opened folder"): Promise<boolean> {
    const place = mkdtempSync(join(root, "stage-"));
    const folder = join(place, "outer", "inner", "opened");
    mkdirSync(folder, { recursive: true });
    const stage: Stage = { folder, place, trace: join(place, "trace") };
    attack.plant(stage);
    const definition: AgentDefinition = {
      id: "planted",
      name: "Agent",
      command: "npx",
      args: ["--yes", `${packageName}@${version}`],
      env: environment(attack.isFirstStart ? join(place, "cache") : join(root, "cache")),
      missingFiles: "error",
      startTimeout: 100,
      ...(where === "opened folder" && { cwd: folder }),
    };
    requestsOfHostile = 0;
    const pool = new AgentPool(nullLog, systemClock, "0.0.0", join(place, "storage", "agents"));
    try {
      const { agent } = await pool.get(definition, () => {});
      // The agent has run and opens sessions in the folder.
      await agent.open({ cwd: folder, connection: 1 }, { report: () => {} } as never);
      return existsSync(stage.trace) || requestsOfHostile > 0;
    } finally {
      await pool.dispose();
    }
  }

  for (const attack of attacks) {
    it(`take no part in the start of an agent: ${attack.title}`, async () => {
      assert.equal(await start(attack, "default"), false);
    });
    it(`take part in it if the user starts the agent there: ${attack.title}`, async () => {
      assert.equal(await start(attack, "opened folder"), true);
    });
  }
});
