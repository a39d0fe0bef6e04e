// Mentions inside VS Code: the index with and without git, and the content sent for selection, problems, symbols and
// files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { MentionedConversation } from "../../src/mentions/mentionedConversations.ts";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import type { Attachment, PanelMessage } from "../../src/panel/protocol.ts";
import { addToChat, fixWithChat } from "../../src/mentions/vscode/addToChat.ts";
import { Attachments, attachSelection, intactSelection } from "../../src/mentions/vscode/attachments.ts";
import type { ReplyTarget } from "../../src/panel/replyTarget.ts";
import type { ChatPanels } from "../../src/window/chatPanels.ts";
import type { SessionRegistry } from "../../src/library/sessionRegistry.ts";
import { emptySession } from "../../src/session/state.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { FileEvents } from "../../src/files/vscode/fileEvents.ts";
import { FileIndexer } from "../../src/mentions/vscode/fileIndexer.ts";
import { Mentions } from "../../src/mentions/vscode/mentions.ts";
import { RecentFiles } from "../../src/mentions/vscode/recentFiles.ts";
import { TerminalCommands } from "../../src/mentions/vscode/terminalCommands.ts";
import { PromptSender, type PromptSenderOptions } from "../../src/window/promptSender.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import type { IntentOf } from "../../src/panel/intentHandlers.ts";
import type { ItemPreview } from "../../src/panel/itemPreview.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";

type Completions = Extract<PanelMessage, { readonly type: "completions" }>;

/** A panel that keeps the messages it receives. */
class FakePanel implements ReplyTarget {
  readonly surface = "view";
  readonly messages: PanelMessage[] = [];
  reply(message: PanelMessage): void {
    this.messages.push(message);
  }
  get items(): readonly Completion[] {
    return this.messages.findLast((one): one is Completions => one.type === "completions")?.items ?? [];
  }
  get attached(): readonly Attachment[] {
    return this.messages.flatMap(one => (one.type === "attached" ? one.attachments : []));
  }
  get refused(): readonly string[] {
    return this.messages.flatMap(one => (one.type === "refused" ? [one.reason] : []));
  }
}

/** Waits until the condition holds; fails if it never does. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never happened: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** The user sends nothing of the active file. */
const newProblems: PromptSenderOptions["newProblems"] = { content: () => Promise.resolve([]) };
const activeFile: PromptSenderOptions["activeFile"] = {
  content: () => Promise.resolve({ links: [], attachments: [] }),
};

