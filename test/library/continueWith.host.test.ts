// Continue With…: the agent is chosen, a new session starts in the folder of the old one, both are linked, and the draft of
// the new one gets the digest and the conversation.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { ConversationPageFiles } from "../../src/files/conversationPageFiles.ts";
import { nullLog } from "../../src/base/log.ts";
import { continueWith, type ContinueWithOptions } from "../../src/library/vscode/continueWith.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { SessionEvent, SessionLink } from "../../src/session/events.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const opened: SessionEvent = { type: "opened", agent: "old", agentName: "Old\u202e Agent", cwd: "/w" };
const prompt: SessionEvent = {
  type: "message",
  author: "user",
  messageId: "u",
  content: [{ type: "text", text: "Fix sum" }],
};
const answer: SessionEvent = {
  type: "message",
  author: "agent",
  messageId: "a",
  content: [{ type: "text", text: "I looked at it." }],
};
const logOf = (...events: readonly SessionEvent[]): string =>
  [{ parley: 2 }, ...events.map((event, seq) => ({ seq, at: 1, event }))]
    .map(line => `${JSON.stringify(line)}\n`)
    .join("");

describe("Continue With…", () => {
  const pagesFolder = mkdtempSync(join(tmpdir(), "parley-pages-"));
  after(() => rmSync(pagesFolder, { recursive: true, force: true }));
  const { showQuickPick } = vscode.window;
  afterEach(() => void Object.assign(vscode.window, { showQuickPick }));

  /** Continues a stored session with the agent of this label; undefined: the user cancels. Returns what happened. */
  async function run(log: string, label: string | undefined): Promise<readonly unknown[]> {
    const happened: unknown[] = [];
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
        const icons = items.flatMap(({ iconPath }) => (iconPath instanceof vscode.ThemeIcon ? [iconPath.id] : []));
        happened.push(["asked", ...items.map(item => `${item.label} ${item.description ?? ""}`), ...icons]);
        return Promise.resolve(items.find(item => item.label === label));
      },
    });
    const session = (id: string): object => ({
      id,
      addNotice: (title: string, link: SessionLink) => void happened.push([id, title, link.relation, link.session]),
    });
    await continueWith(
      {
        registry: {
          open: { get: () => undefined, activeSurface: "view" },
          flushLog: () => Promise.resolve(),
          start: (...args: readonly unknown[]) => {
            happened.push(["started", ...args]);
            return session("new");
          },
          useClosed: (remembered: object, use: (closed: object) => void) => {
            happened.push(remembered);
            use(session("old"));
            return Promise.resolve();
          },
        },
        stored: { get: () => ({ agent: "old", folder: "/w" }) },
        agents: {
          definitions: () => [
            { id: "old", name: "Old Agent", command: "node", args: [] },
            { id: "other", name: "Other", icon: "rocket", command: "node", args: [] },
          ],
        },
        chat: {
          focus: (...args: readonly unknown[]) => Promise.resolve(void happened.push(["focus", ...args])),
          reveal: (message: PanelMessage) => Promise.resolve(void happened.push(message)),
        },
        undecided: () => ["/w/sum.js"],
        pages: new ConversationPageFiles(pagesFolder),
        ...{ storage: new StoredFiles({ "old.jsonl": log }), version: "1.0.0", log: nullLog },
      } as unknown as ContinueWithOptions,
      "old",
    );
    return happened;
  }

  it("starts a session with the chosen agent, links both, and attaches digest and conversation", async () => {
    const happened = await run(logOf(opened, prompt, answer), "Other");
    const attached = happened.at(-1) as Extract<PanelMessage, { type: "attached" }>;
    assert.deepEqual(happened.slice(0, -1), [
      ["asked", "Old Agent current", "Other ", "rocket"],
      ["started", "other", "view", "/w", { serversOf: "old" }],
      ["new", "Continues “Fix sum” (Old[U+202E] Agent).", "continues", "old"],
      { id: "old", agent: "old", cwd: "/w" },
      ["old", "Continued in a new session with Other.", "continuedBy", "new"],
      ["focus", "composer", ["view"]],
    ]);
    const texts = attached.attachments.map(({ source }) => (source.type === "text" ? source.text : ""));
    assert.deepEqual(
      attached.attachments.map(({ label, kind }) => [kind, label]),
      [
        ["continued", "Digest of “Fix sum”"],
        ["continued", "Conversation “Fix sum”"],
      ],
    );
    assert.match(texts[0] ?? "", /## Task\n\n> Fix sum\n[^]*has not reviewed\n\n> sum\.js\n[^]*> I looked at it\.\n/);
    assert.match(texts[1] ?? "", /> Fix sum\n\n## Agent: Old\[U\+202E\] Agent\n\n> I looked at it\.\n$/);
  });

  it("writes a conversation that is too long for a prompt as pages for the new session, which the digest names", async () => {
    const content = [{ type: "text" as const, text: `The first line.\n${"A line of the answer.\n".repeat(6000)}` }];
    const happened = await run(logOf(opened, prompt, { ...answer, content }), "Other");
    const attached = happened.at(-1) as Extract<PanelMessage, { type: "attached" }>;
    const texts = attached.attachments.map(({ source }) => (source.type === "text" ? source.text : ""));
    const paths = [1, 2, 3, 4].map(at => join(pagesFolder, "new", `earlier-conversation-page-${at}-of-4.md`));
    assert.match(texts[0] ?? "", /## The whole conversation\n\nThe whole conversation is in 4 pages/);
    for (const text of texts) for (const path of paths) assert.ok(text.includes(`\n- ${path}\n`), path);
    assert.doesNotMatch(texts[1] ?? "", /The first line/);
    assert.match(
      readFileSync(paths[0] ?? "", "utf8"),
      /^# Conversation “Fix sum”, page 1 of 4\n[^]*> The first line\./,
    );
  });

  it("offers the same agent too, and does nothing if the user cancels", async () => {
    assert.deepEqual((await run(logOf(opened, prompt, answer), "Old Agent"))[1], [
      "started",
      "old",
      "view",
      "/w",
      { choices: {}, serversOf: "old" },
    ]);
    assert.deepEqual(await run(logOf(opened, prompt), undefined), [["asked", "Old Agent current", "Other ", "rocket"]]);
  });

  it("gives the mode and the model that the user chose to the same agent only, and the choices of servers to each", async () => {
    const select = (id: string, category: string): object => ({
      ...{ id, name: id, category, type: "select", value: "a" },
      choices: [
        { value: "a", name: "A" },
        { value: "b", name: "B" },
      ],
    });
    const options = { type: "options", options: [select("mode", "mode"), select("model", "model")] } as SessionEvent;
    const chosen: SessionEvent = {
      type: "chosen",
      choices: [
        { id: "mode", value: "b", applied: true },
        { id: "model", value: "a", applied: true },
      ],
    };
    const refused: SessionEvent = { type: "choiceRefused", id: "model", reason: "refused" };
    const log = logOf(opened, options, chosen, prompt, answer);
    assert.deepEqual((await run(log, "Old Agent"))[1], [
      "started",
      "old",
      "view",
      "/w",
      { choices: { mode: "b", model: "a" }, serversOf: "old" },
    ]);
    assert.deepEqual((await run(log, "Other"))[1], ["started", "other", "view", "/w", { serversOf: "old" }]);
    const partly = logOf(opened, options, chosen, refused, prompt);
    assert.deepEqual((await run(partly, "Old Agent"))[1], [
      "started",
      "old",
      "view",
      "/w",
      { choices: { mode: "b" }, serversOf: "old" },
    ]);
  });

  it("refuses a session without a conversation in a sentence", async () => {
    await assert.rejects(run(logOf(opened), "Other"), /no conversation that can be continued/);
  });
});
