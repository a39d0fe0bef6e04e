// Which icons of MCP servers are shown.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerTarget } from "../../src/mcp/promptServer.ts";
import { serverIcon } from "../../src/mcp/client/serverIcon.ts";

const { signal } = new AbortController();
const program: ServerTarget = { type: "stdio", start: () => Promise.reject(new Error("It does not start.")) };

const svg = (fill = "red"): string => `<svg xmlns="http://www.w3.org/2000/svg"><circle r="1" fill="${fill}"/></svg>`;
const inData = (type: string, bytes: string | Buffer): string =>
  `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;
/** The beginning of a PNG with this width. */
const png = (width: number, size = 64): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.write("89504e470d0a1a0a0000000d49484452", "hex");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(16, 20);
  return bytes;
};
const iconOf = (...sources: readonly unknown[]): Promise<string | undefined> =>
  serverIcon({ icons: sources.map(src => ({ src })) }, program, signal);

describe("the icon of an MCP server", () => {
  it("is a PNG or a plain SVG in its own address, by its bytes", async () => {
    assert.equal(await iconOf(inData("png", png(48))), inData("png", png(48)));
    assert.equal(await iconOf(inData("gif", png(48))), inData("png", png(48)), "the server calls it a GIF");
    assert.equal(await iconOf(`data:image/svg+xml,${encodeURIComponent(svg())}`), inData("svg+xml", svg()));
    assert.equal(await iconOf(inData("svg+xml", svg("currentColor"))), inData("svg+xml", svg("#808080")));
  });

  it("is the first that can be shown, and one for both kinds of themes if there is one", async () => {
    assert.equal(await iconOf(7, "", "x", inData("png", "no png"), inData("png", png(48))), inData("png", png(48)));
    const icons = [{ src: inData("svg+xml", svg("black")), theme: "light" }, { src: inData("svg+xml", svg()) }];
    assert.equal(await serverIcon({ icons }, program, signal), inData("svg+xml", svg()));
    assert.equal(await serverIcon({ icons: icons.slice(0, 1) }, program, signal), icons[0]?.src);
  });

  it("is not shown if it is huge, draws more than shapes, or is nothing of the kind", async () => {
    const refused = [
      inData("png", png(100_000)),
      inData("png", png(16, 40_000)),
      inData("svg+xml", svg("x").replace("<circle", "<script>alert(1)</script><circle")),
      inData("svg+xml", `${svg()}`.replace("<circle", '<image href="https://192.0.2.1/x"/><circle')),
      "data:text/html,<svg></svg>",
      "data:image/svg+xml,%",
      "javascript:alert(1)",
      "file:///etc/passwd",
    ];
    for (const address of refused) assert.equal(await iconOf(address), undefined, address.slice(0, 80));
    for (const info of [undefined, null, 7, { icons: "x" }, { icons: [null, {}] }])
      assert.equal(await serverIcon(info, program, signal), undefined);
  });

  describe("at an address", () => {
    let server: Server;
    let requests: string[];
    let target: ServerTarget;
    let origin: string;

    beforeEach(async () => {
      requests = [];
      server = createServer((request, response) => {
        requests.push(`${request.url ?? ""} ${request.headers.authorization ?? ""}`.trim());
        if (request.url === "/moved") response.writeHead(302, { location: "/icon" }).end();
        else if (request.url === "/huge") response.end(Buffer.alloc(100_000));
        else response.end(png(32));
      });
      await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      target = { type: "http", url: `${origin}/mcp`, headers: { authorization: "Bearer secret" } };
    });
    afterEach(() => new Promise(resolve => server.close(resolve)));

    it("is loaded from the host of the server, without its headers", async () => {
      const icons = [{ src: `${origin}/icon` }];
      assert.equal(await serverIcon({ icons }, target, signal), inData("png", png(32)));
      assert.deepEqual(requests, ["/icon"]);
    });

    it("is not loaded from another host, for a program, or after a redirect", async () => {
      const other = { ...target, url: "http://127.0.0.1:1/mcp" } as ServerTarget;
      const icons = [{ src: `${origin}/icon` }];
      assert.equal(await serverIcon({ icons }, other, signal), undefined);
      assert.equal(await serverIcon({ icons }, program, signal), undefined);
      assert.deepEqual(requests, []);
      assert.equal(await serverIcon({ icons: [{ src: `${origin}/moved` }] }, target, signal), undefined);
      assert.deepEqual(requests, ["/moved"]);
    });

    it("is refused with a sentence if the answer is too large", async () => {
      const icons = [{ src: `${origin}/huge` }];
      await assert.rejects(serverIcon({ icons }, target, signal), /more than 32 kB/);
      const others = [...icons, { src: inData("svg+xml", svg()) }];
      assert.equal(
        await serverIcon({ icons: others }, target, signal),
        inData("svg+xml", svg()),
        "the next one is shown",
      );
    });
  });
});
