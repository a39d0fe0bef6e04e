// Projects the state to the panel's view: which parts keep their identity, and the contents of a tool call.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Secret } from "../../src/base/secrets/secret.ts";
import { relativeLabel } from "../../src/base/pathLabel.ts";
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import type { View, ViewAgent, ViewTool } from "../../src/panel/protocol.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { SessionEvent, ToolContent, ToolFields } from "../../src/session/events.ts";
import { byAllEdits } from "../../src/session/byAllEdits.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { commandOf } from "../../src/session/toolTitle.ts";
import { eventsArb } from "../support/fakes/arbitraryEvents.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const fold = (events: readonly SessionEvent[], from = emptySession): SessionState =>
  events.reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), from);
const view = (events: readonly SessionEvent[]): View => new WholeProjector().project(fold(events), emptyHead);
const opened: SessionEvent = { type: "opened", agent: "a", agentName: "A", cwd: "/w" };
const tool = (patch: Partial<ToolFields>, toolCallId = "t"): SessionEvent => ({ type: "tool", toolCallId, patch });
const card = (patch: Partial<ToolFields>, more: readonly SessionEvent[] = []): ViewTool => {
  const [entry] = view([opened, tool(patch), ...more]).entries;
  assert.ok(entry?.kind === "tool");
  return entry;
};
const say = (author: "user" | "agent", text: string): SessionEvent => ({
  type: "messageChunk",
  author,
  messageId: "m",
  content: { type: "text", text },
});

