// Diffs of only the changed lines of a file, from the wire to the numbers of the lines on the screen.
import assert from "node:assert/strict";
import { demoAgent, openJoined, useJoined } from "./joinedPanel.ts";

const numbered = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("");
const changed = numbered.replace("line 31\n", "line thirty-one\n");
const fragment = (oldText: string, newText: string): object => ({
  content: [{ type: "diff", path: "$cwd/long.txt", oldText, newText }],
});
const edit = (toolCallId: string, status: string, diff: object): object => ({
  update: {
    ...{ sessionUpdate: "tool_call_update", toolCallId, kind: "edit", status, title: `Edit ${toolCallId}` },
    ...diff,
  },
});
const steps = [
  edit("one", "pending", fragment("line 30\nline 31\n", "line 30\nline thirty-one\n")),
  { permission: { toolCall: { toolCallId: "one" } } },
  { write: "long.txt", text: changed },
  edit("one", "completed", fragment("line 31", "line thirty-one")),
  // The old text is gone, so its new text is looked for.
  edit("late", "completed", fragment("31", "line thirty-one")),
  edit("twice", "completed", fragment("line", "line ")),
];

describe("the diff of a fragment", () => {
  useJoined();

  it("has the lines of the file in the question and the card, after a reload too, and none if its place is unknown", async () => {
    const window = await openJoined({
      agents: demoAgent,
      files: { "fragments.json": JSON.stringify({ steps }), "long.txt": numbered },
    });
    const { log, page } = window;
    await window.send("#script fragments.json");
    const question = page.getByRole("group", { name: "Edit one" });
    await question.locator(".diff-number", { hasText: "31" }).first().waitFor();
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await window.idle();
    const card = (name: string) => log.getByRole("article", { name });
    const haveTheirLines = async (): Promise<void> => {
      for (const name of ["Edit one", "Edit late", "Edit twice"]) {
        const lines = card(name).locator(".diff-line");
        if ((await lines.count()) === 0)
          await card(name)
            .getByRole("button", { name: new RegExp(name) })
            .click();
        await lines.first().waitFor();
      }
      for (const name of ["Edit one", "Edit late"])
        await card(name).locator(".diff-line.add .diff-number", { hasText: /^31$/ }).waitFor();
      assert.equal(await card("Edit twice").locator(".diff-number").count(), 0);
    };
    await haveTheirLines();
    await window.reload();
    await haveTheirLines();
  });
});
