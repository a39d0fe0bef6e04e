// Which addresses an MCP server may name as those of its authorization server.
import assert from "node:assert/strict";
import { checkAuthorizationAddress } from "../../src/mcp/client/authorizationFetch.ts";

describe("the address of an authorization server", () => {
  const publicServer = new URL("https://203.0.113.5/mcp");

  for (const address of [
    "http://203.0.113.9/authorize",
    "https://127.0.0.1/authorize",
    "https://localhost/authorize",
    "https://login.localhost./authorize",
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
});
