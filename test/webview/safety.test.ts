// Hostile agents: with any text, nothing runs, loads or is reported, and links open the target that they show.
import assert from "node:assert/strict";
import type { ToolPart, ViewEntry } from "../../src/panel/protocol.ts";
import { openPanel, usePanel } from "./panelPage.ts";
import { ask, message, snapshot, tool, view } from "./scenes.ts";

const vectors = [
  "<script>window.hacked = 1</script>",
  "<img src=x onerror=window.hacked=1>",
  '<img src="https://evil.example/pixel.png">',
  "![pixel](https://evil.example/pixel.png)",
  "<svg onload=window.hacked=1><animate onbegin=window.hacked=1 attributeName=x></svg>",
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  "[click](javascript:window.hacked=1)",
  "[click](java&#10;script:window.hacked=1)",
  "[click](<java\nscript:window.hacked=1>)",
  "[click](data:text/html,<script>window.hacked=1</script>)",
  "[click](vbscript:msgbox(1))",
  "[click](command:workbench.action.quit)",
  "[click](vscode://parley.parley/x)",
  '[click](https://ok.example "\\" onmouseover=window.hacked=1 x=\\"")',
  "<javascript:window.hacked=1>",
  "<a href='javascript:window.hacked=1'>x</a>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.hacked=1&gt;'>",
  "<form action=https://evil.example><button>Allow</button></form>",
  "<style>* { display: none }</style>",
  '<link rel=stylesheet href="https://evil.example/a.css">',
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<base href=https://evil.example>",
  '```js"><img src=x onerror=window.hacked=1>\ncode\n```',
  "`<img src=x onerror=window.hacked=1>`",
  "| <img src=x onerror=window.hacked=1> | b |\n| - | - |\n| <script>window.hacked=1</script> | d |",
  "- [ ] <input type=checkbox onfocus=window.hacked=1 autofocus>",
  "[ref]\n\n[ref]: javascript:window.hacked=1",
  "\u001b]8;;javascript:window.hacked=1\u0007link\u001b]8;;\u0007",
  "\\(\\href{javascript:window.hacked=1}{x}\\) $$\\text{<img src=x onerror=window.hacked=1>}$$",
  "\\[ \\kern-900em\\Huge\\text{Allow} \\] \\(\\includegraphics{https://evil.example/pixel.png}\\)",
  "{{constructor.constructor('window.hacked=1')()}} ${window.hacked=1}",
  "\u202eevil\u202c \u0000 \uffff",
];

const mimeTypes = ["image/svg+xml", 'image/png" onerror="window.hacked=1', "text/html", "javascript:alert(1)"];

/** The vector in every text field that an agent controls. */
function everywhere(text: string): readonly ViewEntry[] {
  const parts: ToolPart[] = [
    { type: "text", text },
    { type: "link", uri: text, name: text, description: text },
    { type: "resource", uri: text, mimeType: text, text },
    { type: "placeholder", kind: text },
    { type: "json", label: "Input", text },
    { type: "terminal", terminalId: "t", command: text, cwd: text, text, exit: { signal: text }, truncated: true },
    {
      type: "diff",
      path: text,
      label: text,
      operation: "modify",
      added: 1,
      removed: 0,
      hunks: [{ oldStart: 1, newStart: 1, lines: [{ op: "add", text, marks: [[0, text.length]] }] }],
    },
    {
      type: "files",
      files: [{ operation: text, path: text, label: text, from: text, mode: [text, text] }],
      patch: text,
    },
    ...mimeTypes.map(mimeType => ({ type: "image", mimeType, data: Buffer.from(text).toString("base64") }) as const),
    { type: "audio", mimeType: text, data: "" },
  ];
  const problem = { message: text, detail: text, command: text, next: [] };
  return [
    message("u", "user", text),
    message("m", "agent", text),
    message("h", "thought", text),
    tool("c", text, { toolKind: text, status: "failed", parts, locations: [{ path: text, label: text }] }),
    { id: "n", kind: "notice", severity: "error", title: text, description: text, at: 0 },
    { id: "k", kind: "compaction", status: text, parts: [{ type: "text", text }], error: text, at: 0 },
    { id: "p", kind: "problem", problem, at: 0 },
    { id: "e", kind: "turnEnd", stopReason: text, at: 0 },
  ];
}

