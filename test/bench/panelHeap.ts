// The panel's memory: its heap after garbage collection, and the elements on its page, while a conversation grows.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { webview } from "../../scripts/vscode/workbench.mjs";
import { answerOf } from "./answer.ts";
import { newSession, prompt, type Side } from "./panelSides.ts";
import type { Report } from "./report.ts";

/** The number of entries that each step adds to the conversation, and the number of steps. */
const entries = 1000;
const steps = 4;
/**
 * The maximum ratio between the steps, for elements and for the heap. The page contains the last two to three hundred
 * entries of a conversation that is scrolled to its end.
 */
const limits = { elements: 1.6, heap: 2 };

export interface Heap {
  /** Bytes. */
  readonly used: number;
  readonly elements: number;
}

/** The memory of an extension's webview after garbage collection. */
export async function heapOf(page: Page, owner = "parley.parley"): Promise<Heap> {
  const outer = page.frames().find(frame => frame.url().includes(`extensionId=${owner}&`));
  if (!outer) throw new Error(`There is no webview of ${owner}.`);
  const devtools = await page.context().newCDPSession(outer);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  const elements = await webview(page, owner)
    .locator("body")
    .evaluate(body => body.getElementsByTagName("*").length);
  return { used: usedSize, elements };
}

/** Lets a conversation grow step by step. `before` are heaps that were measured after other work. */
export async function measureHeap(panel: Side, before: readonly (readonly [string, Heap])[]): Promise<Report> {
  await panel.page.bringToFront();
  await newSession(panel);
  const fresh = await heapOf(panel.page);
  const grown: Heap[] = [];
  for (let step = 0; step < steps; step++) {
    await grow(panel, step);
    grown.push(await heapOf(panel.page));
  }
  const rows = [
    ["an empty session", fresh] as const,
    ...before,
    ...grown.map((heap, i) => [`a session of ${((i + 1) * entries).toLocaleString("en")} entries`, heap] as const),
  ];
  return {
    tables: [
      {
        columns: ["(d) the panel after", "heap", "elements on the page"],
        rows: rows.map(([title, heap]) => [title, mb(heap.used), heap.elements.toLocaleString("en")]),
      },
    ],
    failures: failures(grown),
  };
}

async function grow({ frame, box, workspace }: Side, step: number): Promise<void> {
  const words = `Step ${step} is done.`;
  const units = Array.from({ length: entries / 2 - 1 }, (_, i) => unit(`${step}-${i}`)).flat();
  const file = `grow${step}.json`;
  writeFileSync(join(workspace, file), JSON.stringify({ steps: [...units, { chunk: `\n\n${words}` }] }));
  await prompt(box, file);
  // An answer cut within a code block is on the page twice while it settles.
  await frame.getByText(words).last().waitFor({ timeout: 60_000 });
  const idle = async (): Promise<boolean> => (await frame.getByRole("button", { name: "Stop" }).count()) === 0;
  if (!(await waitFor(idle, 30_000))) throw new Error("The turn did not end.");
}

/** A tool call and a chunk of an answer: two entries. */
function unit(id: string): readonly unknown[] {
  const toolCallId = `grow-${id}`;
  const content = [{ type: "content", content: { type: "text", text: answerOf(300) } }];
  return [
    { update: { sessionUpdate: "tool_call", toolCallId, title: `Read ${id}.js`, kind: "read", status: "in_progress" } },
    { update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content } },
    { chunk: answerOf(500) },
  ];
}

function failures(grown: readonly Heap[]): readonly string[] {
  const [first] = grown;
  const last = grown.at(-1);
  if (!first || !last) return [];
  const gains = grown.slice(1).map((heap, i) => heap.used - (grown[i]?.used ?? 0));
  const [least, most] = [Math.min(...gains), Math.max(...gains)];
  return [
    ...(last.elements > first.elements * limits.elements
      ? [`The page grows with the conversation: ${first.elements} elements became ${last.elements}.`]
      : []),
    ...(most > limits.heap * Math.max(least, 1_000_000)
      ? [`The panel's heap grows unevenly: ${mb(least)} to ${mb(most)} for ${entries} entries.`]
      : []),
  ];
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
