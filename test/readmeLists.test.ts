// The lists of the README: its settings, commands and keys are those of the manifest.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { examplePrompts } from "./support/fakes/examplePrompts.ts";

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly mac?: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
  };
}

const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const texts = JSON.parse(readFileSync("package.nls.json", "utf8")) as Readonly<Record<string, string>>;

/** The text below a heading of the README, up to the next one. */
function section(heading: string): string {
  const [, text] = readFileSync("README.md", "utf8").split(`\n## ${heading}\n`);
  assert.ok(text !== undefined, `The README has no heading ${heading}.`);
  return text.split("\n## ")[0] ?? "";
}

/** The commands of each row of the tables of keys, in the order of its keys. */
const actions: Readonly<Record<string, readonly string[]>> = {
  "Focus the chat": ["focusChat"],
  "New session": ["newSession"],
  Stop: ["stop"],
  "Go to the open question": ["goToQuestion"],
  "Go to the previous, next prompt": ["previousPrompt", "nextPrompt"],
  "Go to the next waiting session": ["nextWaitingSession"],
  "Go to the sessions": ["goToSessions"],
  "Select the next mode": ["cycleMode"],
  "Choose the model": ["chooseModel"],
  Follow: ["toggleFollow"],
  "Send the active file": ["toggleActiveFile"],
  "Go to the next, previous change": ["nextChange", "previousChange"],
  "Keep the change at the cursor": ["keepChange"],
  "Undo the change at the cursor": ["undoChange"],
  "Keep, undo the whole file": ["keepFile", "undoFile"],
  "Mark the file as reviewed": ["toggleFileReviewed"],
  "Comment on the selected lines": ["commentOnLines"],
  "Ask at the selection": ["askAtSelection"],
};

/** The commands whose keys work only in a view, and what the README says about each. */
const inViews: Readonly<Record<string, string>> = {
  find: "**Find in Conversation** (<kbd>Ctrl</kbd>+<kbd>F</kbd>, <kbd>⌘</kbd><kbd>F</kbd>)",
  openSession: "A click or <kbd>Enter</kbd> opens a session in the chat",
  cancelCommitMessage: "<kbd>Escape</kbd> in the view cancels the message",
  openSessionInEditor: "<kbd>Ctrl</kbd>+<kbd>Enter</kbd> in an editor",
  renameSession: "Rename (<kbd>F2</kbd>)",
  pinSession:
    "**Pin Session** (<kbd>Ctrl</kbd>+<kbd>K</kbd> <kbd>Shift</kbd>+<kbd>Enter</kbd>, <kbd>⌘</kbd><kbd>K</kbd> <kbd>⇧</kbd><kbd>Enter</kbd>",
  deleteSession: "delete sessions (<kbd>Delete</kbd>, <kbd>⌘</kbd><kbd>Backspace</kbd>)",
};

const symbols: Readonly<Record<string, string>> = { "⌘": "cmd", "⌥": "alt", "⇧": "shift" };

/** The keys of a cell: `<kbd>Ctrl</kbd>+<kbd>K</kbd> <kbd>X</kbd>` is `ctrl+k x`. After “or”, only the last key differs. */
function keysOf(cell: string): readonly string[] {
  const [written = "", ...others] = cell.trim().split(/ or |, with /);
  const parts = (text: string): string[] =>
    [...text.matchAll(/<kbd>(.+?)<\/kbd>/g)].map(([, key = ""]) => symbols[key] ?? key.toLowerCase());
  const chords = written.replaceAll("</kbd>+<kbd>", "</kbd><kbd>").split(" ").map(parts);
  const key = (last: readonly string[]): string => [...chords.slice(0, -1), last].map(each => each.join("+")).join(" ");
  const last = chords.at(-1) ?? [];
  return [
    key(last),
    ...others.map(other => {
      const [added = ""] = parts(other);
      const modifiers = last.slice(0, -1);
      return key(added === "shift" ? [...modifiers, added, ...last.slice(-1)] : [...modifiers, added]);
    }),
  ];
}

describe("the README", () => {
  it("lists all settings, in the order of the manifest", () => {
    const listed = [...section("Settings").matchAll(/^\| `(parley\.[^`]+)`/gm)].map(([, id]) => id);
    assert.deepEqual(
      listed,
      contributes.configuration.flatMap(({ properties }) => Object.keys(properties)),
    );
  });

  it("lists all commands that the Command Palette can show, with their titles", () => {
    const hidden = contributes.menus.commandPalette.filter(({ when }) => when === "false");
    const shown = contributes.commands.filter(({ command }) => hidden.every(each => each.command !== command));
    const [, list] = /\*\*Parley:\*\*([^]*?)\n\n/.exec(section("Commands")) ?? [];
    const listed = (list ?? "").split("·").map(title => title.trim().replace(/\s+/g, " ").replace(/\.$/, ""));
    assert.deepEqual(listed.toSorted(), shown.map(({ title }) => texts[title.replaceAll("%", "")]).toSorted());
  });

  it("lists all keys that work in the whole window, on each system", () => {
    const rows = ["Keys of the chat", "Review changes"].flatMap(heading =>
      [...section(heading).matchAll(/^\| ([^|]+?) +\| ([^|]*<kbd>[^|]+?) +\| ([^|]+?) +\|$/gm)].map(
        ([, action = "", key = "", mac = ""]) => ({ action, keys: keysOf(key), mac: keysOf(mac) }),
      ),
    );
    const bound = new Map(contributes.keybindings.map(each => [each.command.replace("parley.", ""), each]));
    const expected = Object.entries(actions).map(([action, commands]) => ({
      action,
      keys: commands.map(command => bound.get(command)?.key),
      mac: commands.map(command => bound.get(command)?.mac ?? bound.get(command)?.key),
    }));
    assert.deepEqual(rows, expected);
    const listed = [...Object.values(actions).flat(), ...Object.keys(inViews)];
    assert.deepEqual(listed.toSorted(), [...bound.keys()].toSorted());
  });

  it("names the example prompts of the chat, which the README of the sample project has too", () => {
    const texts = examplePrompts().map(({ text }) => text);
    const [, sentence = ""] = /example prompts: ([^.]*)\./.exec(section("Try it in a minute")) ?? [];
    const named = [...sentence.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = ""]) => text.replace(/\s+/g, " "));
    assert.deepEqual(named, texts);
    const sample = readFileSync("examples/sample-workspace/README.md", "utf8");
    const [, list = ""] = sample.split("\nPrompts to try with an agent:\n");
    const prompts = [...list.matchAll(/^- (.+)$/gm)].map(([, text = ""]) => text);
    assert.deepEqual(
      prompts.filter(text => texts.includes(text)),
      texts,
    );
    const [, first = ""] = /1\. Type \*\*(.+?)\*\*/.exec(section("Try it in a minute")) ?? [];
    assert.ok(prompts.includes(first), `The sample project does not name the prompt ${first}`);
  });

  it("names the keys that work only in a view", () => {
    const text = readFileSync("README.md", "utf8").replace(/\s+/g, " ");
    for (const [command, sentence] of Object.entries(inViews)) {
      assert.ok(text.includes(sentence), `The README does not say: ${sentence}`);
      const { key, mac = key } = contributes.keybindings.find(each => each.command === `parley.${command}`) ?? {
        key: "",
      };
      const [, first = "", , second] = /<kbd>.*<\/kbd>/.exec(sentence)?.[0]?.match(/^(.*?<\/kbd>)(, (.*))?$/) ?? [];
      assert.deepEqual([keysOf(first)[0], keysOf(second ?? first)[0]], [key, mac], command);
    }
  });
});
