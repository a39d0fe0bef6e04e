// The keys of the extension beside those that VS Code binds by default, in its oldest supported and its newest version.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

interface Keybinding {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
  readonly when?: string;
}

type System = "linux" | "mac" | "windows";
const systems: readonly System[] = ["linux", "mac", "windows"];

/** The keys of each version on each system. scripts/defaultKeys.mjs writes them. */
const taken = JSON.parse(readFileSync("test/support/data/defaultKeys.json", "utf8")) as Readonly<
  Record<string, Readonly<Record<System, readonly string[]>>>
>;
const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly contributes: { readonly keybindings: readonly Keybinding[] };
};

/** Keys of the desktop alone, which the workbench of the browser lacks, of the forms that the extension uses. */
const ofDesktop: Readonly<Record<System, readonly string[]>> = {
  linux: ["ctrl+k r"],
  mac: ["cmd+k r", "alt+cmd+i"],
  windows: ["ctrl+k r", "shift+alt+r"],
};

/** Keys that VS Code binds elsewhere. The condition limits each to a view in which its own meaning is the expected one. */
const limited = new Map([
  ["parley.find", "focusedView == parley.chat"],
  ["parley.renameSession", "focusedView == parley.sessions && listFocus && !inputFocus"],
  ["parley.deleteSession", "focusedView == parley.sessions && listFocus && !inputFocus"],
  // VS Code pins the active editor with it.
  ["parley.pinSession", "focusedView == parley.sessions && listFocus && !inputFocus"],
  [
    "parley.cancelCommitMessage",
    "parley.writesCommitMessage && !suggestWidgetVisible && (scmRepository || sideBarFocus && activeViewlet == 'workbench.view.scm')",
  ],
  ["parley.openSession", "focusedView == parley.sessions && listFocus && !inputFocus"],
  ["parley.openSessionInEditor", "focusedView == parley.sessions && listFocus && !inputFocus"],
]);

/** The key with its modifiers in VS Code's order. */
const ordered = (key: string): string =>
  key
    .split(" ")
    .map(chord => {
      const parts = chord.split("+");
      const last = parts.pop() ?? "";
      return [...["ctrl", "shift", "alt", "cmd", "meta"].filter(each => parts.includes(each)), last].join("+");
    })
    .join(" ");

const keyOn = (system: System, { key, mac }: Keybinding): string => ordered(system === "mac" ? (mac ?? key) : key);

describe("the keybindings of the extension", () => {
  it("use no key that VS Code binds by default on any system", () => {
    const free = contributes.keybindings.filter(({ command, when }) => limited.get(command) !== (when ?? "always"));
    assert.ok(free.length >= 14);
    for (const [version, keys] of Object.entries(taken)) {
      for (const system of systems) {
        const used = new Set([...keys[system], ...ofDesktop[system]]);
        assert.ok(used.size > 200, `${version} has too few keys for ${system}`);
        const own = free.map(each => keyOn(system, each));
        assert.deepEqual(
          own.filter(key => used.has(key)),
          [],
          `VS Code ${version} on ${system}`,
        );
      }
    }
  });

  it("compare with lists that have known keys of VS Code", () => {
    for (const keys of Object.values(taken)) {
      assert.ok(["shift+alt+a", "f8", "ctrl+k ctrl+s", "ctrl+k v"].every(key => keys.windows.includes(key)));
      assert.ok(["ctrl+shift+i", "ctrl+k ctrl+s"].every(key => keys.linux.includes(key)));
      assert.ok(["shift+alt+f", "cmd+k cmd+s", "cmd+k v", "alt+cmd+f"].every(key => keys.mac.includes(key)));
    }
  });

  it("are no keys that menus or keyboard layouts need", () => {
    for (const { command, key } of contributes.keybindings) {
      // AltGr is Ctrl+Alt, and Alt with a letter opens a menu.
      assert.doesNotMatch(ordered(key), /(?:^| )ctrl\+(?:shift\+)?alt\+.(?: |$)|(?:^| )alt\+.(?: |$)/, command);
    }
    for (const { command, mac = "" } of contributes.keybindings.filter(each => each.key.includes("alt+"))) {
      // On macOS, Option with a letter types a character.
      assert.match(mac, /cmd\+/, command);
    }
  });

  it("have Shift after Ctrl+K, where VS Code adds keys without it", () => {
    // The two keys of the review that are in use already.
    const inUse = ["parley.keepChange", "parley.undoChange"];
    for (const system of systems) {
      const chords = contributes.keybindings
        .map(each => ({ command: each.command, key: keyOn(system, each) }))
        .filter(({ key }) => /^(?:ctrl|cmd)\+k /.test(key));
      assert.ok(chords.length >= inUse.length);
      const withoutShift = chords.filter(({ key }) => !/ (?:\w+\+)*shift\+/.test(key));
      assert.deepEqual(
        withoutShift.map(({ command }) => command),
        inUse,
      );
    }
  });

  it("give each key to one command", () => {
    for (const system of systems) {
      // A command can have its key in several places.
      const own = new Set(contributes.keybindings.map(each => `${keyOn(system, each)} = ${each.command}`));
      const keys = Array.from(own, each => each.split(" = ")[0]);
      assert.deepEqual(keys, [...new Set(keys)]);
    }
  });
});
