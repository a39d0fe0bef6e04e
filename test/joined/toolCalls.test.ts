// Tool calls of agents that report little: no content, a title that is only a path or a command, and no status after an
// answer.
import assert from "node:assert/strict";
import { demoAgent, openJoined, useJoined } from "./joinedPanel.ts";

type Step = Readonly<Record<string, unknown>>;

const update = (fields: Step): Step => ({ update: fields });
const call = (toolCallId: string, title: string, more: Step = {}): Step =>
  update({ sessionUpdate: "tool_call", toolCallId, title, kind: "read", status: "completed", ...more });

const steps: readonly Step[] = [
  call("read", "src/sum.js", { status: "in_progress" }),
  update({
    ...{ sessionUpdate: "tool_call_update", toolCallId: "read" },
    _meta: { terminal_output_delta: { data: "# One\n  *two*\n", terminal_id: "read" } },
  }),
  update({
    ...{ sessionUpdate: "tool_call_update", toolCallId: "read" },
    ...{ status: "completed", rawOutput: { exit_code: 0 } },
  }),
  call("server", "Ask the server", {
    kind: "execute",
    rawInput: { server: "mini", tool: "echo" },
    rawOutput: { result: { content: [{ type: "text", text: "echo: ping" }] }, error: null },
  }),
  {
    permission: {
      toolCall: {
        ...{ toolCallId: "run", title: "node --test", kind: "execute", status: "pending" },
        rawInput: { command: "node --test" },
      },
    },
  },
  { permission: { toolCall: { toolCallId: "edit", title: "Edit a file", kind: "edit", status: "pending" } } },
  update({ sessionUpdate: "tool_call_update", toolCallId: "run", status: "completed" }),
];

describe("tool calls whose agent reports little", () => {
  useJoined();

  it("have a title, a body and a status", async () => {
    const files = { "bare.json": JSON.stringify({ steps }), "src/sum.js": "" };
    const window = await openJoined({ agents: demoAgent, files });
    const { log, page } = window;
    await window.send("#script bare.json");

    // The command stands once in the question, and runs from the answer on.
    const question = page.getByRole("group", { name: "Run a command" });
    await question.waitFor();
    assert.equal((await question.innerText()).split("node --test").length - 1, 1);
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    const run = log.getByRole("article", { name: "node --test" });
    await run.getByText(/^Running \d+ s$/).waitFor();

    const read = log.getByRole("article", { name: "Read src/sum.js" });
    await read.getByRole("button", { name: "Read src/sum.js" }).click();
    assert.equal(await read.locator("pre").textContent(), "# One\n  *two*\n");
    const server = log.getByRole("article", { name: "Ask the server" });
    await server.getByRole("button", { name: "Ask the server" }).press("Enter");
    await server.locator("pre", { hasText: /^echo: ping$/ }).waitFor();
    assert.equal(await server.locator("details[open]").count(), 0);
    await window.scene("reports-little");

    await page
      .getByRole("group", { name: "Edit a file" })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await run.getByText("Done", { exact: true }).waitFor();
    assert.deepEqual(window.failures, []);
  });
});
