// The tokens of sign-ins to MCP servers: which are kept, renewed and revoked.
import assert from "node:assert/strict";
import { serverAddressKey } from "../../src/mcp/signIn/signInStore.ts";
import { until } from "../support/fakes/until.ts";
import { AuthorizedServer } from "../support/mcp/authorizedServer.ts";
import { SignInBench } from "../support/mcp/signInBench.ts";

describe("the tokens of a sign-in to an MCP server", () => {
  let server: AuthorizedServer;
  let bench: SignInBench;
  beforeEach(async () => {
    server = await AuthorizedServer.start();
    bench = new SignInBench();
  });
  afterEach(async () => {
    bench.signIns.dispose();
    await server.close();
  });

  describe("in two windows", () => {
    let other: SignInBench;
    beforeEach(async () => {
      other = new SignInBench(bench);
      server.lifetime = 10;
      await bench.signIn(server.url);
      server.lifetime = 3600;
    });
    afterEach(() => other.signIns.dispose());

    it("is renewed once, and the window that comes second waits for the tokens", async () => {
      let second: Promise<string | undefined> | undefined;
      bench.onRenewed = () => {
        second = other.signIns.token(server.url);
        return until(() => other.ahead > 0);
      };
      const first = await bench.signIns.token(server.url);
      assert.ok(first !== undefined && server.accessTokens.has(first));
      assert.equal(await second, first);
      assert.equal(await bench.signIns.token(server.url), first);
    });

    it("stays when one of them gives up before the other has its tokens", async () => {
      bench.onRenewed = async () => assert.equal(await other.signIns.token(server.url), undefined);
      const first = await bench.signIns.token(server.url);
      assert.ok(first !== undefined && server.accessTokens.has(first));
      assert.equal(await other.signIns.token(server.url), first);
      assert.equal(other.signIns.isSignedIn(server.url), true);
    });

    it("is over in both when the user signs out in one, also while the other renews it", async () => {
      bench.onRenewed = () => other.signIns.signOut(serverAddressKey(server.url));
      assert.equal(await bench.signIns.token(server.url), undefined);
      assert.equal(bench.secrets.size, 0);
      assert.equal(bench.signIns.isSignedIn(server.url), false);
      assert.deepEqual([server.accessTokens.size, server.refreshTokens.size], [0, 0]);
    });
  });
});
