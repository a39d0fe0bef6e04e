// The tools of another extension in VS Code: those of test/support/toolExtension.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { extensionAnswer } from "../../src/editorTools/extensionResult.ts";
import type { ExtensionTool } from "../../src/editorTools/editorExtensionTools.ts";
import { inputFault } from "../../src/editorTools/http/inputFault.ts";
import { WindowExtensionTools } from "../../src/editorTools/vscode/windowExtensionTools.ts";
import { until } from "../support/fakes/until.ts";

/** What the test extension has done. */
interface Notes {
  readonly notes: readonly string[];
  readonly begun: number;
  readonly cancelled: number;
}

const notes = async (): Promise<Notes> => vscode.commands.executeCommand<Notes>("parley-test.notes");

describe("the tools of other extensions in VS Code", () => {
  let chosen: readonly string[] = ["parley-test.notes/notes_add", "parley-test.notes/notes_parts", "gone.gone/tool"];
  const tools = new WindowExtensionTools({ chosen: () => chosen, inputFault });
  const tool = (name: string): ExtensionTool => {
    const found = tools.chosen().find(one => one.name === name);
    assert.ok(found, `There is no tool ${name}.`);
    return found;
  };
  const call = async (name: string, input: object, signal = new AbortController().signal): Promise<string> =>
    extensionAnswer(await tools.invoke(tool(name), input, signal)).text;

  it("are listed with their extension, and only those that are chosen and there", () => {
    const { id, title, extension, description, tags, inputSchema } = tool("notes_add");
    assert.deepEqual(
      { id, title, extension, description, tags },
      {
        id: "parley-test.notes/notes_add",
        title: "Add Note",
        extension: { id: "parley-test.notes", title: "Test Notes" },
        description: "Adds a note, and returns all notes. Call it with a text.",
        tags: ["notes"],
      },
    );
    assert.deepEqual((inputSchema as { required?: unknown }).required, ["text"]);
    assert.deepEqual(
      tools
        .chosen()
        .map(({ name }) => name)
        .toSorted(),
      ["notes_add", "notes_parts"],
    );
    // Tools of VS Code itself belong to no extension.
    assert.deepEqual([...new Set(tools.all().map(({ extension: { id } }) => id))], ["parley-test.notes"]);
    chosen = ["parley-test.notes/notes_parts"];
    assert.deepEqual(
      tools.chosen().map(({ name }) => name),
      ["notes_parts"],
    );
    chosen = ["parley-test.notes/notes_add", "parley-test.notes/notes_parts"];
  });

  it("run without a chat, and return their parts as text", async () => {
    assert.equal(await call("notes_add", { text: "milk" }), "Notes: milk");
    assert.deepEqual((await notes()).notes, ["milk"]);
    assert.equal(await call("notes_parts", { what: "parts" }), "A text.\nA prompt.\nIts end.");
  });

  it("reject with a sentence if they fail, or are cancelled in VS Code", async () => {
    await assert.rejects(call("notes_parts", { what: "failure" }), {
      name: "Refusal",
      message: "The tool of the extension failed: The notes are locked.",
    });
    await assert.rejects(call("notes_parts", { what: "cancelled" }), /The tool was cancelled, perhaps by the user/);
  });

  it("are cancelled with their signal", async () => {
    const ended = new AbortController();
    const before = await notes();
    const running = call("notes_parts", { what: "wait" }, ended.signal);
    await until(async () => (await notes()).begun > before.begun);
    ended.abort(new Error("ended"));
    await assert.rejects(running, /ended/);
    await until(async () => (await notes()).cancelled > before.cancelled);
  });
});
