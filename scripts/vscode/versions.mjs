// The builds of VS Code for tests, with everything that is specific to each. A new version needs a new entry, because
// the omitted dependencies and the edits belong to one version. vscodeForTests.mjs rejects an edit that doesn't match exactly
// once.

/**
 * @typedef {object} Edit One change to a file of VS Code. `find` must match exactly once.
 * @property {string} file
 * @property {RegExp} find
 * @property {string} put
 */

/**
 * @typedef {object} Pin
 * @property {string} vscode the version of VS Code, and the name of its folder in the cache
 * @property {string} codeServer the npm package that contains it in lib/vscode
 * @property {string} node the Node.js that runs it, from the npm package node-<platform>-<architecture>
 * @property {readonly string[]} withoutDependencies dependencies of its server that the tests don't load, or that can't be installed
 * @property {readonly string[]} withoutExtensions
 * @property {Readonly<Record<string, string>>} otherDependencies versions that replace its own
 * @property {Readonly<Record<string, string>>} shims modules without prebuilt binaries, each with its file in shims/
 * @property {Readonly<Record<string, string>>} copies files to copy, from and to, inside node_modules
 * @property {boolean} modulesAsAsar whether it loads its modules from node_modules.asar
 * @property {readonly Edit[]} edits
 */

const serverMain = "out/server-main.js";
const extensionHost = "out/vs/workbench/api/node/extensionHostProcess.js";

/**
 * Gives every webview its own origin, `{{uuid}}.localhost`, and so its own process and main thread, as on the desktop.
 * Otherwise, a webview shares the thread of the workbench, and streaming is ten times slower.
 * @type {Edit}
 */
const webviewOrigin = {
  file: serverMain,
  find: /webviewEndpoint:(\w+)\+"(\/out\/vs\/workbench\/contrib\/webview\/browser\/pre)"/,
  put: 'webviewEndpoint:process.env.VSCODE_WEBVIEW_HOST?process.env.VSCODE_WEBVIEW_HOST+"/"+$1+"$2/":$1+"$2"',
};

/**
 * Allows that origin in the content security policy of the workbench.
 * @type {Edit}
 */
const webviewPolicy = {
  file: serverMain,
  find: /frame-src 'self' https:\/\/\*\.vscode-cdn\.net data:/,
  put: "frame-src 'self' http://*.localhost:* https://*.vscode-cdn.net data:",
};

/**
 * Answers /mint-key, as code-server's outer server does. ExtensionContext.secrets needs it.
 * @type {Edit}
 */
const secretsKey = {
  file: serverMain,
  find: /async handleRequest\((\w+),(\w+)\)\{if\(\1\.method!=="GET"\)/,
  put:
    'async handleRequest($1,$2){if($1.method==="POST"&&$1.url&&$1.url.endsWith("/mint-key"))' +
    'return $2.writeHead(200),void $2.end(Buffer.alloc(32,7));if($1.method!=="GET")',
};

/**
 * Serves VS Code's own files without the token, because the first page of a webview has another origin and so no
 * cookie. These files are public on the desktop too. All other requests still need the token.
 * @type {Edit}
 */
const openStaticFiles = {
  file: serverMain,
  find: /if\(!([\w$]+)\(this\.(\w+),(\w+),(\w+)(\.searchParams)?\)\)(return [\w$]+\(\3,\w+,403,"Forbidden\.")/,
  put: "if(!/^\\/[^/]+\\/static\\//.test($4.pathname)&&!$1(this.$2,$3,$4$5))$6",
};

/**
 * Rejects proposed API, as stable VS Code does. code-server allows it for every extension, so a test could pass with a
 * function that users don't have.
 * @type {Edit}
 */
const proposedApi = {
  file: extensionHost,
  find: /function (\w+)\((\w),(\w)\)\{return!0\}/,
  put: "function $1($2,$3){return $2.enabledApiProposals?.includes($3)??!1}",
};

/**
 * Shows dialogs even if the smoke-test driver is on, as newer versions do, because end-to-end tests answer them.
 * @type {Edit}
 */
const dialogs = {
  file: "out/vs/code/browser/workbench/workbench.js",
  find: /(isExtensionDevelopment&&this\.\w+\.extensionTestsLocationURI)\?!0:!!this\.\w+\.enableSmokeTestDriver\}async confirm/,
  put: "$1?!0:!1}async confirm",
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
    shims: { "@vscode/native-watchdog": "native-watchdog.cjs", "@vscode/spdlog": "spdlog.cjs" },
    copies: {},
    modulesAsAsar: false,
    edits: [webviewOrigin, webviewPolicy, openStaticFiles, secretsKey, proposedApi],
  },
  minimum: {
    vscode: "1.100.3",
    codeServer: "4.100.3",
    node: "20.20.2",
    withoutDependencies: ["@vscode/windows-process-tree", "@vscode/windows-registry", "kerberos", "native-watchdog"],
    withoutExtensions: ["microsoft-authentication"],
    // These two versions have prebuilt binaries. The original versions are compiled, or downloaded from other servers.
    otherDependencies: { "node-pty": "1.2.0-beta.15", "@vscode/ripgrep-universal": "1.18.0" },
    shims: { "native-watchdog": "native-watchdog.cjs", "@vscode/spdlog": "spdlog.cjs" },
    copies: { [`@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`]: "@vscode/ripgrep/bin" },
    modulesAsAsar: true,
    edits: [webviewOrigin, webviewPolicy, openStaticFiles, secretsKey, proposedApi, dialogs],
  },
};

/** @typedef {keyof typeof versions} VersionName */

/**
 * The version with that name, or `newest`.
 * @param {string} [name]
 * @returns {Pin}
 */
export function pinned(name = "newest") {
  if (name === "newest" || name === "minimum") return versions[name];
  throw new Error(`There is no VS Code "${name}". The names are newest and minimum.`);
}
