// Reads the size of an image from the first bytes of its file, so that the panel reserves its space before decoding it.

/** A size in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The base64 characters to scan. In a JPEG file, the size follows the metadata of the camera. */
const maxScannedCharacters = 400_000;

/** The size of a PNG, GIF, JPEG, WebP or BMP file in base64. Undefined for anything else. Never throws. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = decoded(base64.slice(0, 64));
  if (!bytes) return undefined;
  if (hasAscii(bytes, 0, "\x89PNG") && bytes.length > 24)
    return positiveSize(bigEndian(bytes, 16, 4), bigEndian(bytes, 20, 4));
  if (hasAscii(bytes, 0, "GIF8")) return positiveSize(littleEndian(bytes, 6), littleEndian(bytes, 8));
  if (hasAscii(bytes, 0, "BM")) return positiveSize(littleEndian(bytes, 18), littleEndian(bytes, 22));
  if (hasAscii(bytes, 0, "RIFF") && hasAscii(bytes, 8, "WEBP")) return webp(bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpeg(base64) : undefined;
}

const positiveSize = (width: number, height: number): ImageSize | undefined =>
  width > 0 && height > 0 ? { width, height } : undefined;

function webp(bytes: Uint8Array): ImageSize | undefined {
  if (hasAscii(bytes, 12, "VP8X")) return positiveSize(littleEndian(bytes, 24, 3) + 1, littleEndian(bytes, 27, 3) + 1);
  if (hasAscii(bytes, 12, "VP8L")) {
    const bits = littleEndian(bytes, 21, 4);
    return positiveSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  return hasAscii(bytes, 12, "VP8 ")
    ? positiveSize(littleEndian(bytes, 26) & 0x3fff, littleEndian(bytes, 28) & 0x3fff)
    : undefined;
}

/** Walks from marker to marker until one starts a frame. */
function jpeg(base64: string): ImageSize | undefined {
  const bytes = decoded(base64.slice(0, maxScannedCharacters));
  if (!bytes) return undefined;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return positiveSize(bigEndian(bytes, at + 7, 2), bigEndian(bytes, at + 5, 2));
    at += 2 + bigEndian(bytes, at + 2, 2);
  }
  return undefined;
}

function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64.slice(0, base64.length - (base64.length % 4))), char => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const hasAscii = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));

const bigEndian = (bytes: Uint8Array, at: number, length: number): number =>
  bytes.slice(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0);

const littleEndian = (bytes: Uint8Array, at: number, length = 2): number =>
  bytes.slice(at, at + length).reduceRight((sum, byte) => sum * 256 + byte, 0);
