// Builds the extension, the panel, the demo agent and the tests.
// Usage: node esbuild.mjs [--production] [--watch] [--tests]
//   dist/activation.js       what VS Code loads at its start, CommonJS for Node 20
//   dist/extension.js        the extension, which the activation loads with its first use
//   dist/mcp.js              the client for MCP servers, loaded on first use
//   dist/editorTools.js      the MCP server with the tools of the editor, loaded on first use
//   dist/mcpBridge.js        gives agents that take only commands the tools of the editor
//   dist/remote.js           the client for agents on servers, loaded on first use
//   dist/agentRegistry.js    the agents of the registry, loaded on first use
//   dist/api.js              what other extensions and links use, loaded on first use
//   dist/inspector.js        the protocol inspector, loaded on first use
//   dist/unpackArchive.js    the thread that unpacks the archives of agents
//   dist/search.js           the worker that searches the texts of all conversations
//   dist/watchdog.js         ends Parley's processes if the extension host is killed
//   dist/demo-agent.mjs      the bundled demo agent, one file that runs without install
//   dist/webview/            the chat panel: ES modules, styles, icons
//   dist/webview/diagram/    the page of a diagram, and the library that draws it
//   dist/webview/rules/      the page of the permission rules
//   dist/webview/search/     the page that searches all conversations
//   dist/webview/candidates/ the page that compares candidates
//   dist/webview/inspector/  the page of the protocol inspector
//   out/test/                with --tests: every test file as an ES module; *.host.test.ts as one CommonJS bundle
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const tests = process.argv.includes("--tests");

/** Budgets in minified bytes. A production build that exceeds one of them fails. */
const budgets = {
  "dist/activation.js": 13_500,
  "dist/extension.js": 1_600_000,
  "dist/watchdog.js": 20_000,
  "dist/mcp.js": 500_000,
  "dist/editorTools.js": 350_000,
  "dist/mcpBridge.js": 20_000,
  "dist/remote.js": 80_000,
  "dist/agentRegistry.js": 60_000,
  "dist/api.js": 45_000,
  "dist/inspector.js": 35_000,
  "dist/unpackArchive.js": 110_000,
  "dist/search.js": 20_000,
  "dist/demo-agent.mjs": 400_000,
  /** The code that the panel loads before it can paint: main.js and everything that it imports statically. */
  "dist/webview/main.js": 347_000,
  /** With the sanitizer, without the library that draws the diagrams. */
  "dist/webview/diagram/diagram.js": 42_000,
  "dist/webview/rules/rules.js": 45_000,
  "dist/webview/search/search.js": 45_000,
  "dist/webview/usage/usage.js": 35_000,
  "dist/webview/candidates/candidates.js": 40_000,
  "dist/webview/inspector/inspector.js": 50_000,
};

/** Budgets of chunks that the panel loads later, by their entries. */
const chunkBudgets = {
  /** Loaded with the first formula. */
  "webview-ui/markdown/mathml.ts": 220_000,
};

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};
/** ES modules need a `require` for packages that are written for CommonJS. */
const requireBanner = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};

/** An entry that imports another one loads its file, so that nothing is bundled twice. */
const otherEntries = {
  name: "other-entries",
  setup(build) {
    build.onResolve({ filter: /^\.\/extension\.ts$/ }, args =>
      args.kind === "dynamic-import" ? { path: "./extension.js", external: true } : undefined,
    );
  },
};

