// Writes of files that programs run by themselves.
import assert from "node:assert/strict";
import { defaultProtection, withProtectedFiles } from "../../src/permissions/protectedFiles.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { gate, link } from "../support/fakes/accessGate.ts";

describe("writing a file that programs run", () => {
  const always = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;
  const edit = (path: string) => ({ kind: "edit", locations: [{ path }] });
  const wildcards: readonly Rule[] = [
    { effect: "allow", kind: "edit" },
    { effect: "allow", kind: "edit", path: "**" },
  ];

  it("requires permission, and reading it does not", async () => {
    for (const [path, danger] of [
      ["/ws/.vscode/tasks.json", "which can run programs by itself"],
      ["/ws/package.json", "which can run programs with the next build"],
    ] as const) {
      const { admit, asked } = gate();
      assert.equal(await admit("read", path), false);
      assert.equal(await admit("write", path), true);
      assert.equal(asked[0]?.title, `Bot wants to write ${path}, ${danger}`);
    }
  });

  it("is allowed once, or for this file and session, or refused", async () => {
    const { admit, asked } = gate();
    await admit("write", "/ws/.envrc");
    await admit("write", "/ws/.envrc");
    assert.equal(asked.length, 2);
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      ["Allow Once", "Allow This File for This Session", "Refuse"],
    );
    const session = gate({ answer: { option: "session" } });
    await session.admit("write", "/ws/.husky/pre-commit");
    assert.equal(await session.admit("write", "/ws/.husky/pre-commit"), false);
    await session.admit("write", "/ws/.husky/pre-push");
    assert.equal(session.asked.length, 2);
    const refused = gate({ answer: { option: "refuse" } });
    await rejectsWithRefusal("failed", /did not allow this/, refused.admit("write", "/ws/Makefile"));
  });

  it("requires permission behind a link with a harmless name", async () => {
    const { admit, asked, documents } = gate();
    documents.put("/ws/.vscode/tasks.json", "{}");
    link(documents, "/ws/notes.txt", "/ws/.vscode/tasks.json");
    assert.equal(await admit("write", "/ws/notes.txt"), true);
    assert.equal(asked.length, 1);
  });

  it("is not allowed by a rule with wildcards only, and by a rule with its name", async () => {
    for (const path of ["/ws/.vscode/tasks.json", "/ws/package.json"]) {
      const wide = gate({ rules: wildcards, answer: "cancelled" });
      await rejectsWithRefusal("cancelled", /was cancelled/, wide.admit("write", path));
      const named = gate({ rules: [{ effect: "allow", kind: "edit", path: path.slice(4) }], answer: "cancelled" });
      assert.equal(await named.admit("write", path), true);
      assert.equal(await named.admit("write", path), false, "shown once");
    }
  });

  it("needs no second permission if the user allowed it when the agent asked", async () => {
    const { access, admit, asked } = gate();
    const question = { title: "Edit", options: always, tool: edit("/ws/package.json") };
    access.rememberAnswer({ question, answer: { option: "y" } });
    assert.equal(await admit("write", "/ws/package.json"), false);
    await admit("write", "/ws/packages/a/package.json");
    assert.equal(asked.length, 1, "another file");
  });

  it("needs permission although a rule with wildcards allowed it when the agent asked", async () => {
    const { access, admit, asked } = gate();
    const question = { title: "Edit", options: always, tool: edit("/ws/package.json") };
    access.rememberAnswer({ question, answer: { option: "y" }, by: "allow kind edit" });
    assert.equal(await admit("write", "/ws/package.json"), true);
    assert.equal(asked.length, 1);
  });

  it("needs no permission if the user's settings take it out of the lists", async () => {
    const { admit, asked } = gate({ protection: { overrides: [["**/.envrc", false]], askForBuildFiles: false } });
    for (const path of ["/ws/package.json", "/ws/Makefile"]) assert.equal(await admit("write", path), false);
    assert.equal(asked.length, 0);
    await admit("write", "/ws/.vscode/settings.json");
    assert.equal(asked.length, 1);
  });
});

