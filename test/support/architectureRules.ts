// The rules of docs/ARCHITECTURE.md as functions over a source tree. Each returns one sentence per violation, so that
// the tests can apply a rule to the project and to a project that violates it.
import { dirname, join } from "node:path";

/** The project's files: paths with slashes relative to its root, and their texts. */
export interface SourceTree {
  readonly paths: readonly string[];
  read(path: string): string;
}

export interface Import {
  readonly file: string;
  /** A path relative to the project's root, or the name of a package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

/** The rooms of src, lowest first. Rooms of one tier do not import each other. */
const roomTiers: readonly (readonly string[])[] = [
  ["base"],
  ["session"],
  ["git", "editor"],
  ["acp", "panel"],
  ["files"],
  ["permissions"],
  ["history"],
  ["review", "follow"],
  ["agents", "terminals", "mentions", "editorTools"],
  ["checkpoints", "promptFiles", "turnProblems", "agentRegistry", "hooks", "inspector"],
  ["mcp"],
  ["library"],
  ["search", "commitMessage"],
  ["worktrees", "comments"],
  ["api"],
  ["window"],
];

/** The folders of webview-ui, lowest first. `main.ts` imports all of them. */
const webviewTiers: readonly (readonly string[])[] = [
  ["base"],
  ["scheduling"],
  ["markdown"],
  ["transcript"],
  ["question", "composer", "find"],
  ["panel", "diagram", "rules", "search", "usage", "candidates", "inspector"],
];

/** The packages that the part of a room outside `vscode/` may import. */
const roomPackages: Readonly<Record<string, readonly string[]>> = {
  api: [],
  base: [],
  session: [],
  git: ["node:child_process", "node:fs", "node:fs/promises", "node:path", "node:string_decoder"],
  acp: ["vscode-jsonrpc/node", "node:stream"],
  panel: ["diff", "marked", "marked-cjk-friendly", "node:vm"],
  files: ["diff", "ignore", "node:crypto", "node:fs", "node:fs/promises", "node:path"],
  permissions: ["node:crypto", "node:path"],
  history: ["diff", "node:fs/promises", "node:path"],
  review: ["node:fs/promises", "node:path"],
  follow: ["node:path", "node:url"],
  agents: ["node:child_process", "node:stream", "node:string_decoder"],
  terminals: ["node:child_process", "node:crypto", "node:fs/promises", "node:path", "node:stream"],
  mentions: ["fuzzysort"],
  editorTools: [
    "@modelcontextprotocol/server",
    "node:crypto",
    "node:http",
    "node:net",
    "node:path",
    "node:string_decoder",
  ],
  checkpoints: ["node:crypto", "node:fs/promises", "node:path"],
  promptFiles: ["node:fs/promises", "node:path"],
  agentRegistry: [
    "node:crypto",
    "node:fs",
    "node:fs/promises",
    "node:path",
    "node:stream",
    "node:stream/promises",
    "node:worker_threads",
    "node:zlib",
    "tar-stream",
    "unbzip2-stream",
    "yauzl",
  ],
  hooks: [],
  inspector: [],
  library: [],
  comments: [],
  search: ["node:worker_threads"],
  commitMessage: ["node:fs/promises", "node:path"],
  worktrees: ["node:crypto", "node:fs", "node:fs/promises", "node:path"],
  mcp: ["@modelcontextprotocol/client", "node:crypto", "node:stream", "node:string_decoder"],
};

/** Single files that need more packages than their room, and why. */
export const packageExceptions: Readonly<Record<string, readonly string[]>> = {
  // Ends the process trees of agents and of terminals.
  "src/base/processTree.ts": ["node:child_process", "node:fs"],
  // Finds the programs of agents and of terminals.
  "src/base/program.ts": ["node:fs", "node:path"],
  // Compares lines and words for the panel's tool calls and for the review of changes.
  "src/base/lineDiff.ts": ["diff"],
  "src/base/wordDiff.ts": ["diff"],
  // Decodes the host of a web address, so that the user sees letters that look like others.
  "src/acp/readElicitation.ts": ["node:url"],
  // Knows where another editor keeps its settings.
  "src/agents/zedSettings.ts": ["node:path"],
  // Starts the login shell of the user, which the system knows, and marks its answer.
  "src/agents/loginShellPath.ts": ["node:child_process", "node:crypto", "node:os", "node:path"],
  // Recognizes a program that the user has allowed, by its digest.
  "src/agents/signInProgram.ts": ["node:crypto"],
  // Reads the log of npm, in the folder that npm uses by default.
  "src/mentions/pathPreview.ts": ["node:fs/promises", "node:path"],
  // Reads the paths in the links of a prompt.
  "src/mentions/promptDraft.ts": ["node:url"],
  "src/agents/npmDownload.ts": ["node:fs/promises", "node:os", "node:path"],
  // Connect to servers: WebSocket by `ws`, Streamable HTTP by the official client, through the HTTP client of Node.js, which
  // VS Code leads through its proxy.
  "src/agents/remote/client/connectToAgent.ts": ["@agentclientprotocol/sdk/experimental/http-client"],
  "src/agents/remote/client/httpStreams.ts": [
    "@agentclientprotocol/sdk",
    "@agentclientprotocol/sdk/experimental/http-client",
    "node:stream",
  ],
  "src/agents/remote/client/nodeFetch.ts": ["node:http", "node:https", "node:stream"],
  "src/agents/remote/client/webSocketStreams.ts": ["node:http", "node:stream", "ws"],
  // Looks for packages that npx has.
  "src/agents/agentPresence.ts": ["node:crypto", "node:fs/promises", "node:path"],
  // Makes the folder in which agents start.
  "src/agents/startFolder.ts": ["node:fs/promises", "node:path"],
  // Looks whether an authorization server is in a private network.
  "src/mcp/client/authorizationFetch.ts": ["node:dns/promises", "node:net"],
  // Shortens the paths of files in a question.
  "src/mcp/consentQuestion.ts": ["node:path"],
  // Reads the file of variables that a definition names, with the parser of Node.
  "src/mcp/envFile.ts": ["node:path", "node:util"],
  // Reads files whose names come from others, and their digests.
  "src/files/regularFile.ts": ["node:crypto", "node:fs", "node:fs/promises"],
  // Read the files that a definition of an MCP server names.
  "src/mcp/namedFiles.ts": ["node:fs", "node:fs/promises", "node:path"],
  // Names changed files in a message.
  "src/mcp/promptServers.ts": ["node:path"],
  // Starts servers in their folders.
  "src/mcp/serverLauncher.ts": ["node:fs/promises", "node:path"],
  // Creates the ids of sessions.
  "src/library/sessionRegistry.ts": ["node:crypto"],
  // Keeps the list of folders that all windows of a profile share.
  "src/library/folderRequest.ts": ["node:crypto"],
  "src/library/openedFolders.ts": ["node:crypto", "node:fs/promises", "node:path", "node:url"],
  // Reads texts in a worker.
  "src/search/searchWorker.ts": ["node:fs", "node:path"],
  // Checks the input of tools whose schema another extension has made.
  "src/editorTools/http/inputFault.ts": ["@modelcontextprotocol/server/validators/cf-worker"],
  // Listens for the answer of the browser after a sign-in.
  "src/mcp/signIn/redirectListener.ts": ["node:http", "node:net"],
};

const webviewPackages = [
  /^lit($|\/)/,
  /^highlight\.js($|\/)/,
  /^marked(-cjk-friendly)?$/,
  /^dompurify$/,
  /^temml$/,
  /^@xterm\/headless($|\/)/,
];

/** The files of src that the webview may execute. */
const sharedWithWebview: readonly string[] = [
  "src/panel/protocol.ts",
  "src/panel/fileNames.ts",
  "src/panel/attachment.ts",
  "src/panel/itemPreview.ts",
  "src/panel/intents.ts",
  "src/panel/rulesPage.ts",
  "src/panel/searchPage.ts",
  "src/panel/usagePage.ts",
  "src/panel/inspectorPage.ts",
  "src/panel/candidatesPage.ts",
  "src/panel/mentionKinds.ts",
  "src/panel/patch.ts",
  "src/panel/worktreeTexts.ts",
  "src/panel/diff/placedDiff.ts",
  "src/panel/markdown/markdownLexer.ts",
  "src/panel/markdown/boundedLexer.ts",
  "src/panel/markdown/blockFormula.ts",
  "src/base/formulas.ts",
  "src/base/validators.ts",
  "src/base/commandLineText.ts",
  "src/base/errors.ts",
  "src/base/l10n.ts",
  "src/base/lifecycle.ts",
  "src/base/jsonEqual.ts",
  "src/base/visibleText.ts",
  "src/base/filePaths.ts",
  "src/base/pathShape.ts",
  "src/base/pathsInRun.ts",
  "src/base/spacelessScripts.ts",
  "src/base/mask.ts",
  "src/base/money.ts",
  "src/base/sentences.ts",
  "src/base/secrets/knownSecrets.ts",
  "src/session/forms/form.ts",
  "src/session/planProgress.ts",
];
/** The files of src whose types the webview may import. */
const typesForWebview: readonly string[] = ["src/session/events.ts", "src/panel/find/findProtocol.ts"];

export const isSource = (path: string): boolean => /^(src|webview-ui)\/.*\.ts$/.test(path);
const isInSrc = (path: string): boolean => path.startsWith("src/");

/** The text without comments, so that prose about code is not mistaken for code. */
const codeOf = (tree: SourceTree, file: string): string =>
  tree
    .read(file)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");

/** The files through which every text for the editor goes. They make links and icons in it harmless. */
const textDoors: readonly string[] = [
  "src/editor/editorUi.ts",
  "src/editor/editorItems.ts",
  "src/editor/lateTreeView.ts",
  "src/editor/editorComments.ts",
];

/** The members of `vscode.window` that show no text which VS Code reads for links or icons. */
const windowWithoutTexts =
  /^(activeTextEditor|visibleTextEditors|tabGroups|state|on[A-Z]\w*|showTextDocument|show(Open|Save)Dialog|createOutputChannel|createTextEditorDecorationType|register(WebviewViewProvider|WebviewPanelSerializer|FileDecorationProvider|UriHandler))$/;
/** The classes of VS Code whose objects show no text. */
const classesWithoutTexts =
  /^(CancellationTokenSource|Disposable|EventEmitter|Location|Position|Range|RelativePattern|Selection|TextEdit|ThemeColor|ThemeIcon|WorkspaceEdit|FileSystemError|TabInput\w+)$/;
/** What is shown, or obeyed, without a call that the lists above would find. */
const otherTexts: readonly RegExp[] = [
  /"vscode\.(?:diff|changes)"/,
  /\b(?:isTrusted|supportHtml|supportThemeIcons)\s*[:=](?!=)/,
  /\bvscode\.(?:comments|chat|debug|authentication|tests)\b/,
  // The input of a tool goes to its extension, and is not shown.
  /\bvscode\.lm\b(?!\.(?:tools|invokeTool)\b)/,
  /\bvscode\.tasks\b(?!\.(?:fetchTasks|executeTask|taskExecutions|onDid\w+)\b)/,
  /\bhoverMessage\b/,
  /\bcreateDiagnosticCollection\b/,
];

/** Texts for the editor that do not go through {@link textDoors}. */
export function textsPastTheDoor(tree: SourceTree): readonly string[] {
  const files = tree.paths.filter(path => isInSrc(path) && isSource(path) && !textDoors.includes(path));
  return files.flatMap(file => {
    const code = codeOf(tree, file);
    if (!/from\s+"vscode"/.test(code)) return [];
    const found = [
      ...[...code.matchAll(/(?:\{([^{}]*)\}\s*=\s*)?\bvscode\s*\.\s*window\b(?:\s*\.\s*(\w+))?/g)]
        .filter(([, parts = "", member]) => {
          const used = member === undefined ? parts.split(",").map(part => part.split(":")[0]?.trim() ?? "") : [member];
          return !used.every(name => windowWithoutTexts.test(name));
        })
        .map(([call]) => call),
      ...[...code.matchAll(/\bnew\s+vscode\s*\.\s*(\w+)/g)]
        .filter(([, name = ""]) => !classesWithoutTexts.test(name))
        .map(([call]) => call),
      ...otherTexts.flatMap(pattern => pattern.exec(code)?.[0] ?? []),
      // Another name for the namespace, or for a part of it, would hide the calls.
      ...(code.match(/import\s+(?:type\s+)?\{[^}]*\}\s+from\s+"vscode"/g) ?? []),
      ...(code.match(/import\s+(?:type\s+)?\*\s+as\s+(?!vscode\b)\w+\s+from\s+"vscode"/g) ?? []),
      ...(code.match(/\b(?:const|let|var)\s+\{[^}]*\bwindow\b[^}]*\}\s*=\s*vscode\b/g) ?? []),
      ...(code.match(/=\s*vscode\s*[;,)]/g) ?? []),
      ...(code.match(/\bvscode\s*\[/g) ?? []),
    ];
    return found.map(
      text => `${file} gives a text to the editor past ${textDoors.join(" and ")}: ${text.replace(/\s+/g, " ")}`,
    );
  });
}

