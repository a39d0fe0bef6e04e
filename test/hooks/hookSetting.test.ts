// The setting `parley.hooks`: command lines, lists, and what is wrong with them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { hookEvents, readHookSetting } from "../../src/hooks/hookSetting.ts";

const only = (question: unknown): ReturnType<typeof readHookSetting> => readHookSetting({ question });

describe("the setting of hooks", () => {
  it("has no commands by default", () => {
    for (const value of [undefined, {}, { question: "" }, { turnEnd: "  " }, { failure: [] }])
      assert.deepEqual(readHookSetting(value), { commands: {}, problems: [] });
  });

  it("splits a command line at blanks, but not in quotation marks", () => {
    const words = (line: string): unknown => {
      const { commands, problems } = only(line);
      assert.deepEqual(problems, []);
      return commands.question && [commands.question.program, ...commands.question.args];
    };
    assert.deepEqual(words("  notify   --urgent now "), ["notify", "--urgent", "now"]);
    assert.deepEqual(words(`"/opt/my tools/notify" 'a "b"' c"d e"f ""`), [
      "/opt/my tools/notify",
      'a "b"',
      "cd ef",
      "",
    ]);
    assert.deepEqual(words(`"C:\\Program Files\\notify.exe" C:\\sounds\\end.wav`), [
      "C:\\Program Files\\notify.exe",
      "C:\\sounds\\end.wav",
    ]);
  });

  it("takes a list as it is, also with characters of a shell", () => {
    const list = ["sh", "-c", 'notify-send -- "$PARLEY_TEXT" | cat', ""];
    assert.deepEqual(only(list).commands.question, { program: "sh", args: list.slice(1) });
  });

  it("refuses a command line that needs a shell, because no shell runs it", () => {
    for (const line of [
      "notify $PARLEY_TEXT",
      'notify "$PARLEY_TEXT"',
      "a | b",
      "a > b",
      "a; b",
      "a && b",
      "a `b`",
      "a %PARLEY_TEXT%",
    ])
      assert.match(only(line).problems.join(), /^parley\.hooks → question has characters of a shell/, line);
  });

  it("says what is wrong, and keeps the commands of the other events", () => {
    const { commands, problems } = readHookSetting({ question: 5, turnEnd: "notify 'x", failure: "play", other: "x" });
    assert.deepEqual(commands, { failure: { program: "play", args: [] } });
    assert.deepEqual(problems, [
      "parley.hooks → question must be a command line, or a list of a program and its arguments.",
      "parley.hooks → turnEnd has a quotation mark without its end.",
      "parley.hooks has no event “other”. The events are question, turnEnd, failure.",
    ]);
    assert.equal(only("a\0b").problems.length, 1);
    assert.equal(only(["", "x"]).problems.length, 1);
    assert.equal(only(["a", 1]).problems.length, 1);
    for (const value of [null, [], "notify", 1, true]) assert.equal(readHookSetting(value).problems.length, 1);
  });

  it("has a program in each command, or a problem, whatever the user wrote", () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.anything());
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ question: value, turnEnd: value, failure: value })), written => {
        const { commands, problems } = readHookSetting(written);
        for (const event of hookEvents) {
          const command = commands[event];
          if (!command) continue;
          assert.notEqual(command.program.trim(), "");
          assert.ok([command.program, ...command.args].every(word => !word.includes("\0")));
        }
        assert.ok(problems.every(problem => problem.endsWith(".")));
      }),
      { numRuns: 2000 },
    );
  });
});
