// Which addresses an MCP server may name as those of its authorization server.
import assert from "node:assert/strict";
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import {
  authorizationFetch,
  authorizationLimits,
  checkAuthorizationAddress,
} from "../../src/mcp/client/authorizationFetch.ts";
import { freePort } from "../support/mcp/servers.ts";

describe("the address of an authorization server", () => {
  const publicServer = new URL("https://203.0.113.5/mcp");

  for (const address of [
    "http://203.0.113.9/authorize",
    "https://127.0.0.1/authorize",
    "https://localhost/authorize",
    "https://localhost./authorize",
    "https://10.1.2.3/",
    "https://172.31.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://user:word@203.0.113.9/",
    "ftp://203.0.113.9/",
    `https://203.0.113.9/${"x".repeat(8_000)}`,
    "no address",
  ])
    it(`cannot be ${address.slice(0, 60)} for a public server`, async () => {
      await assert.rejects(
        checkAuthorizationAddress(address, publicServer),
        /^SignInProblem: The server named an address/,
      );
    });

  it("can be public, or where the server itself is", async () => {
    await checkAuthorizationAddress("https://203.0.113.9/authorize", publicServer);
    await checkAuthorizationAddress("https://10.0.0.2/authorize", new URL("https://10.0.0.1/mcp"));
    await checkAuthorizationAddress("http://localhost:9000/authorize", new URL("http://127.0.0.1:8000/mcp"));
    await assert.rejects(checkAuthorizationAddress("http://10.0.0.1/authorize", new URL("http://10.0.0.1/mcp")));
  });

  for (const host of ["127.0.0.1", "localhost"])
    it(`is the reason why ${host} could not be reached if nothing listens there`, async () => {
      const address = `http://${host}:${await freePort()}/`;
      const send = authorizationFetch(new URL("http://127.0.0.1/mcp"), new AbortController().signal);
      await assert.rejects(send(address), /could not be reached: nothing listens at this address \(.*ECONNREFUSED/);
    });

  describe("with names", () => {
    const { lookup } = dns;
    const known = (addresses: Readonly<Record<string, readonly string[]>>): void => {
      dns.lookup = ((host: string) =>
        addresses[host]
          ? Promise.resolve(addresses[host].map(address => ({ address, family: 4 })))
          : new Promise(() => {})) as unknown as typeof dns.lookup;
      syncBuiltinESMExports();
    };
    afterEach(() => {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    });

    it("can be private only if all addresses of the server are", async () => {
      known({ "mixed.example": ["203.0.113.5", "10.0.0.1"], "inside.example": ["10.0.0.1"] });
      const address = "https://10.0.0.2/authorize";
      await checkAuthorizationAddress(address, new URL("https://inside.example/mcp"));
      await assert.rejects(
        checkAuthorizationAddress(address, new URL("https://mixed.example/mcp")),
        /in your private network/,
      );
      await assert.rejects(
        checkAuthorizationAddress("https://mixed.example/", publicServer),
        /in your private network/,
      );
    });

    it("is looked up within the time limit", async () => {
      known({});
      const send = authorizationFetch(publicServer, new AbortController().signal, {
        ...authorizationLimits,
        maxTime: 20,
      });
      await assert.rejects(send("https://slow.example/"), /slow\.example\/ did not answer within 0\.02 seconds/);
    });
  });
});
