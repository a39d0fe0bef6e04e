// A hostile transcript: each vector of test/support/data/hostile.json in each text field that an agent controls, over
// the wire, through the session and its projection, into the built panel. Nothing runs, loads or leaves its place.
// `npm test` puts a random sample of the vectors into all fields, `npm run test:hostile` all of them.
import assert from "node:assert/strict";
import type { View } from "../../src/panel/protocol.ts";
import { HostileAgent, hostileVectors } from "../support/fakes/hostile.ts";
import { agentFields, isKnownPlace, viewTexts } from "../support/fakes/hostileFields.ts";
import { sample } from "../support/fakes/sample.ts";
import { watch } from "./hostilePage.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { message, snapshot, tool, view } from "./scenes.ts";

/**
 * How many characters of a vector are put into all fields at once. Longer vectors are painted in one field at a time.
 */
const EVERYWHERE = 1200;

/**
 * Where the panel shows no text that begins like a JSON object: such text of a call is its input, and such a title says
 * nothing to a user.
 */
const WITHOUT_JSON: ReadonlySet<string> = new Set([
  "head.questions.parts<text>.text",
  "head.questions.parts<session>.title",
  "entries<tool>.parts<session>.title",
]);

/** How many vectors a run of `npm test` visits in all fields. */
const SAMPLE = 40;

/**
 * The limit of processor time per vector in seconds. Slow machines need 2 s for the largest texts. What this test has found
 * took 46 s and more.
 */
const LONGEST = 8;

/** The letters and digits of a text, which no field changes. */
const core = (text: string): string =>
  text.slice(0, 6000).replace(/\[U\+[0-9A-F]+\]|\\u[0-9a-f]{4}|\\[a-z]|[^\p{L}\p{N}]/gu, "");

describe("a hostile agent", () => {
  usePanel();
  const all = hostileVectors();

  it("shows each vector in each field without any effect", async () => {
    assert.ok(all.length >= 200 && new Set(all.map(({ text }) => text)).size === all.length);
    const vectors = sample(all, SAMPLE);
    const cells = new Map(agentFields.map(field => [field, 0]));
    const missing: string[] = [];
    const wrong: string[] = [];
    const panel = await hostilePanel();
    const agent = new HostileAgent();
    await agent.start();
    for (const vector of vectors) {
      const text = vector.text.slice(0, EVERYWHERE);
      const shown = await agent.view(text);
      const reached = fieldsReached(shown, text);
      for (const [field, count] of cells) {
        const isElsewhere = WITHOUT_JSON.has(field) && /^\s*\{/.test(text);
        if (reached.has(field) || isElsewhere) cells.set(field, count + 1);
        else missing.push(`${vector.id}: ${field}`);
      }
      await panel.page.evaluate(() => (window.play.intents.length = 0));
      await panel.show(shown);
      const faults = await panel.page.evaluate(() => window.inspectPanel());
      wrong.push(...[...faults, ...(await strayIntents(panel))].map(fault => `${vector.id}: ${fault}`));
    }
    await panel.assertClean();
    assert.deepEqual(await panel.page.evaluate(() => window.strayRequests()), []);
    assert.deepEqual(wrong, []);
    assert.deepEqual(missing, []);
    assert.deepEqual([...new Set(cells.values())], [vectors.length], "each field had each vector");
    console.log(`      ${vectors.length} vectors × ${cells.size} fields = ${vectors.length * cells.size} cells`);
  });

  it("cannot block the panel for long with any text", async () => {
    const panel = await hostilePanel();
    const slow: string[] = [];
    const long = all.filter(vector => vector.text.length > EVERYWHERE);
    for (const { id, text } of long) {
      // As much as the host sends to a panel.
      const words = text.slice(0, 400_000);
      const terminal = { type: "terminal", terminalId: "t", text: words.slice(0, 100_000), truncated: false } as const;
      const title = text.slice(0, 4096);
      const entries = [message("m", "agent", words), tool("t", title, { status: "failed", parts: [terminal] })];
      const cost = await panel.taskTime(async () => {
        await panel.show(view(entries));
        await panel.complete();
      });
      if (cost > LONGEST) slow.push(`${id}: ${cost.toFixed(2)} s`);
    }
    assert.deepEqual(slow, []);
    await panel.assertClean();
  });
});

/** How many places of the view contain the text. */
function fieldsReached(shown: View, text: string): ReadonlySet<string> {
  const wanted = core(text).slice(0, 10);
  const reached = new Set<string>();
  for (const [place, value] of viewTexts(shown)) {
    const said = core(value);
    // Each diff line contains one line of the text; secrets are masked.
    const isLine = place.endsWith("lines.text") && said !== "" && core(text).includes(said);
    if (!said.includes(wanted) && !isLine && value !== "•••") continue;
    assert.ok(isKnownPlace(place) || wanted.length < 4, `the test does not know ${place}`);
    reached.add(place);
  }
  return reached;
}

/** The intents of the page's links, except for opening web pages, mail and files. */
async function strayIntents(panel: PanelPage): Promise<readonly string[]> {
  const intents = await panel.intents();
  return intents
    .filter(intent => !(intent.type === "openLink" && /^(?:https?:\/\/|mailto:)/i.test(intent.href)))
    .filter(intent => intent.type !== "openFile")
    .map(intent => JSON.stringify(intent).slice(0, 200));
}

async function hostilePanel(): Promise<PanelPage> {
  const panel = await openPanel([snapshot(view([]))], { width: 280, height: 900 });
  await watch(panel.page);
  return panel;
}
