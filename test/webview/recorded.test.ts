// The page shows every entry of the recorded sessions of real agents: once, in order, and visible.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { paintedSessions } from "../support/fakes/painted.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";

/** An entry on the page. */
interface OnPage {
  readonly id: string;
  /** The entry that contains it. */
  readonly parent: string | undefined;
  readonly isSeen: boolean;
  readonly text: string;
}

const agents = ["claude", "gemini", "opencode", "qwen", "shapes"];

const recordings = agents.flatMap(agent => {
  const folder = join("test", "transcripts", agent);
  const names = readdirSync(folder);
  // Recordings without a golden view are not conversations.
  const whole = names.filter(name => names.includes(name.replace(/\.ndjson$/, ".view.json")) && /\.ndjson$/.test(name));
  return whole.map(name => join(folder, name));
});

describe("the recorded sessions of real agents", () => {
  usePanel();

  for (const agent of agents) {
    it(`of ${agent} are on the page, each entry once, in order, with its text`, async function () {
      const panel = await openPanel([]);
      const wrong: string[] = [];
      let entries = 0;
      for (const file of recordings.filter(one => one.includes(join("transcripts", agent)))) {
        for (const { view, session } of await paintedSessions(file)) {
          await panel.show(view);
          await unfold(panel);
          const page = await entriesOf(panel);
          const report = (fault: string): void => void wrong.push(`${file} ${session}: ${fault}`);
          for (const fault of faultsOf(view.entries, page)) report(fault);
          entries += view.entries.length;
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(entries > 50, `${entries} entries`);
      await panel.assertClean();
    });
  }
});

/**
 * Shows earlier entries and opens runs and cards, whose content is only on the page while they are open. Ends when
 * nothing more appears, because a conversation is painted from its end, a part in each frame.
 */
async function unfold(panel: PanelPage): Promise<void> {
  await panel.page.evaluate(async () => {
    const folds = ".log .earlier, .log [aria-expanded=false]:not([aria-haspopup]), .log details:not([open]) > summary";
    for (let quiet = 0, before = -1; quiet < 3;) {
      const closed = document.querySelectorAll<HTMLElement>(folds);
      for (const fold of closed) fold.click();
      const count = document.querySelectorAll(".log [data-key]").length;
      quiet = closed.length === 0 && count === before ? quiet + 1 : 0;
      before = count;
      await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
    }
  });
}

function entriesOf(panel: PanelPage): Promise<readonly OnPage[]> {
  return panel.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".log [data-key]:not(.look-ups)")].map(element => ({
      id: element.dataset["key"] ?? "",
      parent: element.parentElement?.closest<HTMLElement>("[data-key]")?.dataset["key"],
      isSeen: element.checkVisibility() && element.getBoundingClientRect().height > 4,
      text: element.textContent,
    })),
  );
}

function faultsOf(entries: readonly ViewEntry[], page: readonly OnPage[]): readonly string[] {
  const faults: string[] = [];
  const parentOf = (entry: ViewEntry): string | undefined => ("parent" in entry ? entry.parent : undefined);
  const order = (ids: readonly string[]): string => ids.join(" ");
  for (const parent of new Set(entries.map(parentOf))) {
    const wanted = order(entries.filter(entry => parentOf(entry) === parent).map(({ id }) => id));
    const found = order(page.filter(one => one.parent === parent).map(({ id }) => id));
    if (wanted !== found) faults.push(`in ${parent ?? "the conversation"} there is\n  ${found}, not\n  ${wanted}`);
  }
  for (const entry of entries) {
    const shown = page.find(one => one.id === entry.id);
    // A retry goes when its turn goes on.
    const isOver = entry.kind === "notice" && entry.over === true;
    if (!shown || shown.isSeen === isOver)
      faults.push(`${entry.id} (${entry.kind}) ${isOver ? "can still" : "cannot"} be seen`);
    const text = plain(shown?.text ?? "");
    const lacking = [...new Set(wordsOf(entry))].filter(word => !text.includes(word));
    if (lacking.length > 0) faults.push(`${entry.id} (${entry.kind}) lacks ${lacking.slice(0, 5).join(", ")}`);
  }
  return faults;
}

/** Words that an entry must show, however Markdown renders them. */
function wordsOf(entry: ViewEntry): readonly string[] {
  if (entry.kind === "tool") return entry.title.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  if (!("parts" in entry)) return [];
  return entry.parts.flatMap(part =>
    part.type === "text"
      ? (part.text.replace(/\]\([^)]*\)|<[^>]*>|```\S*/g, "").match(/[\p{L}\p{N}]{3,}/gu) ?? [])
      : [],
  );
}

const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
