// Recorded traffic of real agents through the real wire, model and projection, compared with golden views.
// `UPDATE=1` rewrites the goldens; a missing golden fails.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acpDialect } from "../src/acp/dialect.ts";
import { parseLine } from "../src/acp/ndjson.ts";
import { significantLines, carriedTexts } from "./support/fakes/carried.ts";
import { golden, goldenText } from "./support/fakes/golden.ts";
import { stringsOf } from "./support/fakes/normalise.ts";
import { replay } from "./support/fakes/replay.ts";
import {
  transcriptFolder,
  messageOf,
  processesOf,
  readTranscript,
  transcriptNames,
  updateOf,
  type Recording,
} from "./support/fakes/transcript.ts";

const update = process.env["UPDATE"] === "1";
const goldenFile = (name: string): string => join(transcriptFolder, `${name}.view.json`);
/** These contain messages that Parley never sends, or another version of the protocol, so they only test the reader. */
const readerOnly = (name: string): boolean => /\/(garbage|versions)\b/.test(name);

/** The recordings whose agent sends no update. */
const withoutUpdates = new Set(["qwen/auth.rich"]);

async function viewsOf(
  name: string,
  without?: { readonly process: number; readonly line: number },
): Promise<unknown[]> {
  const out: unknown[] = [];
  for (const [at, lines] of processesOf(readTranscript(name)).entries()) {
    const run = await replay(name.split("/")[0] ?? name, lines, without?.process === at ? without.line : undefined);
    try {
      out.push(golden(run));
    } finally {
      run.dispose();
    }
  }
  return out;
}

describe("transcripts of real agents", () => {
  for (const name of transcriptNames().filter(one => !readerOnly(one))) {
    it(`${name} replays into its golden view`, async () => {
      const text = goldenText(await viewsOf(name));
      const file = goldenFile(name);
      if (update) writeFileSync(file, text);
      assert.ok(existsSync(file), `${file} is missing. UPDATE=1 writes it; read it before you keep it.`);
      if (text !== readFileSync(file, "utf8"))
        assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(file, "utf8")));
    });
  }
});

describe("goldens", () => {
  for (const name of transcriptNames().filter(one => !readerOnly(one))) {
    it(`of ${name} contain every text of every update`, () => {
      const views = JSON.parse(readFileSync(goldenFile(name), "utf8")) as readonly GoldenProcess[];
      const all = stringsOf(views).join("\n");
      const folders = views.flatMap(({ sessions }) => sessions.flatMap(({ head }) => head?.cwd ?? []));
      // The title of a card shows paths in the folder relative to it.
      const relative = (text: string): string => folders.reduce((rest, each) => rest.replaceAll(`${each}/`, ""), text);
      // Keys of content that is shown as JSON count too.
      const written = JSON.stringify(views);
      const missing = readTranscript(name)
        .flatMap(line => carriedTexts(updateOf(line)?.update ?? {}))
        .filter(
          ({ text, where }) =>
            !all.includes(where.endsWith("title") ? relative(text) : text) &&
            !written.includes(JSON.stringify(text).slice(1, -1)),
        );
      assert.deepEqual(missing.slice(0, 10), []);
    });

    it(`of ${name} contain every streamed word, once and in order`, () => {
      const views = JSON.parse(readFileSync(goldenFile(name), "utf8")) as readonly GoldenProcess[];
      for (const [at, lines] of processesOf(readTranscript(name)).entries()) {
        for (const { session, entries } of views[at]?.sessions ?? []) {
          for (const author of ["agent", "thought"]) {
            const shown = entries
              .filter(entry => entry.kind === author && !isOfSubAgent(entry))
              .flatMap(entry => entry.parts ?? []);
            assert.equal(shown.map(part => part.text ?? "").join(""), streamed(lines, session, author));
          }
        }
      }
    });
  }

  for (const name of transcriptNames().filter(one => !readerOnly(one))) {
    it(`of ${name} have no card whose only output is its own input`, () => {
      const views = JSON.parse(readFileSync(goldenFile(name), "utf8")) as readonly GoldenProcess[];
      const cards = views.flatMap(({ sessions = [] }) => sessions.flatMap(({ entries }) => entries));
      const echoes = cards.filter(({ kind, parts = [] }) => kind === "tool" && isOnlyInput(parts));
      assert.deepEqual(echoes, []);
    });
  }

  it("differ when any single update is left out", async () => {
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`      seed ${seed}; SEED=${seed} repeats this choice`);
    const random = randomFrom(seed);
    for (const name of transcriptNames().filter(one => !readerOnly(one))) {
      const processes = processesOf(readTranscript(name));
      const choices = processes.flatMap((lines, at) => significantLines(lines).map(line => ({ process: at, line })));
      assert.equal(choices.length === 0, withoutUpdates.has(name), `${name} has ${choices.length} updates`);
      if (choices.length === 0) continue;
      const choice = choices[Math.floor(random() * choices.length)];
      const text = await viewsOf(name, choice).then(goldenText, () => "the replay stopped: the client did otherwise");
      const line = choice && processes[choice.process]?.[choice.line];
      assert.notEqual(text, readFileSync(goldenFile(name), "utf8"), `${name} does not miss ${JSON.stringify(line)}`);
    }
  });
});

