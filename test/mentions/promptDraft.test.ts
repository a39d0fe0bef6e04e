// A prompt that waited for the answer, as a draft of the composer.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { draftOfPrompt } from "../../src/mentions/promptDraft.ts";
import { promptContent, type PathContent } from "../../src/mentions/promptContent.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import type { ContentBlock } from "../../src/session/events.ts";

const uriOf = (path: string): string => pathToFileURL(path).toString();
const draftOf = (...content: readonly ContentBlock[]): ReturnType<typeof draftOfPrompt> => {
  let ids = 0;
  return draftOfPrompt(content, () => `a${++ids}`);
};

describe("a prompt that returns to the composer", () => {
  it("names the size of an image in bytes, without the base64", () => {
    const image = { type: "image", mimeType: "image/png", data: "AAECAw==" } as const;
    assert.equal(draftOf(image)?.attachments[0]?.bytes, 4);
  });

  it("leads to the same content when it is sent again", async () => {
    const path = (name: string, lines: object = {}): Attachment => ({
      ...{ id: name, kind: "file", label: name },
      source: { type: "path", path: `/w/${name}`, ...lines },
    });
    const attachments: readonly Attachment[] = [
      path("sum of a.js", { line: 3, endLine: 9 }),
      path("big.bin", { line: 4 }),
      { id: "i", kind: "image", label: "image/png", source: { type: "data", mimeType: "image/png", data: "AAAA" } },
      { id: "t", kind: "text", label: "Pasted", source: { type: "text", text: "long", mimeType: "text/plain" } },
      { id: "d", kind: "folder", label: "src", source: { type: "path", path: "/w/src/" } },
    ];
    const read = ({ path: of }: { readonly path: string }): Promise<PathContent> => {
      const uri = uriOf(of);
      if (of.endsWith("/")) return Promise.resolve({ kind: "folder", uri });
      if (of.endsWith(".bin")) return Promise.resolve({ kind: "file", uri, size: 1 });
      return Promise.resolve({ kind: "text", uri, text: "line 3" });
    };
    const options = { accepts: { image: true, audio: true, embeddedContext: true }, agentName: "A", read };
    const sent = await promptContent("look at @sum", attachments, options);
    assert.ok("content" in sent);
    const draft = draftOf(...sent.content);
    assert.equal(draft?.text, "look at @sum");
    assert.deepEqual(
      draft.attachments.map(({ kind, label }) => [kind, label]),
      [
        ["file", "sum of a.js"],
        ["file", "big.bin"],
        ["image", "image/png"],
        ["text", "Pasted"],
        ["folder", "src"],
      ],
    );
    const again = await promptContent(draft.text, draft.attachments, options);
    // The size of a link is that of the file when the prompt is sent.
    assert.deepEqual(again, sent);
  });

  it("is no draft if the composer cannot attach a part of it", () => {
    const text: ContentBlock = { type: "text", text: "hi" };
    assert.equal(draftOf(text, { type: "resource", uri: "db:row", blob: "AAAA" }), undefined);
    assert.equal(draftOf(text, { type: "link", uri: "https://example.com/", name: "Page" }), undefined);
    assert.equal(draftOf(text, { type: "other", kind: "new", raw: {} }), undefined);
    assert.deepEqual(draftOf(text), { text: "hi", attachments: [] });
  });
});
