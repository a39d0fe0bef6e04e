// Links of prompts to resources of their MCP servers, which only Parley can read.
import assert from "node:assert/strict";
import { embedLinkedResources } from "../../src/mcp/linkedResources.ts";
import type { McpMessage, McpResource } from "../../src/mcp/promptServer.ts";

const { signal } = new AbortController();
const link = (uri: string, more: object = {}): McpMessage => ({
  role: "user",
  content: { type: "link", uri, name: uri, ...more },
});
const text = (uri: string, words: string): McpResource => ({ type: "resource", uri, text: words });

/** A server with these resources. Others are an error. */
function serverWith(resources: Readonly<Record<string, readonly McpResource[]>>) {
  const asked: string[] = [];
  const readResource = (uri: string): Promise<readonly McpResource[]> => {
    asked.push(uri);
    const found = resources[uri];
    return found ? Promise.resolve(found) : Promise.reject(new Error("The server refused the request: Not found."));
  };
  return { offersResources: true, asked, readResource };
}

describe("a link of a prompt to a resource of its server", () => {
  it("becomes the resource, as text or as bytes, with the annotations of the link", async () => {
    const annotations = { audience: ["assistant"] };
    const server = serverWith({
      "srv://a": [text("srv://a", "words")],
      "srv://b": [{ type: "resource", uri: "srv://b", mimeType: "image/png", blob: "AAAA" }],
    });
    const messages: readonly McpMessage[] = [
      { role: "user", content: { type: "text", text: "Read this:" } },
      link("srv://a", { mimeType: "text/plain", annotations }),
      { ...link("srv://b", { mimeType: "text/plain" }), role: "assistant" },
    ];
    const { messages: embedded, notes } = await embedLinkedResources(messages, server, signal);
    assert.deepEqual(embedded, [
      messages[0],
      { role: "user", content: { ...text("srv://a", "words"), mimeType: "text/plain", annotations } },
      { role: "assistant", content: { type: "resource", uri: "srv://b", mimeType: "image/png", blob: "AAAA" } },
    ]);
    assert.deepEqual(notes, []);
  });

  it("becomes all files of a folder, once: it is read once, and further links to it stay links", async () => {
    const files = [text("srv://d/1", "one"), text("srv://d/2", "two")];
    const server = serverWith({ "srv://d": files });
    const { messages } = await embedLinkedResources([link("srv://d"), link("srv://d")], server, signal);
    assert.deepEqual(
      messages.map(({ content }) => content),
      [...files, link("srv://d").content],
    );
    assert.deepEqual(server.asked, ["srv://d"]);
  });

  it("fills the prompt no more than once, however often it is linked", async () => {
    const server = serverWith({ "srv://a": [text("srv://a", "x".repeat(900_000))], "srv://b": [text("srv://b", "b")] });
    const links = Array.from({ length: 1000 }, () => link("srv://a"));
    const { messages, notes } = await embedLinkedResources([...links, link("srv://b")], server, signal);
    assert.ok(JSON.stringify(messages).length < 1_100_000);
    assert.equal(messages.at(-1)?.content.type, "resource");
    assert.deepEqual(notes, []);
  });

  it("stays a link without a sentence if it leads to a file that the server does not supply", async () => {
    const messages = [link("file:///w/a.txt")];
    assert.deepEqual(await embedLinkedResources(messages, serverWith({}), signal), { messages, notes: [] });
  });

  it("stays a link to the web, which the agent can open itself", async () => {
    const server = serverWith({});
    const messages = [link("https://example.org/a"), link("HTTP://example.org")];
    assert.deepEqual(await embedLinkedResources(messages, server, signal), { messages, notes: [] });
    assert.deepEqual(server.asked, []);
  });

  it("stays a link with a sentence if the server does not return it, or has no resources", async () => {
    const messages = [link("srv://gone"), link("srv://none")];
    const server = serverWith({ "srv://none": [] });
    const start = "The agent gets only a link to";
    const end = "which it may not be able to open.";
    assert.deepEqual(await embedLinkedResources(messages, server, signal), {
      messages,
      notes: [
        `${start} srv://gone, ${end} The server refused the request: Not found.`,
        `${start} srv://none, ${end} Its server returned nothing for it.`,
      ],
    });
    const { notes } = await embedLinkedResources(messages.slice(0, 1), { ...server, offersResources: false }, signal);
    assert.deepEqual(notes, [`${start} srv://gone, ${end} Its server offers no resources.`]);
  });

  it("stays a link if it is too large, alone or with the others, or one of too many", async () => {
    const large = "x".repeat(900_000);
    const uris = Array.from({ length: 6 }, (_, at) => `srv://${at}`);
    const server = serverWith({
      ...Object.fromEntries(uris.map(uri => [uri, [text(uri, large)]])),
      "srv://huge": [text("srv://huge", `${large}${large}`)],
      "srv://folder": Array.from({ length: 51 }, (_, at) => text(`srv://folder/${at}`, "x")),
    });
    const kinds = async (links: readonly string[]): Promise<readonly string[]> => {
      const { messages, notes } = await embedLinkedResources(
        links.map(uri => link(uri)),
        server,
        signal,
      );
      const left = messages.filter(({ content }) => content.type === "link").length;
      assert.equal(notes.length, Math.min(left, 11));
      if (left > 10) assert.equal(notes.at(-1), `The same applies to ${left - 10} more links.`);
      return messages.map(({ content }) => content.type);
    };
    assert.deepEqual(await kinds(["srv://huge", "srv://folder"]), ["link", "link"]);
    assert.deepEqual(await kinds(uris), ["resource", "resource", "resource", "resource", "link", "link"]);
    server.asked.length = 0;
    const many = Array.from({ length: 25 }, (_, at) => `srv://many/${at}`);
    assert.deepEqual([...new Set(await kinds(many))], ["link"]);
    assert.equal(server.asked.length, 20);
  });

  it("shows a hostile address and a hostile reason on one line, without characters that hide", async () => {
    const server = {
      offersResources: true,
      readResource: () => Promise.reject(new Error("\u202Egone")),
    };
    const { notes } = await embedLinkedResources([link(`srv://\u202E\n${"x".repeat(5000)}`)], server, signal);
    assert.equal(notes.length, 1);
    assert.doesNotMatch(notes[0] ?? "", /[\u202E\n]/);
    assert.ok((notes[0] ?? "").length < 400);
  });

  it("is not read to the end once the session has ended", async () => {
    const ended = new AbortController();
    const server = {
      offersResources: true,
      readResource: () => {
        ended.abort(new Error("The session has ended."));
        return Promise.reject(new Error("The request was cancelled."));
      },
    };
    await assert.rejects(embedLinkedResources([link("srv://a")], server, ended.signal), /The session has ended/);
  });
});