function hostileView(text: string): ReturnType<typeof view> {
  return view(everywhere(text), {
    title: text,
    agent: { id: "x", name: text, description: text },
    connection: { state: "starting", detail: text },
    problem: { message: text, detail: text, command: text, next: [] },
    questions: [{ ...ask, title: text, command: text, cwd: text, options: [{ id: "o", name: text, kind: text }] }],
    plans: [
      { id: text, entries: [{ content: text, priority: text, status: text }] },
      { id: `${text}m`, entries: [], markdown: text },
      { id: `${text}f`, entries: [], uri: text },
      { id: `${text}k`, entries: [], kind: text },
    ],
    queue: [{ id: "q", text, sent: false }],
    options: [
      { id: "s", name: text, type: "select", value: text, choices: [{ value: text, name: text, group: text }] },
      { id: "b", name: text, description: text, type: "boolean", value: true },
    ],
    usage: { used: 1, size: 2, cost: { amount: 1, currency: text } },
    turnUsage: { models: [{ model: text, total: 1 }] },
  });
}

describe("hostile text", () => {
  usePanel();

  it("runs nothing, loads nothing and violates no policy in any field", async function () {
    const panel = await openPanel([snapshot(view([]))]);
    const requests: string[] = [];
    panel.page.on("request", request => requests.push(request.url()));
    for (const vector of vectors) {
      await panel.show(hostileView(vector));
      const folds = panel.log.locator("button[aria-expanded=false], summary");
      await folds.evaluateAll(all => all.forEach(each => (each as HTMLElement).click()));
      await panel.patch({ op: "head", head: { title: `${vector}!` } });
      for (const link of await panel.page.getByRole("link").all()) await link.dispatchEvent("click");
    }
    assert.equal(await panel.page.evaluate(() => (window as { hacked?: number }).hacked), undefined);
    assert.deepEqual(
      requests.filter(url => !url.startsWith("data:") && !/\/(?:chunks|fonts)\//.test(url)),
      [],
    );
    assert.deepEqual(
      await panel.page.evaluate(
        () => document.querySelectorAll("script, iframe, form, base, meta[content*=evil]").length,
      ),
      2 + 1,
    );
    await panel.assertClean();
  });

  it("opens only web pages, mail and files", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    for (const vector of vectors) {
      await panel.show(view([message("m", "agent", vector)]));
      for (const link of await panel.log.getByRole("link").all()) {
        const href = (await link.getAttribute("data-href")) ?? "";
        assert.doesNotMatch(
          href,
          /^[\s\p{Cc}]*(java\s*script|data|vbscript|command|vscode):/iu,
          "The text must not be a link.",
        );
        await link.dispatchEvent("click");
      }
    }
    const intents = await panel.intents();
    assert.ok(intents.length > 0);
    for (const intent of intents) {
      assert.ok(intent.type === "openLink" || intent.type === "openFile", JSON.stringify(intent));
      const target = intent.type === "openLink" ? intent.href : intent.path;
      assert.match(target, intent.type === "openLink" ? /^(https?:\/\/|mailto:)/ : /^(?!\w+:)/);
    }
  });

  it("shows raw HTML as text", async () => {
    const panel = await openPanel([snapshot(view([message("m", "agent", "Use <b>bold</b> or\n\n<div>a box</div>")]))]);
    await panel.log.getByText("Use <b>bold</b> or").waitFor();
    await panel.log.getByText("<div>a box</div>").waitFor();
  });

  it("cannot use innerHTML, because the page's policy makes the assignment throw", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const outcome = await panel.page.evaluate(() => {
      try {
        document.createElement("div").innerHTML = "<b>x</b>";
        return "written";
      } catch {
        return "refused";
      }
    });
    assert.equal(outcome, "refused");
    assert.equal((await panel.page.evaluate(() => window.play.reports)).length, 1);
  });

  it("cannot post a form or move the base of relative addresses, even if markup slipped through", async () => {
    const { page } = await openPanel([snapshot(view([]))]);
    const violated = await page.evaluate(async () => {
      const directives: string[] = [];
      const all = new Promise<void>(resolve =>
        addEventListener("securitypolicyviolation", event => {
          directives.push(event.effectiveDirective);
          if (directives.length === 2) resolve();
        }),
      );
      const base = document.createElement("base");
      base.href = "https://evil.example/";
      document.head.append(base);
      const form = document.createElement("form");
      form.action = "https://evil.example/";
      document.body.append(form);
      form.submit();
      await all;
      return directives.sort();
    });
    assert.deepEqual(violated, ["base-uri", "form-action"]);
  });
});
