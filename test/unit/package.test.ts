// The package that users install: what is in it, and that its manifest names nothing that is not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly contributes: { readonly viewsContainers: Record<string, readonly { readonly icon: string }[]> };
}

describe("the package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  let files: readonly string[];
  before(function () {
    this.timeout(60_000);
    const vsce = "node_modules/@vscode/vsce/vsce";
    const listed = execFileSync(process.execPath, [vsce, "ls", "--no-dependencies"], { encoding: "utf8" });
    files = listed.split("\n").filter(file => file !== "");
  });

  it("holds only what runs", () => {
    const expected = [
      /^CHANGELOG\.md$/,
      /^LICENSE$/,
      /^README\.md$/,
      /^package\.json$/,
      /^package\.nls\.json$/,
      /^l10n\/bundle\.l10n\.json$/,
      /^media\/parley\.(svg|png)$/,
      /^docs\/images\/panel\.png$/,
      /^dist\/extension\.js$/,
      /^dist\/watchdog\.js$/,
      /^dist\/demo-agent\.mjs$/,
      /^dist\/webview\/(main\.js|styles\.css|codicon\.(css|ttf))$/,
      /^dist\/webview\/chunks\/[\w-]+-[A-Z0-9]{8}\.js$/,
    ];
    assert.deepEqual(
      files.filter(file => !expected.some(pattern => pattern.test(file))),
      [],
    );
    for (const pattern of expected.filter(each => !each.source.includes("chunks"))) {
      assert.ok(
        files.some(file => pattern.test(file)),
        `nothing matches ${pattern.source}`,
      );
    }
  });

  it("has every file that the manifest names", () => {
    const icons = Object.values(manifest.contributes.viewsContainers).flatMap(views => views.map(view => view.icon));
    for (const file of [manifest.main.replace("./", ""), manifest.icon, ...icons]) {
      assert.ok(files.includes(file), `${file} is not in the package`);
      assert.ok(existsSync(file), `${file} does not exist`);
    }
  });
});
