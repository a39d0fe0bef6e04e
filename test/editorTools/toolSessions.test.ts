// Tokens of sessions: which session an agent reaches, and when the server runs.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { maskKnownSecrets } from "../../src/base/secrets/knownSecrets.ts";
import type { ToolAccess, ToolContext } from "../../src/editorTools/tool.ts";
import type { ServedTools, ToolServerOptions } from "../../src/editorTools/toolServer.ts";
import { ToolSessions } from "../../src/editorTools/toolSessions.ts";

interface Bench {
  readonly sessions: ToolSessions;
  readonly log: string[];
  /** The tools for the headers of an address, as the server asks for them. */
  toolsFor(headers: Readonly<Record<string, string>>): ServedTools | undefined;
  isOn: boolean;
  failure: Error | undefined;
}

function bench(): Bench {
  const log: string[] = [];
  let toolsOf: ToolServerOptions["toolsOf"] = () => undefined;
  const made: Bench = {
    sessions: new ToolSessions({
      startServer: options => {
        log.push("started");
        if (made.failure) return Promise.reject(made.failure);
        ({ toolsOf } = options);
        return Promise.resolve({
          url: "http://127.0.0.1:1/mcp",
          close: () => {
            log.push("closed");
            return Promise.resolve();
          },
        });
      },
      isOn: () => made.isOn,
      context: (session, access) => {
        log.push(`context of ${session}`);
        return { access, changes: () => [] } as unknown as ToolContext;
      },
      log: nullLog,
    }),
    log,
    toolsFor: headers => toolsOf((headers["Authorization"] ?? "").replace("Bearer ", "")),
    isOn: true,
    failure: undefined,
  };
  return made;
}

const access = { passes: () => Promise.resolve(true) } as unknown as ToolAccess;
const never = new AbortController().signal;

describe("the sessions with the editor's tools", () => {
  it("have a token each, which is long, stays the same, and is hidden", async () => {
    const { sessions, log } = bench();
    const [a, again, b] = await Promise.all(["a", "a", "b"].map(session => sessions.addressFor(session)));
    assert.deepEqual(a, again);
    assert.notDeepEqual(a?.headers, b?.headers);
    const token = a?.headers["Authorization"]?.replace("Bearer ", "") ?? "";
    assert.match(token, /^[\w-]{43}$/);
    assert.ok(!a?.url.includes(token));
    assert.equal(maskKnownSecrets(`x ${token} y`), "x ••• y");
    assert.deepEqual(log, ["started"]);
  });

  it("reach their own session only", async () => {
    const { sessions, log, toolsFor } = bench();
    const a = await sessions.addressFor("a");
    await sessions.addressFor("b");
    for (const session of ["a", "b"]) sessions.opened(session, access);
    const result = await toolsFor(a.headers)?.call("changes_under_review", {}, never);
    assert.equal(result?.isError, false, result?.text);
    assert.deepEqual(log, ["started", "context of a"]);
    assert.equal(toolsFor({ Authorization: `Bearer ${"A".repeat(43)}` }), undefined);
    assert.equal(toolsFor({ Authorization: "Bearer " }), undefined);
  });

  it("get nothing before the session is open in Parley", async () => {
    const { sessions, toolsFor } = bench();
    const { headers } = await sessions.addressFor("a");
    const tools = toolsFor(headers);
    assert.ok((tools?.descriptions.length ?? 0) > 5);
    assert.match((await tools?.call("changes_under_review", {}, never))?.text ?? "", /not open in Parley yet/);
  });

  it("lose the token with the end of the session, and another begins with a new one", async () => {
    const { sessions, toolsFor } = bench();
    const first = await sessions.addressFor("a");
    const open = sessions.opened("a", access);
    const { ended } = toolsFor(first.headers) ?? {};
    open.dispose();
    assert.equal(ended?.aborted, true);
    assert.equal(toolsFor(first.headers), undefined);
    const second = await sessions.addressFor("a");
    assert.notDeepEqual(second.headers, first.headers);
    assert.equal(toolsFor(first.headers), undefined);
    // An end that is reported twice ends nothing else.
    sessions.opened("a", access);
    open.dispose();
    assert.ok(toolsFor(second.headers));
  });

  it("get no tools while the user has them switched off, also with a token from before", async () => {
    const made = bench();
    const { headers } = await made.sessions.addressFor("a");
    made.sessions.opened("a", access);
    made.isOn = false;
    const tools = made.toolsFor(headers);
    assert.deepEqual(tools?.descriptions, []);
    assert.match((await tools?.call("changes_under_review", {}, never))?.text ?? "", /has switched off/);
    assert.deepEqual(made.log, ["started"]);
  });

  it("share a server that ends with the last of them, and starts again", async () => {
    const { sessions, log } = bench();
    await Promise.all([sessions.addressFor("a"), sessions.addressFor("b")]);
    sessions.end("a");
    assert.deepEqual(log, ["started"]);
    sessions.end("b");
    await sessions.addressFor("c");
    assert.deepEqual(log, ["started", "closed", "started"]);
    await sessions.close();
    assert.deepEqual(log, ["started", "closed", "started", "closed"]);
    await assert.rejects(sessions.addressFor("d"), /closing/);
  });

  it("can start the server again after it failed", async () => {
    const made = bench();
    made.failure = new Error("no port");
    await assert.rejects(made.sessions.addressFor("a"), /no port/);
    made.failure = undefined;
    assert.equal((await made.sessions.addressFor("a")).url, "http://127.0.0.1:1/mcp");
  });
});
