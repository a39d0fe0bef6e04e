// The user types while an agent writes the same file through Parley, in the real editor: no word is lost, and no word
// becomes the agent's.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Confinement } from "../../src/files/paths.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { until } from "../support/fakes/until.ts";
import { useReviewedFolder } from "../support/host/reviewedFolder.ts";

const numbered = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`);
const words = Array.from({ length: 40 }, (_, i) => `word${i + 1}`);

describe("the review, when the user types while the agent writes the same file,", () => {
  const { path, put, open, show, file, onDisk, begin, end, watch, review, folder } = useReviewedFolder();
  let documents: EditorDocuments;
  let files: SessionFiles;
  beforeEach(() => {
    documents = new EditorDocuments(nodePaths());
    files = new SessionFiles(documents, new Confinement(nodePaths(), [folder()]));
  });
  afterEach(() => documents.dispose());

  const read = (name: string): Promise<string> => files.read({ path: path(name) });
  const write = (name: string, content: string): Promise<unknown> => {
    const run = () => files.write({ path: path(name), content });
    return watch().aroundWrite(path(name), content, run);
  };
  const typeAt = (editor: vscode.TextEditor, line: number): void => {
    const place = editor.document.lineAt(line).range.end;
    editor.selection = new vscode.Selection(place, place);
  };
  const found = (text: string): readonly string[] => text.match(/word\d+/g) ?? [];

  it("loses none of 40 words, and Undo All keeps them all", async () => {
    await put("a.txt", numbered.join(""));
    const editor = await show("a.txt");
    await begin();
    let known = (await read("a.txt")).split(/(?<=\n)/);
    let isTyping = true;
    let rounds = 0;
    const typing = (async () => {
      for (const [i, word] of words.entries()) {
        typeAt(editor, 3);
        const text = i % 8 === 7 ? `\n${word}` : ` ${word}`;
        await vscode.commands.executeCommand("type", { text });
        const since = rounds;
        if (i % 4 === 3) await until(() => rounds > since);
      }
      isTyping = false;
    })();
    let writes = 0;
    for (let round = 1; isTyping || round < 5; round++) {
      // The agent builds on its own text, which lacks what the user types.
      known = known.map((line, i) => (i >= known.length - 4 ? `agent ${round} in ${i}\n` : line));
      await write("a.txt", known.join("")).then(
        () => writes++,
        async () => {
          known = (await read("a.txt")).split(/(?<=\n)/);
        },
      );
      rounds++;
    }
    await typing;
    await watch().settled();
    const document = await open("a.txt");
    assert.deepEqual([...found(document.getText())].sort(), [...words].sort());
    assert.ok(writes >= 4, `${writes} writes of the agent were done`);
    assert.match(document.getText(), /agent \d+ in/);
    const { base, hunks } = file("a.txt")?.changes ?? {};
    assert.deepEqual([...found(base ?? "")].sort(), [...words].sort(), "every word is in the base");
    assert.equal(hunks?.length, 1);
    end();
    await review().undo({ kind: "all" });
    const after = (await open("a.txt")).getText();
    assert.deepEqual([...found(after)].sort(), [...words].sort());
    assert.doesNotMatch(after, /agent/);
    assert.deepEqual(review().files, []);
  });

  it("refuses a write of lines that the user typed in since, and leaves them unsaved", async () => {
    await put("a.txt", numbered.join(""));
    const editor = await show("a.txt");
    await begin();
    const known = await read("a.txt");
    typeAt(editor, 3);
    await vscode.commands.executeCommand("type", { text: " mine" });
    const stale = write("a.txt", known.replace("line 4\n", "line four\n"));
    await rejectsWithRefusal("failed", /changed since you read it.*line 4/, stale);
    const document = await open("a.txt");
    assert.equal(document.getText(), numbered.join("").replace("line 4\n", "line 4 mine\n"));
    assert.ok(document.isDirty);
    assert.equal(await onDisk("a.txt"), numbered.join(""));
    await write("a.txt", (await read("a.txt")).replace("line 4 mine\n", "line four mine\n"));
    assert.match((await open("a.txt")).getText(), /line four mine\n/);
    assert.ok((await open("a.txt")).isDirty, "unsaved text stays unsaved");
    end();
  });

  it("merges with text that the user has saved since", async () => {
    await put("a.txt", numbered.join(""));
    await begin();
    const known = await read("a.txt");
    const editor = await show("a.txt");
    typeAt(editor, 3);
    await vscode.commands.executeCommand("type", { text: " mine" });
    await editor.document.save();
    await write("a.txt", known.replace("line 9\n", "line nine\n"));
    const both = numbered.join("").replace("line 4\n", "line 4 mine\n").replace("line 9\n", "line nine\n");
    assert.equal(await onDisk("a.txt"), both);
    await watch().settled();
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("a.txt"), numbered.join("").replace("line 4\n", "line 4 mine\n"));
    end();
  });
});
