// The size of the package and of the programs in it, minified as for users.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pack } from "./packed.ts";
import { kB, type Report } from "./report.ts";

/** The parts of esbuild's metafile that are used here. */
interface Outputs {
  readonly [file: string]: {
    readonly bytes: number;
    readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
  };
}

/** Packs the extension and measures it. */
export async function run(): Promise<Report> {
  const packed = await pack();
  try {
    const { outputs } = JSON.parse(readFileSync(join(packed.folder, "out", "meta.json"), "utf8")) as {
      readonly outputs: Outputs;
    };
    const row = (title: string, files: readonly string[]): readonly string[] => {
      const contents = files.map(file => readFileSync(join(packed.folder, file)));
      const sum = (sizes: readonly number[]): string => kB(sizes.reduce((all, size) => all + size, 0));
      return [
        title,
        sum(contents.map(c => c.length)),
        sum(contents.map(c => gzipSync(c).length)),
        String(files.length),
      ];
    };
    const first = [...loaded(outputs, "dist/webview/main.js")];
    const panel = Object.keys(outputs).filter(file => file.startsWith("dist/webview/") && file.endsWith(".js"));
    const rows = [
      ["package (`.vsix`)", kB(statSync(packed.vsix).size), "", ""],
      row("extension: code loaded at the start of a window", ["dist/activation.js"]),
      row("extension: code loaded with its first use", ["dist/extension.js"]),
      row("demo agent", ["dist/demo-agent.mjs"]),
      row("panel: code loaded first", first),
      row(
        "panel: code loaded when it is needed",
        panel.filter(file => !first.includes(file)),
      ),
      row("panel: styles and icons", [
        "dist/webview/styles.css",
        "dist/webview/codicon.css",
        "dist/webview/codicon.ttf",
      ]),
    ];
    return { tables: [{ columns: ["what", "size", "compressed", "files"], rows }] };
  } finally {
    packed.remove();
  }
}

/** An output and everything that it imports before it can run. */
function loaded(outputs: Outputs, file: string, seen = new Set<string>()): ReadonlySet<string> {
  const output = outputs[file];
  if (!output || seen.has(file)) return seen;
  seen.add(file);
  for (const { kind, external, path } of output.imports)
    if (kind === "import-statement" && !external) loaded(outputs, path, seen);
  return seen;
}