/** Icons in texts, which {@link textDoors} make harmless, so that the user would read `$(name)`. */
export function iconsInTexts(tree: SourceTree): readonly string[] {
  const files = tree.paths.filter(path => isInSrc(path) && isSource(path) && !textDoors.includes(path));
  return files.flatMap(file =>
    (codeOf(tree, file).match(/[`"']\$\((?:\$\{|[\w~-]+\))/g) ?? []).map(
      text => `${file} has an icon in a text: ${text}`,
    ),
  );
}

/** All imports of a file: static, dynamic and type imports. */
function importsOf(tree: SourceTree, file: string): readonly Import[] {
  const statements = codeOf(tree, file).matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?from\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|\brequire\(\s*"([^"]+)"\s*\)/g,
  );
  return [...statements].map(([, type, named, dynamic, required]) => ({
    file,
    target: resolvedTarget(file, named ?? dynamic ?? required ?? ""),
    typeOnly: type !== undefined,
  }));
}

const resolvedTarget = (file: string, target: string): string =>
  target.startsWith(".") ? join(dirname(file), target).replaceAll("\\", "/") : target;

const sourceImports = (tree: SourceTree, filter: (path: string) => boolean = isSource): readonly Import[] =>
  tree.paths.filter(path => isSource(path) && filter(path)).flatMap(file => importsOf(tree, file));

const sentences = (imports: readonly Import[]): readonly string[] =>
  imports.map(({ file, target }) => `${file} imports ${target}`);

/** The room of a file of src, or the folder of a file of webview-ui. Undefined for files outside of them. */
const roomOf = (path: string): string | undefined => /^(?:src|webview-ui)\/([\w-]+)\//.exec(path)?.[1];

/** Whether the file belongs to the editor side, which may use the API of VS Code. */
const isEditorSide = (path: string): boolean =>
  /^src\/(?:\w+\/vscode\/|editor\/|window\/|(?:activation|extension)\.ts$)/.test(path) &&
  path !== "src/window/code/codeProposal.ts";

/** Imports from a room that is not below the importing room. */
export function upwardImports(tree: SourceTree): readonly string[] {
  const isUpward = ({ file, target }: Import): boolean => {
    if (file.split("/")[0] !== target.split("/")[0]) return false;
    const tiers = isInSrc(file) ? roomTiers : webviewTiers;
    const [from, to] = [roomOf(file), roomOf(target)];
    // activation.ts, extension.ts, watchdog.ts and main.ts are above all rooms, so no room imports them.
    if (from === undefined) return false;
    if (from === to) return false;
    return to === undefined || tierOf(tiers, to) >= tierOf(tiers, from);
  };
  return sentences(sourceImports(tree).filter(isUpward));
}

const tierOf = (tiers: readonly (readonly string[])[], room: string): number =>
  tiers.findIndex(tier => tier.includes(room));

/** Folders of src and webview-ui that are missing in the order. */
export function unknownRooms(tree: SourceTree): readonly string[] {
  const known = { src: roomTiers.flat(), "webview-ui": webviewTiers.flat() };
  const rooms = tree.paths.filter(isSource).flatMap(path => {
    const room = roomOf(path);
    const names = known[path.split("/")[0] as keyof typeof known];
    return room === undefined || names.includes(room) ? [] : [dirname(path)];
  });
  return [...new Set(rooms)];
}

/** Imports of packages that the room, or the webview, may not use. */
export function forbiddenPackages(tree: SourceTree): readonly string[] {
  const isForbidden = ({ file, target, typeOnly }: Import): boolean => {
    if (isSource(target) || target.startsWith("src/") || target.startsWith("webview-ui/")) return false;
    if (!isInSrc(file)) return !webviewPackages.some(pattern => pattern.test(target));
    const room = roomOf(file);
    if (isEditorSide(file)) return target !== "vscode" && !target.startsWith("node:");
    if (typeOnly && room === "acp" && target === "@agentclientprotocol/sdk") return false;
    const allowed = [...(room === undefined ? [] : (roomPackages[room] ?? [])), ...(packageExceptions[file] ?? [])];
    return !allowed.includes(target);
  };
  return sentences(sourceImports(tree).filter(isForbidden));
}

/** Imports of `vscode`, or of a file of the editor side, by a file outside of it. */
export function editorImports(tree: SourceTree): readonly string[] {
  const files = tree.paths.filter(path => /^(src|webview-ui|examples)\/.*\.ts$/.test(path) && !isEditorSide(path));
  const imports = files.flatMap(file => importsOf(tree, file));
  return sentences(imports.filter(({ target }) => target === "vscode" || isEditorSide(target)));
}

/** Imports of the webview from src beyond the shared files, and imports of shared files beyond each other and packages. */
export function webviewImports(tree: SourceTree): readonly string[] {
  const fromWebview = sourceImports(tree, path => path.startsWith("webview-ui/")).filter(({ target }) =>
    isInSrc(target),
  );
  const isAllowed = ({ target, typeOnly }: Import): boolean =>
    sharedWithWebview.includes(target) || (typeOnly && typesForWebview.includes(target));
  const ofShared = sourceImports(tree, path => sharedWithWebview.includes(path)).filter(({ typeOnly }) => !typeOnly);
  return sentences([
    ...fromWebview.filter(one => !isAllowed(one)),
    ...ofShared.filter(
      ({ target }) => !sharedWithWebview.includes(target) && !webviewPackages.some(pattern => pattern.test(target)),
    ),
  ]);
}

/** Relative imports without a matching file, such as an import without its extension. */
export function unresolvedImports(tree: SourceTree): readonly string[] {
  const known = new Set(tree.paths);
  return sentences(
    sourceImports(tree).filter(({ target }) => /^(src|webview-ui)\//.test(target) && !known.has(target)),
  );
}

/** Import cycles, including type imports: each as the files in it. */
export function importCircles(tree: SourceTree): readonly string[] {
  const targets = new Map<string, readonly string[]>();
  for (const file of tree.paths.filter(isSource)) {
    targets.set(
      file,
      importsOf(tree, file).map(({ target }) => target),
    );
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push([...way.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

/** Names that two files of src export. Versions of the protocol may export the same names. */
export function duplicateExports(tree: SourceTree): readonly string[] {
  const owners = new Map<string, Set<string>>();
  for (const file of tree.paths.filter(path => isSource(path) && isInSrc(path))) {
    const unit = file.replace(/^src\/acp\/v\d+\//, "src/acp/v*/");
    for (const name of exportedNames(tree, file)) {
      const files = owners.get(name) ?? new Set();
      owners.set(name, files.add(unit));
    }
  }
  return [...owners]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name} is exported by ${[...files].join(" and ")}`);
}

/** The programs of the extension. The build bundles each one by itself. */
const entries = ["src/activation.ts", "src/extension.ts", "src/watchdog.ts"];

/** The files that are bundled with an entry. Another entry is not, because it is loaded at run time. */
function bundledFiles(tree: SourceTree, entry: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file) || !tree.paths.includes(file) || (file !== entry && entries.includes(file))) return;
    found.add(file);
    for (const { target, typeOnly } of importsOf(tree, file)) if (!typeOnly) add(target);
  };
  add(entry);
  return found;
}