describe("writing a file that agents follow", () => {
  const edit = (path: string, kind = "edit") => ({ kind, locations: [{ path }] }) as const;
  const options = [
    { id: "y", name: "Yes", kind: "allow_once" },
    { id: "n", name: "No", kind: "reject_once" },
  ] as const;
  const files = ["/ws/AGENTS.md", "/ws/CLAUDE.md", "/ws/.github/copilot-instructions.md", "/ws/.cursor/rules/a.mdc"];

  it("requires permission once per session, for all such files", async () => {
    const { admit, asked } = gate();
    assert.equal(await admit("read", "/ws/AGENTS.md"), false);
    assert.equal(await admit("write", "/ws/AGENTS.md"), true);
    for (const path of files) assert.equal(await admit("write", path), false, path);
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.title, "Bot wants to write /ws/AGENTS.md, which agents follow as instructions");
    assert.deepEqual(
      asked[0]?.options.map(({ name, kind }) => [name, kind]),
      [
        ["Allow Instruction Files for This Session", "allow_once"],
        ["Refuse", "reject_once"],
      ],
    );
    const other = gate({ answer: { option: "refuse" } });
    await rejectsWithRefusal("failed", /did not allow this/, other.admit("write", "/ws/AGENTS.md"));
    await rejectsWithRefusal("failed", /did not allow this/, other.admit("write", "/ws/AGENTS.md"));
    assert.equal(other.asked.length, 2, "another session, and a refusal counts once");
  });

  it("still requires permission for other protected files, and outside the workspace", async () => {
    const { admit, asked } = gate();
    await admit("write", "/ws/AGENTS.md");
    for (const path of ["/ws/.claude/settings.json", "/ws/package.json", "/home/me/.claude/CLAUDE.md"]) {
      assert.equal(await admit("write", path), true, path);
    }
    assert.equal(asked.length, 4);
    const outside = gate();
    await outside.admit("write", "/home/me/.claude/CLAUDE.md");
    assert.equal(await outside.admit("write", "/ws/AGENTS.md"), true, "a file outside is a question of its own");
  });

  it("requires permission behind a link, through a linked folder, and in any case", async () => {
    for (const path of ["/ws/notes.txt", "/ws/cfg/copilot-instructions.md", "/ws/agents.MD"]) {
      const { admit, documents, asked } = gate();
      documents.put("/ws/AGENTS.md", "");
      documents.put("/ws/.github/copilot-instructions.md", "");
      link(documents, "/ws/notes.txt", "/ws/AGENTS.md");
      link(documents, "/ws/cfg", "/ws/.github");
      assert.equal(await admit("write", path), true, path);
      assert.match(asked[0]?.title ?? "", /follow as instructions$/);
    }
  });

  it("is decided by a rule that names the file, without a permission for the other files", async () => {
    const rules: readonly Rule[] = [
      { effect: "allow", kind: "edit", path: "AGENTS.md" },
      { effect: "allow", kind: "edit", path: "**" },
    ];
    const { admit } = gate({ rules, answer: "cancelled" });
    assert.equal(await admit("write", "/ws/AGENTS.md"), true);
    await rejectsWithRefusal("cancelled", /was cancelled/, admit("write", "/ws/CLAUDE.md"));
    const denied = gate({ rules: [{ effect: "deny", path: "**/AGENTS.md" }] });
    await denied.admit("write", "/ws/CLAUDE.md");
    await rejectsWithRefusal("failed", /A rule forbids this/, denied.admit("write", "/ws/AGENTS.md"));
    const asking = gate({ rules: [{ effect: "ask", path: "AGENTS.md" }] });
    await asking.admit("write", "/ws/AGENTS.md");
    assert.equal(await asking.admit("write", "/ws/AGENTS.md"), true, "a rule asks every time");
  });

  it("needs no second permission if the user allowed one when the agent asked", async () => {
    for (const [kind, path] of [
      ["edit", "/ws/AGENTS.md"],
      ["move", "/ws/CLAUDE.md"],
      ["delete", "/ws/GEMINI.md"],
    ] as const) {
      const { access, admit, asked } = gate();
      access.rememberAnswer({ question: { title: "x", options, tool: edit(path, kind) }, answer: { option: "y" } });
      assert.equal(await admit("write", "/ws/.cursorrules"), false, kind);
      assert.equal(asked.length, 0);
    }
    for (const [question, answer, by] of [
      [{ title: "x", options, tool: edit("/ws/AGENTS.md") }, { option: "n" }, undefined],
      [{ title: "x", options, tool: edit("/ws/AGENTS.md") }, { option: "y" }, "allow path “AGENTS.md”"],
      [{ title: "x", options, tool: edit("/ws/AGENTS.md", "read") }, { option: "y" }, undefined],
      [{ title: "x", options, tool: edit("/ws/a.ts") }, { option: "y" }, undefined],
      [
        { title: "x", options, tool: { kind: "edit", rawInput: { path: "/ws/AGENTS.md" } } },
        { option: "y" },
        undefined,
      ],
    ] as const) {
      const { access, admit } = gate();
      access.rememberAnswer({ question, answer, ...(by !== undefined && { by }) });
      assert.equal(await admit("write", "/ws/.cursorrules"), true);
    }
  });

  it("is allowed by a rule with wildcards only after the user has allowed it in this session", async () => {
    const rules: readonly Rule[] = [{ effect: "allow", kind: "edit" }];
    const { admit, asked, policy } = gate({ rules });
    const question = { title: "Edit", options, tool: edit("/ws/AGENTS.md") };
    assert.equal((await policy.decide(question)).decision, undefined);
    await admit("write", "/ws/AGENTS.md");
    assert.equal(asked.length, 1);
    assert.ok((await policy.decide(question)).decision);
  });

  it("needs no permission if the user's settings take it out of the lists", async () => {
    const { admit } = gate({ protection: { overrides: [["**/AGENTS.md", false]] } });
    assert.equal(await admit("write", "/ws/AGENTS.md"), false);
    assert.equal(await admit("write", "/ws/CLAUDE.md"), true);
  });
});

