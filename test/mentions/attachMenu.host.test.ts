// The menu of the Attach button, in which the user chooses a conversation.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { MentionedConversation } from "../../src/mentions/mentionedConversations.ts";
import { Mentions } from "../../src/mentions/vscode/mentions.ts";
import type { Attachment, PanelMessage } from "../../src/panel/protocol.ts";

describe("the Attach menu", () => {
  let conversations: MentionedConversation[];
  let isDeleted: boolean;
  let mentions: Mentions;
  let attached: Attachment[];
  let refused: string[];
  beforeEach(() => {
    conversations = [];
    isDeleted = false;
    [attached, refused] = [[], []];
    let isRead = false;
    mentions = new Mentions({
      terminals: {},
      conversations: {
        load: () => Promise.resolve(void (isRead = true)),
        list: () => (isRead ? conversations : []),
        attachment: (id: string): Promise<Attachment> =>
          isDeleted
            ? Promise.reject(new Error("It was deleted."))
            : Promise.resolve({ id: "1", kind: "conversation", label: id, source: { type: "text", text: `${id}!` } }),
        digest: (id: string): Promise<Attachment> =>
          Promise.resolve({ id: "2", kind: "digest", label: id, source: { type: "text", text: `short ${id}` } }),
      },
    } as unknown as ConstructorParameters<typeof Mentions>[0]);
  });
  afterEach(() => mentions.dispose());
  const reply = (message: PanelMessage): void => {
    if (message.type === "attached") attached.push(...message.attachments);
    else if (message.type === "refused") refused.push(message.reason);
    else assert.fail(message.type);
  };
  const { showQuickPick } = vscode.window;
  afterEach(() => void Object.assign(vscode.window, { showQuickPick }));

  /** Selects items by their texts, one in each list, and returns the lists. The last list can be cancelled. */
  async function pick(...texts: readonly string[]): Promise<readonly (readonly string[])[]> {
    const shown: string[][] = [];
    Object.assign(vscode.window, {
      showQuickPick: async (
        given: Promise<readonly vscode.QuickPickItem[]>,
        _: vscode.QuickPickOptions,
        token?: vscode.CancellationToken,
      ) => {
        const items = await given;
        const lines = items.map(({ label, description = "", iconPath }) =>
          [...(iconPath instanceof vscode.ThemeIcon ? [iconPath.id] : []), label, description].join(" | "),
        );
        const wanted = texts[shown.push(lines) - 1];
        if (token?.isCancellationRequested) return undefined;
        return items.find(({ label }) => wanted !== undefined && label.includes(wanted));
      },
    });
    await mentions.pick({ surface: "view", reply });
    return shown;
  }

  const talk = (title: string): MentionedConversation => ({
    ...{ id: title, title, agentName: "Demo Agent", updated: new Date(2026, 10, 28).getTime() },
  });

  it("includes the stored conversations, of which the chosen one is attached", async () => {
    conversations.push(talk("Fix the parser"), talk("Write docs\nand more"), talk(""));
    const [menu, list, parts] = await pick("Conversation…", "Write docs", "Whole Conversation");
    assert.deepEqual(menu?.slice(0, 3), [
      "file | Files… | ",
      "file-media | Image… | ",
      "comment-discussion | Conversation… | ",
    ]);
    const detail = "Demo Agent · 2026-11-28";
    assert.deepEqual(list, [
      `Fix the parser | ${detail}`,
      `Write docs and more | ${detail}`,
      `New Conversation | ${detail}`,
    ]);
    assert.deepEqual(parts, ["comment-discussion | Whole Conversation | ", "book | Digest Only | "]);
    await pick("Conversation…", "Fix the parser", "Digest Only");
    assert.deepEqual(
      attached.map(({ kind, source }) => [kind, source.type === "text" && source.text]),
      [
        ["conversation", "Write docs\nand more!"],
        ["digest", "short Fix the parser"],
      ],
    );
    assert.deepEqual(refused, []);
  });

  it("attaches nothing if the list of conversations is cancelled", async () => {
    conversations.push(talk("Fix the parser"));
    assert.equal((await pick("Conversation…")).length, 2);
    assert.equal((await pick("Conversation…", "Fix the parser")).length, 3);
    assert.deepEqual([attached, refused], [[], []]);
  });

  it("says why nothing is attached: there is no conversation, or it was deleted", async () => {
    await pick("Conversation…", "any");
    conversations.push(talk("Fix the parser"));
    isDeleted = true;
    await pick("Conversation…", "Fix the parser", "Whole");
    assert.deepEqual(refused, [
      "This folder has no other conversation.",
      "Fix the parser could not be attached: It was deleted.",
    ]);
    assert.deepEqual(attached, []);
  });
});