/** Files in both programs of the extension host. A class in such a file exists twice, so that `instanceof` fails. */
export function bundledTwice(tree: SourceTree): readonly string[] {
  const activation = bundledFiles(tree, "src/activation.ts");
  const extension = bundledFiles(tree, "src/extension.ts");
  return [...activation].filter(file => extension.has(file)).map(file => `${file} is bundled twice`);
}

/** The names that a file declares and exports. */
function exportedNames(tree: SourceTree, file: string): readonly string[] {
  const declared = codeOf(tree, file).matchAll(
    /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm,
  );
  // The signatures of an overloaded function are one name.
  return [...new Set([...declared].map(([, name]) => name ?? ""))];
}

/** Files of src, and of webview-ui, with the same name, because people open files by name. */
export function sameFileNames(tree: SourceTree): readonly string[] {
  const byName = new Map<string, string[]>();
  for (const path of tree.paths.filter(isSource)) {
    const key = `${path.split("/")[0]}/…/${path.split("/").at(-1)}`;
    byName.set(key, [...(byName.get(key) ?? []), path]);
  }
  return [...byName.values()].filter(paths => paths.length > 1).map(paths => paths.join(" and "));
}

/** Files with default exports, or that export declarations of another file. */
export const barrels = (tree: SourceTree): readonly string[] =>
  tree.paths
    .filter(isSource)
    .filter(file =>
      /^\s*export\s+(default\b|\*|\{[^}]*\}\s*from\b|type\s+\{[^}]*\}\s*from\b)/m.test(codeOf(tree, file)),
    );

