// The appearance and the accessibility tree of the panel, scene by scene. Pictures are compared only with the Chromium
// version that drew them, because others draw text differently. UPDATE=1 draws and writes all of them again.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { HostMessage, View } from "../../src/panel/protocol.ts";
import { paintedSessions } from "../support/fakes/painted.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { scenes, START } from "./scenes.ts";

const folder = join("test", "scenes", "panel");
const isUpdate = process.env["UPDATE"] !== undefined;
/** The share of a picture's pixels that can differ visibly. */
const TOLERANCE = 0.002;
/** How long the panel can take to look as stored (ms). */
const MAX_WAIT = 10_000;
/** One minute after the start of the scenes. */
const NOW = START + 60_000;

const viewOf = (messages: readonly HostMessage[]): View => {
  const [first] = messages;
  if (first?.type !== "snapshot") throw new Error("A scene must start with a snapshot.");
  return first.view;
};

describe("pictures of the panel", () => {
  usePanel();
  const views = new Map(Object.entries(scenes).map(([name, messages]) => [name, viewOf(messages)]));
  before("replays a real agent's session", async () => {
    const [session] = await paintedSessions(join("test", "transcripts", "opencode", "tools5.rich.ndjson"));
    assert.ok(session);
    views.set("recorded", session.view);
    if (isUpdate) mkdirSync(folder, { recursive: true });
  });

  it("have the stored accessibility tree", async () => {
    const panel = await stillPanel("dark", 480);
    assert.equal(views.size, 17);
    for (const [name, view] of views) {
      await show(panel, name, view);
      const tree = await panel.page.locator("body").ariaSnapshot();
      golden(`${name}.aria.yml`, `${tree}\n`);
    }
  });

  for (const theme of ["dark", "light"] as const) {
    for (const width of [280, 480]) {
      it(`match the stored ones, ${theme}, ${width} pixels wide`, async function () {
        const panel = await stillPanel(theme, width);
        const version = panel.page.context().browser()?.version() ?? "";
        const versionFile = join(folder, "chromium.txt");
        if (isUpdate) writeFileSync(versionFile, `${version}\n`);
        else if (readFileSync(versionFile, "utf8").trim() !== version) this.skip();
        const wrong: string[] = [];
        for (const [name, view] of views) {
          await show(panel, name, view);
          const file = join(folder, `${name}-${theme}-${width}.png`);
          if (isUpdate) writeFileSync(file, await pictureOf(panel));
          assert.ok(existsSync(file), `There is no picture ${file}. Draw it with UPDATE=1 and check it.`);
          const { picture, share } = await bestPicture(panel, readFileSync(file));
          if (share <= TOLERANCE) continue;
          mkdirSync(join("out", "screenshots"), { recursive: true });
          writeFileSync(join("out", "screenshots", `${name}-${theme}-${width}.png`), picture);
          wrong.push(`${name}: ${(share * 100).toFixed(2)} % of the pixels differ`);
        }
        assert.deepEqual(wrong, []);
        await panel.assertClean();
      });
    }
  }
});

/** A panel with a fixed time. */
function stillPanel(theme: "dark" | "light", width: number): Promise<PanelPage> {
  return openPanel([], { theme, width, height: 900, at: NOW });
}

/** Shows a scene and waits for asynchronous parts: colours of code and terminals, images, fonts. */
async function show(panel: PanelPage, name: string, view: View): Promise<void> {
  await panel.show(view);
  const { page } = panel;
  if (name === "everything") await page.locator(".hljs-keyword").first().waitFor();
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map(image => image.decode().catch(() => {})));
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}

function golden(file: string, text: string): void {
  const path = join(folder, file);
  if (isUpdate) writeFileSync(path, text);
  assert.ok(existsSync(path), `There is no ${path}. Write it with UPDATE=1 and check it.`);
  assert.equal(text, readFileSync(path, "utf8"), path);
}

const pictureOf = ({ page }: PanelPage): Promise<Buffer> => page.screenshot({ animations: "disabled" });

/** The first picture that matches, or the last one: on a busy machine, formulas and colours take several frames. */
async function bestPicture(panel: PanelPage, wanted: Buffer): Promise<{ picture: Buffer; share: number }> {
  const end = Date.now() + MAX_WAIT;
  for (;;) {
    const picture = await pictureOf(panel);
    const share = await differing(panel.page, wanted, picture);
    if (share <= TOLERANCE || Date.now() > end) return { picture, share };
  }
}

/** The share of pixels that differ visibly; 1 if the sizes differ. */
function differing(page: Page, wanted: Buffer, given: Buffer): Promise<number> {
  if (wanted.equals(given)) return Promise.resolve(0);
  return page.evaluate(
    async pictures => {
      const [a, b] = await Promise.all(
        pictures.map(async data => {
          const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
          const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          canvas?.drawImage(bitmap, 0, 0);
          return canvas?.getImageData(0, 0, bitmap.width, bitmap.height);
        }),
      );
      if (!a || !b || a.width !== b.width || a.height !== b.height) return 1;
      let count = 0;
      for (let at = 0; at < a.data.length; at += 4) {
        const far = [0, 1, 2].some(i => Math.abs((a.data[at + i] ?? 0) - (b.data[at + i] ?? 0)) > 24);
        if (far) count++;
      }
      return count / (a.width * a.height);
    },
    [wanted.toString("base64"), given.toString("base64")],
  );
}
