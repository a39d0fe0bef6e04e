// Shows the panel in a plain browser, with the bundle, the content policy and the colors that it has in VS Code.
// Usage: npm run play -- [recording.ndjson | messages.json] [--session=N] [--theme=dark|light|hc|hc-light] [--port=N]
// A recording is a file of "Parley: Save Transcript". It goes through the real components. The panel shows the final
// state of one of its sessions: the first, or the one with the given number.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, extname, join, normalize, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * The themes by their name in the address, with the class that VS Code sets on the body.
 * @type {Readonly<Record<string, string>>}
 */
const themes = {
  dark: "vscode-dark",
  light: "vscode-light",
  hc: "vscode-high-contrast",
  "hc-light": "vscode-high-contrast-light",
};
/** @type {Readonly<Record<string, string>>} */
const types = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".map": "application/json",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
};

/**
 * Serves the play page on the loopback interface. `?theme=` in the address overrides the theme. `?page=rules` shows the
 * page of permission rules, `?page=search` the search of all conversations, `?page=usage` the usage,
 * `?page=candidates` the comparison of candidates, and `?page=inspector` the protocol inspector.
 * @param {{ messages?: readonly unknown[], theme?: string, port?: number, root?: string }} [options] `messages` are the
 *   messages that the host sends after hello, in order. `root` is the folder of the repository.
 * @returns {Promise<{ url: string, show: (messages: readonly unknown[]) => void, close: () => Promise<void> }>} `show`
 *   sets the messages for the next page load.
 */
export async function startPlay({ messages = [], theme = "dark", port = 0, root = process.cwd() } = {}) {
  let current = messages;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const origin = `http://${request.headers.host}`;
    if (url.pathname === "/") {
      const name = ["rules", "search", "usage", "candidates", "inspector"].find(
        each => each === url.searchParams.get("page"),
      );
      const page = pageHtml(root, origin, url.searchParams.get("theme") ?? theme, name, current);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
      return;
    }
    const file = assetPath(root, url.pathname);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined)),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The play server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    show: next => {
      current = next;
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {string} root @param {string} origin @param {string} theme
 * @param {string | undefined} name the page of an editor tab, instead of the panel
 * @param {readonly unknown[]} messages
 */
function pageHtml(root, origin, theme, name, messages) {
  const nonce = randomBytes(16).toString("base64");
  const known = theme in themes ? theme : "dark";
  /** @type {Readonly<Record<string, string | undefined>>} */
  const values = {
    nonce,
    csp: contentPolicy(nonce, origin),
    theme: known,
    bodyClass: themes[known],
    script: name === undefined ? "main.js" : `${name}/${name}.js`,
    ownStyles: name === undefined ? "" : `<link rel="stylesheet" href="${name}/${name}.css" />`,
    messages: JSON.stringify(messages).replaceAll("<", "\\u003c"),
  };
  const template = readFileSync(join(root, "examples/play.html"), "utf8");
  return template.replace(/\{\{(\w+)\}\}/g, (_whole, name) => values[name] ?? "");
}

/** The policy of the real webview; `source` stands for its `cspSource`. @param {string} nonce @param {string} source */
function contentPolicy(nonce, source) {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `img-src ${source} data: blob:`,
    "media-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html dompurify",
  ].join("; ");
}

/** The file an address stands for, or undefined. @param {string} root @param {string} pathname */
function assetPath(root, pathname) {
  const path = normalize(decodeURIComponent(pathname));
  if (path.split(sep).includes("..")) return undefined;
  const [, first = "", family = "", name = ""] = path.split(sep);
  const file =
    first === "fonts"
      ? join(root, "node_modules/@fontsource", family, "files", name)
      : join(root, first === "themes" ? "examples" : "dist/webview", path);
  return existsSync(file) && extname(file) !== "" ? file : undefined;
}

/**
 * The messages that the host sends to a panel that shows the file.
 * @param {string} root @param {string} file @param {number} session 1-based
 * @returns {Promise<readonly unknown[]>}
 */
async function messagesOf(root, file, session) {
  if (!file.endsWith(".ndjson")) return JSON.parse(readFileSync(file, "utf8"));
  const sessions = await paintedSessions(root, file);
  const chosen = sessions[session - 1];
  if (!chosen) throw new Error(`${file} contains ${sessions.length} sessions.`);
  console.log(`Session ${session} of ${sessions.length}: ${chosen.view.entries.length} entries.`);
  return [{ type: "snapshot", revision: 1, view: chosen.view }];
}

/**
 * The sessions of a recording. They are replayed through the code of the extension, which this function builds.
 * @param {string} root @param {string} file
 * @returns {Promise<readonly { session: string, view: { entries: readonly unknown[] } }[]>}
 */
async function paintedSessions(root, file) {
  const outfile = join(root, "out/play/painted.mjs");
  await build({
    entryPoints: [join(root, "test/support/fakes/painted.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
    outfile,
  });
  const { paintedSessions: replayed } = await import(pathToFileURL(outfile).href);
  return replayed(file);
}

async function main() {
  const root = join(import.meta.dirname ?? ".", "..");
  const [file, ...rest] = process.argv.slice(2).filter(argument => !argument.startsWith("--"));
  if (rest.length > 0) throw new Error("Pass exactly one file of messages.");
  const option = (/** @type {string} */ name) =>
    process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  if (!existsSync(join(root, "dist/webview/main.js")))
    throw new Error("The panel is not built. Run npm run build first.");
  const messages = file === undefined ? [] : await messagesOf(root, file, Number(option("session") ?? 1));
  const { url } = await startPlay({
    messages,
    theme: option("theme") ?? "dark",
    port: Number(option("port") ?? 0),
    root,
  });
  console.log(`The panel is at ${url} (?theme=light, hc or hc-light for other colors). Press Ctrl+C to stop.`);
}

// This check doesn't use import.meta.url, because tests bundle this file.
if (basename(process.argv[1] ?? "") === "play.mjs") {
  await main().catch(error => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
