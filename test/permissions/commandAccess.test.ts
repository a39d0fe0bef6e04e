// Commands that an agent runs in terminals of Parley.
import assert from "node:assert/strict";
import type { Rule } from "../../src/permissions/rules.ts";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { gate, link, type Setup } from "../support/fakes/accessGate.ts";

const once = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;
const always = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;

/** A gate after the user, or the rule `by`, has allowed a command that the agent asked about. */
function allowed(
  rawInput: Readonly<Record<string, unknown>>,
  {
    options = once,
    by,
    ...setup
  }: Setup & { readonly options?: typeof once | typeof always; readonly by?: string } = {},
) {
  const opened = gate(setup);
  const question = { title: "Run", options, tool: { kind: "execute", rawInput } };
  opened.access.rememberAnswer({ question, answer: { option: "y" }, ...(by !== undefined && { by }) });
  return opened;
}

describe("a command in a terminal of Parley", () => {
  it("requires permission without a matching rule", async () => {
    const { admit, asked } = gate({ rules: [{ effect: "allow", command: "git status" }] });
    assert.equal(await admit("run", "/ws", "npm test"), true);
    assert.equal(asked[0]?.title, "Bot wants to run a command in /ws");
    assert.deepEqual(asked[0]?.subject, { kind: "execute", cwd: "/ws", command: "npm test" });
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      ["Allow Once", "Allow This Command for This Session", "Refuse"],
    );
    const refused = gate({ answer: { option: "refuse" } });
    await rejectsWithRefusal("failed", /did not allow this/, refused.admit("run", "/ws", "npm test"));
  });

  it("is allowed by a rule, with or without wildcards, and the transcript names the rule once", async () => {
    for (const command of ["npm test", "npm *"]) {
      const { admit } = gate({ rules: [{ effect: "allow", command }], answer: "cancelled" });
      assert.equal(await admit("run", "/ws", "npm test"), true);
      assert.equal(await admit("run", "/ws", "npm test"), false);
      await rejectsWithRefusal("cancelled", /was cancelled/, admit("run", "/ws", "npm run build"));
    }
  });

  it("is allowed by a rule with variables that change nothing, and only with those", async () => {
    const { admit } = gate({ rules: [{ effect: "allow", command: "npm test" }], answer: "cancelled" });
    const harmless = [
      { name: "NO_COLOR", value: "1" },
      { name: "TERM", value: "dumb" },
      { name: "SHELL", value: "/bin/bash" },
    ];
    assert.equal(await admit("run", "/ws", "npm test", { env: harmless }), true);
    for (const variable of [
      { name: "SHELL", value: "/tmp/bash" },
      { name: "ELECTRON_RUN_AS_NODE", value: "1" },
      { name: "NODE_OPTIONS", value: "--require ./evil.cjs" },
    ])
      await rejectsWithRefusal(
        "cancelled",
        /was cancelled/,
        admit("run", "/ws", "npm test", { env: [...harmless, variable] }),
      );
  });

  it("is not named a second time if the rule answered the agent's own question, and needs the rule still", async () => {
    const rules: Rule[] = [{ effect: "allow", command: "npm test" }];
    const { admit, asked } = allowed({ command: "npm test" }, { rules, by: "allow command", answer: "cancelled" });
    assert.equal(await admit("run", "/ws", "npm test"), false);
    assert.equal(asked.length, 0);
    rules.length = 0;
    await rejectsWithRefusal("cancelled", /was cancelled/, admit("run", "/ws", "npm test"));
  });

  it("needs no second permission if the user allowed it when the agent asked, in any spelling", async () => {
    const inputs = [{ command: "npm test -- 'a b'" }, { command: ["npm", "test", "--", "a b"], cwd: "/ws" }];
    for (const input of inputs) {
      const line = allowed(input);
      assert.equal(await line.admit("run", "/ws", "npm test -- 'a b'"), false);
      const program = allowed(input);
      const argv = { argv: ["npm", "test", "--", "a b"] };
      assert.equal(await program.admit("run", "/ws", 'npm test -- "a b"', argv), false);
      assert.equal(line.asked.length + program.asked.length, 0);
    }
  });

  it("needs permission if it is not what the user allowed", async () => {
    const { admit, asked } = allowed({ command: "npm test" });
    await admit("run", "/ws", "npm test && rm -r src");
    await admit("run", "/ws/packages/a", "npm test");
    await admit("run", "/ws", "npm test", { env: [{ name: "NODE_OPTIONS", value: "--require ./evil.cjs" }] });
    await admit("run", "/ws", "npm test", { argv: ["npm test"] });
    assert.equal(asked.length, 4);
    assert.equal(await admit("run", "/ws", "npm test", { env: [{ name: "FORCE_COLOR", value: "1" }] }), false);
  });

  it("may run again until the turn ends if the user allowed it once", async () => {
    const { access, admit, asked } = allowed({ command: "npm test" });
    assert.deepEqual([await admit("run", "/ws", "npm test"), await admit("run", "/ws", "npm test")], [false, false]);
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), true);
    assert.equal(asked.length, 1);
  });

  it("may run in later turns if the user always allows it", async () => {
    const { access, admit } = allowed({ command: "npm test" }, { options: always });
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), false);
  });

  it("may run for the session if the user allows that: only this command, in this folder, with these variables", async () => {
    const { access, admit, asked } = gate({ answer: { option: "session" } });
    await admit("run", "/ws", "npm test");
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), false);
    await admit("run", "/ws/a", "npm test");
    await admit("run", "/ws", "npm run build");
    await admit("run", "/ws", "npm test", { env: [{ name: "CI", value: "1" }] });
    assert.equal(asked.length, 4);
  });
});

