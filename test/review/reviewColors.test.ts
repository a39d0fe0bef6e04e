// The colors of the marks in the editor: themes and users can change each of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inProject } from "../../scripts/tools/project.mjs";

interface Color {
  readonly id: string;
  readonly defaults: Readonly<Record<string, string>>;
}

describe("the colors of the marks of a review", () => {
  const manifest = JSON.parse(readFileSync(inProject("package.json"), "utf8")) as {
    readonly contributes: { readonly colors: readonly Color[] };
  };
  const colors = manifest.contributes.colors.filter(({ id }) => id.startsWith("parley.hunk"));
  const source = readFileSync(inProject("src", "review", "vscode", "reviewDecorations.ts"), "utf8");

  it("are exactly the theme colors that the manifest contributes", () => {
    const used = new Set([...source.matchAll(/"(hunk[A-Z]\w+)"/g)].map(([, id = ""]) => `parley.${id}`));
    assert.deepEqual([...used].sort(), colors.map(({ id }) => id).sort());
    assert.doesNotMatch(source, /["'`]#[0-9a-f]{3,8}\b|rgba?\(/i, "no color is fixed");
  });

  it("have borders in high contrast, where backgrounds are transparent", () => {
    for (const { id, defaults } of colors) {
      const isTransparent = (theme: string): boolean => defaults[theme] === "#00000000";
      for (const theme of ["highContrast", "highContrastLight"])
        assert.equal(isTransparent(theme), id.endsWith("Background"), `${id} in ${theme}`);
    }
  });
});
