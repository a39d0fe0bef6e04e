// Views with every kind of entry and state, for the tests of the panel and for viewing it.
import type {
  ViewHead,
  HostMessage,
  View,
  ViewQuestion,
  ViewEntry,
  ViewMessage,
  ViewTool,
} from "../../src/panel/protocol.ts";
import { addressAsk, formAsk, previewAsk, promptAsk } from "./formScenes.ts";
import { placeholderHead } from "../../webview-ui/base/placeholderHead.ts";

export const START = Date.UTC(2026, 10, 20, 12);

const agents = [
  { id: "demo", name: "Demo Agent", description: "Bundled with Parley. Needs no key and no network." },
  { id: "gemini", name: "Gemini CLI" },
];

export const quietHead: ViewHead = {
  ...placeholderHead,
  agent: agents[0] ?? null,
  agents,
  connection: { state: "ready" },
  activity: { state: "idle", since: START, cancelling: false },
  cwd: "/home/ada/shop",
  accepts: { image: true, audio: false, embedded: true },
};

/** A view with these entries and an idle head with these changes. */
export function view(entries: readonly ViewEntry[], head: Partial<ViewHead> = {}): View {
  return { head: { ...quietHead, ...head }, entries };
}

/** The snapshot message that a host sends to a new panel. */
export function snapshot(shown: View, revision = 1): HostMessage {
  return { type: "snapshot", revision, view: shown };
}

export function message(id: string, kind: ViewMessage["kind"], text: string, seconds = 0): ViewMessage {
  return { id, kind, parts: [{ type: "text", text }], at: START, until: START + seconds * 1000 };
}

export function tool(id: string, title: string, more: Partial<ViewTool> = {}): ViewTool {
  return {
    id,
    kind: "tool",
    toolKind: "read",
    title,
    status: "done",
    at: START,
    ended: START + 400,
    locations: [],
    parts: [],
    ...more,
  };
}

export const sumDiff = {
  type: "diff",
  path: "/home/ada/shop/src/sum.js",
  label: "src/sum.js",
  operation: "modify",
  added: 2,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        { op: "same", text: "export function sum(numbers) {" },
        { op: "del", text: "  let total = 1;" },
        { op: "add", text: "  // An empty list sums to nothing." },
        { op: "add", text: "  let total = 0;" },
        { op: "same", text: "  for (const n of numbers) total += n;" },
        { op: "same", text: "  return total;" },
      ],
    },
  ],
} as const;

export const testRun = {
  type: "terminal",
  terminalId: "t1",
  command: "npm test -- --reporter dot",
  cwd: "/home/ada/shop",
  text: "\u001b[1mRunning 3 tests\u001b[0m\r\n\u001b[32m✔ sums\u001b[39m\r\n\u001b[31m✘ an empty list sums to 0\u001b[39m\n  expected 0, got 1\n",
  exit: { exitCode: 1 },
  truncated: false,
} as const;

export const ANSWER = `I found the bug: \`total\` starts at **1**, see \`src/sum.js:2\` and [the test](test/sum.test.js#L10).

## What I changed

1. \`sum\` starts at zero
2. an empty list is tested
   - also with \`null\`

- [x] fix \`sum\`
- [ ] tell ~~nobody~~ the team

| Input | Before | After |
| :-- | :-: | --: |
| \`[1, 2]\` | 4 | 3 |
| \`[]\` | 1 | 0 |

\`\`\`js
export function sum(numbers) {
  let total = 0; // an empty list sums to nothing
  for (const n of numbers) total += n;
  return \`\${total}\`;
}
\`\`\`

> Tests pass now. Read more at https://example.com/sums.
`;

