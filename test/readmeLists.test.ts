// The lists of the README: its settings and commands are those of the manifest.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
    readonly commands: readonly { readonly command: string; readonly title: string }[];
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
});
