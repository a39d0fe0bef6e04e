// Reading the index of the registry: every entry by itself.
import assert from "node:assert/strict";
import { registryTarget } from "../../src/agentRegistry/distribution.ts";
import { readIndex } from "../../src/agentRegistry/readIndex.ts";
import type { RegistryIndex } from "../../src/agentRegistry/registryAgent.ts";

const address = "https://registry.example/v1/registry.json";
const read = (agents: unknown, source = {}): RegistryIndex =>
  readIndex(JSON.stringify({ version: "1.0.0", agents }), { address, target: "linux-x86_64", ...source });
const npx = { npx: { package: "@scope/agent@1.2.3", args: ["--acp"], env: { A: "b" } } };
const agent = (fields: object = {}) => ({ id: "one", name: "One", version: "1.2.3", distribution: npx, ...fields });
const binary = (fields: object = {}) => ({
  binary: { "linux-x86_64": { archive: "https://files.example/one.tar.gz", cmd: "./one", ...fields } },
});

/** As many different variables. */
const letters = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`NAME${at}`, "x"]));

describe("the index of the registry", () => {
  it("gives what is known of an agent, and its ways to install it, with npx first", () => {
    const { agents, unusable } = read([
      agent({
        description: "Writes code",
        authors: ["Someone"],
        license: "MIT",
        repository: "https://code.example/one",
        icon: "one.svg",
        distribution: {
          ...binary({ sha256: "A".repeat(64), args: ["acp"] }),
          uvx: { package: "one==1.2.3", cmd: "one-acp" },
          ...npx,
        },
      }),
    ]);
    assert.deepEqual(unusable, []);
    assert.deepEqual(agents, [
      {
        id: "one",
        name: "One",
        version: "1.2.3",
        description: "Writes code",
        authors: ["Someone"],
        license: "MIT",
        website: "https://code.example/one",
        icon: "https://registry.example/v1/one.svg",
        distributions: [
          { type: "npx", package: "@scope/agent@1.2.3", args: ["--acp"], env: { A: "b" } },
          { type: "uvx", package: "one==1.2.3", cmd: "one-acp", args: [], env: {} },
          {
            type: "binary",
            archive: "https://files.example/one.tar.gz",
            archiveKind: "tar.gz",
            cmd: "one",
            sha256: "a".repeat(64),
            args: ["acp"],
            env: {},
          },
        ],
      },
    ]);
  });

  const odd: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    "no object": [7, /is not an object/],
    null: [null, /is not an object/],
    "no id": [agent({ id: undefined }), /ID is not valid/],
    "a path as id": [agent({ id: "../one" }), /ID is not valid/],
    "a device of Windows as id": [agent({ id: "com1" }), /ID is not valid/],
    "a device of Windows as version": [agent({ version: "nul.1" }), /version is not valid/],
    "a version that no folder can have": [agent({ version: "1..2" }), /version is not valid/],
    "the id of the demo agent": [agent({ id: "demo" }), /demo agent/],
    "a path as version": [agent({ version: "../1" }), /version is not valid/],
    "no distribution": [agent({ distribution: undefined }), /no distribution/],
    "an unknown distribution": [agent({ distribution: { docker: {} } }), /“docker”/],
    "two distributions that cannot be used": [
      agent({ distribution: { binary: {}, snap: {} } }),
      /^binary: There is no archive\. Parley does not know the distribution “snap”\.$/,
    ],
    "an option as package": [agent({ distribution: { npx: { package: "--call=evil" } } }), /package is not valid/],
    "an address as package": [agent({ distribution: { npx: { package: "https://e.example/p.tgz" } } }), /not valid/],
    "a repository as package": [agent({ distribution: { npx: { package: "github:evil/p" } } }), /not valid/],
    "a folder as package": [agent({ distribution: { npx: { package: "./evil" } } }), /not valid/],
    "an address as Python package": [
      agent({ distribution: { uvx: { package: "git+https://e.example" } } }),
      /not valid/,
    ],
    "an option as program": [agent({ distribution: { npx: { package: "p@1.0.0", cmd: "--evil" } } }), /not valid/],
    "arguments that are no list": [agent({ distribution: { npx: { package: "p", args: "--acp" } } }), /arguments/],
    "a secret of the user in its arguments": [
      agent({ distribution: { npx: { package: "p", args: ["${env:TOKEN}"] } } }),
      /arguments are not valid/,
    ],
    "a variable with a broken name": [
      agent({ distribution: { npx: { package: "p", env: { "A=B": "c" } } } }),
      /variables/,
    ],
    "more variables than a question shows": [
      agent({ distribution: { npx: { package: "p", env: letters(21) } } }),
      /more than 20 environment variables/,
    ],
    "a command that a question cannot show": [
      agent({ distribution: { npx: { package: "p", args: ["--acp", ...Object.keys(letters(90))] } } }),
      /command has more than 400 characters/,
    ],
    "a program that a question cannot show": [
      agent({ distribution: binary({ cmd: Object.keys(letters(90)).join("/") }) }),
      /command has more than 400 characters/,
    ],
    "a variable that a question cannot show": [
      agent({ distribution: { npx: { package: "p", env: { A: Object.keys(letters(90)).join() } } } }),
      /variables has more than 400 characters/,
    ],
    "an archive whose address a question cannot show": [
      agent({ distribution: binary({ archive: `https://f.example/${Object.keys(letters(90)).join("/")}.zip` }) }),
      /address has more than 400 characters/,
    ],
    "another platform": [
      agent({ distribution: { binary: { "darwin-aarch64": { archive: "https://a.example/a", cmd: "a" } } } }),
      /no archive for linux-x86_64, only for darwin-aarch64/,
    ],
    "an archive over http": [
      agent({ distribution: binary({ archive: "http://files.example/a.zip" }) }),
      /not an https/,
    ],
    "an archive on this machine": [
      agent({ distribution: binary({ archive: "http://127.0.0.1/a.zip" }) }),
      /not an https/,
    ],
    "a file as archive": [agent({ distribution: binary({ archive: "file:///etc/passwd" }) }), /not an https/],
    "a password in the address": [agent({ distribution: binary({ archive: "https://a:b@f.example/a" }) }), /password/],
    "an installer": [agent({ distribution: binary({ archive: "https://f.example/a.dmg" }) }), /cannot unpack “a.dmg”/],
    "a kind that Parley cannot unpack": [
      agent({ distribution: binary({ archive: "https://f.example/a.tar.xz" }) }),
      /cannot/,
    ],
    "a program outside of the archive": [
      agent({ distribution: binary({ cmd: "../../bin/sh" }) }),
      /path “\.\.\/\.\.\/bin/,
    ],
    "an absolute program": [agent({ distribution: binary({ cmd: "/bin/sh" }) }), /path “\/bin\/sh”/],
    "a broken checksum": [agent({ distribution: binary({ sha256: "abc" }) }), /checksum/],
  };
  for (const [what, [entry, reason]] of Object.entries(odd))
    it(`names why an entry with ${what} cannot be used, and gives the others`, () => {
      const { agents, unusable } = read([agent({ id: "first" }), entry, agent({ id: "last" })]);
      assert.deepEqual(
        agents.map(({ id }) => id),
        ["first", "last"],
      );
      assert.equal(unusable.length, 1);
      assert.match(unusable[0]?.reason ?? "", reason);
      assert.notEqual(unusable[0]?.label, "");
    });

  it("keeps the ways that can be used beside others", () => {
    const { agents } = read([agent({ distribution: { ...npx, binary: {}, snap: {} } })]);
    assert.deepEqual(
      agents[0]?.distributions.map(({ type }) => type),
      ["npx"],
    );
  });

  it("takes each ID once", () => {
    const { agents, unusable } = read([agent(), agent({ name: "Copy" })]);
    assert.deepEqual([agents.length, unusable], [1, [{ label: "Copy", reason: "Its ID is listed twice." }]]);
  });

  it("leaves out optional fields that are malformed, and shortens texts", () => {
    const { agents } = read([
      agent({
        name: "a\n\u202eb",
        icon: 7,
        website: "javascript:alert(1)",
        authors: "me",
        description: "x".repeat(5000),
      }),
    ]);
    const [found] = agents;
    assert.equal(found?.name, "a [U+202E]b");
    assert.equal(found?.description.length, 300);
    assert.deepEqual([found?.icon, found?.website, found?.authors], [undefined, undefined, []]);
  });

  it("reads at most 2000 entries, and says so", () => {
    const { agents, unusable } = read(Array.from({ length: 2500 }, (_, at) => agent({ id: `a${at}` })));
    assert.equal(agents.length, 2000);
    assert.deepEqual(unusable, [{ label: "500 more entries", reason: "Parley reads at most 2000 entries." }]);
  });

  it("allows archives on this machine only if the index is on this machine, too", () => {
    const entry = agent({ distribution: binary({ archive: "http://127.0.0.1:8080/one.zip" }) });
    assert.equal(read([entry]).agents.length, 0);
    for (const local of ["http://127.0.0.1:8080/index.json", "http://localhost/index.json", "http://[::1]/i.json"])
      assert.equal(read([entry], { address: local }).agents.length, 1, local);
    for (const other of ["http://127.0.0.1.example/i.json", "http://registry.example/i.json"])
      assert.equal(read([entry], { address: other }).agents.length, 0, other);
  });

  it("is refused as a whole only if it is no index", () => {
    for (const text of ["", "<html>", "[]", "{}", '{"agents":{}}'])
      assert.throws(() => readIndex(text, { address, target: undefined }), /did not answer with an index/, text);
    assert.deepEqual(read([]), { agents: [], unusable: [] });
  });

  it("names platforms as the registry does", () => {
    assert.equal(registryTarget("linux", "x64"), "linux-x86_64");
    assert.equal(registryTarget("darwin", "arm64"), "darwin-aarch64");
    assert.equal(registryTarget("win32", "x64"), "windows-x86_64");
    assert.equal(registryTarget("freebsd", "x64"), undefined);
    assert.equal(read([agent({ distribution: binary() })], { target: undefined }).agents.length, 0);
  });
});
