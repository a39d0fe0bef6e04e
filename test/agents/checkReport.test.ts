// The report of a check: what it says, and that it contains no secrets.
import assert from "node:assert/strict";
import type { AgentCheck } from "../../src/agents/checkAgent.ts";
import { checkReport } from "../../src/agents/checkReport.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";

const definition: AgentDefinition = {
  id: "mine",
  name: "Mine",
  command: "mine",
  args: ["--key=${env:COMPANY}"],
  env: { MY_OWN: "${env:COMPANY}" },
  cwd: "${workspaceFolder}",
  missingFiles: "error",
  startTimeout: 60,
};
const secret = "company secret 1";
const started = {
  ...definition,
  args: [`--key=${secret}`],
  argsInSettings: definition.args,
  env: { MY_OWN: secret, STORED: "stored value" },
  cwd: "/work",
};
const capabilities = { image: true, audio: false, embeddedContext: true };
const good: AgentCheck = {
  located: { path: "/opt/mine", shell: { shell: "/bin/zsh", path: "/opt:/usr/bin" } },
  initializeTime: 312.4,
  sessionTime: 41,
  info: { name: "Mine", version: "1.2", protocolVersion: 1, capabilities },
  signInMethods: ["Log in"],
  continuesSessions: true,
  signIn: "done",
  stderr: `starting with ${secret}\nstored value\ntoken=abcdef123456`,
  badLines: 0,
};
const report = (check: AgentCheck, env: Record<string, string> = {}): string =>
  checkReport([{ definition, started, check }], "Parley 1.0", {
    host: { PATH: "/usr/bin" },
    programs: { PATH: "/opt:/usr/bin", ...env },
  });

describe("the report of a check", () => {
  it("names everything that helps to find out why an agent does not start, without secrets", () => {
    assert.equal(
      report(good, { HTTPS_PROXY: "http://me:pass@proxy:8080" }),
      `Parley 1.0
Proxy variables passed to agents: HTTPS_PROXY=http://me:•••@proxy:8080

Mine — works
  Command        mine "--key=\${env:COMPANY}"
  Program        /opt/mine
  Found in       the PATH of your login shell (/bin/zsh) only
  Working folder \${workspaceFolder}
  Version        Mine 1.2
  Protocol       version 1
  First answer   after 312 ms
  Session        opened after another 41 ms
  Accepts        text, images, contents of files; can continue earlier sessions
  Sign-in        signed in, or not needed (ways: Log in)
  Warning        The agent starts in the workspace folder, so settings and programs in it can run as part of the agent, with its keys.
  Next step      Nothing to do.
  PATHs:
    PATH of VS Code: /usr/bin
    PATH of /bin/zsh: /opt:/usr/bin
  Last output:
    starting with •••
    •••
    token=•••
`,
    );
  });

  it("shows hostile output as text on its own lines", () => {
    const text = report({ ...good, stderr: "a\u202eb\u001b[2J", info: { ...good.info!, name: "x\nProblem  none" } });
    assert.ok(text.includes("    a[U+202E]b[U+001B][2J\n"));
    assert.ok(text.includes("  Version        x Problem  none 1.2\n"));
  });

  it("contains the details of a problem, such as both PATHs", () => {
    const problem = { message: "Not found.", detail: "PATH of VS Code: /usr/bin", next: ["openSettings" as const] };
    const text = report({ signIn: "unknown", stderr: "", badLines: 0, problem });
    assert.match(text, /Mine — does not work\n.*\n {2}Program {8}not found\n/);
    assert.match(text, /Problem {8}Not found\.\n.*\n? {2}Next step {6}Correct its entry/);
    assert.match(text, /Details:\n {4}PATH of VS Code: \/usr\/bin/);
  });
});
