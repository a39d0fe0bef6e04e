// What the tests of a file name: their titles, and the names and texts in the code that each of them runs. A row of
// docs/PROTOCOL-SUPPORT.md names the subject of its tests (a method, a field or a value of the wire), which must be there.
import fs from "node:fs";
import ts from "typescript";
import { inProject } from "./project.mjs";

/** @typedef {import("typescript").Node} Node */

/**
 * @typedef {object} TestFile
 * @property {ReadonlyMap<string, readonly Node[]>} tests the code of each test, by its title as the source has it
 * @property {import("typescript").SourceFile} source
 */

/** @type {Map<string, TestFile | undefined>} */
const files = new Map();
/** @type {Map<string, ReadonlySet<string>>} */
const names = new Map();

/**
 * @param {string} file below `test`, without its ending
 * @returns {TestFile | undefined}
 */
function testFile(file) {
  if (files.has(file)) return files.get(file);
  const path = ["", ".host"].map(kind => inProject("test", `${file}${kind}.test.ts`)).find(each => fs.existsSync(each));
  const read = path === undefined ? undefined : readTests(fs.readFileSync(path, "utf8"));
  files.set(file, read);
  return read;
}

/**
 * The tests of a source.
 * @param {string} text
 * @returns {TestFile}
 */
function readTests(text) {
  const source = ts.createSourceFile("a.test.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {Map<string, Node[]>} */
  const tests = new Map();
  visit(source, node => {
    if (!ts.isCallExpression(node) || node.expression.getText(source) !== "it") return;
    const [title, run] = node.arguments;
    if (!title || !run || !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) return;
    const name = ts.isStringLiteral(title) ? title.text : title.getText(source).slice(1, -1);
    tests.set(name, [...(tests.get(name) ?? []), run]);
  });
  return { tests, source };
}

/**
 * @param {Node} node
 * @param {(node: Node) => void} each
 */
function visit(node, each) {
  each(node);
  ts.forEachChild(node, child => visit(child, each));
}

/**
 * The titles of the tests of a file, as the source has them. Undefined without such a file.
 * @param {string} file below `test`, without its ending
 */
export const testTitles = file => {
  const read = testFile(file);
  return read && [...read.tests.keys()];
};

/**
 * The names of properties, the texts and numbers, and `name: text` for each property with a text, in the code that a test
 * runs: its own, that of the hooks before it, and of the functions and constants of the same file that it uses, however
 * indirectly. Names of variables and titles of tests are not among them.
 * @param {string} file below `test`, without its ending
 * @param {string} title as the source has it
 */
export function namesInTest(file, title) {
  const key = `${file}: ${title}`;
  const found = names.get(key) ?? readNames(testFile(file), title);
  names.set(key, found);
  return found;
}

/**
 * As `namesInTest`, in a source.
 * @param {string} text
 * @param {string} title
 */
export const namesInSource = (text, title) => readNames(readTests(text), title);

/**
 * @param {TestFile | undefined} file
 * @param {string} title
 * @returns {ReadonlySet<string>}
 */
function readNames(file, title) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {Set<Node>} */
  const seen = new Set();
  const waiting = (file?.tests.get(title) ?? []).flatMap(run => [run, ...hooksBefore(run)]);
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    visit(node, each => {
      for (const name of namesOf(each)) found.add(name);
      if (ts.isIdentifier(each) && isUse(each)) waiting.push(...definitionsOf(each));
    });
  }
  return found;
}

/**
 * The functions that run before a test.
 * @param {Node} test
 * @returns {readonly Node[]}
 */
function hooksBefore(test) {
  const hooks = [];
  for (let node = test.parent; node; node = node.parent) {
    if (!ts.isBlock(node) && !ts.isSourceFile(node)) continue;
    for (const statement of node.statements) {
      const call = ts.isExpressionStatement(statement) ? statement.expression : undefined;
      if (call && ts.isCallExpression(call) && /^before(?:Each)?$/.test(call.expression.getText()))
        hooks.push(...call.arguments);
    }
  }
  return hooks;
}

/**
 * @param {Node} node
 * @returns {readonly string[]}
 */
function namesOf(node) {
  if (ts.isStringLiteralLike(node)) return [node.text, ...quotedIn(node.text)];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].flatMap(quotedIn);
  const number = numberOf(node);
  if (number !== undefined) return [number];
  if (ts.isPropertyAccessExpression(node)) return [node.name.text];
  if (ts.isBindingElement(node))
    return node.propertyName && ts.isIdentifier(node.propertyName) ? [node.propertyName.text] : [];
  if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return [];
  const name = ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : undefined;
  if (name === undefined) return [];
  const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
  return [name, ...valuesOf(value).map(each => `${name}: ${each}`)];
}