describe("writing a file of git", () => {
  const options = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;

  for (const path of ["/ws/.git/config", "/ws/.git/hooks/pre-commit", "/ws/sub/.git", "/ws/store/config"]) {
    it(`is refused without a question: ${path}`, async () => {
      const { admit, asked, refusals, documents } = gate({ rules: [{ effect: "allow", kind: "edit", path: "**" }] });
      for (const name of ["HEAD", "objects/a", "refs/a"]) documents.put(`/ws/store/${name}`, "");
      await rejectsWithRefusal("failed", /belongs to git.*Only a permission rule/, admit("write", path));
      assert.equal(asked.length, 0);
      assert.match(refusals.join(), /: files of git \(built in, unless a rule of yours names the file\)$/);
      assert.equal(await admit("read", path), false);
    });
  }

  it("is refused behind a link", async () => {
    const { admit, documents } = gate();
    link(documents, "/ws/notes", "/ws/.git");
    await rejectsWithRefusal("failed", /belongs to git/, admit("write", "/ws/notes/config"));
  });

  it("is refused although the user allowed it when the agent asked", async () => {
    const { access, admit } = gate();
    const tool = { kind: "edit", locations: [{ path: "/ws/.git/config" }] };
    access.rememberAnswer({ question: { title: "Edit", options, tool }, answer: { option: "y" } });
    await rejectsWithRefusal("failed", /belongs to git/, admit("write", "/ws/.git/config"));
  });

  it("is allowed by a rule with its path", async () => {
    const { admit } = gate({
      rules: [{ effect: "allow", kind: "edit", path: ".git/description" }],
      answer: "cancelled",
    });
    assert.equal(await admit("write", "/ws/.git/description"), true);
    await rejectsWithRefusal("failed", /belongs to git/, admit("write", "/ws/.git/config"));
  });
});

describe("the agent's own permission request for a file that programs run", () => {
  const options = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;
  const decide = (path: string, rules: readonly Rule[] = []) =>
    gate({ rules }).policy.decide({ title: "Edit", options, tool: { kind: "edit", locations: [{ path }] } });

  it("says what the file can do", async () => {
    assert.match((await decide("/ws/.git/config")).reason ?? "", /belongs to git/);
    assert.match((await decide("/ws/.vscode/tasks.json")).reason ?? "", /without an action of yours/);
    assert.match((await decide("/ws/package.json")).reason ?? "", /with the next build/);
    assert.equal(
      (await decide("/ws/AGENTS.md")).reason,
      "Agents follow this file as instructions, also in later sessions. If you allow this, Parley doesn't ask about such files again in this session.",
    );
    assert.equal((await decide("/ws/src/a.ts")).reason, undefined);
  });

  it("is not answered by a rule with wildcards only", async () => {
    const rules: readonly Rule[] = [{ effect: "allow", kind: "edit", path: "**" }];
    assert.equal((await decide("/ws/package.json", rules)).decision, undefined);
    assert.ok((await decide("/ws/src/a.ts", rules)).decision);
  });

  it("is not answered by a rule with wildcards if a file or folder moves to or from such a path", async () => {
    const rules: readonly Rule[] = [{ effect: "allow", kind: ["move", "delete", "edit"] }];
    const asks = async (kind: "move" | "delete" | "edit", ...paths: readonly string[]) => {
      const tool = { kind, locations: paths.map(path => ({ path })) };
      return (await gate({ rules }).policy.decide({ title: "x", options, tool })).decision === undefined;
    };
    for (const path of ["/ws/AGENTS.md", "/ws/.github", "/ws/.claude", "/ws/.vscode", "/ws/.git", "/ws/sub/.cursor"]) {
      assert.equal(await asks("move", "/ws/a", path), true, path);
      assert.equal(await asks("move", path, "/ws/a"), true, path);
      assert.equal(await asks("delete", path), true, path);
    }
    assert.equal(await asks("move", "/ws/a", "/ws/b"), false);
    assert.equal(await asks("delete", "/ws/src"), false);
    assert.equal(await asks("edit", "/ws/.github/ISSUE_TEMPLATE/a.md"), false);
  });
});

