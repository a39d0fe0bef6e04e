// A prompt file as the prompt that an agent gets.
import assert from "node:assert/strict";
import { filePrompt } from "../../src/mcp/filePrompt.ts";
import type { PromptRun } from "../../src/mcp/promptRunner.ts";
import type { FoundPrompt } from "../../src/promptFiles/foundPrompt.ts";

describe("the text of a prompt file", () => {
  it("is no command of the agent if the value of a variable begins it, and one if the file begins so", async () => {
    const folder: FoundPrompt["folder"] = { source: "user", path: "/u", root: "/u", origin: "user", label: "User" };
    const textOf = async (body: string): Promise<string | undefined> => {
      const file = { name: "a", inputs: [], body, ignored: [] };
      const found: FoundPrompt = { folder, path: "/u/a", label: "a", file };
      const editor = { text: "/w/a.js" };
      const values = { file: editor, selection: { text: "// why" }, workspaceFolder: { text: "/w" } };
      const source = filePrompt({ found, command: "a", otherNames: [] }, file, values);
      const read = await source.read({ text: "" } as unknown as PromptRun);
      const content = read?.messages[0]?.content;
      return content?.type === "text" ? content.text : undefined;
    };
    assert.equal(await textOf("${file} is slow"), "Prompt: /w/a.js is slow");
    assert.equal(await textOf("${selection}: explain"), "Prompt: // why: explain");
    assert.equal(await textOf("Look at ${file}"), "Look at /w/a.js");
    assert.equal(await textOf("/review ${file}"), "/review /w/a.js");
  });
});
