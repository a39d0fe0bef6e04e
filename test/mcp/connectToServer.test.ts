// Connections to MCP servers: the published server of the older revisions, a server on the newest SDK, and servers that
// misbehave.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../support/fakes/until.ts";
import type { PromptServer, ServerFormRequest } from "../../src/mcp/promptServer.ts";
import {
  connected,
  endServers,
  everything,
  freePort,
  hostile,
  listening,
  modern,
  stdio,
} from "../support/mcp/servers.ts";

const signal = new AbortController().signal;

const textOf = async (server: PromptServer, name: string, values: Record<string, string>): Promise<string> =>
  (await server.getPrompt(name, values, signal)).messages
    .map(({ content }) => (content.type === "text" ? content.text : content.type))
    .join("|");

describe("a connection to an MCP server", function () {
  afterEach(endServers);

  const everythingTargets = {
    stdio: () => Promise.resolve(stdio(everything)),
    http: async () => {
      const port = await listening([everything, "streamableHttp"], await freePort());
      return { type: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} } as const;
    },
    sse: async () => {
      const port = await listening([everything, "sse"], await freePort());
      return { type: "sse", url: `http://127.0.0.1:${port}/sse`, headers: {} } as const;
    },
  };
  for (const [name, target] of Object.entries(everythingTargets)) {
    it(`lists, completes and gets the prompts of the published server over ${name}`, async () => {
      const server = await connected(await target());
      try {
        const { prompts } = await server.listPrompts(signal);
        assert.deepEqual(
          prompts.find(prompt => prompt.name === "args-prompt"),
          {
            name: "args-prompt",
            title: "Arguments Prompt",
            description: "A prompt with two arguments, one required and one optional",
            arguments: [
              { name: "city", description: "Name of the city", required: true },
              { name: "state", required: false },
            ],
          },
        );
        assert.equal(await textOf(server, "args-prompt", { city: "Rome" }), "What's weather in Rome?");
        const completable = { prompt: "completable-prompt", name: "department", value: "S" };
        assert.deepEqual(await server.complete(completable, {}, signal), ["Sales", "Support"]);
        assert.deepEqual(
          await server.complete({ ...completable, name: "name", value: "" }, { department: "Sales" }, signal),
          ["David", "Eve", "Frank"],
        );
        const { messages } = await server.getPrompt(
          "resource-prompt",
          { resourceType: "Text", resourceId: "1" },
          signal,
        );
        assert.equal(messages[1]?.content.type, "resource");
        await assert.rejects(
          server.getPrompt("args-prompt", {}, signal),
          /does not accept the prompt or its arguments/,
        );
        await assert.rejects(server.getPrompt("missing", {}, signal), /does not accept .*missing/);
      } finally {
        await server.close();
      }
    });
  }

  for (const name of ["stdio", "http"] as const) {
    it(`uses the newest revision with a server on the newest SDK over ${name}`, async () => {
      const target =
        name === "stdio"
          ? stdio(modern)
          : ({ type: "http", url: `http://127.0.0.1:${await listening([modern, "http"])}/`, headers: {} } as const);
      const server = await connected(target, {
        askForm: request => {
          assert.ok(request.type === "form" && request.form.message === "Which ticket?");
          return Promise.resolve({ action: "accept", values: new Map([["ticket", "T-1"]]) });
        },
      });
      try {
        assert.equal(server.revision, "2026-07-28");
        assert.equal(server.verdict.kind, "modern");
        assert.deepEqual(
          (await server.listPrompts(signal)).prompts.map(prompt => prompt.name),
          ["review", "grow", "kinds", "ask"],
        );
        assert.deepEqual(await server.complete({ prompt: "review", name: "language", value: "T" }, {}, signal), [
          "TypeScript",
          "TOML",
        ]);
        assert.equal(await textOf(server, "ask", {}), "Fix ticket T-1.");
      } finally {
        await server.close();
      }
      const again = await connected(target, { verdict: server.verdict });
      assert.equal(await textOf(again, "review", { language: "C" }), "Review this C file. ");
      await again.close();
    });
  }

  it("reads every kind of content, with its role", async () => {
    const server = await connected(stdio(modern));
    const { messages } = await server.getPrompt("kinds", {}, signal);
    assert.deepEqual(
      messages.map(({ content }) => content),
      [
        { type: "text", text: "words", annotations: { audience: ["user", "assistant"], priority: 0.5 } },
        { type: "image", mimeType: "image/png", data: "AAAA", annotations: { priority: 1 } },
        { type: "audio", mimeType: "audio/wav", data: "BBBB" },
        {
          ...{ type: "resource", uri: "demo://text", mimeType: "text/plain", text: "inside" },
          annotations: { audience: ["assistant"], lastModified: "2026-01-01T00:00:00Z" },
        },
        { type: "resource", uri: "demo://blob", blob: "CCCC" },
        {
          ...{ type: "link", uri: "demo://link", name: "link", title: "A link", description: "far" },
          ...{ mimeType: "text/plain", size: 12, annotations: { priority: 0 } },
        },
      ],
    );
    assert.deepEqual(messages.map(({ role }) => role).slice(0, 2), ["assistant", "user"]);
    await server.close();
  });

  it("leaves out what is malformed in a list, and says how many prompts that are", async () => {
    const server = await connected(stdio(hostile, "mixed"));
    const { prompts, isCut, skipped } = await server.listPrompts(signal);
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ["first", "second"],
    );
    assert.deepEqual([isCut, skipped], [false, 6]);
    await server.close();
  });

  for (const [name, target] of [
    ["revision 2025-06-18", () => stdio(hostile, "resources", "2025-06-18")],
    ["the newest SDK", () => stdio(modern)],
  ] as const) {
    it(`reads a resource of a server with ${name}, as text and as bytes`, async () => {
      const server = await connected(target());
      assert.ok(server.offersResources);
      const [text] = await server.readResource("demo://text", signal);
      assert.deepEqual(text, { type: "resource", uri: "demo://text", mimeType: "text/plain", text: "inside" });
      const [blob] = await server.readResource("demo://blob", signal);
      assert.deepEqual(blob, { type: "resource", uri: "demo://blob", blob: "CCCC" });
      await assert.rejects(server.readResource("demo://missing", signal), /^Error: The server .*\.$/);
      await server.close();
    });
  }

  it("learns that the list of a server on the newest SDK has changed", async () => {
    const server = await connected(stdio(modern));
    await server.listPrompts(signal);
    assert.equal(await textOf(server, "grow", {}), "There is one more.");
    await until(() => server.changes() > 0);
    assert.ok((await server.listPrompts(signal)).prompts.some(({ name }) => name === "grown"));
    await server.close();
  });

  it("requests nothing that the server has not declared", async () => {
    const server = await connected(stdio(hostile, "incapable"));
    assert.deepEqual([server.offersPrompts, server.offersCompletions], [false, false]);
    assert.deepEqual(await server.listPrompts(signal), { prompts: [], isCut: false, skipped: 0 });
    assert.deepEqual(await server.complete({ prompt: "first", name: "a", value: "" }, {}, signal), []);
    await server.close();
  });

  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it(`reads all pages, and completes, with a server of revision ${revision}`, async () => {
      const server = await connected(stdio(hostile, "honest", revision));
      assert.equal(server.revision, revision);
      assert.deepEqual(
        (await server.listPrompts(signal)).prompts.map(prompt => prompt.name),
        ["first", "second"],
      );
      const [values] = await server.complete({ prompt: "first", name: "a", value: "x" }, { b: "y" }, signal);
      assert.match(values ?? "", /"argument":\{"name":"a","value":"x"\}/);
      await server.close();
    });
  }

  it("starts a server that ends at an unknown request once more, and with its verdict only once", async () => {
    const target = stdio(hostile, "exits");
    const server = await connected(target);
    assert.equal(target.starts(), 2);
    await server.close();
    const again = await connected(target, { verdict: server.verdict });
    assert.equal(target.starts(), 3);
    await again.close();
  });

  it("connects to a server that is silent before it is initialized", async () => {
    const server = await connected(stdio(hostile, "silent"), { timeout: 1000 });
    assert.equal((await server.listPrompts(signal)).prompts.length, 2);
    await server.close();
  });

  it("skips lines that are no messages", async () => {
    const server = await connected(stdio(hostile, "noise"));
    assert.equal((await server.listPrompts(signal)).prompts.length, 2);
    assert.ok(server.warnings.length > 0);
    await server.close();
  });

  for (const [behaviour, count] of [
    ["huge", 2000],
    ["endless", 100],
    ["repeating", 2],
  ] as const) {
    it(`limits the list of a server whose list is ${behaviour}`, async () => {
      const server = await connected(stdio(hostile, behaviour));
      const { prompts, isCut, skipped } = await server.listPrompts(signal);
      assert.deepEqual([prompts.length, isCut, skipped], [count, true, 0]);
      await server.close();
    });
  }

  it("has one time limit for all pages of a list", async () => {
    const drip = await connected(stdio(hostile, "drip"), { timeout: 1000 });
    await assert.rejects(drip.listPrompts(signal), { message: "The server did not answer in time." });
    await drip.close();
  });

  it("gives the user time for a form of the server, beyond the time limit of the server", async () => {
    const server = await connected(stdio(hostile, "asks"), {
      timeout: 1000,
      askForm: async request => {
        assert.ok(request.type === "form" && request.form.message === "Which ticket?");
        await new Promise(resolve => setTimeout(resolve, 1500));
        return { action: "accept", values: new Map([["ticket", "T-2"]]) };
      },
    });
    assert.equal(await textOf(server, "first", {}), '1 questions: {"action":"accept","content":{"ticket":"T-2"}}');
    await server.close();
  });

  for (const [behaviour, expected] of [
    ["page", '1 questions: {"action":"accept"}'],
    ["pageFile", /^1 questions: .*must be an address that begins with https/],
  ] as const)
    it(`asks the user before a page of the server opens, and refuses other addresses (${behaviour})`, async () => {
      const asked: ServerFormRequest[] = [];
      const server = await connected(stdio(hostile, behaviour), {
        askForm: request => {
          asked.push(request);
          return Promise.resolve({ action: "accept" });
        },
      });
      const text = await textOf(server, "first", {});
      await server.close();
      if (typeof expected !== "string") return assert.deepEqual([asked, expected.test(text)], [[], true], text);
      assert.equal(text, expected);
      const [page] = asked;
      assert.ok(page?.type === "url");
      assert.deepEqual([page.message, page.address.href], ["Pay first", "https://pay.example.com/?next=%2Ftickets"]);
    });

  it("asks the user to open the pages that an error names, at most three, and gives the reason", async () => {
    const asked: string[] = [];
    const server = await connected(stdio(hostile, "pagesFirst"), {
      askForm: request => {
        asked.push(request.type === "url" ? request.address.href : "a form");
        return Promise.resolve({ action: "accept" });
      },
    });
    await assert.rejects(textOf(server, "first", {}), /Use the prompt again when you are done there\.$/);
    await server.close();
    assert.deepEqual(
      asked,
      [1, 2, 3].map(n => `https://pay.example.com/${n}`),
    );
  });

  it("passes a storm of changes on while it answers requests", async () => {
    const server = await connected(stdio(hostile, "storm"));
    assert.equal((await server.listPrompts(signal)).prompts.length, 2);
    assert.equal(await textOf(server, "first", { a: "b" }), '{"a":"b"}|image');
    assert.ok(server.changes() > 100, `${server.changes()}`);
    await server.close();
  });

  it("explains slow, malformed and failed answers in sentences", async () => {
    const slow = await connected(stdio(hostile, "slow"), { timeout: 2000 });
    await assert.rejects(slow.listPrompts(signal), { message: "The server did not answer in time." });
    await slow.close();
    const malformed = await connected(stdio(hostile, "malformed"));
    const unreadable = { message: "The server sent an answer that Parley cannot read." };
    const noList = await connected(stdio(hostile, "no-list"));
    await assert.rejects(noList.listPrompts(signal), unreadable);
    await noList.close();
    await assert.rejects(malformed.getPrompt("malformed", {}, signal), unreadable);
    await assert.rejects(malformed.getPrompt("invalid", {}, signal), {
      message: "The server does not accept the prompt or its arguments: Unknown prompt: invalid.",
    });
    await assert.rejects(malformed.getPrompt("internal", {}, signal), {
      message: "The server failed: The database is down.",
    });
    await malformed.close();
    await assert.rejects(connected({ type: "http", url: "http://127.0.0.1:1/", headers: {} }), /could not be reached/);
  });

  it("explains a wrong address in a sentence", async () => {
    const at = (type: "http" | "sse", port: number) => ({ type, url: `http://127.0.0.1:${port}/mcp`, headers: {} });
    const answers: readonly (readonly [number, RegExp])[] = [
      [200, /^The server could not be reached: .*content type.*\.$/i],
      [404, /^The server answered with the HTTP status 404\.$/],
      [401, /^The server requires you to sign in\. Add the header that it needs to its settings\.$/],
    ];
    const nobody = await freePort();
    const pages = createServer((request, response) =>
      response
        .writeHead(request.url === "/mcp" ? status : 500, { "content-type": "text/html" })
        .end("<h1>No MCP server here</h1>"),
    );
    let status = 200;
    await new Promise<void>(resolve => pages.listen(0, "127.0.0.1", resolve));
    const { port } = pages.address() as AddressInfo;
    try {
      for (const type of ["http", "sse"] as const) {
        await assert.rejects(connected(at(type, nobody)), {
          message: `The server could not be reached: nothing listens at this address (connect ECONNREFUSED 127.0.0.1:${nobody}).`,
        });
        for (const [answer, reason] of answers) {
          status = answer;
          await assert.rejects(connected(at(type, port)), { message: reason });
        }
      }
    } finally {
      pages.closeAllConnections();
      await new Promise(resolve => pages.close(resolve));
    }
  });
});
