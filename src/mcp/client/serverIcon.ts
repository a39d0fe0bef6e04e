// The icon that an MCP server names for itself (revision 2025-11-25, "Icons"). It is hostile: Parley shows a PNG or a plain
// SVG, loads nothing from other hosts than that of the server, and limits sizes.
import { asArray, asObject, asString } from "../../acp/parse.ts";
import { asError } from "../../base/errors.ts";
import { plainIcon } from "../../base/plainIcon.ts";
import type { ServerTarget } from "../promptServer.ts";
import { authorizationFetch } from "./authorizationFetch.ts";

/** Of an icon (bytes), and of each of its sides (pixels). */
const maxBytes = 32_000;
const maxSide = 1024;
/** An address in an icon is not longer (characters): base64 needs four characters for three bytes. */
const maxAddress = maxBytes * 1.5;
/** Of the icons in a list, these are read. */
const maxIcons = 5;
const loadLimits = { maxBody: maxBytes, maxTime: 5_000, maxRequests: 1 };
/** Readable on light and dark backgrounds. An image does not know the color of the text around it. */
const shapeColor = "#808080";

/**
 * The icon as a `data:` address. Undefined if the server has none that Parley shows. `info`: what the server says of
 * itself. Rejects if an icon could not be loaded.
 */
export async function serverIcon(
  info: unknown,
  target: ServerTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  const icons = asArray(asObject(info)["icons"]).slice(0, maxIcons).map(asObject);
  // One that is for light and dark themes comes first.
  const ordered = [
    ...icons.filter(one => one["theme"] === undefined),
    ...icons.filter(one => one["theme"] !== undefined),
  ];
  let failure: Error | undefined;
  for (const icon of ordered) {
    const address = asString(icon["src"]) ?? "";
    if (address.length > maxAddress || !URL.canParse(address)) continue;
    try {
      const bytes = await bytesAt(new URL(address), target, signal);
      const shown = bytes && shownIcon(bytes);
      if (shown !== undefined) return shown;
    } catch (error) {
      signal.throwIfAborted();
      failure = asError(error);
    }
  }
  if (failure) throw failure;
  return undefined;
}

/** Nothing is requested from a host to which Parley is not connected already. */
async function bytesAt(url: URL, target: ServerTarget, signal: AbortSignal): Promise<Buffer | undefined> {
  if (url.protocol === "data:") return bytesIn(url.href);
  if (target.type === "stdio") return undefined;
  const server = new URL(target.url);
  if (url.origin !== server.origin) return undefined;
  const response = await authorizationFetch(server, signal, loadLimits)(url);
  return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
}

function bytesIn(address: string): Buffer | undefined {
  const [, encoding, text = ""] = /^data:image\/[\w.+-]+(?:;charset=[\w-]+)?(;base64)?,([^]*)$/i.exec(address) ?? [];
  if (encoding !== undefined) return Buffer.from(text, "base64");
  try {
    return Buffer.from(decodeURIComponent(text), "utf8");
  } catch {
    // It is no address of an icon.
    return undefined;
  }
}

/** The bytes decide what the icon is, not what the server calls it. */
function shownIcon(bytes: Buffer): string | undefined {
  if (bytes.length > maxBytes) return undefined;
  if (isSmallPng(bytes)) return `data:image/png;base64,${bytes.toString("base64")}`;
  const svg = plainIcon(bytes.toString("utf8"))?.replaceAll("currentColor", shapeColor);
  return svg && `data:image/svg+xml;base64,${Buffer.from(svg, "utf8").toString("base64")}`;
}

/** A PNG begins with a signature and the header chunk, which has its width and height. A small file can have huge ones. */
function isSmallPng(bytes: Buffer): boolean {
  const isPng = bytes.length > 24 && bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"));
  if (!isPng || bytes.toString("latin1", 12, 16) !== "IHDR") return false;
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return sides.every(side => side > 0 && side <= maxSide);
}
