// A conversation from right to left (Hebrew and Arabic), and one in Chinese, Japanese and Korean: with code, paths,
// tables, lists, plans, tool calls, questions, diffs and terminals.
import type { View, ViewQuestion } from "../../src/panel/protocol.ts";
import { START, message, tool, view } from "./scenes.ts";

const root = "/home/ada/shop";
const options = [
  { id: "once", name: "Allow", kind: "allow_once" },
  { id: "no", name: "Reject", kind: "reject_once" },
] as const;

/** A diff of a file with a name and lines of any script. */
const diff = (label: string, before: string, after: string) =>
  ({
    type: "diff",
    path: `${root}/${label}`,
    label,
    operation: "modify",
    added: 1,
    removed: 1,
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { op: "same", text: "export const texts = {" },
          { op: "del", text: before },
          { op: "add", text: after },
          { op: "same", text: "};" },
        ],
      },
    ],
  }) as const;

const terminal = (command: string, text: string) =>
  ({ type: "terminal", terminalId: "t1", command, cwd: root, text, exit: { exitCode: 0 }, truncated: false }) as const;

const question = (title: string, command: string, reason: string): ViewQuestion => ({
  ...{ id: "a1", title, toolKind: "execute", command, cwd: root, parts: [], locations: [] },
  options: [...options],
  reason,
});

const hebrew = `מצאתי את הבאג: \`total\` מתחיל ב־**1**, ראו \`src/sum.js:2\` ואת [הבדיקה](test/sum.test.js#L10).

## מה שיניתי

1. הפונקציה \`sum\` מתחילה באפס
2. רשימה ריקה נבדקת
   - גם עם \`null\`

- [x] לתקן את \`sum\`

| קלט | לפני | אחרי |
| :-- | :-: | --: |
| \`[1, 2]\` | 4 | 3 |
| רשימה ריקה | 1 | 0 |

\`\`\`js
let total = 0; // רשימה ריקה
\`\`\`

> הבדיקות עוברות. An English sentence ends here.

الآن تعمل الدالة \`sum\` كما يجب، انظر src/المجموع.js:10 ثم شغّل \`npm test\`.

This English paragraph names שלום and \`src/קובץ.ts\`.
`;

const chinese = `我找到了错误：\`total\` 从 **1** 开始，请看\`src/sum.js:2\`和[测试](test/sum.test.js#L10)。

## 変更内容

1. \`sum\`はゼロから始まります
2. 空のリストをテストします
   - \`null\`も含みます

- [x] \`sum\`를 고쳤습니다

| 输入 | 変更前 | 변경 후 |
| :-- | :-: | --: |
| \`[1, 2]\` | 四 | 三 |
| 空列表 | 1 | 0 |

\`\`\`js
let total = 0; // 空のリスト
\`\`\`

> 모든 테스트가 통과합니다. 详见 https://example.com/文档。
`;

/** The conversations by name. */
export const scriptScenes: Readonly<Record<string, View>> = {
  rightToLeft: view(
    [
      message("u1", "user", "למה `sum([])` מחזירה 1?\nPlease fix src/sum.js\nأصلح الاختبار أيضا"),
      message("h1", "thought", "הלולאה נראית נכונה. **ערך ההתחלה** לא.", 12),
      tool("c1", "קריאת src/sum.js", { locations: [{ path: `${root}/src/קובץ.js`, label: "src/קובץ.js", line: 2 }] }),
      tool("c2", "تعديل src/texts.js", {
        toolKind: "edit",
        parts: [diff("src/texts.js", '  greeting: "שלום",', '  greeting: "שלום לכולם!",')],
        decisions: ["Allowed by rule: allow path “תיקייה/**”"],
      }),
      tool("c3", "npm test", {
        toolKind: "execute",
        status: "waiting",
        parts: [terminal("npm test -- --grep=שלום", "✔ שלום passed\r\n✘ مجموع failed (1)\r\n")],
      }),
      message("m1", "agent", hebrew),
      {
        id: "n1",
        kind: "notice",
        severity: "warning",
        title: "המודל עסוק (429).",
        description: "מנסה שוב.",
        at: START,
      },
    ],
    {
      title: "תיקון הסכום של רשימות ריקות",
      activity: { state: "running", since: START, cancelling: false },
      questions: [
        question("להריץ את npm test?", "npm test -- --grep=שלום", "A rule asks about this: ask command “npm test”."),
      ],
      plans: [
        {
          id: "plan",
          entries: [
            { content: "למצוא את הבאג ב־src/sum.js", priority: "high", status: "completed" },
            { content: "إصلاح الدالة `sum`", priority: "medium", status: "in_progress" },
          ],
        },
      ],
      queue: [{ id: "s2", text: "ואז לעדכן את CHANGELOG.md", sent: false }],
    },
  ),
  eastAsian: view(
    [
      message("u1", "user", "为什么`sum([])`返回1？\nsrc/sum.jsを直してください\n테스트도 고쳐 주세요"),
      message("h1", "thought", "循环看起来没问题。**初始值**不对。", 12),
      tool("c1", "读取src/sum.js", { locations: [{ path: `${root}/src/文件.js`, label: "src/文件.js", line: 2 }] }),
      tool("c2", "src/texts.jsを編集", {
        toolKind: "edit",
        parts: [diff("src/texts.js", '  greeting: "你好",', '  greeting: "みなさん、こんにちは！",')],
        decisions: ["Allowed by rule: allow path “目录/**”"],
      }),
      tool("c3", "npm test", {
        toolKind: "execute",
        status: "waiting",
        parts: [
          terminal(
            "npm test -- --grep=你好",
            "┌──────┬────┐\r\n│ 名前 │ ok │\r\n│ abcd │ 한 │\r\n└──────┴────┘\r\n✔ 测试通过\r\n",
          ),
        ],
      }),
      message("m1", "agent", chinese),
      {
        id: "n1",
        kind: "notice",
        severity: "warning",
        title: "模型正忙（429）。",
        description: "再試行します。",
        at: START,
      },
    ],
    {
      title: "修复空列表的总和",
      activity: { state: "running", since: START, cancelling: false },
      questions: [
        question("运行npm test？", "npm test -- --grep=你好", "A rule asks about this: ask command “npm test”."),
      ],
      plans: [
        {
          id: "plan",
          entries: [
            { content: "在src/sum.js中查找错误", priority: "high", status: "completed" },
            { content: "`sum`を直す", priority: "medium", status: "in_progress" },
          ],
        },
      ],
      queue: [{ id: "s2", text: "그다음 CHANGELOG.md를 고쳐 주세요", sent: false }],
    },
  ),
};
