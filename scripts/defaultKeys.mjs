// Writes which keys VS Code and the extensions that it contains bind by default, for test/defaultKeys.test.ts:
//   node scripts/defaultKeys.mjs
// It reads the bundle of the workbench, because a running VS Code lists the keys of its own system only. Keys that the
// bundle computes (digits of groups and tabs) and keys of the desktop alone are not in it; the test lists the latter.
import fs from "node:fs";
import path from "node:path";
import { inProject, main, say } from "./tools/project.mjs";
import { vscodeForTests } from "./vscode/vscodeForTests.mjs";

/** The bits of the modifiers in VS Code's numbers (`KeyMod`), in the order of their names. */
const modifiers = /** @type {const} */ ([
  ["ctrlcmd", 2048],
  ["shift", 1024],
  ["alt", 512],
  ["winctrl", 256],
]);
const keyBits = 255;
/** The first numbers of letters, digits and function keys (`KeyCode`). */
const [digit0, letterA, f1] = [21, 31, 59];
/** The numbers of other keys that the scheme of the extension can use. */
const otherKeys = new Map([
  [3, "enter"],
  [9, "escape"],
  [20, "delete"],
]);

await main(async () => {
  /** @type {Record<string, Record<string, string[]>>} */
  const taken = {};
  for (const name of /** @type {const} */ (["minimum", "newest"])) {
    const { folder, version } = await vscodeForTests(name);
    const keys = { linux: new Set(), mac: new Set(), windows: new Set() };
    addBundle(fs.readFileSync(path.join(folder, "out/vs/code/browser/workbench/workbench.js"), "utf8"), keys);
    addExtensions(path.join(folder, "extensions"), keys);
    taken[version] = Object.fromEntries(Object.entries(keys).map(([system, all]) => [system, [...all].sort()]));
    say(
      `VS Code ${version}: ${Object.entries(keys)
        .map(([system, all]) => `${system} ${all.size}`)
        .join(", ")}`,
    );
  }
  fs.writeFileSync(inProject("test", "support", "data", "defaultKeys.json"), `${JSON.stringify(taken, null, 2)}\n`);
});

/** @typedef {Record<"linux" | "mac" | "windows", Set<string>>} Keys */

/**
 * Adds the keys of each keybinding in the bundle. A key without a system counts for all three, even if the keybinding
 * has another key for one of them.
 * @param {string} bundle
 * @param {Keys} keys
 */
function addBundle(bundle, keys) {
  // KeyChord(first, second) is the only function of this form.
  const chord =
    /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{(?:let|const) ([\w$]+)=\(\3&65535\)<<16>>>0;return\(\2\|\4\)>>>0\}/;
  const name = chord.exec(bundle)?.[1];
  if (name === undefined) throw new Error("The bundle has no function for chords that this script knows.");
  const one = `(?:\\d+|${name.replaceAll("$", "\\$")}\\(\\d+,\\d+\\))`;
  const found = new RegExp(`(?:(mac|linux|win):\\{)?(?:primary:(${one})|secondary:\\[(${one}(?:,${one})*)\\])`, "g");
  for (const [, system, primary, secondary] of bundle.matchAll(found)) {
    for (const [, first, second, single] of `${primary ?? secondary}`.matchAll(/\((\d+),(\d+)\)|(\d+)/g)) {
      const numbers = single === undefined ? [Number(first), Number(second)] : [Number(single)];
      for (const target of systemsOf(system)) {
        const key = numbers.map(number => keyName(number, target)).join(" ");
        if (!key.includes("?")) keys[target].add(key);
      }
    }
  }
}

/**
 * @param {string | undefined} system
 * @returns {readonly (keyof Keys)[]}
 */
function systemsOf(system) {
  if (system === "mac" || system === "linux") return [system];
  return system === "win" ? ["windows"] : ["linux", "mac", "windows"];
}

/**
 * The key of a number as VS Code writes it, or a name with `?` for a key that the scheme cannot use.
 * @param {number} number
 * @param {keyof Keys} system
 */
function keyName(number, system) {
  const code = number & keyBits;
  const held = modifiers.filter(([, bit]) => (number & bit) !== 0).map(([name]) => modifierName(name, system));
  return sortedKey([...held, codeName(code)].join("+"));
}

/** @param {"ctrlcmd" | "shift" | "alt" | "winctrl"} name @param {keyof Keys} system */
function modifierName(name, system) {
  if (name === "ctrlcmd") return system === "mac" ? "cmd" : "ctrl";
  if (name === "winctrl") return system === "mac" ? "ctrl" : "meta";
  return name;
}

/** @param {number} code */
function codeName(code) {
  if (code >= digit0 && code < letterA) return String(code - digit0);
  if (code >= letterA && code < letterA + 26) return String.fromCharCode("a".charCodeAt(0) + code - letterA);
  if (code >= f1 && code < f1 + 19) return `f${code - f1 + 1}`;
  return otherKeys.get(code) ?? "?";
}

/**
 * The key with its modifiers in VS Code's order.
 * @param {string} key
 */
function sortedKey(key) {
  const order = ["ctrl", "shift", "alt", "cmd", "meta"];
  const chords = key
    .toLowerCase()
    .split(" ")
    .map(chord => {
      const parts = chord.split("+");
      const last = parts.pop() ?? "";
      return [...order.filter(name => parts.includes(name)), last].join("+");
    });
  return chords.join(" ");
}

/**
 * Adds the keys of the extensions that VS Code contains.
 * @param {string} folder
 * @param {Keys} keys
 */
function addExtensions(folder, keys) {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name, "package.json");
    if (!fs.existsSync(file)) continue;
    /** @type {{ contributes?: { keybindings?: Record<string, string> | Record<string, string>[] } }} */
    const { contributes } = JSON.parse(fs.readFileSync(file, "utf8"));
    for (const { key, mac, linux, win } of [contributes?.keybindings ?? []].flat()) {
      for (const [system, own] of /** @type {const} */ ([
        ["mac", mac],
        ["linux", linux],
        ["windows", win],
      ])) {
        const text = own ?? key;
        if (text) keys[system].add(sortedKey(text));
      }
    }
  }
}
