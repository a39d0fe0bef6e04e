// An agent's command in a terminal of VS Code: its output, its end, and how it is closed.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { emptySession, type SessionState, type TerminalState } from "../../src/session/state.ts";
import { EditorTerminals } from "../../src/terminals/vscode/editorTerminals.ts";
import { until } from "../support/fakes/until.ts";

const CLEARED = "\u001b[2J\u001b[3J\u001b[H";

/** A session as far as terminals are concerned. */
class StubSession {
  readonly #changed = new Emitter<SessionState>();
  /** The number of listeners. */
  followers = 0;
  state: SessionState = { ...emptySession, agent: { id: "demo", name: "Demo Agent" } };

  readonly onDidChange = (listener: (state: SessionState) => void): vscode.Disposable => {
    this.followers++;
    const link = this.#changed.event(listener);
    return new vscode.Disposable(() => {
      this.followers--;
      link.dispose();
    });
  };

  put(id: string, change: Partial<TerminalState>): void {
    const old = this.state.terminals.get(id) ?? { id, output: "", truncated: false };
    this.state = { ...this.state, terminals: new Map(this.state.terminals).set(id, { ...old, ...change }) };
    this.#changed.fire(this.state);
  }

  print(id: string, text: string): void {
    this.put(id, { output: (this.state.terminals.get(id)?.output ?? "") + text });
  }
}

describe("an agent's command in a VS Code terminal", () => {
  const { createTerminal } = vscode.window;
  let made: {
    readonly options: vscode.ExtensionTerminalOptions;
    readonly terminal: vscode.Terminal;
    written: string;
  }[];
  let terminals: EditorTerminals;
  let session: StubSession;

  beforeEach(() => {
    made = [];
    // Real terminals whose output is recorded as it is written, because VS Code does not expose the contents of a
    // terminal.
    Object.assign(vscode.window, {
      createTerminal: (options: vscode.ExtensionTerminalOptions) => {
        const one = { options, terminal: createTerminal(options), written: "" };
        options.pty.onDidWrite(text => (one.written += text));
        made.push(one);
        return one.terminal;
      },
    });
    terminals = new EditorTerminals();
    session = new StubSession();
    session.put("t1", { command: "npm test", output: "one\ntwo\r\n\u001b[32mthree" });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { createTerminal });
    terminals.dispose();
    await until(() => made.every(({ terminal }) => !vscode.window.terminals.includes(terminal)));
  });

  /** Opens the terminal and waits until VS Code has it ready. */
  async function open(id = "t1"): Promise<void> {
    const { followers } = session;
    terminals.open(session, id);
    await until(() => session.followers > followers || session.state.terminals.get(id)?.exit !== undefined);
    await until(() => made.at(-1)?.written !== "");
  }
  const written = (): string => made[0]?.written ?? "";

  it("is named by agent and command, and starts with the previous output", async () => {
    await open();
    assert.equal(made[0]?.terminal.name, "Demo Agent: npm test");
    assert.ok(vscode.window.terminals.includes(made[0].terminal));
    assert.equal(written(), "one\r\ntwo\r\n\u001b[32mthree");
  });

  it("receives only new output", async () => {
    await open();
    session.print("t1", " and\n");
    session.put("t2", { output: "something else" });
    session.put("t1", { cwd: "/shop" });
    session.print("t1", "four");
    assert.equal(written(), "one\r\ntwo\r\n\u001b[32mthree and\r\nfour");
  });

  it("is cleared and rewritten when the output was cut or replaced", async () => {
    await open();
    session.put("t1", { output: "two\nthree\nfour\n", truncated: true });
    const [, after] = written().split(CLEARED);
    assert.equal(after, "\u001b[2mThe beginning of the output was left out.\u001b[0m\r\ntwo\r\nthree\r\nfour\r\n");
    session.print("t1", "five\n");
    assert.ok(written().endsWith("four\r\nfive\r\n"));
  });

  it("shows how the command ended, and stops listening", async () => {
    await open();
    session.put("t1", { exit: { exitCode: 1 } });
    assert.match(written(), /three.*\r\n\u001b\[2mExit code 1\u001b\[0m\r\n$/);
    assert.equal(session.followers, 0);
    const before = written();
    session.print("t1", "late");
    assert.equal(written(), before);
  });

  it("shows how the command ended if it ended before", async () => {
    session.put("t2", { output: "done\n", exit: { signal: "SIGTERM" } });
    await open("t2");
    assert.ok(written().startsWith("done\r\n"));
    assert.ok(written().endsWith("\u001b[2mEnded by SIGTERM\u001b[0m\r\n"));
    assert.equal(session.followers, 0);
  });

  it("is revealed instead of opened twice, while it exists", async () => {
    await open();
    terminals.open(session, "t1");
    assert.equal(made.length, 1);
    const other = new StubSession();
    other.put("t1", { output: "another session" });
    terminals.open(other, "t1");
    assert.equal(made.length, 2);
    made[0]?.terminal.dispose();
    await until(() => session.followers === 0);
    await open();
    assert.equal(made.length, 3);
    assert.equal(made[2]?.written, "one\r\ntwo\r\n\u001b[32mthree");
  });

  it("accepts no input", async () => {
    await open();
    assert.equal(made[0]?.options.pty.handleInput, undefined);
    made[0]?.terminal.sendText("rm -rf /");
    session.print("t1", "!");
    assert.ok(written().endsWith("three!"));
  });

  it("is closed when the extension is deactivated", async () => {
    await open();
    terminals.dispose();
    assert.equal(session.followers, 0);
    await until(() => made.every(({ terminal }) => !vscode.window.terminals.includes(terminal)));
  });

  it("is not opened for an unknown command", () => {
    assert.throws(() => terminals.open(session, "t9"), /^Error: The output of this command is no longer available\.$/);
    assert.equal(made.length, 0);
  });

  it("has a name of one line, for any command", async () => {
    session.put("t2", { command: `echo \u001b]0;x\u0007\n\u202e${"long ".repeat(50)}`, output: "x" });
    await open("t2");
    const name = made[0]?.options.name ?? "";
    assert.match(name, /^Demo Agent: echo \]0;x long long .*…$/);
    assert.equal(name.length, 60);
  });

  for (const [about, output] of [
    ["the clipboard", "a\u001b]52;c;aGFja2Vk\u0007b"],
    ["the title", "a\u001b]0;title\u001b\\b"],
    ["shell integration", "a\u001b]633;E;rm -rf /\u0007b"],
    ["images", "a\u001bPq#0~~\u001b\\b"],
    ["a string in eight bits", "a\u009d52;c;aGFja2Vk\u009cb"],
    ["a string with a control character in its beginning", "a\u001b\u0001]52;c;aGFja2Vk\u0007b"],
    ["a string that only a removed one would make", "a\u001b\u001b]0;x\u0007]52;c;aGFja2Vk\u0007b"],
  ] as const) {
    it(`receives no control string for ${about}, in any chunks`, async () => {
      session.put("t2", { output: "\u001b[1m" });
      await open("t2");
      for (const char of output) session.print("t2", char);
      session.put("t3", { output });
      await open("t3");
      for (const one of made) {
        assert.doesNotMatch(
          one.written,
          /\u001b[\u0000-\u0017\u0019\u001c-\u001f\u007f]*[\]PX^_]|[\u0090\u0098\u009d-\u009f]/,
        );
        assert.match(one.written, /a[^]*b$/);
      }
    });
  }
});