/** A red square. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** One entry of every kind. */
export const everyEntry: readonly ViewEntry[] = [
  {
    ...message("u1", "user", "Why does sum([]) return 1?\nPlease fix it."),
    parts: [
      { type: "text", text: "Why does sum([]) return 1?\nPlease fix it." },
      { type: "link", uri: "file:///home/ada/shop/src/sum.js", name: "sum.js", size: 1234 },
    ],
  },
  message("h1", "thought", "The loop looks right. The **start value** does not.", 12),
  tool("c1", "Read src/sum.js", { locations: [{ path: "/home/ada/shop/src/sum.js", label: "src/sum.js", line: 2 }] }),
  tool("c2", "Search for callers of sum", {
    toolKind: "search",
    locations: [
      { path: "/home/ada/shop/src/cart.js", label: "src/cart.js", line: 14 },
      { path: "/home/ada/shop/src/bill.js", label: "src/bill.js" },
    ],
    parts: [
      { type: "json", label: "Input", text: '{\n  "pattern": "sum("\n}' },
      { type: "json", label: "Output", text: '{\n  "hits": 2\n}' },
    ],
  }),
  tool("c3", "Fix the start value", { toolKind: "edit", parts: [sumDiff] }),
  tool("c4", "npm test", { toolKind: "execute", status: "failed", parts: [testRun] }),
  tool("c5", "Fetch https://example.com/sums", { toolKind: "fetch", status: "cancelled" }),
  tool("c6", "Think about edge cases", { toolKind: "think", status: "pending" }),
  tool("c7", "Move helpers", {
    toolKind: "move",
    parts: [
      {
        type: "files",
        files: [{ operation: "move", path: "/home/ada/shop/lib/a.js", label: "lib/a.js", from: "src/a.js" }],
        patch: "--- a/src/a.js\n+++ b/lib/a.js\n",
      },
    ],
  }),
  {
    ...message("m1", "agent", ANSWER),
    parts: [
      { type: "text", text: ANSWER },
      { type: "image", mimeType: "image/png", data: PIXEL, uri: "file:///chart.png" },
      { type: "resource", uri: "file:///home/ada/shop/notes.md", mimeType: "text/markdown", text: "# Notes" },
      { type: "placeholder", kind: "hologram" },
    ],
  },
  { id: "n1", kind: "notice", severity: "warning", title: "The model is busy.", description: "Retrying.", at: START },
  {
    id: "k1",
    kind: "compaction",
    status: "completed",
    parts: [{ type: "text", text: "We fixed `sum`." }],
    at: START,
  },
  {
    id: "p1",
    kind: "problem",
    problem: {
      message: "Demo Agent could not answer: its daily limit is used up.",
      detail: "quota exceeded (429)\nretry after 3600 s",
      next: ["retry", "showLog"],
    },
    at: START,
  },
  { id: "e1", kind: "turnEnd", stopReason: "cancelled", at: START },
];

export const ask: ViewQuestion = {
  id: "a1",
  title: "Run npm test?",
  entry: "c8",
  toolKind: "execute",
  command: "npm test -- --reporter dot && echo done",
  cwd: "/home/ada/shop",
  parts: [],
  locations: [],
  options: [
    { id: "once", name: "Allow", kind: "allow_once" },
    { id: "always", name: "Always Allow", kind: "allow_always" },
    { id: "no", name: "Reject", kind: "reject_once" },
  ],
};

export const editAsk: ViewQuestion = {
  id: "a2",
  title: "Edit src/sum.js?",
  entry: "c9",
  toolKind: "edit",
  parts: [sumDiff],
  locations: [{ path: "/home/ada/shop/src/sum.js", label: "src/sum.js" }],
  options: ask.options,
};

/** A session during a turn: streaming, a plan, two questions, a queue, options, usage. */
export const busyHead: Partial<ViewHead> = {
  title: "Fix the sum of empty lists",
  activity: { state: "running", since: START, cancelling: false },
  questions: [ask, editAsk],
  plans: [
    {
      id: "plan",
      entries: [
        { content: "Find the bug", priority: "high", status: "completed" },
        { content: "Fix it", priority: "medium", status: "completed" },
        { content: "Writing tests", priority: "high", status: "in_progress" },
        { content: "Update the changelog", priority: "low", status: "pending" },
      ],
    },
  ],
  queue: [
    { id: "s2", text: "Then update the changelog", sent: false },
    { id: "s3", text: "And commit", sent: true },
  ],
  options: [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      value: "ask",
      choices: [
        { value: "ask", name: "Ask First", description: "Asks before it changes anything." },
        { value: "auto", name: "Automatic" },
      ],
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      value: "small",
      choices: [
        { value: "small", name: "Small 4", group: "Fast" },
        { value: "large", name: "Large 4", group: "Thorough" },
      ],
    },
    { id: "web", name: "Web search", type: "boolean", value: true },
  ],
  usage: { used: 53_000, size: 200_000, cost: { amount: 0.12, currency: "USD" } },
};

