// Content blocks as parts that a panel paints, and back from a part to its block.
import assert from "node:assert/strict";
import { contentAt, viewPart } from "../../src/panel/projection/contentParts.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession } from "../../src/session/state.ts";

describe("a content block in the panel", () => {
  const large = "A".repeat(6_000_004);

  it("stays in the host when it is too large, and reports its size", () => {
    for (const type of ["image", "audio"] as const) {
      const mimeType = `${type}/x`;
      assert.deepEqual(viewPart({ type, mimeType, data: large }), { type, mimeType, bytes: 4_500_003 });
      assert.deepEqual(viewPart({ type, mimeType, data: "AAAA" }), { type, mimeType, data: "AAAA" });
      const blob = { type: "resource", uri: "file:///a", mimeType, blob: large } as const;
      assert.deepEqual(viewPart(blob), { type: "resource", uri: "file:///a", mimeType, bytes: 4_500_003 });
    }
  });

  it("is only its size if the panel cannot show its type", () => {
    assert.deepEqual(viewPart({ type: "resource", uri: "file:///a.zip", mimeType: "application/zip", blob: "AAA=" }), {
      type: "resource",
      uri: "file:///a.zip",
      mimeType: "application/zip",
      bytes: 2,
    });
  });

  it("is cut if its text is too long, with the number of omitted characters", () => {
    const text = "x".repeat(400_010);
    const part = viewPart({ type: "resource", uri: "file:///a", text });
    assert.deepEqual(part, { type: "resource", uri: "file:///a", text: text.slice(0, 400_000), cut: 10 });
  });

  it("is marked if it is for the agent only", () => {
    const forWhom = (audience: readonly string[]) =>
      viewPart({ type: "text", text: "x", annotations: { audience } }).forAgent;
    assert.deepEqual([["assistant"], ["user", "assistant"], ["user"]].map(forWhom), [true, undefined, undefined]);
  });

  it("keeps its identity while it does not change", () => {
    const block: ContentBlock = { type: "image", mimeType: "image/png", data: "AAAA" };
    assert.equal(viewPart(block), viewPart(block));
  });
});

describe("the block of a painted part", () => {
  const image: ContentBlock = { type: "image", mimeType: "image/png", data: "AAAA" };
  const text: ContentBlock = { type: "text", text: "x" };
  const events: readonly SessionEvent[] = [
    { type: "messageChunk", author: "agent", messageId: "1", content: text },
    { type: "messageChunk", author: "agent", messageId: "1", content: image },
    {
      type: "tool",
      toolCallId: "t",
      patch: {
        content: [
          { type: "terminal", terminalId: "x" },
          { type: "content", content: image },
        ],
      },
    },
    { type: "compaction", compactionId: "c", summary: [text, image] },
  ];
  const state = events.reduce((before, event, at) => reduce(before, { seq: at + 1, at, event }), emptySession);

  it("is found in messages, tool calls and summaries", () => {
    const ids = [...state.entries].map(entry => entry.id);
    assert.deepEqual(
      ids.map(id => contentAt(state, id, 1)),
      [image, image, image],
    );
    assert.deepEqual(
      ids.map(id => contentAt(state, id, 0)),
      [text, undefined, text],
    );
  });

  it("is undefined for a missing part or entry", () => {
    assert.equal(contentAt(state, "missing", 0), undefined);
    assert.equal(contentAt(state, state.entries.at(-1)?.id ?? "", 7), undefined);
  });
});