const product = [
  {
    ...common,
    entryPoints: {
      activation: "src/activation.ts",
      extension: "src/extension.ts",
      watchdog: "src/watchdog.ts",
      mcp: "src/mcp/client/mcpClientEntry.ts",
      editorTools: "src/editorTools/http/toolServerEntry.ts",
      mcpBridge: "src/editorTools/bridge/mcpBridge.ts",
      remote: "src/agents/remote/client/connectToAgent.ts",
      agentRegistry: "src/agentRegistry/vscode/addAgent.ts",
      api: "src/api/vscode/windowApi.ts",
      inspector: "src/inspector/vscode/inspectorTab.ts",
      unpackArchive: "src/agentRegistry/unpack/unpackWorker.ts",
      search: "src/search/searchWorker.ts",
    },
    outdir: "dist",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    plugins: [otherEntries],
    // VS Code provides its API to `require`, not to `import()`.
    supported: { "dynamic-import": false },
    // Parley calls no tools of MCP servers, so the client needs no validator of their results.
    // Its own server checks arguments itself.
    alias: {
      "@modelcontextprotocol/client/_shims": "./src/mcp/client/noSchemaValidator.ts",
      "@modelcontextprotocol/server/_shims": "./src/mcp/client/noSchemaValidator.ts",
    },
    define: { "process.env.NODE_ENV": '"production"' },
  },
  {
    ...common,
    entryPoints: { "demo-agent": "examples/demo-agent/main.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    target: "node20",
    banner: requireBanner,
  },
  {
    ...common,
    entryPoints: { main: "webview-ui/main.ts" },
    outdir: "dist/webview",
    chunkNames: "chunks/[name]-[hash]",
    platform: "browser",
    format: "esm",
    splitting: true,
    target: "es2022",
    conditions: production ? [] : ["development"],
    define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  },
  {
    ...common,
    entryPoints: { diagram: "webview-ui/diagram/diagram.ts" },
    outdir: "dist/webview/diagram",
    platform: "browser",
    format: "esm",
    target: "es2022",
  },
  {
    ...common,
    // Each page is a bundle of its own.
    entryPoints: {
      "rules/rules": "webview-ui/rules/rules.ts",
      "search/search": "webview-ui/search/search.ts",
      "usage/usage": "webview-ui/usage/usage.ts",
      "candidates/candidates": "webview-ui/candidates/candidates.ts",
      "inspector/inspector": "webview-ui/inspector/inspector.ts",
    },
    outdir: "dist/webview",
    platform: "browser",
    format: "esm",
    target: "es2022",
    conditions: production ? [] : ["development"],
    define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  },
];

function testBuilds() {
  const files = readdirSync("test", { recursive: true, encoding: "utf8" }).map(file => join("test", file));
  const modules = files.filter(file => /\.(test|bench)\.ts$/.test(file) && !file.endsWith(".host.test.ts"));
  const node = { ...common, minify: false, sourcemap: "linked", platform: "node", target: "node20" };
  return [
    {
      ...node,
      entryPoints: modules,
      outbase: "test",
      outdir: "out/test",
      outExtension: { ".js": ".mjs" },
      format: "esm",
      packages: "external",
    },
    {
      ...node,
      entryPoints: ["test/support/host/index.ts"],
      outfile: "out/test/host/index.js",
      format: "cjs",
      external: ["vscode", "mocha"],
      plugins: [hostSuites],
    },
  ];
}

/** Resolves `import "suites:host"` in test/support/host/index.ts to every *.host.test.ts. */
const hostSuites = {
  name: "host-suites",
  setup(build) {
    build.onResolve({ filter: /^suites:host$/ }, args => ({ path: args.path, namespace: "suites" }));
    build.onLoad({ filter: /.*/, namespace: "suites" }, () => ({
      contents: readdirSync("test", { recursive: true, encoding: "utf8" })
        .filter(file => file.endsWith(".host.test.ts"))
        .sort()
        .map(file => `require(${JSON.stringify(`./${file.replaceAll("\\", "/")}`)});`)
        .join("\n"),
      resolveDir: join(root, "test"),
      loader: "js",
    }));
  },
};

/** The folders of the panel that have style sheets. Of two rules with the same specificity, the later one wins. */
const styledFolders = ["base", "markdown", "transcript", "question", "composer", "find", "panel"];

/**
 * The style sheets of the panel, folder by folder: the one with the name of its folder first, then by name. They are not
 * in cascade layers, because VS Code up to 1.103 adds its default styles to webviews without a layer, and these would win
 * over every layer.
 */
function styles() {
  const files = styledFolders.flatMap(folder => {
    const sheets = readdirSync(join("webview-ui", folder)).filter(name => name.endsWith(".css"));
    const own = `${folder}.css`;
    if (!sheets.includes(own)) throw new Error(`There is no webview-ui/${folder}/${own}.`);
    return [own, ...sheets.filter(name => name !== own).sort()].map(name => join("webview-ui", folder, name));
  });
  const all = readdirSync("webview-ui", { recursive: true, encoding: "utf8" }).map(name => join("webview-ui", name));
  // The other pages have sheets of their own.
  const own = ["diagram.css", "rules.css", "search.css", "usage.css", "candidates.css", "inspector.css"];
  const unused = all.filter(name => name.endsWith(".css") && !files.includes(name) && !own.includes(basename(name)));
  if (unused.length > 0) throw new Error(`No folder of style sheets contains ${unused.join(", ")}.`);
  return files.map(file => readFileSync(file, "utf8")).join("\n");
}

function copyStatic() {
  mkdirSync("dist/webview", { recursive: true });
  writeFileSync("dist/webview/styles.css", styles());
  mkdirSync("dist/webview/diagram", { recursive: true });
  copyFileSync("webview-ui/diagram/diagram.css", "dist/webview/diagram/diagram.css");
  for (const page of ["rules", "search", "usage", "candidates", "inspector"]) {
    mkdirSync(`dist/webview/${page}`, { recursive: true });
    copyFileSync(`webview-ui/${page}/${page}.css`, `dist/webview/${page}/${page}.css`);
  }
  copyFileSync("node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js", "dist/webview/diagram/mermaid.tiny.js");
  for (const file of ["codicon.css", "codicon.ttf"]) {
    copyFileSync(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);
  }
}

/** The bytes of an output and of all outputs that it imports statically. */
function loadedBytes(outputs, file, seen = new Set()) {
  if (seen.has(file) || !outputs[file]) return 0;
  seen.add(file);
  const next = outputs[file].imports.filter(i => i.kind === "import-statement" && !i.external);
  return outputs[file].bytes + next.reduce((sum, i) => sum + loadedBytes(outputs, i.path, seen), 0);
}

function checkBudgets(results) {
  const outputs = Object.assign({}, ...results.map(result => result.metafile.outputs));
  const faults = [];
  const chunks = Object.entries(chunkBudgets).map(([entry, budget]) => [
    Object.keys(outputs).find(file => outputs[file].entryPoint === entry) ?? entry,
    budget,
  ]);
  for (const [file, budget] of [...Object.entries(budgets), ...chunks]) {
    if (!outputs[file]) {
      faults.push(`${file} has a budget but was not built.`);
      continue;
    }
    const bytes = loadedBytes(outputs, file);
    console.log(`${file}: ${(bytes / 1000).toFixed(1)} kB of ${budget / 1000} kB`);
    if (bytes > budget) faults.push(`${file} is ${bytes} bytes, over its budget of ${budget}.`);
  }
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exitCode = 1;
  }
}

if (watch) {
  copyStatic();
  const contexts = await Promise.all(product.map(options => esbuild.context({ ...options, logLevel: "info" })));
  await Promise.all(contexts.map(context => context.watch()));
  console.log("Watching for changes. Press Ctrl+C to stop.");
} else {
  if (!tests || production) rmSync("dist", { recursive: true, force: true });
  copyStatic();
  const results = await Promise.all(product.map(options => esbuild.build(options)));
  mkdirSync("out", { recursive: true });
  writeFileSync(
    "out/meta.json",
    JSON.stringify({ outputs: Object.assign({}, ...results.map(r => r.metafile.outputs)) }),
  );
  if (production) checkBudgets(results);
  if (tests) {
    rmSync("out/test", { recursive: true, force: true });
    await Promise.all(testBuilds().map(options => esbuild.build(options)));
  }
}