export const busy: View = view(
  [
    ...everyEntry.slice(0, 4),
    tool("c8", "npm test", { toolKind: "execute", status: "waiting" }),
    tool("c9", "Fix the start value", { toolKind: "edit", status: "running", parts: [sumDiff] }),
    message("m2", "agent", "Now I will run the tests to see"),
  ],
  { ...busyHead, live: "m2" },
);

/** Decisions by rules, files that need the user's attention, and a question from Parley itself. */
export const permissions: View = view(
  [
    message("u1", "user", "Run the tests and fix what fails"),
    tool("c1", "npm test", {
      toolKind: "execute",
      decisions: ["Allowed by rule: allow command “npm test”"],
      parts: [{ type: "json", label: "Input", text: '{ "command": "npm test" }' }],
    }),
    tool("c2", "Fix the start value", {
      toolKind: "edit",
      parts: [sumDiff],
      files: [{ path: "/home/ada/shop/src/sum.js", label: "src/sum.js", note: "unsaved" }],
    }),
    tool("c3", "Update the list of members", {
      toolKind: "edit",
      files: [{ path: "/home/ada/shop/src/members.js", label: "src/members.js", note: "diverged" }],
    }),
    {
      id: "n1",
      kind: "notice",
      severity: "info",
      title: "Demo Agent wants to read .env, which may hold secrets. Refused by rule: deny path “**/.env*”",
      byRule: true,
      at: START,
    },
  ],
  {
    activity: { state: "running", since: START, cancelling: false },
    questions: [
      {
        id: "a1",
        title: "Publish the package",
        toolKind: "execute",
        command: "npm publish --access public",
        cwd: "/home/ada/shop",
        env: [
          { name: "CI", value: "true" },
          { name: "NPM_TOKEN", value: "•••" },
        ],
        parts: [],
        locations: [],
        options: ask.options,
        reason: "A rule asks about this: ask command “npm publish”.",
        always: true,
      },
    ],
  },
);

const lookUp = (id: string, toolKind: "read" | "search", path: string): ViewTool =>
  tool(id, toolKind === "read" ? `Read ${path}` : `Search ${path}`, {
    toolKind,
    locations: toolKind === "read" ? [{ path: `/home/ada/shop/${path}`, label: path }] : [],
  });

/** A running sub-agent, folded runs of look-ups, two plans, unreviewed changes. */
export const delegated: View = view(
  [
    message("u1", "user", "Find out who calls sum, and fix them"),
    lookUp("r1", "read", "src/sum.js"),
    lookUp("r2", "read", "src/cart.js"),
    lookUp("r3", "search", "callers of sum"),
    lookUp("r4", "read", "src/bill.js"),
    message("m1", "agent", "I ask a helper to look at the **rest**."),
    tool("s1", "Look at the other packages", {
      toolKind: "think",
      status: "running",
      parts: [{ type: "json", label: "Input", text: '{\n  "prompt": "Who calls sum?"\n}' }],
    }),
    { ...message("s1m", "agent", "I begin with `packages/a`."), parent: "s1" },
    { ...lookUp("s1a", "read", "packages/a/main.js"), parent: "s1" },
    { ...lookUp("s1b", "read", "packages/b/main.js"), parent: "s1" },
    { ...lookUp("s1c", "read", "packages/c/main.js"), parent: "s1" },
    { ...tool("s1d", "npm ls --all", { toolKind: "execute", status: "waiting" }), parent: "s1" },
  ],
  {
    title: "Who calls sum",
    activity: { state: "requires_action", since: START, cancelling: false },
    questions: [{ ...ask, id: "a9", entry: "s1d", title: "npm ls --all", command: "npm ls --all" }],
    plans: [
      { id: "main", entries: [{ content: "Ask a helper", priority: "low", status: "in_progress" }] },
      { id: "helper", entries: [{ content: "Look at packages", priority: "medium", status: "completed" }] },
    ],
    changes: {
      files: [
        { path: "/home/ada/shop/src/sum.js", label: "src/sum.js", added: 2, removed: 1 },
        { path: "/home/ada/shop/src/bill.js", label: "src/bill.js", added: 22, removed: 2 },
      ],
      added: 24,
      removed: 3,
    },
  },
);

