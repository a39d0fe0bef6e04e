// The live output of a terminal as session events, which are few and small even if the output is fast.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { ExitStatus, SessionEvent } from "../session/events.ts";
import { OutputRing } from "./outputRing.ts";

/** At most 30 events a second. */
const reportInterval = 34;
/** The bytes in one event. If more arrived since the last event, the newest bytes replace the shown output. */
const maxReportBytes = 64 * 1024;

/** Collects output and reports it at a limited rate. */
export class OutputReporter implements Disposable {
  readonly #id: string;
  readonly #report: (event: SessionEvent) => void;
  readonly #clock: Clock;
  readonly #pending = new OutputRing(maxReportBytes);
  #timer: Disposable | undefined;
  #disposed = false;

  constructor(id: string, report: (event: SessionEvent) => void, clock: Clock) {
    this.#id = id;
    this.#report = report;
    this.#clock = clock;
  }

  /** Adds output in whole characters. */
  push(bytes: Uint8Array): void {
    if (this.#disposed) return;
    this.#pending.push(bytes);
    this.#timer ??= this.#clock.after(reportInterval, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  /** Reports the remaining output, and the end. */
  end(exit: ExitStatus, truncated: boolean): void {
    if (this.#disposed) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#flush();
    this.#report({ type: "terminal", terminalId: this.#id, exit, ...(truncated && { truncated }) });
  }

  /** Stops reporting. */
  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #flush(): void {
    if (this.#pending.isEmpty) return;
    const text = this.#pending.text();
    const terminalId = this.#id;
    if (this.#pending.truncated) this.#report({ type: "terminal", terminalId, output: text, truncated: true });
    else this.#report({ type: "terminalOutput", terminalId, text });
    this.#pending.clear();
  }
}