describe("lines that only test the reader", () => {
  for (const name of transcriptNames().filter(readerOnly)) {
    it(`of ${name} are all read, and none is lost`, () => {
      const lines = readTranscript(name);
      const fromAgent = lines.filter(line => line.dir === "a>c" && line.msg !== undefined);
      const read: unknown[] = [];
      const bad: string[] = [];
      for (const { msg } of fromAgent) {
        const result = parseLine(`${JSON.stringify(msg)}\r\n`, acpDialect);
        if (result && "raw" in result) read.push(result.raw);
        else if (result) bad.push(result.bad);
      }
      const answersNobody = fromAgent.filter(line => messageOf(line)?.id === null);
      assert.equal(read.length + bad.length, fromAgent.length);
      assert.equal(bad.length, answersNobody.length);
      assert.deepEqual(
        read,
        fromAgent.map(line => line.msg).filter(msg => (msg as { id?: unknown }).id !== null),
      );
    });
  }
});

interface GoldenProcess {
  readonly sessions: readonly {
    readonly session: string;
    readonly head?: { readonly cwd?: string };
    readonly entries: readonly {
      readonly kind: string;
      readonly parent?: string;
      readonly parts?: readonly GoldenPart[];
    }[];
  }[];
}

interface GoldenPart {
  readonly type: string;
  readonly label?: string;
  readonly text?: string;
}

/** Whether all that a card shows as its output is JSON that its input has too, whole or cut. */
function isOnlyInput(parts: readonly GoldenPart[]): boolean {
  const bare = ({ text = "" }: GoldenPart): string => text.replace(/\s+/g, "");
  const input = parts.filter(({ label }) => label === "Input").map(bare)[0];
  const outputs = parts.filter(({ label }) => label !== "Input");
  return (
    input !== undefined &&
    outputs.length > 0 &&
    outputs.every(part => /^[{[]/.test(bare(part)) && input.startsWith(bare(part)))
  );
}

/** A sub-agent with a session of its own streams on that session. */
const isOfSubAgent = ({ parent }: { readonly parent?: string }): boolean => parent?.startsWith("t:subagent:") === true;

/** The agent's text, or its thoughts, in the session, from the recording alone. */
function streamed(lines: Recording, session: string, author: string): string {
  return lines
    .map(updateOf)
    .filter(given => given?.sessionId === session && given.update["sessionUpdate"] === chunkOf[author])
    .map(given => (given?.update["content"] as { readonly text?: string } | undefined)?.text ?? "")
    .join("");
}

const chunkOf: Readonly<Record<string, string>> = { agent: "agent_message_chunk", thought: "agent_thought_chunk" };

/** Mulberry32: a small generator, so that a failure can be reproduced by its seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
