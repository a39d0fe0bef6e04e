// The builds of VS Code that are used here, each with all that is particular to it. A new version is a new entry: the
// left-out dependencies and the edits belong to one version, and fetch.mjs refuses an edit that does not match once.

/**
 * @typedef {object} Edit One change to a file of VS Code. `find` must match exactly once.
 * @property {string} file
 * @property {RegExp} find
 * @property {string} put
 */

/**
 * @typedef {object} Pin
 * @property {string} vscode the version of VS Code, and the name of its folder in the cache
 * @property {string} codeServer the npm package whose lib/vscode it is
 * @property {string} node the Node.js it runs on, from the npm package node-<platform>-<architecture>
 * @property {readonly string[]} withoutDependencies of its server: not loaded by what is used here, or not installable
 * @property {readonly string[]} withoutExtensions
 * @property {Readonly<Record<string, string>>} otherDependencies versions to take in place of its own
 * @property {boolean} modulesAsAsar whether it looks for its modules in node_modules.asar
 * @property {readonly Edit[]} edits
 */

const serverMain = "out/server-main.js";
const extensionHost = "out/vs/workbench/api/node/extensionHostProcess.js";

/**
 * Gives every webview an origin of its own, `{{uuid}}.localhost`, as on the desktop: its own process and main thread.
 * Without it a webview shares the workbench's thread, and streaming figures are ten times worse.
 * @type {Edit}
 */
const webviewOrigin = {
  file: serverMain,
  find: /webviewEndpoint:(\w+)\+"(\/out\/vs\/workbench\/contrib\/webview\/browser\/pre)"/,
  put: 'webviewEndpoint:process.env.VSCODE_WEBVIEW_HOST?process.env.VSCODE_WEBVIEW_HOST+"/"+$1+"$2/":$1+"$2"',
};

/** Lets the workbench's content security policy load that origin. @type {Edit} */
const webviewPolicy = {
  file: serverMain,
  find: /frame-src 'self' https:\/\/\*\.vscode-cdn\.net data:/,
  put: "frame-src 'self' http://*.localhost:* https://*.vscode-cdn.net data:",
};

/** Answers /mint-key, which code-server's outer server would do. ExtensionContext.secrets needs it. @type {Edit} */
const secretsKey = {
  file: serverMain,
  find: /async handleRequest\((\w+),(\w+)\)\{if\(\1\.method!=="GET"\)/,
  put:
    'async handleRequest($1,$2){if($1.method==="POST"&&$1.url&&$1.url.endsWith("/mint-key"))' +
    'return $2.writeHead(200),void $2.end(Buffer.alloc(32,7));if($1.method!=="GET")',
};

/**
 * Refuses proposed API, as stable VS Code does. code-server allows all of it to every extension, so that a test
 * could pass on a function which users do not have.
 * @type {Edit}
 */
const proposedApi = {
  file: extensionHost,
  find: /function (\w+)\((\w),(\w)\)\{return!0\}/,
  put: "function $1($2,$3){return $2.enabledApiProposals?.includes($3)??!1}",
};

/** @type {Readonly<Record<"newest" | "minimum", Pin>>} */
export const versions = {
  newest: {
    vscode: "1.139.1",
    codeServer: "4.139.1",
    node: "24.21.0",
    withoutDependencies: [
      "@devcontainers/cli",
      "@github/copilot-sdk",
      "@microsoft/mxc-sdk",
      "@vscode/copilot-api",
      "@vscode/native-watchdog",
      "@vscode/sandbox-runtime",
      "@vscode/sqlite3",
      "@vscode/windows-process-tree",
      "@vscode/windows-registry",
      "kerberos",
      "ssh2",
      "node-addon-api",
      "zod",
    ],
    withoutExtensions: ["copilot", "mermaid-markdown-features", "microsoft-authentication"],
    otherDependencies: {},
    modulesAsAsar: false,
    edits: [webviewOrigin, webviewPolicy, secretsKey, proposedApi],
  },
  minimum: {
    vscode: "1.100.3",
    codeServer: "4.100.3",
    node: "20.19.5",
    withoutDependencies: [],
    withoutExtensions: [],
    otherDependencies: {},
    modulesAsAsar: true,
    edits: [webviewOrigin, webviewPolicy, secretsKey, proposedApi],
  },
};

/** @typedef {keyof typeof versions} VersionName */

/** The version asked for by name; `newest` if none is. @param {string} [name] @returns {Pin} */
export function pinned(name = "newest") {
  if (name === "newest" || name === "minimum") return versions[name];
  throw new Error(`There is no VS Code called "${name}" here: the names are newest and minimum.`);
}
