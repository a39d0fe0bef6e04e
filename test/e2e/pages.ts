// The documents of webviews in the workbench: that of the chat view, and that of an editor tab.
import type { FrameLocator, Page } from "playwright-core";

/** The document of the editor tab that is shown, such as the page of usage. */
export const tabPage = (page: Page): FrameLocator =>
  page
    .frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"]):visible')
    .frameLocator("iframe#active-frame");

/** The document of the chat view, also while an editor tab has a page. */
export const chatView = (page: Page): FrameLocator =>
  page.frameLocator('iframe.webview.ready[src*="purpose=webviewView"]').frameLocator("iframe#active-frame");
