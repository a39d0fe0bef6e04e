// The size of an image from its header, so that its space is reserved before it is decoded.
import assert from "node:assert/strict";
import fc from "fast-check";
import { imageSize } from "../../src/panel/projection/imageSize.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map(part => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");
const zeros = (count: number): readonly number[] => Array<number>(count).fill(0);

describe("the size of an image", () => {
  const files: Readonly<Record<string, string>> = {
    PNG: bytes("\x89PNG\r\n\x1a\n", zeros(4), "IHDR", [0, 0, 1, 44, 0, 0, 0, 200], zeros(9)),
    GIF: bytes("GIF89a", [44, 1, 200, 0], zeros(6)),
    BMP: bytes("BM", zeros(16), [44, 1, 0, 0, 200, 0, 0, 0], zeros(6)),
    "JPEG, behind an EXIF block": bytes([0xff, 0xd8, 0xff, 0xe1, 0, 102], zeros(100), [0xff, 0xc2, 0, 17, 8, 0, 200, 1, 44], zeros(9)),
    "lossy WebP": bytes("RIFF", zeros(4), "WEBPVP8 ", zeros(10), [44, 1, 200, 0], zeros(10)),
    "lossless WebP": bytes("RIFF", zeros(4), "WEBPVP8L", zeros(4), [0x2f, 0x2b, 0xc1, 0x31, 0], zeros(10)),
    "extended WebP": bytes("RIFF", zeros(4), "WEBPVP8X", zeros(8), [43, 1, 0, 199, 0, 0], zeros(10)),
  }; // prettier-ignore
  for (const [name, base64] of Object.entries(files))
    it(`is read from a ${name}`, () => assert.deepEqual(imageSize(base64), { width: 300, height: 200 }));

  it("is unknown for other data, truncated data and invalid base64, and never throws", () => {
    for (const text of ["", "AAAA", "ü", "iVBORw0KGgo", bytes("\x89PNG"), bytes([0xff, 0xd8, 0xff, 0xff, 0xff])])
      assert.equal(imageSize(text), undefined, text);
    const start = fc.constantFrom("\x89PNG", "GIF8", "RIFF0000WEBPVP8X", "\xff\xd8\xff\xc0", "BM");
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 60 }), (head, rest) => {
        const size = imageSize(bytes(head, [...rest]));
        assert.ok(size === undefined || (size.width > 0 && size.height > 0));
      }),
    );
  });
});
