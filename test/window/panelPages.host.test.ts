// The pages of chat panels: they load before the panel exists, and lose no message to it.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { PanelPages } from "../../src/window/startup/panelPages.ts";
import { until } from "../support/fakes/until.ts";

describe("the pages of chat panels", () => {
  let panel: vscode.WebviewPanel;
  let pages: PanelPages;
  beforeEach(() => {
    const extension = vscode.extensions.all.find(each => each.id.endsWith(".parley"));
    assert.ok(extension);
    pages = new PanelPages(extension.extensionUri);
    panel = vscode.window.createWebviewPanel("parley.test", "Page", vscode.ViewColumn.One, pages.options);
  });
  afterEach(() => panel.dispose());

  it("keep what a page sends before its panel exists", async () => {
    const seen: unknown[] = [];
    const link = panel.webview.onDidReceiveMessage(message => seen.push(message));
    pages.openEarly(panel.webview);
    const html = panel.webview.html;
    await until(() => seen.length > 0);
    link.dispose();
    const early = pages.open(panel.webview);
    assert.deepEqual(early, seen);
    assert.equal((early[0] as { readonly type: string }).type, "hello");
    assert.equal(panel.webview.html, html, "the page is not loaded again");
  });

  it("load when the panel opens, if they are not open", () => {
    assert.deepEqual(pages.open(panel.webview), []);
    assert.match(panel.webview.html, /require-trusted-types-for 'script'/);
    assert.match(panel.webview.html, /script-src 'nonce-[\w-]{24}';/);
    assert.equal(panel.webview.options.localResourceRoots?.length, 1);
  });
});
