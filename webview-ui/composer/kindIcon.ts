// The icons of attachments and of suggestions: by kind, and of files by the ending of their name.
import type { TemplateResult } from "lit";
import { attachmentKinds, type AttachmentKind } from "../../src/panel/mentionKinds.ts";
import { icon } from "../base/element.ts";

/** Endings of file names, by the codicon that shows their kind. */
const endings: Readonly<Record<string, string>> = {
  "file-code":
    "c cc cpp cs css dart ex go h hpp html java js jsx kt less lua m mjs cjs php pl py r rb rs scala scss svelte swift ts tsx vue zig",
  "file-media": "avif bmp gif ico jpeg jpg mov mp3 mp4 ogg png svg wav webm webp",
  "file-zip": "7z bz2 gz jar rar tar tgz vsix xz zip",
  "file-binary": "bin dll dylib exe o so wasm",
  "file-pdf": "pdf",
  json: "json json5 jsonc jsonl",
  markdown: "md mdx markdown",
  notebook: "ipynb",
  database: "db sql sqlite",
  table: "csv tsv xls xlsx",
  terminal: "bash bat cmd fish ps1 sh zsh",
  gear: "cfg conf ini toml xml yaml yml",
};
const iconsOfEndings = new Map(
  Object.entries(endings).flatMap(([codicon, list]) => list.split(" ").map(ending => [ending, codicon] as const)),
);

/** The icon of an item with this label. `symbolKind`: as in codicons. It is never the only sign of the kind. */
export function kindIcon(kind: AttachmentKind, label: string, symbolKind?: string): TemplateResult {
  const ending = /\.(\w+)$/.exec(label)?.[1]?.toLowerCase() ?? "";
  const byName = kind === "file" ? iconsOfEndings.get(ending) : symbolKind && `symbol-${symbolKind}`;
  return icon(byName ?? attachmentKinds[kind].icon);
}