/** Files that do not begin with a comment that describes them. */
export const filesWithoutHeader = (tree: SourceTree): readonly string[] =>
  tree.paths.filter(isSource).filter(file => !/^\/\/ \S/.test(tree.read(file)));

/** Files that cast the namespace of VS Code: API that is missing in its types does not exist on the desktop. */
export const namespaceCasts = (tree: SourceTree): readonly string[] =>
  tree.paths
    .filter(isSource)
    .filter(file =>
      /\(\s*vscode\s+as\b|\bvscode\s+as\s+(unknown|any)|<\w+>\s*vscode\b|vscode\.\w+\s+as\s+unknown/.test(
        codeOf(tree, file),
      ),
    );

/** Readings of Parley's settings elsewhere than in the file that takes only the user's value. */
export const otherSettingReads = (tree: SourceTree): readonly string[] =>
  tree.paths
    .filter(path => isSource(path) && isInSrc(path) && path !== "src/editor/userSettings.ts")
    .flatMap(file =>
      [...codeOf(tree, file).matchAll(/getConfiguration(.{0,40})/g)]
        // A setting of VS Code has a literal section.
        .filter(([, argument]) => !/^\("(?!parley)[\w.]+"/.test(argument ?? ""))
        .map(([read]) => `${file} reads ${read}`),
    );

/** Files that may read the environment of the extension host, and for what. Programs get theirs from `WindowEnvironment`. */
const environmentReaders: readonly string[] = [
  "src/base/windowEnvironment.ts",
  "src/agents/vscode/createEnvironment.ts",
  // Runs on the same machine without the network: the watchdog, and git for Parley itself.
  "src/agents/startWatchdog.ts",
  "src/git/gitProgram.ts",
  // Whether `npm start` has opened the window.
  "src/window/startup/neededAtStart.ts",
  // A program that agents start. It gets the address of the editor's tools in its environment.
  "src/editorTools/bridge/mcpBridge.ts",
  // Where npm and Zed keep their files.
  "src/agents/npmDownload.ts",
  "src/agents/vscode/importZedAgents.ts",
];

/** Readings of the environment of the extension host elsewhere. A program that gets it misses the PATH and the proxy. */
export const environmentReads = (tree: SourceTree): readonly string[] =>
  tree.paths
    .filter(path => isSource(path) && isInSrc(path) && !environmentReaders.includes(path))
    .filter(file => /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(codeOf(tree, file)))
    .map(file => `${file} reads process.env`);

/** A code action names its command. The question before it says that nothing of it can be shown. */
const codeActionFile = "src/editorTools/vscode/windowEdits.ts";

/** Calls of `executeCommand` whose command is not a literal. */
export const computedCommands = (tree: SourceTree): readonly string[] =>
  tree.paths
    .filter(path => isSource(path) && isInSrc(path))
    .flatMap(file =>
      [...codeOf(tree, file).matchAll(/executeCommand(?:<[^>]*>)?\(\s*(.{0,40})/g)]
        .filter(([, argument = ""]) => file !== codeActionFile || !argument.startsWith("command.command,"))
        .filter(([, argument]) => !/^(?:"[\w.]+|`\$\{Chat\w+\.\w+\}\.focus`)/.test(argument ?? ""))
        .map(([, argument]) => `${file} runs ${argument}`),
    );
