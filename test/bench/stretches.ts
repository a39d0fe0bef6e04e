// Measures how long the extension host is busy without a break, and how much of that is Parley's own work: a profile of
// the processor, and a timer that ticks between two turns of the event loop.
import { readFileSync, writeFileSync } from "node:fs";
import { Session, type Profiler } from "node:inspector";
import type { Stretches } from "./reviewedFiles.ts";

/** How often the profiler looks at what runs (µs). */
const sampling = 250;

/** The time of the processor that this thread has had (ms). Where the system does not tell, that of the process. */
export function threadTime(): number {
  if (process.platform === "linux")
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A turn of the event loop: when it ended (µs, on the clock of the profile), and the time of the processor in it (ms). */
interface Turn {
  readonly at: number;
  readonly cpu: number;
}

/** Watches the extension host from its creation until {@link end}. */
export class StretchWatch {
  readonly #session = new Session();
  readonly #turns: Turn[] = [];
  readonly #timer: NodeJS.Timeout;
  #cpu: number;

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval: sampling });
    this.#session.post("Profiler.start");
    this.#cpu = threadTime();
    this.#timer = setInterval(() => this.#tick(), 1);
  }

  /** @param dump the file for the profile itself, if it is to be looked at */
  end(dump?: string): Stretches {
    this.#tick();
    clearInterval(this.#timer);
    let profile: Profiler.Profile | undefined;
    // The callback is called before this returns.
    this.#session.post("Profiler.stop", (error, result) => {
      if (error) throw error;
      ({ profile } = result);
    });
    this.#session.disconnect();
    if (!profile) throw new Error("There is no profile.");
    if (dump !== undefined) writeFileSync(dump, JSON.stringify({ ...profile, turns: this.#turns }));
    return longestStretches(profile, this.#turns);
  }

  #tick(): void {
    const used = threadTime();
    this.#turns.push({ at: Number(process.hrtime.bigint() / 1000n), cpu: used - this.#cpu });
    this.#cpu = used;
  }
}

/** The longest turn of the event loop, and the most work of Parley in one turn. */
function longestStretches(profile: Profiler.Profile, turns: readonly Turn[]): Stretches {
  const isParleys = parleysNodes(profile);
  const samples = profile.samples ?? [];
  const deltas = profile.timeDeltas ?? [];
  let [whole, own, at, i] = [0, 0, profile.startTime, 0];
  let wasParleys = false;
  for (const [n, turn] of turns.entries()) {
    const begin = turns[n - 1]?.at ?? profile.startTime;
    let parleys = 0;
    for (; i < samples.length && at < turn.at; i++) {
      const kind = isParleys.get(samples[i] ?? 0);
      // Garbage is collected for whom needs the memory.
      if (kind !== "garbage") wasParleys = kind === "parley";
      const delta = deltas[i + 1] ?? 0;
      at += deltas[i] ?? 0;
      if (wasParleys) parleys += delta;
    }
    // The profiler itself starts in the first turn.
    if (n > 0) whole = Math.max(whole, (turn.at - begin) / 1000);
    // Other programs can have the processor meanwhile.
    own = Math.max(own, Math.min(parleys / 1000, turn.cpu));
    wasParleys = false;
  }
  return { whole, own };
}

/** Which functions run for Parley: its own, and what they call. */
function parleysNodes({ nodes }: Profiler.Profile): ReadonlyMap<number, "parley" | "garbage"> {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const kinds = new Map<number, "parley" | "garbage">();
  const visit = (id: number, isCalled: boolean): void => {
    const node = byId.get(id);
    const isParleys = isCalled || /[/\\]parley\.parley-[^/\\]*[/\\]dist[/\\]/.test(node?.callFrame.url ?? "");
    if (isParleys) kinds.set(id, "parley");
    else if (node?.callFrame.functionName === "(garbage collector)") kinds.set(id, "garbage");
    for (const child of node?.children ?? []) visit(child, isParleys);
  };
  const [root] = nodes;
  if (root) visit(root.id, false);
  return kinds;
}
