// The package that users install: its contents, and that all files named in its manifest exist.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { packedFiles } from "../scripts/tools/pack.mjs";
import { languages } from "../scripts/tools/translations.mjs";

interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly viewsContainers: Record<string, readonly { readonly icon: string }[]>;
    readonly views: Record<string, readonly { readonly id: string; readonly type?: string }[]>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly media: { readonly svg: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
}

describe("the package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  let files: readonly string[];
  before(function () {
    execFileSync(process.execPath, ["scripts/tools/notices.mjs"]);
    files = packedFiles();
  });

  it("contains only files that are needed at run time", () => {
    const expected = [
      /^CHANGELOG\.md$/,
      /^LICENSE$/,
      /^README\.md$/,
      /^package\.json$/,
      /^package\.nls\.json$/,
      ...languages.map(language => new RegExp(`^package\\.nls\\.${language}\\.json$`)),
      ...languages.map(language => new RegExp(`^l10n/bundle\\.l10n\\.${language}\\.json$`)),
      /^media\/parley(-light|-dark)?\.svg$/,
      /^media\/parley-(working|waiting|failed|unread|done)-(light|dark)\.svg$/,
      /^media\/parley\.png$/,
      /^media\/walkthrough\/(chooseAgent|signIn|firstPrompt|reviewChange)\.svg$/,
      /^media\/review\/(added|changed|removed|undo-all)-(light|dark)\.svg$/,
      /^docs\/images\/(panel|mcp|sessions|candidates|comments)\.png$/,
      /^dist\/activation\.js$/,
      /^dist\/agentRegistry\.js$/,
      /^dist\/api\.js$/,
      /^dist\/editorTools\.js$/,
      /^dist\/extension\.js$/,
      /^dist\/inspector\.js$/,
      /^dist\/mcp\.js$/,
      /^dist\/mcpBridge\.js$/,
      /^dist\/remote\.js$/,
      /^dist\/search\.js$/,
      /^dist\/unpackArchive\.js$/,
      /^dist\/watchdog\.js$/,
      /^dist\/demo-agent\.mjs$/,
      /^dist\/ThirdPartyNotices\.txt$/,
      /^dist\/webview\/(main\.js|styles\.css|codicon\.(css|ttf))$/,
      /^dist\/webview\/candidates\/candidates\.(js|css)$/,
      /^dist\/webview\/diagram\/diagram\.(js|css)$/,
      /^dist\/webview\/inspector\/inspector\.(js|css)$/,
      /^dist\/webview\/rules\/rules\.(js|css)$/,
      /^dist\/webview\/search\/search\.(js|css)$/,
      /^dist\/webview\/usage\/usage\.(js|css)$/,
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

  it("contains every program that the build makes", () => {
    const programs = readdirSync("dist").filter(file => /\.m?js$/.test(file));
    assert.deepEqual(
      programs.filter(file => !files.includes(`dist/${file}`)),
      [],
    );
  });

  it("contains every file that the manifest names", () => {
    const icons = Object.values(manifest.contributes.viewsContainers).flatMap(views => views.map(view => view.icon));
    for (const file of [manifest.main.replace("./", ""), manifest.icon, ...icons]) {
      assert.ok(files.includes(file), `${file} is not in the package`);
      assert.ok(existsSync(file), `${file} does not exist`);
    }
  });

  it("contains the pictures of the walkthrough, whose steps lead to commands", () => {
    const { walkthroughs, viewsWelcome, commands, views } = manifest.contributes;
    const texts = JSON.parse(readFileSync("package.nls.json", "utf8")) as Record<string, string>;
    const linked = (key: string): readonly string[] =>
      [...(texts[key.slice(1, -1)] ?? "").matchAll(/\]\(command:([\w.]+)\)/g)].map(([, command = ""]) => command);
    const steps = walkthroughs.flatMap(each => each.steps);
    assert.deepEqual(
      steps.map(({ id }) => id),
      ["chooseAgent", "signIn", "firstPrompt", "reviewChange"],
    );
    const known = new Set(commands.map(({ command }) => command));
    for (const { id, description, media, completionEvents } of steps) {
      assert.ok(files.includes(media.svg), `${media.svg} is not in the package`);
      assert.equal(linked(description).length, 1, id);
      const events = completionEvents.flatMap(event => (event.startsWith("onCommand:") ? [event.slice(10)] : []));
      for (const command of [...linked(description), ...events]) assert.ok(known.has(command), command);
    }
    const trees = Object.values(views).flatMap(each => each.filter(({ type }) => type !== "webview"));
    for (const { id } of trees) {
      const welcome = viewsWelcome.find(({ view }) => view === id);
      assert.ok(welcome, `${id} shows nothing while it is empty`);
      assert.ok(linked(welcome.contents).length > 0 && linked(welcome.contents).every(each => known.has(each)), id);
    }
  });

  it("has the client for agents on servers in no file but its own", () => {
    const words = "acp-connection-id";
    assert.ok(readFileSync("dist/remote.js", "utf8").toLowerCase().includes(words));
    for (const name of ["activation", "extension", "watchdog"])
      assert.ok(!readFileSync(`dist/${name}.js`, "utf8").toLowerCase().includes(words), `dist/${name}.js`);
  });

  it("contains every picture of the README", () => {
    const pictures = [...readFileSync("README.md", "utf8").matchAll(/!\[[^\]]*\]\((?!https?:)([^)]+)\)/g)];
    assert.ok(pictures.length > 0);
    for (const [, picture = ""] of pictures) assert.ok(files.includes(picture), `${picture} is not in the package`);
  });

  it("has at most 2.6 MB without the pictures of the README, and names each file above 50 kB with its reason", () => {
    const sizes = new Map(files.map(file => [file, deflateRawSync(readFileSync(file)).length]));
    const withoutPictures = [...sizes].filter(([file]) => !file.startsWith("docs/images/"));
    const total = withoutPictures.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(total <= 2_600_000, `${total} bytes`);
    // The name of a chunk ends with a hash, and the texts of the languages have one row.
    const large = new Set(
      withoutPictures.flatMap(([file, size]) =>
        size > 50_000
          ? [file.replace(/-[A-Z0-9]{8}\.js$/, "").replace(/(?<=bundle\.l10n\.).+(?=\.json$)/, "<language>")]
          : [],
      ),
    );
    const rows = readFileSync("docs/RELEASING.md", "utf8").matchAll(/^\| `([^`]+)` +\| (?!where)\S/gm);
    const named = [...rows].map(([, file = ""]) => file).filter(file => file.includes("/"));
    assert.deepEqual(named.toSorted(), [...large].toSorted());
  });

  it("has pictures in the README of at most 2 MB", () => {
    const pictures = files.filter(file => file.startsWith("docs/images/"));
    const total = pictures.reduce((sum, file) => sum + statSync(file).size, 0);
    assert.ok(pictures.length > 0 && total <= 2_000_000, `${total} bytes`);
  });

  it("grows by at most 160 kB because of the client for MCP servers, which has at most 500 kB", () => {
    assert.ok(statSync("dist/mcp.js").size <= 500_000);
    // As in the package, which is a ZIP file.
    const packed = deflateRawSync(readFileSync("dist/mcp.js")).length + statSync("docs/images/mcp.png").size;
    assert.ok(packed <= 160_000, `${packed} bytes`);
  });

  it("has the client for MCP servers in no file but its own", () => {
    const words = "notifications/prompts/list_changed";
    assert.ok(readFileSync("dist/mcp.js", "utf8").includes(words));
    for (const name of ["activation", "extension", "watchdog"])
      assert.ok(!readFileSync(`dist/${name}.js`, "utf8").includes(words), `dist/${name}.js`);
  });

  describe("in its third-party notices", () => {
    /** Packages that the build includes in programs and pages, in addition to our own dependencies. */
    const bundled = ["zod", "lit-html", "lit-element", "@lit/reactive-element"];

    it("names every included package, with its version and its full license", () => {
      const notices = readFileSync("dist/ThirdPartyNotices.txt", "utf8");
      for (const name of [...Object.keys(manifest.dependencies), ...bundled]) {
        const folder = `node_modules/${name}`;
        const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { readonly version: string };
        assert.ok(notices.includes(`\n${name} ${version}\nLicense: `), `${name} is not named`);
        // Some packages are published without their license, which is stored here.
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

    it("names no package that only the build and the tests use", () => {
      const notices = readFileSync("dist/ThirdPartyNotices.txt", "utf8");
      for (const name of ["esbuild", "mocha", "typescript", "playwright-core"]) {
        assert.ok(!new RegExp(`^${name} [0-9]`, "m").test(notices), `${name} is named`);
      }
    });
  });
});
