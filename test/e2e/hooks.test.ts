// The user's hooks in the real VS Code: a question, the end of a turn and the loss of an agent run the command, also while
// the user looks at the chat.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { openChat, openWorkbench } from "./harness.ts";

/** Writes the variables of the event into a file with the name of the event, whole or not at all. */
const report = `
const { renameSync, writeFileSync } = require("node:fs");
const names = ["EVENT", "WINDOW", "FOLDER", "AGENT", "TEXT"].map(name => "PARLEY_" + name);
const file = process.argv[1] + "/" + process.env.PARLEY_EVENT;
writeFileSync(file + ".new", JSON.stringify(process.env, names));
renameSync(file + ".new", file);
`;

describe("the hooks of the user", () => {
  let reports: string;
  before(() => (reports = mkdtempSync(join(tmpdir(), "parley-hooks-"))));
  after(() => rmSync(reports, { recursive: true, force: true }));

  /** What the command of the event got, once it has run. */
  const reported = async (event: string): Promise<Readonly<Record<string, string>>> => {
    const file = join(reports, event);
    await until(() => existsSync(file));
    return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>;
  };

  it("run for the questions, the ends of turns and the failures of agents", async () => {
    const agent = (name: string, behavior: string): unknown => ({
      ...{ name, command: process.execPath, startTimeout: 20 },
      args: [inProject("test", "support", "agents", "bad.mjs"), behavior],
    });
    const command = [process.execPath, "-e", report, reports];
    const { page, folder, errors } = await openWorkbench({
      settings: {
        "parley.agents": { good: agent("Good Agent", "none"), bad: agent("Bad Agent", "dies-with-question") },
        "parley.hooks": { question: command, turnEnd: command, failure: command },
      },
    });
    const panel = await openChat(page);
    const send = async (text: string): Promise<void> => {
      await panel.getByRole("textbox", { name: "Message" }).click();
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await chooseAgent(panel, "good");
    await send("hello $(reboot)");
    const ended = await reported("turnEnd");
    const { PARLEY_WINDOW: windowName, ...rest } = ended;
    assert.notEqual(windowName, "");
    assert.deepEqual(rest, {
      PARLEY_EVENT: "turnEnd",
      PARLEY_FOLDER: folder,
      PARLEY_AGENT: "Good Agent",
      PARLEY_TEXT: "You said: hello $(reboot)",
    });
    await chooseAgent(panel, "bad");
    await send("hello");
    const asked = await reported("question");
    assert.equal(asked["PARLEY_AGENT"], "Bad Agent");
    assert.notEqual(asked["PARLEY_TEXT"], "");
    // The agent ends when it gets the answer.
    await panel
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    const failed = await reported("failure");
    assert.match(failed["PARLEY_TEXT"] ?? "", /^Bad Agent ended with code/);
    assert.deepEqual(errors, []);
  });
});
