// What the scripted model knows about errors of TypeScript. It learns of an error only from the result of the tool
// `diagnostics`: the code and the message choose the repair, and the position says where it is made. It knows no file.

/**
 * A repair of one kind of error. `$1` in texts is the first group of the message.
 * @typedef {object} Repair
 * @property {string} code
 * @property {RegExp} message
 * @property {"position" | "line" | "file"} [at] where the text begins: at the error (default), in its line, or in its file
 * @property {string} [old] the text that is replaced
 * @property {string} text
 */

/** @type {readonly Repair[]} */
const knownRepairs = [
  {
    code: "2345",
    message: /^Argument of type 'string' is not assignable to parameter of type 'number'/,
    text: "+",
  },
  {
    code: "2741",
    message: /^Property '(\w+)' is missing in type '.*' but required in type '\w+'/,
    old: "{ ",
    text: '{ $1: "", ',
  },
  { code: "18048", message: /^'(\w+)' is possibly 'undefined'/, old: "$1", text: "$1?" },
  { code: "2322", message: /^Type 'number' is not assignable to type 'string'/, text: '"" + ' },
  { code: "2304", message: /^Cannot find name '(\w+)'/, at: "file", text: 'import { $1 } from "./$1";\n' },
  {
    code: "2724",
    message: /has no exported member named '(\w+)'\. Did you mean '(\w+)'/,
    old: "$1",
    text: "$2 as $1",
  },
  { code: "2339", message: /^Property 'push' does not exist on type 'readonly /, old: "push", text: "concat" },
  { code: "2344", message: /^Type '(\w+)' does not satisfy the constraint '(\w+)'/, old: "$1", text: "$2" },
  {
    code: "2345",
    message: /^Argument of type 'Promise<(\w+)>' is not assignable to parameter of type '\1'/,
    text: "await ",
  },
  {
    code: "2345",
    message: /^Argument of type '("\w+")' is not assignable to parameter of type 'never'/,
    at: "line",
    text: "    case $1:\n      return 0;\n",
  },
];

/** A result that does not yet say for certain that there are no problems leads to this many further calls. */
const maxUncertain = 3;
const maxCalls = 20;

/**
 * A problem in a result of the tool.
 * @typedef {{ path: string, line: number, column: number, message: string, code: string }} Reported
 */

/**
 * The errors in a result of the tool `diagnostics`. Agents give the model the text of the result or its structure as JSON.
 * @param {string} text @returns {readonly Reported[]}
 */
export function reportedErrors(text) {
  const structured = structureIn(text);
  if (structured)
    return structured.problems
      .filter(({ severity }) => severity === "error")
      .map(one => ({ ...one, code: one.code ?? "" }));
  const line = /^(.+?):(\d+):(\d+) error: ([\s\S]*?) \(ts (\d+)\)$/gm;
  return [...text.matchAll(line)].map(([, path = "", line, column, message = "", code = ""]) => ({
    ...{ path, line: Number(line), column: Number(column), message, code },
  }));
}

/**
 * @param {string} text
 * @returns {{ problems: (Reported & { severity: string })[], settled: boolean, notChecked: string[], notReported: string[] } | undefined}
 */
function structureIn(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value?.problems) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The edit for the tool `apply_edits` that repairs the error. Undefined: the model knows no repair.
 * @param {Reported} error
 */
export function repairOf({ path, line, column, message, code }) {
  for (const repair of knownRepairs) {
    const found = repair.code === code ? repair.message.exec(message) : null;
    if (!found) continue;
    const filled = (/** @type {string} */ text) => text.replace(/\$(\d)/g, (_, n) => found[Number(n)] ?? "");
    const oldText = filled(repair.old ?? "");
    const { at = "position" } = repair;
    const from = { line: at === "file" ? 1 : line, column: at === "position" ? column : 1 };
    const end = { endLine: from.line, endColumn: from.column + oldText.length };
    return { path, ...from, ...end, oldText, newText: filled(repair.text) };
  }
  return undefined;
}

/**
 * The next call of the model that repairs what the tool reports, as the server's own tool marker. Undefined: it is done, or
 * the agent offers no such tool.
 * @param {{ server: string, args: object }} marker
 * @param {readonly { name: string, text: string }[]} outcomes the results of the tools since the prompt
 * @param {readonly { name?: string }[]} tools
 */
export function nextRepairCall({ server, args }, outcomes, tools) {
  const call = (/** @type {string} */ name, /** @type {object} */ given) => ({
    ...{ op: "tool", kind: "mcp", parts: [] },
    ...{ server, name, args: given },
  });
  const check = call("diagnostics", args);
  const isOffered = tools.some(({ name = "" }) => name.includes(server) && name.endsWith("diagnostics"));
  if (!isOffered || outcomes.length >= maxCalls) return undefined;
  const last = outcomes.at(-1);
  if (!last?.name.endsWith("diagnostics")) return check;
  const edits = reportedErrors(last.text).flatMap(error => repairOf(error) ?? []);
  if (edits.length > 0) return call("apply_edits", { edits });
  const [unchecked] = uncheckedFiles(last.text);
  const shown = outcomes.some(({ name }) => name.endsWith("show_to_user"));
  // The server for TypeScript checks only files that a tab shows.
  if (unchecked !== undefined && !shown) return call("show_to_user", { path: unchecked });
  const uncertain = outcomes.filter(({ name, text }) => name.endsWith("diagnostics") && isUncertain(text)).length;
  return isUncertain(last.text) && uncertain <= maxUncertain ? check : undefined;
}

/** @param {string} text */
function uncheckedFiles(text) {
  const structured = structureIn(text);
  if (structured) return structured.notChecked;
  return /^No language server has checked (.+)\.$/m.exec(text)?.[1]?.split(", ") ?? [];
}

/** Whether problems may still come. @param {string} text */
function isUncertain(text) {
  const structured = structureIn(text);
  if (structured) return !structured.settled || structured.notChecked.length + structured.notReported.length > 0;
  return /No problems are known so far|were still changing|No language server has checked/.test(text);
}
