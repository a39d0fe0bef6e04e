// The content an agent receives for a prompt's attachments: by kind and by its capabilities, within limits, never
// silently reduced.
import assert from "node:assert/strict";
import {
  linesFragment,
  maxDataLength,
  maxEmbeddedBytes,
  maxTotalEmbeddedBytes,
  promptContent,
  type PathContent,
  type PromptContent,
} from "../../src/mentions/promptContent.ts";
import type { Attachment, AttachmentSource } from "../../src/panel/protocol.ts";
import type { SessionState } from "../../src/session/state.ts";
import { promptContentForAgent, nameOfUri } from "../../src/session/promptContentForAgent.ts";
import type { ContentBlock } from "../../src/session/events.ts";

const everything = { image: true, audio: true, embeddedContext: true };
const nothing = { image: false, audio: false, embeddedContext: false };

let ids = 0;
const attach = (label: string, source: AttachmentSource, kind: Attachment["kind"] = "file"): Attachment => ({
  id: String(ids++),
  kind,
  label,
  source,
});
const file = (name: string): Attachment => attach(name, { type: "path", path: `/w/${name}` });

/** A disk with a few files. */
const disk: Readonly<Record<string, PathContent>> = {
  "/w/a.ts": { kind: "text", uri: "file:///w/a.ts", text: "let a;\n" },
  "/w/big.ts": { kind: "file", uri: "file:///w/big.ts", size: maxEmbeddedBytes + 1 },
  "/w/half.ts": { kind: "text", uri: "file:///w/half.ts", text: "x".repeat(maxEmbeddedBytes - 8) },
  "/w/b.bin": { kind: "file", uri: "file:///w/b.bin", size: 7 },
  "/w/src": { kind: "folder", uri: "file:///w/src/" },
};
const build = (
  attachments: readonly Attachment[],
  accepts: SessionState["accepts"] = everything,
  text = "Look:",
): Promise<PromptContent> =>
  promptContent(text, attachments, {
    accepts,
    agentName: "Stub",
    read: ({ path }, most) => {
      const found = disk[path] ?? { kind: "missing" as const };
      if (path === "/w/locked.ts") return Promise.reject(new Error("It is locked."));
      const tooMuch = found.kind === "text" && most === 0;
      return Promise.resolve(tooMuch ? { kind: "file", uri: found.uri, size: found.text.length } : found);
    },
  });
const blocks = async (...args: Parameters<typeof build>): Promise<readonly ContentBlock[]> => {
  const made = await build(...args);
  assert.ok("content" in made, JSON.stringify(made));
  return made.content;
};
const refusal = async (...args: Parameters<typeof build>): Promise<string> => {
  const made = await build(...args);
  assert.ok("unsent" in made, JSON.stringify(made).slice(0, 1000));
  assert.match(made.unsent, /^[“A-Z].*\.$/s, "it is a sentence");
  return made.unsent;
};

const captured: AttachmentSource = { type: "text", text: "picked\n", uri: "file:///w/a.ts#L2-L3" };
const output: AttachmentSource = { type: "text", text: "$ ls\n" };
const image: AttachmentSource = { type: "data", mimeType: "image/png", data: "aGk=" };
const sound: AttachmentSource = { type: "data", mimeType: "audio/wav", data: "aGk=" };
const place: AttachmentSource = { type: "path", path: "/w/a.ts", line: 2, endLine: 3 };
const embedded = (uri: string, text: string): ContentBlock => ({ type: "resource", uri, text });
const link = (uri: string, name: string): ContentBlock => ({ type: "link", uri, name });

/**
 * The attachment, the content for an agent with all capabilities, and the content for an agent that accepts text and
 * links.
 */
const table: readonly (readonly [string, AttachmentSource, ContentBlock, ContentBlock | RegExp])[] = [
  ["a file", { type: "path", path: "/w/a.ts" }, embedded("file:///w/a.ts", "let a;\n"), link("file:///w/a.ts", "it")],
  ["lines of a file", place, embedded("file:///w/a.ts#L2-L3", "let a;\n"), link("file:///w/a.ts#L2-L3", "it")],
  ["a folder", { type: "path", path: "/w/src" }, link("file:///w/src/", "it"), link("file:///w/src/", "it")],
  ["a selection", captured, embedded("file:///w/a.ts#L2-L3", "picked\n"), link("file:///w/a.ts#L2-L3", "a.ts#L2-L3")],
  ["output", output, embedded("parley:/it", "$ ls\n"), { type: "text", text: "\n\nit:\n```\n$ ls\n```\n" }],
  ["an image", image, { type: "image", mimeType: "image/png", data: "aGk=" }, /does not take images/],
  ["a sound", sound, { type: "audio", mimeType: "audio/wav", data: "aGk=" }, /does not take audio/],
];

