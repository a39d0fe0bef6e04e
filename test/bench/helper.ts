// A temporary extension for the benchmarks in VS Code. It reads VS Code's own startup report. It is also the floor,
// the minimum that shows an agent's text in a webview: pipe, lines, a batch every 33 ms, one text node, and no model.
// It also adds the send time to every message to a webview of this extension host, including Parley's.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { measureFiles } from "./fileTimes.ts";
import { registerReviewCommands } from "./reviewHelper.ts";
import { measureFollowing } from "./followTimes.ts";
import { Rows } from "./rows.ts";
import { provideToolData } from "./toolsHelper.ts";
import { writeHeap } from "./hostHeap.ts";

const pace = 33;

interface Message {
  readonly id?: number;
  readonly result?: { readonly sessionId?: string };
  readonly params?: {
    readonly update?: { readonly sessionUpdate?: string; readonly content?: { readonly text?: string } };
  };
}

/** The agent, without a client library. */
class Agent {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers = new Map<number, (result: Message["result"]) => void>();
  #id = 0;

  constructor(script: string, onText: (text: string) => void) {
    this.#process = spawn(process.execPath, [script], { env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" } });
    createInterface({ input: this.#process.stdout }).on("line", line => {
      const { id, result, params } = JSON.parse(line) as Message;
      const { sessionUpdate, content } = params?.update ?? {};
      if (id !== undefined) this.#answers.get(id)?.(result);
      else if (sessionUpdate === "agent_message_chunk" && content?.text !== undefined) onText(content.text);
    });
  }

  request(method: string, params: unknown): Promise<Message["result"]> {
    const id = ++this.#id;
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise(resolve => this.#answers.set(id, resolve));
  }

  dispose(): void {
    this.#process.stdin.end();
    this.#process.kill();
  }
}

class Floor implements vscode.WebviewViewProvider {
  #view: vscode.WebviewView | undefined;
  #agent: Promise<Agent> | undefined;
  #batch = "";
  #timer: NodeJS.Timeout | undefined;

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.webview.options = { enableScripts: true };
    view.webview.html = page();
  }

  async flood(): Promise<void> {
    const agent = await (this.#agent ??= this.#start());
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const session = await agent.request("session/new", { cwd, mcpServers: [] });
    const prompt = [{ type: "text", text: "#script flood.json" }];
    await this.#view?.webview.postMessage({ start: true });
    await agent.request("session/prompt", { sessionId: session?.sessionId, prompt });
  }

  async #start(): Promise<Agent> {
    const agent = new Agent(process.env["PARLEY_BENCH_AGENT"] ?? "", text => this.#take(text));
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return agent;
  }

  #take(text: string): void {
    this.#batch += text;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#view?.webview.postMessage({ text: this.#batch });
      this.#batch = "";
    }, pace);
  }

  async dispose(): Promise<void> {
    (await this.#agent)?.dispose();
  }
}

function page(): string {
  const nonce = randomBytes(18).toString("base64url");
  return `<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'">
<style nonce="${nonce}">#text { height: 80vh; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere }</style>
<div id="text"></div>
<textarea aria-label="Empty"></textarea>
<script nonce="${nonce}">
  const box = document.getElementById("text");
  const text = box.appendChild(document.createTextNode(""));
  addEventListener("message", ({ data }) => {
    if (data.start) text.data = "";
    else if (data.text) text.appendData(data.text);
    box.scrollTop = box.scrollHeight;
  });
</script>`;
}

/** Writes VS Code's startup report to the file, each time it grows. */
async function writeStartup(file: string): Promise<void> {
  await vscode.commands.executeCommand("perfview.show");
  const write = (document: vscode.TextDocument): void => {
    if (document.uri.scheme === "perf") writeFileSync(file, document.getText());
  };
  vscode.workspace.textDocuments.forEach(write);
  vscode.workspace.onDidOpenTextDocument(write);
  vscode.workspace.onDidChangeTextDocument(({ document }) => write(document));
}

/** Adds `sentAt` (ms since the epoch) to every message that any extension here posts to a webview. */
function stampMessages(): void {
  const probe = vscode.window.createWebviewPanel("parleyBench.probe", "Probe", {
    viewColumn: vscode.ViewColumn.Active,
    preserveFocus: true,
  });
  const webviews = Object.getPrototypeOf(probe.webview) as vscode.Webview;
  const post = Object.getOwnPropertyDescriptor(webviews, "postMessage")?.value as vscode.Webview["postMessage"];
  webviews.postMessage = function (this: vscode.Webview, message: object) {
    return post.call(this, { ...message, sentAt: performance.timeOrigin + performance.now() });
  };
  probe.dispose();
}

export function activate(context: vscode.ExtensionContext): void {
  const floor = new Floor();
  const rows = new Rows();
  const ready = vscode.window.createStatusBarItem();
  ready.text = "Extensions started";
  ready.show();
  context.subscriptions.push(
    ready,
    { dispose: () => void floor.dispose() },
    vscode.window.registerWebviewViewProvider("parleyBench.floor", floor, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.commands.registerCommand("parleyBench.flood", () => floor.flood()),
    vscode.commands.registerCommand("parleyBench.heap", () => writeHeap(process.env["PARLEY_BENCH_HEAP"] ?? "")),
    vscode.window.registerTreeDataProvider("parleyBench.rows", rows),
    vscode.commands.registerCommand("parleyBench.toggleRow", () => rows.toggle()),
  );
  if (process.env["PARLEY_BENCH_STAMPS"] !== undefined) stampMessages();
  if (process.env["PARLEY_BENCH_HEAP"] !== undefined)
    void vscode.commands.executeCommand("setContext", "parleyBench.rows", true);
  const file = process.env["PARLEY_BENCH_STARTUP"];
  if (file !== undefined) void writeStartup(file);
  const outcome = process.env["PARLEY_BENCH_FILES"];
  if (outcome !== undefined) void measureFiles(outcome);
  const reviewed = process.env["PARLEY_BENCH_REVIEW"];
  if (reviewed !== undefined) context.subscriptions.push(registerReviewCommands(reviewed));
  if (process.env["PARLEY_BENCH_TOOLS"] !== undefined) context.subscriptions.push(provideToolData());
  const followed = process.env["PARLEY_BENCH_FOLLOW"];
  if (followed !== undefined) void measureFollowing(followed);
}
