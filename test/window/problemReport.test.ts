// The report of a problem: what it contains, and that it contains nothing that the user has not chosen.
import assert from "node:assert/strict";
import type { TrafficRecord } from "../../src/acp/trafficRecorder.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { problemReport, type ProblemReportParts } from "../../src/window/problemReport.ts";

const prompt = "the prompt that stays private";
const records: readonly TrafficRecord[] = [
  { t: 0, dir: "c>a", msg: { id: 0, method: "session/prompt", params: { prompt: [{ type: "text", text: prompt }] } } },
  { t: 40, dir: "a>c", msg: { id: 0, error: { code: -32603, message: prompt } } },
];

/** A session in which each of these turns failed. */
function failedSession(...failures: readonly { at: number; message: string; detail?: string }[]): SessionState {
  let state = emptySession;
  for (const { at, message, detail } of failures) {
    const problem = { message, next: [], ...(detail !== undefined && { detail }) };
    const event = { type: "activity", state: "idle", stopReason: "error", problem } as const;
    state = reduce(reduce(state, { seq: 0, at, event: { type: "activity", state: "running" } }), { seq: 0, at, event });
  }
  return state;
}

const parts: ProblemReportParts = {
  system: "Parley 1.0 · VS Code 1.100.0 · linux x64",
  settings: ["parley.follow: true"],
  agents: [{ name: "Mine", traffic: { records, dropped: 3, badLines: 2 } }],
  sessions: [],
};

describe("the report of a problem", () => {
  it("has versions, settings, failures and the names of messages, and no content unless the user chooses it", () => {
    const at = Date.UTC(2026, 10, 30, 10, 32);
    const end = {
      wasStopped: false,
      problem: () => ({ message: "Mine ended with code 3.", detail: prompt, next: [] }),
    };
    const report = problemReport({
      ...parts,
      agents: [{ ...parts.agents[0]!, end }],
      sessions: [failedSession({ at, message: `Mine could not finish this turn: ${prompt}`, detail: prompt })],
    });
    assert.equal(
      report,
      `# Problem with Parley

## What happened

Describe what you did, what you expected, and what happened instead.

## Versions

Parley 1.0 · VS Code 1.100.0 · linux x64

## Changed settings

parley.follow: true

## Latest failures

2026-11-30T10:32:00.000Z

\`\`\`
Mine could not finish this turn: …
\`\`\`

## Mine

Mine ended with code 3.

Messages: 5, of which the first 3 are no longer kept

Lines on stdout that are not messages: 2

The newest messages, without their content: seconds since the start, name, size in characters

\`\`\`
     0.0 → session/prompt #0, ${JSON.stringify(records[0]?.msg).length}
     0.0 ← answer to session/prompt #0 error -32603, ${JSON.stringify(records[1]?.msg).length}
\`\`\`
`,
    );
  });

  it("has the check, the files and the transcript that the user chose", () => {
    const report = problemReport({
      ...parts,
      check: "Mine — works",
      log: ["The store is locked."],
      files: ["a.ts"],
      transcript: `{"text":"${prompt}"}\n`,
    });
    for (const section of [
      "## Agent check\n\n```\nMine — works",
      "## What happened to files\n\n```\na.ts",
      "log\n\n```\nThe store is locked.",
      prompt,
    ])
      assert.ok(report.includes(section), section);
  });

  it("shows the newest failures of all sessions", () => {
    const failures = [1, 2, 3].map(at => ({ at, message: `failure ${at}` }));
    const later = [4, 5, 6].map(at => ({ at, message: `failure ${at}`, detail: "in line 7" }));
    const report = problemReport({
      ...parts,
      hasDetails: true,
      sessions: [failedSession(...failures), failedSession(...later)],
    });
    assert.deepEqual(
      [...report.matchAll(/failure \d/g)].map(([found]) => found),
      [6, 5, 4, 3, 2].map(at => `failure ${at}`),
    );
    assert.match(report, /failure 4\nin line 7/);
  });

  it("masks secrets, wherever they are", () => {
    const key = "sk-ant-abcdefghijklmnopqrstuvwxyz0123456789";
    const report = problemReport({
      ...parts,
      hasDetails: true,
      sessions: [failedSession({ at: 1, message: key, detail: key })],
      log: [key],
      check: key,
      files: [key],
      transcript: key,
    });
    assert.ok(!report.includes("abcdefghijklmnop"), report);
  });

  it("keeps what agents have written inside its code blocks, and shows hidden characters", () => {
    const hostile = "```\n\n## Versions\n\n<img src=https://example.org>\n\u202e````";
    const name = "Mine\n\n## Versions";
    const report = problemReport({
      ...parts,
      agents: [{ name, traffic: { records: [], dropped: 0, badLines: 0 } }],
      hasDetails: true,
      sessions: [failedSession({ at: 1, message: hostile })],
      log: [hostile],
      check: hostile,
      transcript: hostile,
    });
    assert.ok(!report.includes("\u202e"));
    assert.deepEqual(
      outsideOfCode(report).filter(line => line === "## Versions" || line.includes("<img")),
      ["## Versions"],
    );
  });

  it("goes on after the begin of a private key that does not end", () => {
    const open = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    const report = problemReport({
      ...parts,
      hasDetails: true,
      sessions: [failedSession({ at: 1, message: open })],
      log: [open, "The store is locked."],
      transcript: `${JSON.stringify({ text: open })}\n{"text":"later"}\n`,
    });
    for (const text of ["## Mine", "The store is locked.", '{"text":"later"}']) assert.ok(report.includes(text), text);
    assert.ok(!report.includes("MIIEvQIBADANB"));
  });

  it("cuts a long transcript at the beginning of a line, and keeps its end", () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => JSON.stringify({ t: at, text: "x".repeat(40) }));
    const report = problemReport({ ...parts, transcript: lines.join("\n") });
    const [, transcript = ""] = report.split("```json\n");
    assert.ok(transcript.length < 1_000_100, String(transcript.length));
    assert.match(transcript, /^\{"t":\d+/);
    assert.match(transcript, /"t":29999,/);
  });
});

/** The lines of Markdown that are in no fenced code block. */
function outsideOfCode(markdown: string): readonly string[] {
  let fence: string | undefined;
  return markdown.split("\n").filter(line => {
    const [opening] = /^`{3,}/.exec(line) ?? [];
    if (fence === undefined) {
      fence = opening;
      return opening === undefined;
    }
    if (line.trim().startsWith(fence) && /^`+$/.test(line.trim())) fence = undefined;
    return false;
  });
}
