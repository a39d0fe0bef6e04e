// Ten small tasks, each with an edit that leaves one type error behind. The scripted model makes the edit, and repairs the
// error only if a tool tells it about the error (`repairs.mjs`). The TypeScript compiler counts what is left.
import { dirname, join } from "node:path";
import ts from "typescript";

/** A task in a folder of its own. */
export interface TypeErrorTask {
  /** The name of its folder. */
  readonly id: string;
  /** The kind of the error, for the table. */
  readonly kind: string;
  /** The files by name. They are without errors. */
  readonly files: Readonly<Record<string, string>>;
  /** The edit of the task: the file, a text, and the text instead. */
  readonly edit: readonly [file: string, from: string, to: string];
  /** The file that gets the error, if it is another one. The user has it open. */
  readonly opened?: string;
}

export const typeErrorTasks: readonly TypeErrorTask[] = [
  {
    id: "argument",
    kind: "Wrong type of an argument",
    files: {
      "price.ts":
        "export const total = (price: number, count: number): number => price * count;\nexport const order = total(5, 3);\n",
    },
    edit: ["price.ts", "total(5, 3)", 'total(5, "3")'],
  },
  {
    id: "property",
    kind: "Missing property",
    files: {
      "address.ts":
        'interface Address {\n  street: string;\n  city: string;\n}\n\nexport const known: Address[] = [{ street: "Elm", city: "Ulm" }];\n',
    },
    edit: ["address.ts", 'street: "Elm", city: "Ulm"', 'street: "Elm"'],
  },
  {
    id: "undefined",
    kind: "Value that can be undefined",
    files: {
      "user.ts":
        "export function nameOf(users: { name: string }[]): string | undefined {\n  const found = users.find(({ name }) => name);\n  return found?.name;\n}\n",
    },
    edit: ["user.ts", "found?.name", "found.name"],
  },
  {
    id: "return",
    kind: "Wrong type of a result",
    files: { "label.ts": "export const label = (count: number): string => `${count}`;\n" },
    edit: ["label.ts", "`${count}`", "count"],
  },
  {
    id: "import",
    kind: "Missing import",
    files: {
      "area.ts": "export const area = (radius: number): number => Math.PI * radius ** 2;\n",
      "circle.ts": "export const size = 12.57;\n",
    },
    edit: ["circle.ts", "12.57", "area(2)"],
  },
  {
    id: "renamed",
    kind: "Renamed symbol with a use in another file",
    files: {
      "members.ts": "export const getMember = (id: number): string => `member ${id}`;\n",
      "greeting.ts": 'import { getMember } from "./members";\n\nexport const greeting = `Hello, ${getMember(1)}`;\n',
    },
    edit: ["members.ts", "getMember", "getMembers"],
    opened: "greeting.ts",
  },
  {
    id: "readonly",
    kind: "Change of a readonly list",
    files: {
      "primes.ts":
        "export function withNext(primes: readonly number[], next: number): unknown {\n  return [...primes, next];\n}\n",
    },
    edit: ["primes.ts", "[...primes, next]", "primes.push(next)"],
  },
  {
    id: "generic",
    kind: "Type argument outside of its constraint",
    files: {
      "registry.ts":
        "export class Registry<K extends string> {\n  readonly names = new Set<K>();\n}\n\nexport const registry = new Registry<string>();\n",
    },
    edit: ["registry.ts", "new Registry<string>", "new Registry<number>"],
  },
  {
    id: "await",
    kind: "Promise used as its value",
    files: {
      "load.ts":
        "const load = async (): Promise<number> => 4;\nconst double = (value: number): number => 2 * value;\n\nexport async function result(): Promise<number> {\n  return double(await load());\n}\n",
    },
    edit: ["load.ts", "double(await load())", "double(load())"],
  },
  {
    id: "switch",
    kind: "Switch that misses a case",
    files: {
      "shapes.ts":
        'export const shapes = ["circle", "square"] as const;\nexport type Shape = (typeof shapes)[number];\n',
      "corners.ts":
        'import type { Shape } from "./shapes";\n\nfunction unreachable(value: never): never {\n  throw new Error(String(value));\n}\n\nexport function corners(shape: Shape): number {\n  switch (shape) {\n    case "circle":\n      return 0;\n    case "square":\n      return 4;\n    default: return unreachable(shape);\n  }\n}\n',
    },
    edit: ["shapes.ts", '"circle", "square"', '"circle", "square", "triangle"'],
    opened: "corners.ts",
  },
];

/** The files of all tasks, with the configuration of their project, by their path in the workspace. */
export function taskFiles(): Readonly<Record<string, string>> {
  const options = { strict: true, noEmit: true, target: "es2022", module: "esnext", moduleResolution: "bundler" };
  const configuration = { compilerOptions: { ...options, types: [] }, include: ["tasks"] };
  const files = typeErrorTasks.flatMap(({ id, files: own }) =>
    Object.entries(own).map(([name, text]) => [`tasks/${id}/${name}`, text] as const),
  );
  return { "tsconfig.json": JSON.stringify(configuration), ...Object.fromEntries(files) };
}

/** An error of the compiler. Line and column are 1-based. */
export interface CompilerError {
  /** With forward slashes. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly code: string;
}

/** What the TypeScript compiler reports about the project in a folder. */
export function compilerErrors(folder: string): readonly CompilerError[] {
  const read = ts.readConfigFile(join(folder, "tsconfig.json"), path => ts.sys.readFile(path));
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, start = 0, messageText, code }) => {
    const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
    return {
      ...{ path: file?.fileName ?? "", line: line + 1, column: character + 1, code: String(code) },
      message: ts.flattenDiagnosticMessageText(messageText, "\n"),
    };
  });
}

/** The id of the task whose folder has the file. */
export const taskOf = (path: string): string => dirname(path).split(/[\\/]/).at(-1) ?? "";