describe("the content of a prompt", () => {
  for (const [what, source, rich, poor] of table) {
    it(`has ${what} as ${rich.type} for an agent with all capabilities`, async () => {
      const [text, block] = await blocks([attach("it", source)]);
      assert.deepEqual(text, { type: "text", text: "Look:" });
      const shown = block?.type === "link" && block.size !== undefined ? { ...block, size: undefined } : block;
      assert.deepEqual(shown, rich);
    });

    it(`has ${what} as ${poor instanceof RegExp ? "an error" : poor.type} for an agent that accepts text and links`, async () => {
      if (poor instanceof RegExp) {
        assert.match(await refusal([attach("it", source)], nothing), poor);
        // While an agent has not reported its capabilities, the check happens when the prompt is about to be sent.
        const late = promptContentForAgent(
          await blocks([attach("it", source)], null),
          { ...nothing, embeddedContext: false },
          "Stub",
        );
        assert.ok("refused" in late && poor.test(late.refused));
        return;
      }
      const made = await blocks([attach("it", source)], nothing);
      const fitted = promptContentForAgent(made, { ...nothing, embeddedContext: false }, "Stub");
      assert.ok("content" in fitted);
      const { size: _, ...block } = { size: 0, ...fitted.content[1] };
      assert.deepEqual(block, poor);
    });
  }

  it("is unchanged if the agent accepts it", async () => {
    const content = await blocks(table.map(([, source]) => attach("it", source)));
    const fitted = promptContentForAgent(content, { image: true, audio: true, embeddedContext: true }, "Stub");
    assert.deepEqual(fitted, { content });
  });

  it("closes the fence around a text that contains fences", () => {
    const inner = "````\ncode\n````";
    const fitted = promptContentForAgent(
      [embedded("parley:/x", inner)],
      { ...nothing, embeddedContext: false },
      "Stub",
    );
    assert.ok("content" in fitted);
    assert.deepEqual(fitted.content, [{ type: "text", text: `\n\nx:\n\`\`\`\`\`\n${inner}\n\`\`\`\`\`\n` }]);
  });

  it("keeps the order, and needs no text next to attachments", async () => {
    const content = await blocks([file("b.bin"), file("a.ts")], everything, " ");
    assert.deepEqual(
      content.map(({ type }) => type),
      ["link", "resource"],
    );
  });

  it("links a file that is too large or not text, with its size", async () => {
    const [, big, binary] = await blocks([file("big.ts"), file("b.bin")]);
    assert.deepEqual(big, { ...link("file:///w/big.ts", "big.ts"), size: maxEmbeddedBytes + 1 });
    assert.deepEqual(binary, { ...link("file:///w/b.bin", "b.bin"), size: 7 });
  });

  it("embeds files up to the total limit, and links the rest", async () => {
    const count = Math.floor(maxTotalEmbeddedBytes / (maxEmbeddedBytes - 8)) + 2;
    const content = await blocks(Array.from({ length: count }, () => file("half.ts")));
    const bytes = content.reduce((sum, block) => sum + (block.type === "resource" ? (block.text ?? "").length : 0), 0);
    assert.ok(bytes <= maxTotalEmbeddedBytes);
    assert.equal(content.filter(({ type }) => type === "link").length, 2);
    assert.equal(content.length, count + 1);
  });

  it("is not sent without a file that is gone or cannot be read", async () => {
    assert.match(await refusal([file("a.ts"), file("gone.ts")]), /“gone.ts” no longer exists/);
    assert.match(await refusal([file("locked.ts")]), /“locked.ts” could not be read: It is locked/);
  });

  it("is not sent with captured text or data that is too large", async () => {
    assert.match(
      await refusal([attach("log", { type: "text", text: "ä".repeat(maxEmbeddedBytes / 2 + 1) })]),
      /too large/,
    );
    const data = "a".repeat(maxDataLength + 4);
    assert.match(await refusal([attach("photo", { type: "data", mimeType: "image/png", data })]), /too large/);
  });

  it("is not sent above 30 MiB in all, and names the fewest attachments to remove", async () => {
    const picture = (label: string, bytes: number): Attachment =>
      attach(label, { type: "data", mimeType: "image/png", data: "A".repeat(bytes) }, "image");
    const MiB = 1024 * 1024;
    const sizes = [2, 5, 4, 5, 4.5, 5, 5, 5];
    const pictures = sizes.map((size, i) => picture(`${i}.png`, size * MiB));
    assert.equal(
      await refusal(pictures),
      "The message is too large to send: its size is 35.6 MiB, and the limit is 30 MiB. " +
        "Remove “1.png” (5.1 MiB) and “3.png” (5.1 MiB), or attach less.",
    );
    const fewer = pictures.filter(({ label }) => label !== "1.png" && label !== "3.png");
    assert.equal((await blocks(fewer)).length, 1 + fewer.length);
    assert.match(
      await refusal(fewer, everything, `Look:${"\n".repeat(3 * MiB)}`),
      /Remove “5\.png” \(5\.1 MiB\), or attach less\.$/,
    );
  });

  it("is not sent with a text of more than 30 MiB, whatever is attached", async () => {
    const text = "é".repeat(15 * 1024 * 1024);
    for (const attachments of [[], [file("a.ts")]]) {
      assert.match(
        await refusal(attachments, null, text),
        /its size is 30\.1 MiB, and .* 30 MiB\. Shorten the text\.$/,
      );
    }
  });

  it("is not sent with data of the wrong type", async () => {
    for (const mimeType of ["text/html", "image/png\r\nx", "image", ""]) {
      assert.match(await refusal([attach("x", { type: "data", mimeType, data: "" })]), /neither an image nor audio/);
    }
  });

  it("has lines as fragments, and names from URIs", () => {
    assert.deepEqual([{}, { line: 3 }, { line: 3, endLine: 3 }, { line: 3, endLine: 9 }].map(linesFragment), [
      "",
      "#L3",
      "#L3",
      "#L3-L9",
    ]);
    assert.deepEqual(["file:///w/a%20b.ts", "file:///w/src/", "file:///w/100%.ts#L3", "parley:/x"].map(nameOfUri), [
      "a b.ts",
      "src",
      "100%.ts#L3",
      "x",
    ]);
  });
});