/**
 * A number with its sign, as a text.
 * @param {Node} node
 */
function numberOf(node) {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const { operand } = node;
    return ts.isNumericLiteral(operand) ? `-${operand.text}` : undefined;
  }
  const isNegated = ts.isPrefixUnaryExpression(node.parent) && node.parent.operator === ts.SyntaxKind.MinusToken;
  return ts.isNumericLiteral(node) && !isNegated ? node.text : undefined;
}

/**
 * The texts that an expression can have: its own, or those of the list that it comes from.
 * @param {Node} value
 * @returns {readonly string[]}
 */
function valuesOf(value) {
  if (ts.isStringLiteralLike(value)) return [value.text];
  const number = numberOf(value);
  if (number !== undefined) return [number];
  if (ts.isConditionalExpression(value)) return [value.whenTrue, value.whenFalse].flatMap(valuesOf);
  if (!ts.isIdentifier(value)) return [];
  /** @type {Set<string>} */
  const texts = new Set();
  /** @type {Set<Node>} */
  const seen = new Set();
  const waiting = [...definitionsOf(value)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    visit(node, each => {
      const text = ts.isStringLiteralLike(each) ? each.text : numberOf(each);
      if (text !== undefined) texts.add(text);
      if (ts.isPropertyAssignment(each) && ts.isIdentifier(each.name)) texts.add(each.name.text);
      if (ts.isIdentifier(each) && isUse(each)) waiting.push(...definitionsOf(each));
    });
  }
  return [...texts];
}

/**
 * The texts in quotes in a line of JSON.
 * @param {string} text
 */
const quotedIn = text => [...text.matchAll(/"([^"\\]+)"/g)].map(([, inner = ""]) => inner);

/**
 * Whether an identifier is a variable that is read, and not the name of a property or of a declaration.
 * @param {import("typescript").Identifier} node
 */
function isUse(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent) || ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.initializer === node;
  return true;
}

/**
 * The code that defines a variable: its value, the body of a function, or the list that a loop goes through.
 * @param {import("typescript").Identifier} use
 * @returns {readonly Node[]}
 */
function definitionsOf(use) {
  for (let scope = use.parent; scope; scope = scope.parent) {
    const found = declaredIn(scope).filter(([name]) => name === use.text);
    if (found.length > 0) return found.flatMap(([, node]) => (node ? [node] : []));
  }
  return [];
}

/** @type {WeakMap<Node, readonly (readonly [string, Node | undefined])[]>} */
const declarations = new WeakMap();

/**
 * The variables that a scope declares, with the code that defines each.
 * @param {Node} scope
 */
function declaredIn(scope) {
  const known = declarations.get(scope) ?? readDeclarations(scope);
  declarations.set(scope, known);
  return known;
}

/**
 * @param {Node} scope
 * @returns {readonly (readonly [string, Node | undefined])[]}
 */
function readDeclarations(scope) {
  if (ts.isBlock(scope) || ts.isSourceFile(scope))
    return scope.statements.flatMap(statement => {
      if (ts.isVariableStatement(statement))
        return statement.declarationList.declarations.flatMap(({ name, initializer }) => bound(name, initializer));
      const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
      return isNamed && statement.name ? [/** @type {const} */ ([statement.name.text, statement])] : [];
    });
  if (ts.isForOfStatement(scope) && ts.isVariableDeclarationList(scope.initializer))
    return scope.initializer.declarations.flatMap(({ name }) => bound(name, scope.expression));
  // The parameters of a callback come from the call: `rows.forEach(row => …)`.
  if (ts.isFunctionLike(scope)) {
    const call = scope.parent;
    const from = ts.isCallExpression(call) ? call.expression : undefined;
    return scope.parameters.flatMap(({ name }) => bound(name, from));
  }
  return [];
}

/**
 * The names that a declaration binds, all with the same code.
 * @param {import("typescript").BindingName} name
 * @param {Node | undefined} node
 * @returns {readonly (readonly [string, Node | undefined])[]}
 */
function bound(name, node) {
  if (ts.isIdentifier(name)) return [[name.text, node]];
  return name.elements.flatMap(element => (ts.isBindingElement(element) ? bound(element.name, node) : []));
}