describe("mentions", () => {
  let root: string;
  let inside: string;
  let name: string;
  let indexer: FileIndexer;
  let terminals: TerminalCommands;
  let recent: RecentFiles;
  let attaching: Attachments;
  let mentions: Mentions;
  let panel: FakePanel;
  let conversations: MentionedConversation[];
  let requests = 0;
  const documents = new EditorDocuments(nodePaths());
  const diagnostics = vscode.languages.createDiagnosticCollection("mentions");

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(folder, "the tests run in a workspace");
    root = folder;
  });
  beforeEach(async () => {
    inside = await mkdtemp(join(root, "mentions-"));
    name = basename(inside);
    await writeFile(join(inside, "quillwort.txt"), "one\ntwo\nthree\n");
    indexer = new FileIndexer(new FileEvents(), nullLog, systemClock);
    terminals = new TerminalCommands(nullLog);
    recent = new RecentFiles();
    attaching = new Attachments({
      documents,
      roots: () => [root],
      sensitive: () => [],
      accepts: () => null,
      agentName: () => "Stub",
    });
    conversations = [];
    let isRead = false;
    const stored = {
      load: () => Promise.resolve(void (isRead = true)),
      list: () => (isRead ? conversations : []),
      attachment: (id: string) => {
        const found = conversations.find(one => one.id === id);
        if (!found) return Promise.reject(new Error("It was deleted."));
        const source = { type: "text", text: `The user attached ${found.title}` } as const;
        const chip: Attachment = { id: "1", kind: "conversation", label: found.title, source, preview: "Fix it" };
        return Promise.resolve(chip);
      },
      digest: (id: string) => {
        const source = { type: "text", text: `digest of ${id}` } as const;
        return Promise.resolve<Attachment>({ id: "2", kind: "digest", label: id, source });
      },
    };
    mentions = new Mentions({
      indexer,
      recent,
      terminals,
      attachments: attaching,
      conversations: stored,
      log: nullLog,
    });
    panel = new FakePanel();
  });
  afterEach(async () => {
    for (const one of [mentions, recent, terminals, indexer]) one.dispose();
    diagnostics.clear();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(inside, { recursive: true, force: true });
  });
  after(() => diagnostics.dispose());

  const ask = async (query: string): Promise<readonly Completion[]> => {
    await mentions.complete(panel, ++requests, query);
    return panel.items;
  };
  const paths = async (query: string): Promise<readonly string[]> =>
    (await ask(query)).filter(({ kind }) => kind === "file" || kind === "folder").map(({ key }) => key);
  const attach = async (item: Completion | undefined): Promise<Attachment> => {
    assert.ok(item, "it is offered");
    await mentions.attachItem(panel, requests, item.key);
    const chip = panel.attached.at(-1);
    assert.ok(chip, panel.refused.join(" "));
    return chip;
  };
  const open = async (file: string): Promise<vscode.TextEditor> =>
    vscode.window.showTextDocument(vscode.Uri.file(join(inside, file)));

  /**
   * The same tests outside of a repository and in one. The repository is kept, because the git extension fails when one
   * is deleted.
   */
  for (const withGit of [false, true]) {
    it(`find the files ${withGit ? "of a repository" : "of a folder without git"}, and follow added and removed files`, async () => {
      if (withGit) execFileSync("git", ["init", "-q"], { cwd: root, stdio: "pipe" });
      await writeFile(join(inside, ".gitignore"), "*.hidden\n");
      await writeFile(join(inside, "quillwort.hidden"), "");
      const file = `file:${name}/quillwort.txt`;
      const first = paths("quillwort");
      assert.deepEqual(await first, [file]);
      const [cold] = panel.messages.filter((one): one is Completions => one.type === "completions");
      assert.equal(cold?.indexing, true, "it reported that it was still looking");

      await mkdir(join(inside, "fresh"));
      await writeFile(join(inside, "fresh", "quillwortNew.ts"), "");
      await writeFile(join(inside, "fresh", "quillwortNew.hidden"), "");
      await until("the new file is known", async () => (await paths("quillwortNew")).length === 1);
      assert.deepEqual(await paths("fresh/"), [`file:${name}/fresh/quillwortNew.ts`]);

      await rename(join(inside, "fresh"), join(inside, "moved"));
      await until("the folder has its new name", async () => (await paths("moved/quill")).length === 1);
      await until("and no longer its old one", async () => (await paths("fresh/quill")).length === 0);

      await rm(join(inside, "quillwort.txt"));
      await until("the file is forgotten", async () => !(await paths("quillwort")).includes(file));
    });
  }

  it("have previews with path and first lines, except secrets, and answer with the key of the item", async () => {
    const preview = async (target: IntentOf<"preview">["target"]): Promise<ItemPreview> => {
      await mentions.preview(panel, { type: "preview", request: 7, target });
      const last = panel.messages.at(-1);
      assert.ok(last?.type === "preview" && last.request === 7);
      return last.preview;
    };
    await until("the file is known", async () => (await paths("quillwort")).length === 1);
    const key = `file:${name}/quillwort.txt`;
    const path = join(inside, "quillwort.txt");
    assert.deepEqual(await preview({ type: "item", request: requests, key }), { path, text: "one\ntwo\nthree" });
    assert.deepEqual(await preview({ type: "item", request: requests, key: "unknown" }), {});
    assert.deepEqual(await preview({ type: "path", path, line: 2, endLine: 2 }), { path, text: "two" });
    const secret = join(inside, ".env");
    await writeFile(secret, "TOKEN=1\n");
    const outside = join(await realpath(tmpdir()), "quillwort.txt");
    for (const hidden of [secret, outside]) {
      const { text, note } = await preview({ type: "path", path: hidden });
      assert.equal(text, undefined);
      assert.match(note ?? "", /content is not shown/);
    }
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(secret));
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    const selection = (await ask("")).find(({ kind }) => kind === "selection");
    assert.ok(selection);
    assert.equal((await preview({ type: "item", request: requests, key: selection.key })).text, undefined);
    assert.equal((await attach(selection)).secret, true);
    const answered = panel.messages.at(-1);
    assert.ok(answered?.type === "attached" && answered.key === selection.key);
  });

  it("offer open editors and the selection before the user types, and attach the lines unchanged", async () => {
    const editor = await open("quillwort.txt");
    editor.selection = new vscode.Selection(1, 0, 2, 0);
    const items = await ask("");
    assert.deepEqual([items[0]?.kind, items[0]?.label, items[0]?.detail], ["editor", "quillwort.txt", name]);
    const kinds = [...new Set(items.map(({ kind }) => kind))].sort();
    assert.deepEqual(kinds, [
      ...["conversation", "diff", "digest", "editor", "file", "folder", "problems", "selection", "symbol", "terminal"],
    ]);
    assert.equal(items.find(({ kind }) => kind === "conversation")?.continuesWith, "conversation:");
    assert.equal(items.find(({ kind }) => kind === "symbol")?.continuesWith, "#");
    assert.equal(items.find(({ kind }) => kind === "selection")?.continuesWith, undefined);
    const chip = await attach(items.find(({ kind }) => kind === "selection"));
    const uri = `${editor.document.uri.toString()}#L2`;
    assert.deepEqual([chip.kind, chip.label, chip.bytes], ["selection", "quillwort.txt:2", 4]);
    assert.deepEqual(chip.source, { type: "text", text: "two\n", uri });
  });

  it("offer problems of the editor and of all files, as lines with their locations", async () => {
    const { document } = await open("quillwort.txt");
    const range = new vscode.Range(1, 0, 1, 3);
    const wrong = new vscode.Diagnostic(range, "Two is too much.", vscode.DiagnosticSeverity.Error);
    wrong.source = "count";
    wrong.code = 2;
    diagnostics.set(document.uri, [wrong]);
    diagnostics.set(vscode.Uri.file(join(inside, "other.ts")), [
      new vscode.Diagnostic(range, "Hm.", vscode.DiagnosticSeverity.Warning),
    ]);
    const own = await attach((await ask("problems")).find(({ label }) => label === "Problems in quillwort.txt"));
    const line = `${name}/quillwort.txt:2:1 error: Two is too much. (count 2)\n`;
    assert.deepEqual(own.source, { type: "text", text: line });
    const all = await attach((await ask("problems")).find(({ label }) => label === "Problems"));
    assert.ok(all.source.type === "text" && all.source.text.startsWith(line));
    assert.match(all.source.text, /other\.ts:2:1 warning: Hm\./);
  });

  it("offer stored conversations by title, attach them, and say so if one was deleted meanwhile", async () => {
    const updated = new Date(2026, 10, 28).getTime();
    for (const title of ["Fix the quillwort parser", "Write docs"])
      conversations.push({ id: title, title, agentName: "Demo Agent", updated });
    const labels = (): readonly (readonly unknown[])[] =>
      panel.items.flatMap(({ kind, label, detail }) => (kind === "conversation" ? [[label, detail]] : []));
    // The list of conversations is read with the first query for them.
    await ask("conversation:");
    const [fix, docs] = conversations.map(({ title }) => [title, "Demo Agent · 2026-11-28"]);
    assert.deepEqual(labels(), [fix, docs]);
    assert.equal(panel.items.length, 2);
    await ask("conversation:DOC");
    assert.deepEqual(labels(), [docs]);
    await until("files and conversations are offered together", async () => {
      const kinds = (await ask("quillwort")).map(({ kind }) => kind);
      return kinds.includes("file") && kinds.includes("conversation");
    });
    assert.deepEqual(labels(), [fix]);
    const item = panel.items.find(({ kind }) => kind === "conversation");
    assert.deepEqual([...new Set(item?.matches)].map(at => item?.label[at]).join(""), "quillwort");
    await mentions.preview(panel, {
      ...{ type: "preview", request: 7 },
      target: { type: "item", request: requests, key: item?.key ?? "" },
    });
    assert.deepEqual(panel.messages.at(-1), { type: "preview", request: 7, preview: { text: "Fix it" } });
    const chip = await attach(item);
    assert.deepEqual([chip.kind, chip.label], ["conversation", "Fix the quillwort parser"]);
    await ask("conv");
    assert.equal(panel.items.find(({ kind }) => kind === "conversation")?.continuesWith, "ersation:");

    await ask("digest:DOC");
    const digest = panel.items.find(({ kind }) => kind === "digest");
    assert.equal(panel.items.length, 1);
    assert.deepEqual([digest?.label, digest?.matches], ["Digest of “Write docs”", [17, 18, 19]]);
    assert.deepEqual((await attach(digest)).kind, "digest");
    await ask("dig");
    assert.equal(panel.items.find(({ kind }) => kind === "digest")?.continuesWith, "est:");

    await ask("conversation:docs");
    const gone = panel.items[0];
    assert.ok(gone);
    conversations.pop();
    await mentions.attachItem(panel, requests, gone.key);
    assert.deepEqual(panel.refused, ["Write docs could not be attached: It was deleted."]);
  });

  it("offer symbols, do not delay files for them, and attach their lines", async () => {
    const uri = vscode.Uri.file(join(inside, "quillwort.txt"));
    let release = (): void => {};
    const slow = new Promise<void>(resolve => (release = resolve));
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      async provideWorkspaceSymbols() {
        await slow;
        const location = new vscode.Location(uri, new vscode.Range(1, 0, 2, 5));
        return [new vscode.SymbolInformation("quillSymbol", vscode.SymbolKind.Function, "box", location)];
      },
    });
    try {
      indexer.start();
      await indexer.whenIdle();
      const asked = mentions.complete(panel, ++requests, "quill");
      await until("files are there while the language server thinks", () =>
        panel.items.some(({ kind }) => kind === "file"),
      );
      assert.ok(!panel.items.some(({ kind }) => kind === "symbol"));
      release();
      await asked;
      const found = panel.items.find(({ kind }) => kind === "symbol");
      assert.deepEqual([found?.label, found?.detail], ["quillSymbol", `box · ${name}/quillwort.txt:2`]);
      const chip = await attach((await ask("#quillSymbol")).find(({ kind }) => kind === "symbol"));
      assert.deepEqual(chip.source, { type: "path", path: uri.fsPath, line: 2, endLine: 3 });
      assert.deepEqual(
        panel.items.map(({ kind }) => kind),
        ["symbol"],
      );
    } finally {
      provider.dispose();
    }
  });

  it("reject paths that are not files, and items that are no longer offered", async () => {
    await mentions.attachItem(panel, 999, "file:x");
    await mentions.attachUris(panel, ["https://example.com/a", "file://server/share/a", "%", join(inside, "a")]);
    await mentions.attachUris(panel, [vscode.Uri.file(join(inside, "gone.ts")).toString()]);
    assert.deepEqual(panel.attached, []);
    assert.equal(panel.refused.length, 3);
    assert.match(panel.refused.join(" "), /No longer available.*is not a local file.*does not exist/s);
  });

  it("accept dropped files and folders, and images as data", async () => {
    const png = Buffer.from("89504e470d0a1a0a", "hex");
    await writeFile(join(inside, "dot.png"), png);
    const dropped = ["quillwort.txt", "dot.png", ""].map(one => vscode.Uri.file(join(inside, one)).toString());
    await mentions.attachUris(panel, dropped);
    assert.deepEqual(
      panel.attached.map(({ kind, label, source }) => [kind, label, source.type]),
      [
        ["file", "quillwort.txt", "path"],
        ["image", "dot.png", "data"],
        ["folder", name, "path"],
      ],
    );
    assert.deepEqual(panel.attached[1]?.source, { type: "data", mimeType: "image/png", data: png.toString("base64") });
  });

  it("add the explorer's selection, the editor's selection or its file to the chat, and a problem with its lines", async () => {
    const received: PanelMessage[] = [];
    const chat = {
      reveal: (message: PanelMessage) => Promise.resolve(void received.push(message)),
      focus: (target: "composer") => Promise.resolve(void received.push({ type: "focus", target })),
    } as unknown as ChatPanels;
    const labels = (): readonly string[] =>
      received
        .splice(0)
        .flatMap(one => (one.type === "attached" ? one.attachments.map(({ label }) => label) : [one.type]));
    const uri = vscode.Uri.file(join(inside, "quillwort.txt"));
    const folder = vscode.Uri.file(inside);
    await addToChat(chat, attaching, [folder, [folder, uri]]);
    assert.deepEqual(labels(), [name, "quillwort.txt", "focus"]);
    const editor = await open("quillwort.txt");
    await addToChat(chat, attaching, []);
    assert.deepEqual(labels(), ["quillwort.txt", "focus"]);
    editor.selection = new vscode.Selection(0, 0, 1, 2);
    await addToChat(chat, attaching, [editor.document.uri]);
    assert.deepEqual(labels(), ["quillwort.txt:1-2", "focus"]);
    const problem = new vscode.Diagnostic(new vscode.Range(1, 0, 1, 3), "Two is too much.");
    diagnostics.set(editor.document.uri, [problem]);
    const offered = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      editor.document.uri,
      problem.range,
    );
    const fix = offered.find(({ title }) => title === "Fix with Parley");
    assert.equal(fix?.command?.command, "parley.fixWithChat");
    await fixWithChat(chat, attaching, fix.command.arguments ?? []);
    assert.deepEqual(labels(), ["quillwort.txt:1-7", "1 problem", "focus"]);
    const wrong = /These arguments cannot be used\. Pass a Uri and a list/;
    for (const args of [["/a/b"], [{}], [uri, ["/a/b"]]]) await assert.rejects(addToChat(chat, attaching, args), wrong);
    for (const args of [
      ["/a/b", [problem]],
      [uri, []],
      [uri, [{ message: "No range." }]],
      [uri, [null]],
    ])
      await assert.rejects(fixWithChat(chat, attaching, args), wrong);
    await fixWithChat(chat, attaching, []);
    assert.deepEqual(labels(), []);
  });

  it("attach no selection in which the editor has replaced bytes that the encoding lacks", async () => {
    await writeFile(join(inside, "latin.txt"), Buffer.from("one\ncaf\xe9\n", "latin1"));
    const editor = await open("latin.txt");
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    const intact = attachSelection(editor, attaching);
    assert.ok(intact);
    assert.equal((await intactSelection(editor, intact, attaching)).attachments[0]?.label, "latin.txt:1");
    editor.selection = new vscode.Selection(1, 0, 1, 4);
    const replaced = attachSelection(editor, attaching);
    assert.ok(replaced);
    const { attachments, refused } = await intactSelection(editor, replaced, attaching);
    assert.deepEqual(attachments, []);
    assert.match(refused.join(), /latin\.txt” is not valid utf8/);
  });

  it("send no file with bytes that its encoding lacks, and name the encoding", async () => {
    const sent: (readonly ContentBlock[])[] = [];
    const state = { ...emptySession, agent: { id: "stub", name: "Stub" } };
    const session = { id: "s", state, send: (content: readonly ContentBlock[]) => void sent.push(content) };
    const registry = { open: { get: () => session, selected: () => session } } as unknown as SessionRegistry;
    const sender = new PromptSender({ registry, documents, attaching, activeFile, newProblems });
    const path = join(inside, "latin.txt");
    await writeFile(path, Buffer.from("caf\xe9\n", "latin1"));
    const file: Attachment = { id: "1", kind: "file", label: "latin.txt", source: { type: "path", path } };
    await sender.send({ type: "send", session: "s", text: "read", attachments: [file] }, panel);
    assert.deepEqual(sent, []);
    const [unsent] = panel.messages;
    assert.ok(unsent?.type === "unsent");
    assert.match(unsent.reason, /latin\.txt” is not valid utf8/);
  });

  it("send unsaved text, and restore the draft when a file is gone", async () => {
    const sent: (readonly ContentBlock[])[] = [];
    const state = { ...emptySession, agent: { id: "stub", name: "Stub" } };
    const session = { id: "s", state, send: (content: readonly ContentBlock[]) => void sent.push(content) };
    const registry = { open: { get: () => session, selected: () => session } } as unknown as SessionRegistry;
    const sender = new PromptSender({ registry, documents, attaching, activeFile, newProblems });
    const editor = await open("quillwort.txt");
    await editor.edit(edit => edit.insert(new vscode.Position(1, 0), "unsaved "));
    const path = join(inside, "quillwort.txt");
    const lines: Attachment = {
      id: "1",
      kind: "file",
      label: "q",
      source: { type: "path", path, line: 2, endLine: 2 },
    };
    const gone: Attachment = { id: "2", kind: "file", label: "gone.ts", source: { type: "path", path: `${path}x` } };
    await Promise.all([
      sender.send({ type: "send", session: "s", text: "first\n", attachments: [lines] }, panel),
      sender.send({ type: "send", session: "s", text: "without", attachments: [lines, gone] }, panel),
      sender.send({ type: "send", session: "s", text: "last" }, panel),
    ]);
    const uri = `${editor.document.uri.toString()}#L2`;
    assert.deepEqual(sent, [
      [
        { type: "text", text: "first" },
        { type: "resource", uri, text: "unsaved two\n" },
      ],
      [{ type: "text", text: "last" }],
    ]);
    const [unsent] = panel.messages;
    assert.ok(unsent?.type === "unsent");
    assert.deepEqual([unsent.text, unsent.attachments], ["without", [lines, gone]]);
    assert.match(unsent.reason, /“gone.ts” no longer exists/);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("ask before a secret or an outside file leaves the machine, and send nothing without a confirmation", async () => {
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "parley-elsewhere-")));
    const asked: string[] = [];
    const original = vscode.window.showWarningMessage;
    let answer: string | undefined;
    const stub = (message: string, options: vscode.MessageOptions): Promise<string | undefined> => {
      asked.push(`${message} ${options.detail ?? ""}`);
      return Promise.resolve(answer);
    };
    Object.assign(vscode.window, { showWarningMessage: stub });
    try {
      await writeFile(join(inside, ".env"), "KEY=1\n");
      await writeFile(join(elsewhere, "notes.txt"), "notes\n");
      const uris = [join(inside, ".env"), join(elsewhere, "notes.txt")].map(one => vscode.Uri.file(one).toString());
      await mentions.attachUris(panel, uris);
      assert.deepEqual(panel.attached, []);
      assert.match(panel.refused.join(" "), /\.env was not attached\. notes\.txt was not attached\./);
      assert.match(asked[0] ?? "", /\.env looks like it contains secrets\..*notes\.txt is outside/s);
      answer = "Attach";
      await mentions.attachUris(panel, uris);
      await mentions.attachUris(panel, uris);
      assert.equal(panel.attached.length, 4);
      assert.equal(asked.length, 2, "what was agreed to is not asked again");
      const asker = { id: "a.b", sentence: "The extension “A” (a.b) sends messages here." };
      const secret = [join(inside, ".env")];
      assert.deepEqual(await attaching.declinedPaths(secret, false, asker), []);
      assert.match(asked[2] ?? "", /The extension “A” \(a\.b\) sends messages here\..*\.env looks like/s);
      await attaching.declinedPaths(secret, false, asker);
      assert.equal(asked.length, 3, "the extension is asked about once, and not for the user's own agreement");
    } finally {
      Object.assign(vscode.window, { showWarningMessage: original });
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});
