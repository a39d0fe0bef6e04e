// What the activation of a window waits for, also in a window that `npm start` opens, and the load of the extension.
import assert from "node:assert/strict";
import { ExtensionLoad, startWindow } from "../../src/window/startup/extensionLoad.ts";
import { until } from "../support/fakes/until.ts";

/** A window whose extension loads, and whose chat shows, when a test says so. */
class FakeWindow {
  readonly failures: string[] = [];
  readonly steps: string[] = [];
  opensChat = false;
  hasStoredWork = false;
  loads: { readonly finish: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly extension = new ExtensionLoad<string>(
    () => new Promise((resolve, reject) => void this.loads.push({ finish: () => resolve("loaded"), fail: reject })),
    reason => this.failures.push(reason),
  );

  /** Resolves as `activate` does. */
  activate(hasRestoredDocuments: boolean): Promise<void> {
    const start = {
      // As the command does: the view can wait for the activation.
      openChatAtStart: async () => {
        if (!this.opensChat) return;
        await this.extension.load().catch(() => undefined);
        await activation;
        this.steps.push("chat");
      },
      loadIfNeeded: () => this.extension.loadIf(async () => hasRestoredDocuments || this.hasStoredWork),
    };
    const activation = startWindow(start, () => hasRestoredDocuments).then(() => void this.steps.push("active"));
    return activation;
  }
}

const settled = (): Promise<void> => new Promise(resolve => void setImmediate(resolve));

describe("the activation of a window", () => {
  let window: FakeWindow;
  beforeEach(() => (window = new FakeWindow()));

  it("waits for the extension if it provides documents of restored tabs, and not for the chat", async () => {
    window.opensChat = true;
    void window.activate(true);
    await settled();
    assert.deepEqual(window.steps, [], "the extension is not loaded yet");
    assert.equal(window.loads.length, 1, "the chat and the tabs load it once");
    window.loads[0]?.finish();
    await settled();
    assert.deepEqual(window.steps, ["active", "chat"]);
  });

  it("waits for nothing without such tabs, and loads the extension for the chat or for stored work only", async () => {
    await window.activate(false);
    await settled();
    assert.equal(window.loads.length, 0);
    window.hasStoredWork = true;
    await window.activate(false);
    await until(() => window.loads.length === 1);
    window.opensChat = true;
    await window.activate(false);
    await settled();
    assert.equal(window.loads.length, 1);
    assert.deepEqual(window.steps, ["active", "active", "active"]);
  });

  it("ends although the extension cannot be loaded, which is reported once, and the next use tries again", async () => {
    window.opensChat = true;
    const activation = window.activate(true);
    window.loads[0]?.fail(new Error("No space left."));
    await activation;
    assert.deepEqual(window.failures, ["No space left."]);
    assert.equal(window.extension.begun, undefined);
    const next = window.extension.load();
    window.loads[1]?.finish();
    assert.equal(await next, "loaded");
    assert.equal(window.loads.length, 2);
  });
});