/** A window with an MCP server. */
const mcpHead: Partial<ViewHead> = {
  mcpServers: [{ name: "tickets", detail: "npx -y tickets-mcp", on: true, state: "ready" }],
  prompts: [],
};

/** The scenes by name. */
/** Asks before the agent gets the conversation again. */
export const largeConversation: View = view(everyEntry.slice(0, 3), {
  title: "Fix the total",
  agent: { id: "demo", name: "Demo Agent" },
  connection: { state: "closed" },
  queue: [{ id: "s1", text: "Then update the changelog", sent: false }],
  resumeQuestion: {
    tokens: 182_400,
    bytes: 6_210_000,
    costs: [
      { amount: 4.2, currency: "USD" },
      { amount: 12, currency: "credits" },
    ],
  },
});

export const scenes: Readonly<Record<string, readonly HostMessage[]>> = {
  delegated: [snapshot(delegated)],
  empty: [snapshot(view([]))],
  noAgent: [snapshot(view([], { agent: null, connection: null }))],
  starting: [
    snapshot(
      view([], {
        connection: { state: "starting", since: START, detail: "npm warn: downloading @google/gemini-cli 43 %" },
      }),
    ),
  ],
  everything: [snapshot(view(everyEntry, { title: "Fix the sum of empty lists" }))],
  busy: [snapshot(busy)],
  readOnly: [
    snapshot(
      view([message("u1", "user", "Fix the sum"), message("m1", "agent", "The sum starts at 0 now.")], {
        ...{ title: "Fix the sum", connection: { state: "closed" }, isReadOnly: true },
      }),
    ),
  ],
  permissions: [snapshot(permissions)],
  form: [
    snapshot(
      view([message("u1", "user", "Set up a shop")], {
        activity: { state: "requires_action", since: START, cancelling: false },
        questions: [formAsk],
      }),
    ),
  ],
  signIn: [
    snapshot(
      view([message("u1", "user", "Hello")], {
        connection: { state: "closed" },
        problem: {
          message: "Gemini CLI needs you to sign in.",
          detail: "Your login has expired.",
          next: ["restartAgent", "showTraffic"],
          signIn: [
            { id: "a", name: "Log in with Google", description: "Opens the browser" },
            { id: "b", name: "Use an API key" },
          ],
        },
      }),
    ),
  ],
  signingIn: [
    snapshot(
      view([], {
        connection: { state: "closed" },
        problem: {
          message: "Gemini CLI needs you to sign in.",
          next: ["restartAgent"],
          signIn: [],
          signingIn: { name: "Log in with Google", late: true },
        },
      }),
    ),
  ],
  address: [
    snapshot(
      view([message("u1", "user", "Show my tickets")], {
        activity: { state: "requires_action", since: START, cancelling: false },
        questions: [addressAsk],
      }),
    ),
  ],
  thinking: [
    snapshot(
      view(
        [message("u1", "user", "Why?"), message("h1", "thought", "Let me look at **the loop** first. ".repeat(12))],
        {
          live: "h1",
          activity: { state: "running", since: START, cancelling: false },
        },
      ),
    ),
  ],
  problem: [
    snapshot(
      view([message("u1", "user", "Hello")], {
        connection: { state: "closed" },
        problem: {
          message:
            "Could not start Gemini CLI: `npx` was not found on the PATH that VS Code sees. Install Node.js, or set `parley.agents` → command to a full path.",
          detail: "spawn npx ENOENT\n    at ChildProcess._handle.onexit",
          command: "npm install --global @google/gemini-cli",
          next: ["restartAgent", "openSettings", "showLog"],
        },
      }),
    ),
  ],
  // The composer gets the focus, so these are the last ones.
  mcpPrompt: [
    snapshot(view([message("u1", "user", "Which tickets are open?")], { ...mcpHead, questions: [promptAsk] })),
  ],
  mcpPreview: [
    snapshot(view([message("u1", "user", "Which tickets are open?")], { ...mcpHead, questions: [previewAsk] })),
  ],
};
