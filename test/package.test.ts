// The package that users install: what is in it, and that its manifest names nothing that is not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly contributes: { readonly viewsContainers: Record<string, readonly { readonly icon: string }[]> };
}

describe("the package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  let files: readonly string[];
  before(function () {
    this.timeout(60_000);
    execFileSync(process.execPath, ["scripts/tools/notices.mjs"]);
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
      /^media\/review\/(added|changed|removed)-(light|dark)\.svg$/,
      /^docs\/images\/panel\.png$/,
      /^dist\/extension\.js$/,
      /^dist\/watchdog\.js$/,
      /^dist\/demo-agent\.mjs$/,
      /^dist\/ThirdPartyNotices\.txt$/,
      /^dist\/webview\/(main\.js|styles\.css|codicon\.(css|ttf))$/,
      /^dist\/webview\/diagram\/diagram\.(js|css)$/,
      /^dist\/webview\/diagram\/mermaid\.tiny\.js$/,
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

  describe("its third-party notices", () => {
    /** What the build makes programs and pages of, beyond our own dependencies. */
    const bundled = ["@agentclientprotocol/sdk", "zod", "lit-html", "lit-element", "@lit/reactive-element"];

    it("name every package that is shipped, with its version and its whole licence", () => {
      const notices = readFileSync("dist/ThirdPartyNotices.txt", "utf8");
      for (const name of [...Object.keys(manifest.dependencies), ...bundled]) {
        const folder = `node_modules/${name}`;
        const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { readonly version: string };
        assert.ok(notices.includes(`\n${name} ${version}\nLicense: `), `${name} is not named`);
        // Some packages are published without their licence: it is kept here.
        const licences = [folder, `scripts/tools/licences/${name}`]
          .filter(place => existsSync(place))
          .flatMap(place => readdirSync(place).map(file => `${place}/${file}`))
          .filter(file => /\/licen[cs]e[^/]*$/i.test(file));
        assert.ok(licences.length > 0, `${name} has no licence to compare with`);
        for (const file of licences) {
          const text = readFileSync(file, "utf8").replace("\uFEFF", "").replaceAll("\r\n", "\n").trim();
          assert.ok(notices.includes(text), `the text of ${name}'s ${file} is missing`);
        }
      }
    });

    it("name nothing that only builds and tests use", () => {
      const notices = readFileSync("dist/ThirdPartyNotices.txt", "utf8");
      for (const name of ["esbuild", "mocha", "typescript", "playwright-core"]) {
        assert.ok(!new RegExp(`^${name} [0-9]`, "m").test(notices), `${name} is named`);
      }
    });
  });
});
