// The active file and its selection, which go with each message if the user switched that on.
import { basename } from "node:path";
import * as vscode from "vscode";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { asError } from "../../base/errors.ts";
import type { Clock, Log } from "../../base/log.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { ActiveFilePart, Attachment, ViewActiveFile } from "../../panel/protocol.ts";
import type { ContentBlock } from "../../session/events.ts";
import { attachSelection, intactSelection, selectedLines, type Attachments } from "./attachments.ts";

export interface ActiveFileOptions {
  readonly attachments: Attachments;
  /** Keeps the switches of the user. */
  readonly state: Pick<vscode.Memento, "get" | "update">;
  /** Fires when the chat shows another session, whose folders can be others. */
  readonly onDidChangeRoots: Event<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What goes with a message. */
export interface ActiveFileContent {
  /** The link to the file. */
  readonly links: readonly ContentBlock[];
  /** The selection. */
  readonly attachments: readonly Attachment[];
}

const nothing: ActiveFileContent = { links: [], attachments: [] };

type Switches = Readonly<Record<ActiveFilePart, boolean>>;

const switchesKey = "activeFile";
/** A selection that grows by mouse or by keys changes many times in a second. Milliseconds. */
const updateDelay = 100;

export class ActiveFile implements Disposable {
  readonly #options: ActiveFileOptions;
  readonly #changed = new Emitter<void>();
  readonly #store = new DisposableStore();
  readonly head: HeadPart<"activeFile"> = {
    values: { activeFile: () => this.#shown },
    onDidChange: this.#changed.event,
  };
  /** The editor with the focus, or the last one that had it while it is still visible: a chat in a tab takes the focus. */
  #editor: vscode.TextEditor | undefined;
  #shown: ViewActiveFile | null = null;
  #timer: Disposable | undefined;
  #updates = 0;

  constructor(options: ActiveFileOptions) {
    this.#options = options;
    const later = (): void => void (this.#timer ??= options.clock.after(updateDelay, () => void this.#update()));
    this.#store.add(this.#changed);
    this.#store.add(options.onDidChangeRoots(later));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(later));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(later));
    this.#store.add(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.#editor) later();
      }),
    );
    later();
  }

  /** Switches a part on or off, for all sessions and later windows. */
  async set(part: ActiveFilePart, isOn: boolean): Promise<void> {
    await this.#options.state.update(switchesKey, { ...this.#switches, [part]: isOn });
    await this.#update();
  }

  /** Switches both parts on, or off if one of them is on. Returns what applies now. */
  async toggle(): Promise<Switches> {
    const { file, selection } = this.#switches;
    const isOn = !file && !selection;
    await this.#options.state.update(switchesKey, { file: isOn, selection: isOn });
    await this.#update();
    return this.#switches;
  }

  /** What goes with a message now. Rejects with a sentence if the selection cannot be sent. */
  async content(): Promise<ActiveFileContent> {
    const editor = this.#findEditor();
    const { file, selection } = this.#switches;
    if (!editor || !(file || selection)) return nothing;
    const { uri } = editor.document;
    // The folders are those of the session that the chat shows now. The message box shows what is sent.
    if (!(await this.#isShared(editor.document))) return nothing;
    this.#updates++;
    this.#show(editor);
    const link = { type: "link", uri: uri.toString(), name: basename(uri.path) } as const;
    const links = file ? [link] : [];
    const selected = selection ? attachSelection(editor, this.#options.attachments) : undefined;
    if (!selected) return { ...nothing, links };
    const { attachments, refused } = await intactSelection(editor, selected, this.#options.attachments);
    if (refused.length > 0) throw new Error(refused.join(" "));
    return { links, attachments };
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#updates++;
    this.#store.dispose();
  }

  get #switches(): Switches {
    const kept = this.#options.state.get<Partial<Switches>>(switchesKey);
    return { file: kept?.file === true, selection: kept?.selection === true };
  }

  #findEditor(): vscode.TextEditor | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    if (activeTextEditor) this.#editor = activeTextEditor;
    else if (this.#editor && !visibleTextEditors.includes(this.#editor)) this.#editor = undefined;
    return this.#editor?.document.uri.scheme === "file" ? this.#editor : undefined;
  }

  /** Never rejects. */
  async #update(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    const update = ++this.#updates;
    const editor = this.#findEditor();
    const isShared = editor !== undefined && (await this.#isShared(editor.document));
    if (update === this.#updates) this.#show(isShared ? editor : undefined);
  }

  /** Never likely secrets, and no files outside of the workspace that the user has not attached by hand. Never rejects. */
  async #isShared({ uri }: vscode.TextDocument): Promise<boolean> {
    try {
      return (await this.#options.attachments.previewAccess(uri.fsPath)) === "allowed";
    } catch (error) {
      this.#options.log.info("The active file is not offered, because its place is unknown.", asError(error).message);
      return false;
    }
  }

  #show(editor: vscode.TextEditor | undefined): void {
    const next = editor ? this.#viewOf(editor) : null;
    if (jsonEqual(next, this.#shown)) return;
    this.#shown = next;
    this.#changed.fire();
  }

  #viewOf({ document: { uri }, selection }: vscode.TextEditor): ViewActiveFile {
    const { line, endLine } = selectedLines(selection);
    return {
      name: basename(uri.path),
      path: vscode.workspace.asRelativePath(uri, false),
      ...(!selection.isEmpty && { lines: { from: line, to: endLine } }),
      sends: this.#switches,
    };
  }
}
