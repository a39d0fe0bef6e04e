import assert from "node:assert/strict";
import { Refusal } from "../../src/base/errors.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { gate, link } from "../support/fakes/accessGate.ts";

describe("access to files outside the session's folders", () => {
  it("requests permission with the path and the operation", async () => {
    const { admit, asked } = gate();
    assert.equal(await admit("read", "/etc/hosts"), true);
    assert.deepEqual(
      asked.map(({ title, subject }) => ({ title, subject })),
      [
        {
          title: "Bot wants to read /etc/hosts, outside this workspace",
          subject: { kind: "read", paths: ["/etc/hosts"] },
        },
      ],
    );
    assert.deepEqual(
      asked[0]?.options.map(option => option.name),
      ["Allow Once", "Allow for This Session", "Refuse"],
    );
  });

  it("names the target of a link inside the folders", async () => {
    const { admit, asked, documents } = gate();
    link(documents, "/ws/hosts", "/etc/hosts");
    await admit("write", "/ws/hosts");
    assert.equal(asked[0]?.title, "Bot wants to write /ws/hosts (/etc/hosts), outside this workspace");
  });

  it("requests permission again after “once”, and not after “for this session”", async () => {
    const once = gate();
    await once.admit("read", "/etc/hosts");
    await once.admit("read", "/etc/hosts");
    assert.equal(once.asked.length, 2);
    const session = gate({ answer: { option: "session" } });
    await session.admit("read", "/etc/hosts");
    assert.equal(await session.admit("read", "/etc/../etc/hosts"), false);
    assert.equal(session.asked.length, 1);
    await session.admit("write", "/etc/hosts");
    await session.admit("read", "/etc/fstab");
    assert.equal(session.asked.length, 3, "reading one file allows neither writing it nor reading another");
  });

  it("is refused when the user refuses, when the question is not answered, and when the settings refuse it", async () => {
    await rejectsWithRefusal(
      "failed",
      /did not allow/,
      gate({ answer: { option: "refuse" } }).admit("read", "/etc/hosts"),
    );
    await rejectsWithRefusal("cancelled", /was cancelled/, gate({ answer: "cancelled" }).admit("read", "/etc/hosts"));
    const never = gate({ outside: "refuse" });
    await rejectsWithRefusal("invalid", /outside this session's folders/, never.admit("read", "/etc/hosts"));
    assert.equal(never.asked.length, 0);
  });

  it("needs no permission if the settings allow it, except for secrets", async () => {
    const { admit, asked } = gate({ outside: "allow" });
    assert.equal(await admit("read", "/etc/hosts"), false);
    await admit("read", "/home/me/.ssh/id_ed25519");
    assert.equal(asked.length, 1);
  });

  it("requests permission for the working folder of a command, and shows the command", async () => {
    const { admit, asked } = gate();
    await admit("run", "/srv", "make install");
    assert.equal(asked[0]?.title, "Bot wants to run a command in /srv, outside this workspace");
    assert.deepEqual(asked[0]?.subject, { kind: "execute", cwd: "/srv", command: "make install" });
  });

  it("is allowed by a rule that names the path, and by no other rule", async () => {
    const named = gate({ rules: [{ effect: "allow", kind: "read", path: "/etc/hosts" }], answer: "cancelled" });
    await named.admit("read", "/etc/hosts");
    const unnamed = gate({ rules: [{ effect: "allow", kind: "read" }], answer: "cancelled" });
    await rejectsWithRefusal("cancelled", /was cancelled/, unnamed.admit("read", "/etc/hosts"));
  });
});

describe("access inside the session's folders", () => {
  it("needs no permission for ordinary files", async () => {
    const { admit, asked } = gate();
    for (const operation of ["read", "write"] as const) assert.equal(await admit(operation, "/ws/src"), false);
    assert.equal(asked.length, 0);
  });

  for (const path of ["/ws/.env", "/ws/a/.env.local", "/ws/deploy/key.pem", "/ws/.npmrc", "/ws/x/.aws/config"]) {
    it(`requests permission for ${path}, which may contain secrets`, async () => {
      const { admit, asked } = gate();
      await admit("read", path);
      assert.match(asked[0]?.title ?? "", /which may hold secrets$/);
    });
  }

  it("requests permission for a secret behind a link with a harmless name", async () => {
    const { admit, asked, documents } = gate();
    documents.put("/ws/.env", "A=1");
    link(documents, "/ws/readme.txt", "/ws/.env");
    await admit("read", "/ws/readme.txt");
    assert.match(asked[0]?.title ?? "", /readme\.txt \(\/ws\/\.env\), which may hold secrets/);
  });

  it("requests permission for files that match the user's own globs", async () => {
    const { admit, asked } = gate({ sensitive: ["private/**"] });
    await admit("read", "/ws/private/a.txt");
    await admit("read", "/ws/public/a.txt");
    assert.equal(asked.length, 1);
  });

  it("requests permission for secrets although a broad rule allows them, unless a rule names them", async () => {
    const wide = gate({ rules: [{ effect: "allow", kind: "read", path: "**" }], answer: "cancelled" });
    await rejectsWithRefusal("cancelled", /was cancelled/, wide.admit("read", "/ws/.env"));
    const named = gate({ rules: [{ effect: "allow", kind: "read", path: "**/.env" }], answer: "cancelled" });
    assert.equal(await named.admit("read", "/ws/.env"), true);
    assert.equal(await named.admit("read", "/ws/.env"), false, "shown once");
  });

  it("is refused by a deny rule without a question, and is recorded in the log", async () => {
    const { admit, asked, refusals } = gate({ rules: [{ effect: "deny", path: "generated/**" }] });
    await rejectsWithRefusal("failed", /A rule forbids this/, admit("write", "/ws/generated/a.ts"));
    await rejectsWithRefusal("failed", /A rule forbids this/, admit("read", "/ws/generated/a.ts"));
    assert.equal(asked.length, 0);
    assert.equal(refusals.length, 2);
  });

  it("is refused by a deny rule that matches the path of a link, or the path of its target", async () => {
    for (const path of ["secrets/**", "vault/**"]) {
      const { admit, documents } = gate({ rules: [{ effect: "deny", path }] });
      link(documents, "/ws/secrets", "/ws/vault");
      await rejectsWithRefusal("failed", /A rule forbids this/, admit("read", "/ws/secrets/k"));
      await rejectsWithRefusal("failed", /A rule forbids this/, admit("run", "/ws/secrets", "ls"));
    }
  });

  it("is refused for a command that a rule denies, and requests permission for a command with an ask rule", async () => {
    const { admit, asked } = gate({
      rules: [
        { effect: "deny", command: "rm" },
        { effect: "ask", command: "git push" },
      ],
    });
    await rejectsWithRefusal("failed", /A rule forbids this/, admit("run", "/ws", "cd src && rm -r x"));
    assert.equal(await admit("run", "/ws", "git push origin"), true);
    assert.equal(asked.length, 1);
  });

  it("does not request permission again for a call that the user has just allowed", async () => {
    const { access, admit, asked } = gate({ rules: [{ effect: "ask", command: "git push" }] });
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;
    const tool = { kind: "execute", rawInput: { command: "git push" } };
    access.rememberAnswer({ question: { title: "Push", options, tool }, answer: { option: "y" } });
    assert.equal(await admit("run", "/ws", "git push"), false);
    await admit("run", "/ws", "git push --force");
    assert.equal(asked.length, 1);
    await admit("run", "/ws", "git push");
    assert.equal(asked.length, 2, "once is once");
  });

  it("does not request permission again for a call that the user always allows", async () => {
    const { access, admit, asked } = gate();
    const options = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;
    const tool = { kind: "read", locations: [{ path: "/ws/.env" }] };
    access.rememberAnswer({ question: { title: "Read", options, tool }, answer: { option: "y" } });
    assert.deepEqual([await admit("read", "/ws/.env"), await admit("read", "/ws/.env")], [false, false]);
    assert.equal(asked.length, 0);
  });

  it("reuses an answer only for the parts that the question showed, not for paths hidden in its raw input", async () => {
    const { access, admit, asked } = gate();
    const options = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;
    const tool = { kind: "read", locations: [{ path: "/ws/README.md" }], rawInput: { file: "/ws/.env" } };
    access.rememberAnswer({ question: { title: "Read README.md", options, tool }, answer: { option: "y" } });
    await admit("read", "/ws/.env");
    assert.equal(asked.length, 1);
  });

  it("follows a rule only while the rule exists", async () => {
    const rules: Rule[] = [{ effect: "allow", kind: "read", path: "**/.env" }];
    const { admit } = gate({ rules, answer: "cancelled" });
    assert.equal(await admit("read", "/ws/.env"), true);
    rules.length = 0;
    await rejectsWithRefusal("cancelled", /was cancelled/, admit("read", "/ws/.env"));
  });

  it("shows the variables of a command, hides their secrets, and is not allowed by any rule", async () => {
    const { access, confinement, asked } = gate({
      rules: [{ effect: "allow", command: "npm test", path: ["/srv/**", "/srv"] }],
      answer: "cancelled",
    });
    const request = {
      operation: "run",
      path: "/srv",
      located: await confinement.locate("/srv"),
      command: "npm test",
    } as const;
    assert.equal(await access.admit(request), true);
    const env = [
      { name: "NODE_OPTIONS", value: "--require /tmp/evil.js" },
      { name: "API_TOKEN", value: "abcdef0123456789" },
    ];
    await rejectsWithRefusal("cancelled", /was cancelled/, access.admit({ ...request, env }));
    assert.deepEqual(asked.at(-1)?.subject?.env, [
      { name: "NODE_OPTIONS", value: "--require /tmp/evil.js" },
      { name: "API_TOKEN", value: "•••" },
    ]);
  });
});

describe("SessionFiles with access checks", () => {
  it("reads an outside file when the user allows it, and refuses if the path has changed its target meanwhile", async () => {
    const { access, confinement, documents } = gate();
    documents.put("/etc/hosts", "127.0.0.1");
    const files = new SessionFiles(documents, confinement, {}, access);
    assert.equal(await files.read({ path: "/etc/hosts" }), "127.0.0.1");
    await files.write({ path: "/etc/hosts", content: "::1" });
    assert.equal(await documents.read("/etc/hosts"), "::1");
  });

  it("does nothing if the path changed its target while the question was open", async () => {
    const { confinement, documents } = gate();
    documents.put("/etc/hosts", "127.0.0.1");
    documents.put("/etc/shadow", "root");
    link(documents, "/ws/x", "/etc/hosts");
    const sly = {
      admit(): Promise<boolean> {
        link(documents, "/ws/x", "/etc/shadow");
        return Promise.resolve(true);
      },
    };
    const files = new SessionFiles(documents, confinement, {}, sly);
    await rejectsWithRefusal(
      "failed",
      /was moved, or replaced by a link to another place/,
      files.write({ path: "/ws/x", content: "mine" }),
    );
    assert.equal(await documents.read("/etc/shadow"), "root");
  });

  it("serves other files while one waits for an answer", async () => {
    const { confinement, documents } = gate();
    documents.put("/ws/a", "a");
    documents.put("/ws/b", "b");
    let allow = (): void => {};
    const slow = {
      admit({ path }: { readonly path: string }): Promise<boolean> {
        return path === "/ws/a" ? new Promise(resolve => (allow = () => resolve(false))) : Promise.resolve(false);
      },
    };
    const files = new SessionFiles(documents, confinement, {}, slow);
    const first = files.read({ path: "/ws/a" });
    assert.equal(await files.read({ path: "/ws/b" }), "b");
    allow();
    assert.equal(await first, "a");
  });

  it("reports a refusal to the agent as an error", async () => {
    const { access, confinement, documents } = gate({ answer: { option: "refuse" } });
    documents.put("/etc/hosts", "127.0.0.1");
    const files = new SessionFiles(documents, confinement, {}, access);
    await assert.rejects(files.read({ path: "/etc/hosts" }), (error: unknown) => error instanceof Refusal);
  });
});