describe("the view", () => {
  it("keeps the identity of every entry that did not change", () => {
    const projector = new WholeProjector();
    const first = fold([opened, say("user", "hi"), tool({ title: "T" }), say("agent", "a")]);
    const before = projector.project(first, emptyHead);
    const after = projector.project(fold([say("agent", "b")], first), emptyHead);
    assert.equal(after.entries[0], before.entries[0]);
    assert.equal(after.entries[1], before.entries[1]);
    assert.notEqual(after.entries[2], before.entries[2]);
    assert.equal(projector.project(first, emptyHead).entries[1], before.entries[1]);
  });

  it("has the plans of a sub-agent in its card, with links to files inside, and whole texts up to a limit", () => {
    const markdown = "x".repeat(50_000);
    const plans: readonly SessionEvent[] = [
      { type: "plan", planId: "a", entries: [], markdown, path: "/w/plans/a.md", parent: "t" },
      { type: "plan", planId: "b", entries: [], markdown: "x".repeat(200_000), path: "/out/b.md", parent: "t" },
    ];
    const projector = new WholeProjector(new DiffStore(), path => path.startsWith("/out"));
    const own = plans.map((plan): SessionEvent => (plan.type === "plan" ? { ...plan, parent: "none" } : plan));
    const { entries, head } = projector.project(fold([opened, tool({ title: "T" }), ...plans, ...own]), emptyHead);
    const [entry] = entries;
    assert.ok(entry?.kind === "tool");
    const [first, second] = entry.parts;
    const file = { path: "/w/plans/a.md", label: relativeLabel("/w/plans/a.md", "/w") };
    assert.deepEqual(first, { type: "plan", entries: [], markdown, file });
    assert.ok(second?.type === "plan" && second.file?.isOutside && (second.markdown?.length ?? 0) < 101_000);
    assert.deepEqual(head.plans[0], { id: "a", entries: [], markdown, file });
    assert.equal(head.plans[1]?.file?.isOutside, true);
  });

  it("labels the file of a plan by the folders of the session, also after they change", () => {
    const outside = new Set<string>();
    const projector = new WholeProjector(new DiffStore(), path => outside.has(path));
    const plan: SessionEvent = { type: "plan", planId: "a", entries: [], markdown: "x", path: "/w/plans/a.md" };
    const state = fold([opened, plan]);
    const fileOf = (of: SessionState): unknown => projector.project(of, emptyHead).head.plans[0]?.file;
    const { plans } = projector.project(state, emptyHead).head;
    assert.deepEqual(plans[0]?.file, { path: "/w/plans/a.md", label: relativeLabel("/w/plans/a.md", "/w") });
    assert.equal(projector.project(fold([say("agent", "a")], state), emptyHead).head.plans, plans);
    const label = relativeLabel("/w/plans/a.md", "/w/plans");
    assert.deepEqual(fileOf({ ...state, workspaceFolder: "/w/plans" }), { path: "/w/plans/a.md", label });
    outside.add("/w/plans/a.md");
    const file = { path: "/w/plans/a.md", label, isOutside: true };
    assert.deepEqual(fileOf({ ...state, workspaceFolder: "/w/plans" }), file);
  });

  it("knows whether the user has chosen the agent of the session, but no other agent", () => {
    const agentOf = (chosenAgent: ViewAgent): unknown =>
      new WholeProjector().project(fold([opened]), { ...emptyHead, chosenAgent }).head.agent;
    assert.deepEqual(agentOf({ id: "a", name: "A", isChosen: true }), { id: "a", name: "A", isChosen: true });
    assert.deepEqual(agentOf({ id: "a", name: "A" }), { id: "a", name: "A" });
    assert.deepEqual(agentOf({ id: "b", name: "B", isChosen: true }), { id: "a", name: "A" });
  });

  it("names the card of a sub-agent in a link to it as the card itself", () => {
    const input: ToolContent = { type: "content", content: { type: "text", text: '{"path":"/w/src/a.ts"}' } };
    const link: ToolContent = { type: "session", toolCallId: "s" };
    const { entries } = view([opened, tool({ kind: "edit", content: [input] }, "s"), tool({ content: [link] })]);
    const [target, linking] = entries;
    assert.ok(target?.kind === "tool" && linking?.kind === "tool");
    assert.match(target.title, /a\.ts/);
    assert.deepEqual(linking.parts, [{ type: "session", entry: target.id, title: target.title }]);
  });

  it("hides secrets in entries, and shows a question as the agent asked it, because the user decides on it", () => {
    const secret = "walrus-4711-tulip";
    new Secret(secret).unwrap();
    const title = `curl -u me:${secret}`;
    const ask: SessionEvent = { type: "askOpened", ask: "q", title, toolCallId: "t", options: [] };
    const { entries, head } = view([opened, tool({ title }, "other"), ask]);
    const [entry] = entries;
    assert.ok(entry?.kind === "tool");
    assert.ok(!entry.title.includes(secret) && entry.title.includes("•••"), entry.title);
    assert.ok(head.questions[0]?.title.includes(secret), head.questions[0]?.title);
  });

  it("shows a notice in place of an entry or a question that cannot be projected, and all others as usual", () => {
    const errors: unknown[] = [];
    const broken = { title: "Broken" };
    Object.defineProperty(broken, "kind", {
      enumerable: true,
      get: () => {
        throw new Error("a bug");
      },
    });
    const state = fold([opened, say("user", "hi"), tool({ title: "T" }), say("agent", "a")]);
    const key = [...state.entries].find(entry => entry.kind === "tool");
    assert.ok(key);
    const ask: SessionEvent = { type: "askOpened", ask: "q", title: "May I?", toolCallId: "t", options: [] };
    const asked = fold([ask], state);
    Object.assign(key, { fields: broken });
    const projector = new WholeProjector(undefined, undefined, error => errors.push(error));
    projector.prepare(asked);
    const { entries, head } = projector.project(asked, emptyHead);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["user", "notice", "agent"],
    );
    assert.equal(head.questions.length, 1);
    assert.ok(errors.length > 0);
  });

  it("is the same in a long conversation as that of a projector that has seen nothing before, after every event", () => {
    const past = Array.from({ length: 200 }, (_, i): SessionEvent => {
      const toolCallId = `old${i}`;
      return i % 3 === 0
        ? tool({ title: toolCallId, content: [{ type: "terminal", terminalId: i % 2 === 0 ? "a" : "b" }] }, toolCallId)
        : { type: "messageChunk", author: "agent", messageId: `m${i}`, content: { type: "text", text: toolCallId } };
    });
    const start = fold([opened, ...past]);
    fc.assert(
      fc.property(eventsArb, fc.array(fc.nat(199), { maxLength: 5 }), (events, changed) => {
        const projector = new WholeProjector();
        projector.project(start, emptyHead);
        const later = changed.map((i): SessionEvent =>
          i % 3 === 0 ? tool({ status: "completed" }, `old${i}`) : say("agent", "x"),
        );
        let state = start;
        for (const event of [...events, ...later, ...events]) {
          state = fold([event], state);
          assert.deepEqual(projector.project(state, emptyHead), new WholeProjector().project(state, emptyHead));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("updates path labels when the folder becomes known", () => {
    const projector = new WholeProjector();
    const first = fold([tool({ locations: [{ path: "/w/a.ts" }] })]);
    projector.project(first, emptyHead);
    const [entry] = projector.project(fold([opened], first), emptyHead).entries;
    assert.ok(entry?.kind === "tool");
    assert.equal(entry.locations[0]?.label, "a.ts");
  });

  it("marks tool calls that name a file outside the session's folders", () => {
    const isOutside = (path: string, folder: string): boolean => !path.startsWith(`${folder}/`);
    const marked = (patch: Partial<ToolFields>): boolean | undefined => {
      const projector = new WholeProjector(undefined, isOutside);
      const [entry] = projector.project(fold([opened, tool(patch)]), emptyHead).entries;
      assert.ok(entry?.kind === "tool");
      return entry.isOutside;
    };
    const diff = (path: string): ToolContent => ({ type: "diff", path, oldText: "a", newText: "b" });
    assert.equal(marked({ locations: [{ path: "/w/a.ts" }], content: [diff("/w/a.ts")] }), undefined);
    assert.equal(marked({ locations: [{ path: "/w/a.ts" }, { path: "/etc/hosts" }] }), true);
    assert.equal(marked({ content: [diff("/etc/hosts")] }), true);
    assert.equal(marked({ title: "ls /etc" }), undefined);
  });

  it("changes a tool call whose terminal has new output, and no other", () => {
    const projector = new WholeProjector();
    const shows = (id: string): SessionEvent => tool({ content: [{ type: "terminal", terminalId: id }] }, id);
    const first = fold([shows("a"), shows("b")]);
    const before = projector.project(first, emptyHead);
    const after = projector.project(fold([{ type: "terminalOutput", terminalId: "a", text: "x" }], first), emptyHead);
    assert.notEqual(after.entries[0], before.entries[0]);
    assert.equal(after.entries[1], before.entries[1]);
  });

  it("shows a tool call as waiting while its question is open, and the question with the facts for a decision", () => {
    const asked: SessionEvent = {
      type: "askOpened",
      ask: "q",
      title: "",
      toolCallId: "t",
      options: [{ id: "y", name: "Yes", kind: "allow_once" }],
    };
    const { entries, head } = view([opened, tool({ kind: "execute", rawInput: { command: ["npm", "test"] } }), asked]);
    assert.equal(entries[0]?.kind === "tool" && entries[0].status, "waiting");
    assert.deepEqual(
      head.questions.map(ask => [ask.title, ask.command, ask.cwd, ask.entry]),
      [["Run a command", "npm test", "/w", "t:t"]],
    );
    const answered = view([opened, tool({}), asked, { type: "askClosed", ask: "q", answer: { option: "y" } }]);
    assert.deepEqual(answered.head.questions, []);
  });

  it("shows a question about a tool call that was not reported", () => {
    const { head } = view([{ type: "askOpened", ask: "q", title: "", toolCallId: "gone", options: [] }]);
    assert.deepEqual([head.questions[0]?.title, head.questions[0]?.parts], ["Permission requested", []]);
  });

  it("shows a question of Parley with its subject and reason, and whether a rule can be created from it", () => {
    const { head } = view([
      opened,
      {
        type: "askOpened",
        ask: "q",
        title: "A wants to run a command in /srv",
        options: [],
        subject: { kind: "execute", command: "make 'a b'", argv: ["make", "a b"], cwd: "/srv", paths: ["/w/a.ts"] },
        reason: "A rule asks about this.",
        always: true,
      },
    ]);
    const [ask] = head.questions;
    assert.deepEqual(
      [ask?.toolKind, ask?.command, ask?.cwd, ask?.locations, ask?.reason, ask?.always],
      ["execute", "make 'a b'", "/srv", [{ path: "/w/a.ts", label: "a.ts" }], "A rule asks about this.", true],
    );
  });

  it("shows the words of a command unambiguously", () => {
    assert.equal(commandOf({ command: ["bash", "-lc", "a; b"] }), "bash -lc 'a; b'");
    assert.equal(commandOf({ command: "rm", args: ["-r", "my files"] }), "rm -r 'my files'");
    assert.equal(commandOf({ command: "a; b" }), "a; b");
  });

  it("shows the environment of a command in a question, with its secrets hidden", () => {
    const rawInput = { command: "npm publish", env: { CI: "true", NPM_TOKEN: "npm_abcdefghijklmnop1234" } };
    const listed = { command: "npm publish", env: [{ name: "API_KEY", value: "s3cr3tvalue99" }, null, { name: 3 }] };
    const envOf = (input: unknown): unknown =>
      view([
        opened,
        tool({ rawInput: input }),
        { type: "askOpened", ask: "q", title: "", toolCallId: "t", options: [] },
      ]).head.questions[0]?.env;
    assert.deepEqual(envOf(rawInput), [
      { name: "CI", value: "true" },
      { name: "NPM_TOKEN", value: "•••" },
    ]);
    assert.deepEqual(envOf(listed), [{ name: "API_KEY", value: "•••" }]);
    assert.equal(envOf({ command: "ls", env: "PATH" }), undefined);
  });

  it("shows at a tool call which rules answered, and which of its files need the user", () => {
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }];
    const projector = new WholeProjector();
    const first = fold([opened, tool({ title: "T", locations: [{ path: "/w/a.ts" }] })]);
    const before = projector.project(first, emptyHead);
    const after = projector.project(
      fold(
        [
          { type: "askOpened", ask: "q", title: "?", toolCallId: "t", options },
          { type: "askClosed", ask: "q", answer: { option: "y" }, by: "allow kind “read”" },
          { type: "file", path: "/w/a.ts", note: "unsaved" },
        ],
        first,
      ),
      emptyHead,
    );
    const [was] = before.entries;
    const [now] = after.entries;
    assert.ok(was?.kind === "tool" && now?.kind === "tool");
    assert.deepEqual([was.decisions, was.files], [undefined, undefined]);
    assert.deepEqual(now.decisions, ["Allowed by rule: allow kind “read”"]);
    assert.deepEqual(now.files, [{ path: "/w/a.ts", label: "a.ts", note: "unsaved" }]);
  });

  it("keeps the answer to all edits of the session apart from those of rules, because no rule belongs to it", () => {
    const [card] = view([
      ...[opened, tool({ title: "T", kind: "edit" })],
      {
        type: "askOpened",
        ask: "q",
        title: "?",
        toolCallId: "t",
        options: [{ id: "y", name: "Y", kind: "allow_once" }],
      },
      { type: "askClosed", ask: "q", answer: { option: "y" }, by: byAllEdits },
    ]).entries;
    assert.ok(card?.kind === "tool");
    assert.deepEqual([card.decisions, card.byAllEdits], [undefined, "Allowed with all edits of this session"]);
  });

  it("marks a note as done after its file is settled", () => {
    const note: SessionEvent = { type: "file", path: "/w/a", note: "diverged" };
    const [open] = view([opened, note]).entries;
    const [settled] = view([opened, note, { ...note, note: null }]).entries;
    assert.ok(open?.kind === "notice" && settled?.kind === "notice");
    assert.deepEqual([open.files?.length, open.description], [1, undefined]);
    assert.deepEqual([settled.files, settled.description], [undefined, "Settled."]);
  });

  it("titles a tool call with the available data", () => {
    assert.equal(card({ title: "Edit a.ts" }).title, "Edit a.ts");
    assert.equal(card({ title: " ", rawInput: { command: "ls", args: ["-l", 3] } }).title, "Run `ls -l`");
    assert.equal(card({ title: "a.ts", kind: "read", locations: [{ path: "/w/a.ts" }] }).title, "Read a.ts");
  });

  it("shows a title that is JSON as the input, if the agent sent no other", () => {
    const title = '{"text":"ping"}';
    const input = { type: "json", label: "Input", text: title };
    assert.deepEqual([card({ title }).title, card({ title, rawInput: {} }).parts], ["Use a tool", [input]]);
    const other = card({ title, rawInput: { text: "ping" } }).parts;
    assert.deepEqual(other, [{ ...input, text: '{\n  "text": "ping"\n}' }]);
  });

  it("shows characters that hide or move others in the input, but leaves the output as it is", () => {
    const parts = card({ rawInput: "a\u202eb", rawOutput: { b: "a\u202eb" } }).parts;
    assert.deepEqual(
      parts.map(part => part.type === "json" && part.text),
      ["a[U+202E]b", '{\n  "b": "a\u202eb"\n}'],
    );
  });

  it("names each place of a tool call once", () => {
    const locations = [{ path: "/w/a" }, { path: "/w/b" }, { path: "/w/a", line: 3 }, { path: "/w/b" }];
    assert.deepEqual(
      card({ locations }).locations.map(({ label, line }) => [label, line]),
      [
        ["b", undefined],
        ["a", 3],
      ],
    );
  });

  it("shows the patch in the raw input of a question that nothing else describes", () => {
    const diff = "\n--- a/n.txt\n+++ b/n.txt\n@@ -0,0 +1 @@\n+hi\n";
    const partsOf = (rawInput: unknown, content: ToolFields["content"] = []): readonly string[] =>
      (
        view([
          opened,
          tool({ kind: "edit", title: "Create n.txt", rawInput, content }),
          { type: "askOpened", ask: "q", title: "", toolCallId: "t", options: [] },
        ]).head.questions[0]?.parts ?? []
      ).map(part => (part.type === "text" ? `${part.pre?.language}: ${part.text}` : part.type));
    assert.deepEqual(partsOf({ fileName: "/w/n.txt", diff }), [`diff: ${diff.trim()}`, "json"]);
    assert.deepEqual(partsOf({ fileName: "/w/n.txt", diff: "none" }), ["json"]);
    assert.deepEqual(partsOf({ diff }, [{ type: "diff", path: "/w/n.txt", newText: "hi" }]), ["diff"]);
  });

  it("shows the command of a question once", () => {
    const text = (words: string): ToolContent => ({ type: "content", content: { type: "text", text: words } });
    const [ask] = view([
      opened,
      tool({
        title: "npm test",
        kind: "execute",
        rawInput: { command: "npm test" },
        content: [text("```sh\nnpm test\n```"), text("Runs all tests."), { type: "terminal", terminalId: "x" }],
      }),
      { type: "askOpened", ask: "q", title: "npm test", toolCallId: "t", options: [] },
    ]).head.questions;
    assert.deepEqual(
      [ask?.title, ask?.command, ask?.parts],
      ["Run a command", "npm test", [{ type: "text", text: "Runs all tests.", pre: {} }]],
    );
  });

  it("titles a session with its first prompt until the agent names it", () => {
    assert.equal(view([say("user", "\nFix the sum\nplease")]).head.title, "Fix the sum");
    assert.equal(view([say("user", "x".repeat(80))]).head.title.length, 60);
    assert.equal(view([say("user", "x"), { type: "info", title: "Sums" }]).head.title, "Sums");
  });

  it("is read-only if the agent left the settings, but not before the turn in progress ends", () => {
    const lost = { ...emptyHead, hasLostAgent: true };
    const isReadOnly = (events: readonly SessionEvent[]): boolean | undefined =>
      new WholeProjector().project(fold([opened, ...events]), lost).head.isReadOnly;
    const works: SessionEvent = { type: "activity", state: "running" };
    assert.equal(isReadOnly([say("user", "hi")]), true);
    assert.equal(isReadOnly([say("user", "hi"), works]), false);
    assert.equal(isReadOnly([say("user", "hi"), works, { type: "activity", state: "idle" }]), true);
    assert.equal(view([opened]).head.isReadOnly, undefined);
  });

  it("names the streaming entry while it streams", () => {
    const running: SessionEvent = { type: "activity", state: "running" };
    assert.equal(view([running, say("agent", "a")]).head.live, "m:agent:m");
    assert.equal(view([running, say("user", "a")]).head.live, null);
    assert.equal(view([running, say("agent", "a"), { type: "activity", state: "idle" }]).head.live, null);
    assert.equal(view([running, say("agent", "a"), tool({ title: "T" })]).head.live, null);
    const thought: SessionEvent = {
      type: "messageChunk",
      author: "thought",
      messageId: "m",
      content: { type: "text", text: "b" },
    };
    assert.equal(view([running, say("agent", "a"), thought]).head.live, "m:thought:m");
    assert.equal(view([running, say("agent", "a"), thought, say("agent", "c")]).head.live, "m:agent:m");
  });

  it("shows raw output once if content repeats it, and no empty input", () => {
    const text = { type: "content", content: { type: "text", text: "out" } } as const;
    assert.deepEqual(card({ content: [text], rawOutput: "out", rawInput: {} }).parts, [
      { type: "text", text: "out", pre: {} },
    ]);
    assert.deepEqual(card({ rawOutput: { a: 1 } }).parts, [{ type: "json", label: "Output", text: '{\n  "a": 1\n}' }]);
  });

  it("cuts text that is too large for a panel and counts the rest", () => {
    const message = view([say("agent", "x".repeat(400_010))]).entries[0];
    assert.ok(message?.kind === "agent");
    assert.deepEqual(
      message.parts.map(part => (part.type === "text" ? [part.text.length, part.cut] : [])),
      [[400_000, 100_000]], // rounded up, so that it does not change with each chunk
    );
    const [raw] = card({ rawInput: "y".repeat(30_000) }).parts;
    assert.ok(raw?.type === "json" && raw.cut === 10_000);
  });

  it("shows the newest output of a long terminal, in steps so that output between them only appends", () => {
    const shows = tool({ content: [{ type: "terminal", terminalId: "x" }] });
    const terminal = (length: number): { readonly text: string; readonly truncated: boolean } => {
      const [part] = card({}, [shows, { type: "terminalOutput", terminalId: "x", text: "z".repeat(length) }]).parts;
      assert.ok(part?.type === "terminal");
      return part;
    };
    assert.deepEqual([terminal(100_000).text.length, terminal(100_000).truncated], [100_000, false]);
    assert.deepEqual([terminal(100_001).text.length, terminal(149_999).text.length], [50_001, 99_999]);
    assert.ok(terminal(100_001).truncated);
  });

  it("shows the effect of a diff on its file", () => {
    const parts = card({
      content: [
        { type: "diff", path: "/w/src/new.ts", newText: "a\n" },
        { type: "diff", path: "/w/src/old.ts", oldText: "a\n", newText: "b\n" },
        { type: "diff", path: "/elsewhere/gone.ts", oldText: "a\n", newText: "", deleted: true },
      ],
    }).parts;
    assert.deepEqual(
      parts.map(part => (part.type === "diff" ? [part.label, part.operation, part.added, part.removed] : [])),
      [
        ["src/new.ts", "add", 1, 0],
        ["src/old.ts", "modify", 1, 1],
        ["/elsewhere/gone.ts", "delete", 0, 1],
      ],
    );
  });
});

describe("labels", () => {
  it("are paths relative to the session's folder, on either platform", () => {
    assert.equal(relativeLabel("/w/a.ts", "/w"), "a.ts");
    assert.equal(relativeLabel("/wide/a.ts", "/w"), "/wide/a.ts");
    assert.equal(relativeLabel("C:\\w\\a.ts", "C:\\w"), "a.ts");
    assert.equal(relativeLabel("/w", "/w"), "/w");
    assert.equal(relativeLabel("a.ts", ""), "a.ts");
  });

  it("find a command in raw input by its shape only", () => {
    for (const input of [undefined, null, 3, "ls", {}, { command: 3 }, { command: "" }, { command: [] }]) {
      assert.equal(commandOf(input), undefined);
    }
    assert.equal(commandOf({ command: ["git", "status"] }), "git status");
  });
});