/** A gate after the user has allowed a question that tells its command only in these texts. */
function asking(question: Partial<PermissionQuestion>, ...texts: readonly string[]) {
  const opened = gate();
  const content = texts.map(text => ({ type: "content", content: { type: "text", text } }) as const);
  const { tool, ...rest } = question;
  opened.access.rememberAnswer({
    question: { title: "Bash", options: once, ...rest, tool: { kind: "execute", content, ...tool } },
    answer: { option: "y" },
  });
  return opened;
}
type Opened = ReturnType<typeof gate>;
const write = "echo made > made.txt";

/** Whether the command runs without another question. `[shell, flag, script]`, or a line. */
async function runs(
  { admit, asked }: Opened,
  command: string | readonly string[],
  folder = "/ws",
  env: readonly (readonly [string, string])[] = [],
): Promise<boolean> {
  const before = asked.length;
  const line = typeof command === "string" ? command : command.join(" ");
  await admit("run", folder, line, {
    ...(typeof command !== "string" && { argv: command }),
    env: env.map(([name, value]) => ({ name, value })),
  });
  return asked.length === before;
}
const bash = (script: string): readonly string[] => ["/bin/bash", "-c", script];

describe("a command that the user allowed in a question of the agent", () => {
  for (const [what, command] of [
    ["as the same line", write],
    ["in bash, after a change to the folder it runs in anyway", bash(`cd '/ws' && ${write}`)],
    ["in sh", ["/bin/sh", "-c", write]],
    ["in a login shell", ["bash", "-lc", write]],
    ["in a shell that is given as a line", `/bin/bash -c "cd '/ws' && ${write}"`],
    ["with the folder in double quotes, or in none", bash(`cd -- "/ws" && cd /ws/ && ${write}`)],
  ] as const) {
    it(`runs without a second question ${what}`, async () => {
      assert.equal(await runs(allowed({ command: write }), command), true);
      assert.equal(await runs(asking({}, `Requesting approval to Running: ${write}`), command), true);
    });
  }

  it("may be a program with arguments, which are compared one by one", async () => {
    assert.equal(await runs(allowed({ command: "git log 'a; b'" }), bash("cd '/ws' && git log \"a; b\"")), true);
    assert.equal(await runs(allowed({ command: ["git", "log", "it's"] }), ["bash", "-c", "git log 'it'\\''s'"]), true);
    assert.equal(await runs(allowed({ command: ["bash", "-lc", "npm test"] }), "npm test"), true);
    assert.equal(await runs(allowed({ command: "git log 'a; b'" }), "git log a; b"), false);
    assert.equal(await runs(allowed({ command: ["echo", "a", ">", "b"] }), "echo a > b"), false);
    assert.equal(await runs(allowed({ command: "A=b npm test" }), ["A=b", "npm", "test"]), false);
  });

  it("may start in the folder under its real name", async () => {
    const opened = allowed({ command: write });
    link(opened.documents, "/mnt/ws", "/ws");
    assert.equal(await runs(opened, bash(`cd '/mnt/ws' && ${write}`)), true);
    assert.equal(await runs(opened, bash(`cd '/mnt' && ${write}`)), false);
  });

  for (const [allowedLine, line] of [
    [write, `${write}; rm -r src`],
    [write, `rm -r src; ${write}`],
    [write, `cd '/ws' && rm -r src && ${write}`],
    [write, `cd '/ws/src' && ${write}`],
    [write, `cd / && ${write}`],
    [write, `cd .. && ${write}`],
    [write, `cd && ${write}`],
    [write, `cd '/ws' ; cd / && ${write}`],
    [write, `cd '/ws' || ${write}`],
    [write, `cd '/ws' & ${write}`],
    [write, `cd '/ws'\n${write}`],
    [write, `cd '/ws'/../etc && ${write}`],
    [write, `cd "/ws$X" && ${write}`],
    [write, `cd /ws/$(rm -r src) && ${write}`],
    [write, `cd '/ws' /etc && ${write}`],
    [write, "echo made > made.txt2"],
    [write, "echo made >> made.txt"],
    [write, "echo  made > made.txt"],
    [write, "echo made > made.txt\u00a0"],
    [write, `PAGER=cat ${write}`],
    [write, `bash -c '${write}' x`],
    [write, `bash -x -c '${write}'`],
    [write, `bash --rcfile evil -c '${write}'`],
    [write, `./bash -c '${write}'`],
    [write, `/ws/bin/bash -c '${write}'`],
    [write, `/usrbash -c '${write}'`],
    [write, `fish -c '${write}'`],
    ["npm test && npm run lint", "npm test || npm run lint"],
    ["npm test && npm run lint", "npm test; npm run lint"],
    ["npm test && npm run lint", "npm test | npm run lint"],
    ["npm test", "npm test > /dev/null"],
    ["npm test", "CI=1 npm test"],
    ["npm test", "npm test &"],
    ["ls $HOME", "ls '$HOME'"],
    ["ls *", "ls '*'"],
    ["rm a\\ ", "rm a\\"],
    ["rm $OLDPWD/x", "cd '/ws' && rm $OLDPWD/x"],
    ["cd - && rm x", "cd '/ws' && cd - && rm x"],
    ['cd "-" && rm x', "cd '/ws' && cd \"-\" && rm x"],
    ["cd -- - && rm x", "cd '/ws' && cd -- - && rm x"],
    ["rm ~-/x", "cd '/ws' && rm ~-/x"],
  ] as const) {
    it(`needs another permission if it differs: ${JSON.stringify(line)} after ${JSON.stringify(allowedLine)}`, async () => {
      assert.equal(await runs(allowed({ command: allowedLine }), line), false);
      assert.equal(await runs(allowed({ command: allowedLine }), bash(line)), false);
    });
  }

  it("needs another permission in another folder", async () => {
    assert.equal(await runs(allowed({ command: write }), bash(`cd '/ws' && ${write}`), "/ws/src"), false);
    assert.equal(await runs(allowed({ command: write, cwd: "/ws/src" }), bash(`cd '/ws' && ${write}`)), false);
    assert.equal(await runs(asking({}, `Running: ${write}`), write, "/ws/src"), false);
  });

  it("is not known from a question whose input says more than the command", async () => {
    for (const input of [
      { command: write, cmd: "ls" },
      { command: write, stdin: "rm -r src" },
      { command: write, env: { A: "b" } },
      { command: write, shell: "fish" },
      { command: write, cwd: "/ws", workdir: "/ws/src" },
      { command: write, args: [], cwd: ["/ws"] },
    ])
      assert.equal(await runs(allowed(input), write), false, JSON.stringify(input));
    assert.equal(await runs(allowed({ cmd: "ls", command: write }), `${write}\nls`), false);
  });

  for (const [name, value, isHarmless] of [
    ["GIT_TERMINAL_PROMPT", "0", true],
    ["NO_COLOR", "1", true],
    ["TERM", "dumb", true],
    ["LANG", "en_US.UTF-8", true],
    ["SHELL", "/bin/bash", true],
    ["SHELL", "/ws/evil", false],
    ["SHELL", "sh -c 'rm -r src'", false],
    ["PAGER", "cat", true],
    ["PAGER", "", true],
    ["PAGER", "less", false],
    ["PAGER", "sh -c 'rm -r src'", false],
    ["GIT_PAGER", "cat", true],
    ["GIT_PAGER", "cat; rm -r src", false],
    ["MANPAGER", "cat\nrm", false],
    ["GIT_EDITOR", "true", true],
    ["GIT_EDITOR", "vim", false],
    ["GIT_ASKPASS", "evil", false],
    ["GIT_SSH_COMMAND", "0", false],
    ["GIT_EXTERNAL_DIFF", "cat", false],
    ["PATH", "", false],
    ["BASH_ENV", "0", false],
    ["ENV", "", false],
    ["LESSOPEN", "0", false],
    ["HOME", "/ws", false],
    ["COLUMNS", "a[$(rm -r src)]", false],
    ["TERM", "../../x", false],
    ["pager", "cat", false],
    ["PAGER ", "cat", false],
  ] as const) {
    const words = isHarmless ? "needs no other permission" : "needs another permission";
    it(`${words} with ${name}=${JSON.stringify(value)}`, async () => {
      assert.equal(await runs(allowed({ command: write }), write, "/ws", [[name, value]]), isHarmless);
    });
  }
});

