// The rows of an inspector that pass its filter. They are found in slices, because a text is searched in every message.
import type { TrafficRecord } from "../acp/trafficRecorder.ts";
import type { InspectorFilter, InspectorRow } from "../panel/inspectorPage.ts";
import type { MessageIndex } from "./messageIndex.ts";

/** What is shown of a row: a filter must not find what is hidden. */
export interface SearchedRowTexts {
  ofRecord(record: TrafficRecord): string;
  /** Of a method or a session. */
  ofName(name: string): string;
}

/** The numbers of the rows that pass a filter, in order. */
export class FilteredRows {
  readonly #index: MessageIndex;
  readonly #filter: InspectorFilter;
  readonly #text: string;
  readonly #searched: SearchedRowTexts;
  #numbers: number[] = [];
  /** The places of `#numbers` before this one are of dropped rows. */
  #start = 0;
  #removed = 0;
  #next: number;

  constructor(index: MessageIndex, filter: InspectorFilter, searched: SearchedRowTexts) {
    this.#index = index;
    this.#filter = filter;
    this.#text = (filter.text ?? "").toLowerCase();
    this.#searched = searched;
    this.#next = index.first;
  }

  /** How many rows were dropped from the beginning. A position counts them, so it stays the same when rows are dropped. */
  get removed(): number {
    return this.#removed;
  }
  /** The position after the last row. */
  get end(): number {
    return this.#removed + this.#numbers.length - this.#start;
  }
  /** Whether every row of the index was filtered. */
  get isComplete(): boolean {
    return this.#next >= this.#index.end;
  }

  /** The row at the position. */
  rowAt(position: number): InspectorRow | undefined {
    const number = this.#numbers[position - this.#removed + this.#start];
    return number === undefined || position < this.#removed ? undefined : this.#index.rowAt(number);
  }

  /** The position of the row with this number. Undefined if it does not pass the filter, or has not been reached. */
  positionOf(number: number): number | undefined {
    let [low, high] = [this.#start, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] ?? Infinity) < number) low = middle + 1;
      else high = middle;
    }
    return this.#numbers[low] === number ? low - this.#start + this.#removed : undefined;
  }

  /** Filters rows until `isTimeOver`. Returns whether all rows of the index were filtered. */
  advance(isTimeOver: () => boolean): boolean {
    const { first, end } = this.#index;
    while (this.#start < this.#numbers.length && (this.#numbers[this.#start] ?? first) < first) {
      this.#start++;
      this.#removed++;
    }
    if (this.#start > 10_000) {
      this.#numbers = this.#numbers.slice(this.#start);
      this.#start = 0;
    }
    this.#next = Math.max(this.#next, first);
    while (this.#next < end) {
      const number = this.#next++;
      const row = this.#index.rowAt(number);
      if (row && this.#passes(row)) this.#numbers.push(number);
      if (isTimeOver()) break;
    }
    return this.isComplete;
  }

  #passes(row: InspectorRow): boolean {
    const { method, session, only } = this.#filter;
    const { ofName, ofRecord } = this.#searched;
    if (method !== undefined && ofName(row.method) !== method) return false;
    if (session !== undefined && (row.session === undefined || ofName(row.session) !== session)) return false;
    if (only === "errors" && row.isError !== true) return false;
    if (only === "faults" && row.faults === undefined) return false;
    if (this.#text === "") return true;
    const record = this.#index.recordAt(row.number);
    return record !== undefined && `${ofName(row.method)}\n${ofRecord(record)}`.toLowerCase().includes(this.#text);
  }
}
