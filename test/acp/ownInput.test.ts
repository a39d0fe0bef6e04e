// Tool calls whose agent sends their arguments as text of the call, from the updates on the wire to the card: the text is
// the input, not the output, and a question shows it.
import assert from "node:assert/strict";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import type { ToolPart, ViewQuestion, ViewTool } from "../../src/panel/protocol.ts";
import { contentAt } from "../../src/panel/projection/contentParts.ts";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { permissionQuestion, SessionBench } from "../support/fakes/sessionBench.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { emptyHead } from "../support/fakes/heads.ts";

/** The tool call `c` of an agent of version 1, in the folder /w. */
class Call {
  readonly #updates = new V1Updates();
  state: SessionState = emptySession;
  #seq = 0;

  constructor(first: JsonObject) {
    this.apply({ type: "opened", agent: "a", agentName: "A", cwd: "/w" });
    this.#send("tool_call", first);
  }
  update(fields: JsonObject): this {
    return this.#send("tool_call_update", fields);
  }
  /** The agent asks, with these fields of the call. */
  ask(title: string, fields: JsonObject): this {
    this.update({ ...fields, title });
    return this.apply({ type: "askOpened", ask: "q", title, toolCallId: "c", options: [] });
  }
  apply(event: SessionEvent): this {
    this.state = reduce(this.state, { seq: ++this.#seq, at: this.#seq, event });
    return this;
  }
  #send(sessionUpdate: string, fields: JsonObject): this {
    for (const event of this.#updates.update({ sessionUpdate, toolCallId: "c", ...fields })) this.apply(event);
    return this;
  }
  get card(): ViewTool {
    const [entry] = new WholeProjector().project(this.state, emptyHead).entries;
    assert.ok(entry?.kind === "tool");
    return entry;
  }
  get question(): ViewQuestion {
    const [question] = new WholeProjector().project(this.state, emptyHead).head.questions;
    assert.ok(question);
    return question;
  }
  get shown(): readonly string[] {
    return this.card.parts.map(shownPart);
  }
}

function shownPart(part: ToolPart): string {
  if (part.type === "json") {
    const fold = part.folded === undefined ? "" : part.folded ? " (folded)" : " (open)";
    return `${part.label}${fold}: ${part.text.replace(/\s+/g, " ")}`;
  }
  if (part.type === "diff") return `diff of ${part.path}`;
  return part.type === "text" ? `text: ${part.text}` : part.type;
}

const textItem = (words: string): ToolContent => ({ type: "content", content: { type: "text", text: words } });
const text = (words: string): JsonObject => ({ ...textItem(words) });
const diff = { type: "diff", path: "/w/a.txt", oldText: "one", newText: "two" };
const input = { path: "/w/a.txt", old_string: "one", new_string: 'a "b" {' };
const json = JSON.stringify(input);
const pretty = JSON.stringify(input, null, 2).replace(/\s+/g, " ");

describe("the arguments of a tool call that arrive as its text", () => {
  it("are its input while they grow, when they are whole, and after the end of the call", () => {
    const call = new Call({ title: "Edit", kind: "edit", status: "pending", content: [text("")] });
    assert.deepEqual(call.shown, []);
    for (const length of [1, 8, 20, 45]) {
      call.update({ status: "in_progress", content: [text(json.slice(0, length))] });
      assert.deepEqual(call.shown, [`Input (folded): ${json.slice(0, length)}`]);
    }
    call.update({ content: [text(json)] });
    assert.deepEqual(call.shown, [`Input (folded): ${pretty}`]);
    call.update({ status: "completed", content: [text("Replaced 1 occurrence.")] });
    assert.deepEqual(call.shown, ["text: Replaced 1 occurrence.", `Input (folded): ${pretty}`]);
    assert.deepEqual(contentAt(call.state, "t:c", 0), { type: "text", text: "Replaced 1 occurrence." });
  });

  it("are its input if they repeat the raw input, whole or cut, also at the end of the call", () => {
    for (const words of [json, JSON.stringify(input, null, 2), json.slice(0, 40)]) {
      const call = new Call({ title: "Edit", kind: "edit", status: "in_progress", rawInput: input });
      assert.deepEqual(call.update({ content: [text(words)] }).shown, [`Input (folded): ${pretty}`], words);
      call.update({ status: "completed", content: [text(words)] });
      assert.deepEqual(call.shown, [`Input (folded): ${pretty}`], words);
    }
    const late = new Call({ title: "Edit", kind: "edit", status: "in_progress" }).update({ content: [text(json)] });
    assert.deepEqual(late.update({ rawInput: input }).shown, [`Input (folded): ${pretty}`]);
  });

  it("are its input beside a diff", () => {
    const call = new Call({ title: "Edit", kind: "edit", status: "pending", content: [text(json)] });
    call.update({ status: "in_progress", rawInput: input, content: [diff, text(json)] });
    assert.deepEqual(call.shown, ["diff of /w/a.txt", `Input (folded): ${pretty}`]);
  });

  it("are not confused with output", () => {
    const output = '{"name":"sample"}';
    const run = new Call({ title: "cat a.json", kind: "execute", status: "in_progress", rawInput: { command: "cat" } });
    run.update({ content: [text(output)] });
    assert.deepEqual(run.shown, ["terminal", 'Input: { "command": "cat" }']);
    const read = new Call({ title: "Read", kind: "read", status: "completed", content: [text(output)] });
    assert.deepEqual(read.shown, [`text: ${output}`]);
    const code = new Call({ title: "Think", kind: "think", status: "in_progress", content: [text("{ return 1; }")] });
    assert.deepEqual(code.shown, ["text: { return 1; }"]);
    const streamed = new Call({ title: "Tool", status: "pending", content: [text('{"a":1}')] });
    streamed.update({ status: "completed", content: [text('{"b":2}')] });
    assert.deepEqual(streamed.shown, ['text: {"b":2}', 'Input (folded): { "a": 1 }']);
    const running = new Call({ title: "Query", kind: "other", status: "in_progress", content: [text("")] });
    for (const rows of ['{"rows":', '{"rows":1}']) running.update({ content: [text(rows)] });
    assert.deepEqual(running.shown, ['text: {"rows":1}']);
  });

  it("are shown by a question whose agent replaced them by a sentence", () => {
    const call = new Call({ title: "Edit", kind: "edit", status: "pending", content: [text(json)] });
    call.ask("Edit", { content: [text("Requesting approval to edit a file")] });
    assert.deepEqual(call.question.parts.map(shownPart), [
      "text: Requesting approval to edit a file",
      `Input (open): ${pretty}`,
    ]);
    assert.equal(call.question.title, "Edit a.txt");
  });

  it("are the command of a question about a command", () => {
    const args = '{"command":"npm test","description":"Run the tests"}';
    const call = new Call({ title: "Bash", kind: "execute", status: "pending", content: [text(args)] });
    call.ask("Bash", { content: [text("Requesting approval to run a command")] });
    assert.equal(call.question.command, "npm test");
    assert.deepEqual(call.question.parts.map(shownPart), ["text: Requesting approval to run a command"]);
    assert.equal(call.question.title, "Bash");
  });

  it("are not repeated by a question with a diff", () => {
    const call = new Call({ title: "Edit", kind: "edit", status: "pending", content: [text(json)] });
    call.ask("Edit", { content: [diff, text("Requesting approval")] });
    assert.deepEqual(call.question.parts.map(shownPart), ["diff of /w/a.txt", "text: Requesting approval"]);
  });

  it("name the file of a title that is only the name of the tool, as soon as they are known", () => {
    const call = new Call({ title: "Write", kind: "edit", status: "pending", content: [text('{"path":"/w/s')] });
    assert.equal(call.card.title, "Write");
    call.update({ content: [text('{"path":"/w/src/a.txt","content":"x')] });
    assert.equal(call.card.title, "Write src/a.txt");
  });
});

describe("a permission request after arguments that arrived as text", () => {
  const args = (command: string): string => JSON.stringify({ command });
  const long = `rm ${"x".repeat(3000)}`;
  for (const [title, changes, expected] of [
    ["has them as raw input for the rules", [[args("npm test")]], { command: "npm test" }],
    ["has those that replaced them", [[args("ls")], [args("rm -rf src")]], { command: "rm -rf src" }],
    ["has those that replaced them, although they are long", [[args("ls")], [args(long)]], { command: long }],
    ["has shorter ones that replaced them", [[args("rm src")], ['{"command":"ls']], '{"command":"ls'],
    ["has them although a sentence replaced them", [[args("ls")], ["Requesting approval"]], { command: "ls" }],
    ["has none of several", [[args("ls"), args("rm -rf src")]], undefined],
    ["has none of several that replaced them", [[args("ls")], [args("ls"), args("rm -rf src")]], undefined],
  ] as const)
    it(title, async () => {
      const bench = await new SessionBench().openReady();
      bench.send("Go");
      await bench.flushPromises();
      const call = { title: "Bash", kind: "execute", status: "pending" } as const;
      for (const texts of changes)
        bench.remote.report({ type: "tool", toolCallId: "t", patch: { ...call, content: texts.map(textItem) } });
      const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
      await bench.flushPromises();
      const [asked] = bench.session.state.questions;
      assert.deepEqual(bench.session.question(asked?.id ?? "")?.tool?.rawInput, expected);
      bench.session.answer(asked?.id ?? "", "y");
      await answer;
      bench.session.dispose();
    });
});

describe("a finished edit", () => {
  const running = (): Call =>
    new Call({ title: "Edit", kind: "edit", status: "in_progress", rawInput: input, content: [diff, text(json)] });

  it("keeps its last diff if its end comes without one", () => {
    for (const content of [[text("The file was edited.")], []]) {
      const call = running().update({ status: "completed", content });
      const [first, ...rest] = call.shown;
      assert.equal(first, "diff of /w/a.txt");
      assert.equal(
        rest.some(part => part === "text: The file was edited."),
        content.length > 0,
      );
    }
    const late = running()
      .update({ status: "completed" })
      .update({ content: [text("Done.")] });
    assert.deepEqual(late.shown.slice(0, 2), ["diff of /w/a.txt", "text: Done."]);
  });

  it("shows another diff that its end brings, and none if it failed", () => {
    const other = { ...diff, path: "/w/b.txt" };
    assert.deepEqual(running().update({ status: "completed", content: [other] }).shown[0], "diff of /w/b.txt");
    const failed = running().update({ status: "failed", content: [text("Not found")] });
    assert.deepEqual(failed.shown[0], "text: Not found");
  });
});