describe("a command that a question tells only in its text", () => {
  for (const [title, ...texts] of [
    [write],
    ["`" + write + "`"],
    [`Bash: ${write}`],
    [`Run command \`${write}\``],
    ["Bash", `Requesting approval to perform: Run command \`${write}\``],
    ["Run a command", "```sh\n" + write + "\n```"],
    ["Shell", `Running:\n\n\`\`\`\n${write}\n\`\`\``],
    ["", `$ ${write}`],
    [write, `Running: ${write}`],
  ] as const) {
    it(`is known from ${JSON.stringify([title, ...texts])}`, async () => {
      const opened = asking({ title }, ...texts);
      assert.equal(await runs(opened, bash(`cd '/ws' && ${write}`)), true);
      assert.equal(await runs(opened, `${write}; ls`), false);
    });
  }

  it("counts until the turn ends, and not after a rejection", async () => {
    const opened = asking({}, `Running: ${write}`);
    assert.equal(await runs(opened, write), true);
    opened.access.endTurn();
    assert.equal(await runs(opened, write), false);
    const rejected = asking({ options: [{ id: "y", name: "No", kind: "reject_once" }] }, `Running: ${write}`);
    assert.equal(await runs(rejected, write), false);
  });

  // Each tells another command than `write`, hides it, or leaves open what the user has allowed.
  for (const [title, ...texts] of [
    ["ls", `Running: ${write}`],
    ["Run `ls`", `Running: ${write}`],
    ["List the files", `Running: ${write}`],
    ["Bash", "Running: ls", `Running: ${write}`],
    ["Bash", `Running: ${write}`, "This only lists files."],
    [`echo hello: ${write}`],
    [`git commit -m x: ${write}`],
    [`Bash: ls; ${write}`],
    [`Running: ls && ${write}`],
    [`Running: ls\n${write}`],
    [`Running: ${write}\nls`],
    [`Running: ls\n\n\n[a]: ${write}`],
    ["Run `ls` and `" + write + "`"],
    ["Run `" + write + "` later"],
    [`Running: "${write}"`],
    [`Running: '${write}'`],
    [`Running: ${write}…`],
    ["Running: echo made >"],
    [`Don't worry: ${write}`],
    ["Bash", "```\nls\n```\n```\n" + write + "\n```"],
    ["Bash", "```\nls\n" + write + "\n```"],
    ['{"command":"' + write + '"}'],
    [`Running: \u202e${write}`],
  ] as const) {
    it(`is not known from ${JSON.stringify([title, ...texts])}`, async () => {
      assert.equal(await runs(asking({ title }, ...texts), write), false);
    });
  }

  const long = "npm run build -- --mode production --sourcemap";
  for (const shown of [
    "npm run build -- --mode prod…",
    "npm run build -- --mode …",
    "npm run build -- --mode prod...",
  ]) {
    const cut = `Running: ${shown}`;
    it(`is no command if it is cut, as in ${JSON.stringify(cut)}`, async () => {
      const opened = asking({ title: cut });
      for (const command of [shown, shown.replace(/[….]+$/, "").trim(), long, "npm run build -- --mode production"])
        assert.equal(await runs(opened, command), false, command);
      assert.equal(await runs(asking({ title: cut }, shown), shown), false, "cut twice");
    });

    it(`is the whole one that the question also has, with ${JSON.stringify(cut)}`, async () => {
      for (const question of [
        asking({ title: cut }, `Running: ${long}`),
        asking({ title: "Bash" }, cut, long),
        asking({ title: cut, tool: { title: long } }),
        asking({ title: cut, tool: { rawInput: { command: long } } }),
      ]) {
        assert.equal(await runs(question, bash(`cd '/ws' && ${long}`)), true);
        assert.equal(await runs(question, `${long} --more`), false);
        assert.equal(await runs(question, "npm run build -- --mode production"), false);
      }
    });

    it(`is unknown if the whole one begins in another way than ${JSON.stringify(cut)}`, async () => {
      assert.equal(await runs(asking({ title: cut }, "Running: npm run deploy"), "npm run deploy"), false);
      assert.equal(await runs(asking({ title: cut }, long, `${long} --more`), long), false);
      assert.equal(await runs(asking({ title: cut, tool: { title: "Build it all" } }), long), false);
    });
  }

  it("is exactly the one of the input, however that one ends", async () => {
    const opened = asking({ title: "Bash", tool: { rawInput: { command: "npm run build -- --mode prod…" } } });
    assert.equal(await runs(opened, long), false);
    assert.equal(await runs(opened, "npm run build -- --mode prod"), false);
  });

  it("can end in the three dots of Go", async () => {
    assert.equal(await runs(asking({ title: "Running: go test ./..." }), "go test ./..."), true);
    assert.equal(await runs(asking({ title: "Running: go test ./..." }), "go test ./.../x"), false);
  });

  it("is not known from a text that Markdown would show in another way", async () => {
    for (const line of [
      "rm *.a *.b",
      "rm __x__",
      "rm [a](b)",
      "rm a\\*",
      "rm a&#32;b",
      "rm ~~a~~",
      "ls <!--x-->",
      "rm _x_",
    ]) {
      assert.equal(await runs(asking({}, `Running: ${line}`), line), false, line);
      assert.equal(await runs(asking({}, `Running: \`${line}\``), line), true, line);
    }
  });

  it("is not known if the question has an input, a diff, a description or is about no command", async () => {
    const text = `Running: ${write}`;
    const diff = { type: "diff", path: "/ws/a", newText: "" } as const;
    const content = { type: "content", content: { type: "text", text } } as const;
    assert.equal(await runs(asking({ tool: { rawInput: { line: "ls" } } }, text), write), false);
    assert.equal(await runs(asking({ tool: { rawInput: "ls" } }, text), write), false);
    assert.equal(await runs(asking({ tool: { content: [content, diff] } }), write), false);
    assert.equal(await runs(asking({ description: "List files" }, text), write), false);
    for (const kind of ["read", "edit", "other"])
      assert.equal(await runs(asking({ tool: { kind } }, text), write), false, kind);
    assert.equal(await runs(asking({ tool: { rawInput: {} } }, text), write), true);
  });
});