describe("writing a file that an MCP server runs or reads", () => {
  const files = ["/ws/server.js", "/ws/lib/real.js"];

  it("requires permission, also behind a link, in another case, and if the file doesn't exist yet", async () => {
    const { admit, asked, documents } = gate({ protection: { files } });
    link(documents, "/ws/notes.txt", "/ws/lib/real.js");
    for (const path of ["/ws/server.js", "/ws/SERVER.js", "/ws/lib/real.js", "/ws/notes.txt", "/ws/sub/../server.js"])
      assert.equal(await admit("write", path), true, path);
    assert.equal(asked.length, 5);
    for (const path of ["/ws/lib/server.js", "/ws/server.js.bak", "/ws/lib"])
      assert.equal(await admit("write", path), false);
    assert.equal(await admit("read", "/ws/server.js"), false);
  });

  it("is not allowed by a rule with wildcards only, and by a rule with its name", async () => {
    const wide = gate({
      protection: { files },
      rules: [{ effect: "allow", kind: "edit", path: "**" }],
      answer: "cancelled",
    });
    await rejectsWithRefusal("cancelled", /was cancelled/, wide.admit("write", "/ws/server.js"));
    const named = gate({ protection: { files }, rules: [{ effect: "allow", kind: "edit", path: "server.js" }] });
    assert.equal(await named.admit("write", "/ws/server.js"), true);
    assert.equal(await named.admit("write", "/ws/server.js"), false, "shown once");
  });

  it("requires permission where the agent's own question names the file", async () => {
    const { policy } = gate({ protection: { files }, rules: [{ effect: "allow", kind: "edit" }] });
    const question = { title: "Edit", options: [], tool: { kind: "edit", locations: [{ path: "/ws/server.js" }] } };
    const decided = await policy.decide(question);
    assert.equal(decided.decision, undefined);
  });

  it("follows changes of the list", () => {
    let list: readonly string[] = [];
    const settings = withProtectedFiles(
      () => defaultProtection,
      () => list,
    );
    assert.equal(settings(), settings(), "the same object");
    assert.deepEqual(settings().files, []);
    list = files;
    assert.deepEqual(settings().files, files);
    assert.equal(settings(), settings());
  });
});

describe("a command that writes into a file that an MCP server runs or reads", () => {
  const rules: readonly Rule[] = [
    { effect: "allow", command: ["cp", "mv", "rm", "tee", "cat", "sed", "rsync"].map(program => `${program} **`) },
  ];
  const protection = { files: ["/ws/tools/server.js", "/ws/tickets.env"] };
  const options = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;
  const isAllowed = async (command: string): Promise<boolean> => {
    const { policy } = gate({ rules, protection });
    const tool = { kind: "execute", rawInput: { command } };
    return (await policy.decide({ title: "x", options, tool })).decision !== undefined;
  };

  it("leads to a question although a rule with wildcards allows it, also for a folder of the file", async () => {
    for (const line of [
      "cp evil.js tools/server.js",
      "cp evil/server.js tools",
      "tee tickets.env",
      "mv tools old",
      "mv evil tools",
      "rm -rf tools",
      "rsync -a evil/ tools/",
    ])
      assert.equal(await isAllowed(line), false, line);
    for (const line of ["cat tools/server.js", "cp tools/server.js copy.js", "cp a.js tools2/server.js", "rm -rf dist"])
      assert.equal(await isAllowed(line), true, line);
  });
});
