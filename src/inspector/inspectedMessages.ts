// The messages of one agent as the page of the inspector sees them: makes rows of what was recorded, filters them, and sends
// the rows that the page shows. All of it runs in slices, and secrets are masked before anything is sent.
import { failingMessage } from "./failingMessage.ts";
import { MessageIndex } from "./messageIndex.ts";
import { FilteredRows, type SearchedRowTexts } from "./rowFilter.ts";
import type { TrafficRecord, TrafficRecorder } from "../acp/trafficRecorder.ts";
import type { Disposable, Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import {
  maxRowsAtOnce,
  type InspectorFilter,
  type InspectorIntent,
  type InspectorMessage,
  type InspectorRow,
} from "../panel/inspectorPage.ts";
import { jsonTree } from "./jsonTree.ts";

/** The agents whose messages can be inspected. */
export interface InspectedAgents {
  /** The agents that have been started in this window. */
  readonly recordedAgents: readonly string[];
  /** The recording of the agent's latest connection. */
  tap(agent: string): TrafficRecorder | undefined;
  /** Fires with an agent's id when a message was recorded, and when its connection has ended. */
  readonly onDidRecord: Event<string>;
}

/** Hides secrets. The extension knows them, and a bundle of its own would have a copy that knows none. */
export interface InspectorMasking {
  record(record: TrafficRecord): TrafficRecord;
  text(text: string): string;
}

/** A failure in the chat. */
export interface InspectedFailure {
  /** The agent's ID of the session. */
  readonly session: string | undefined;
}

export interface InspectedMessagesOptions {
  readonly traffic: InspectedAgents;
  readonly masking: InspectorMasking;
  readonly nameOf: (agent: string) => string;
  /** Sends the message to the page. */
  readonly post: (message: InspectorMessage) => void;
  readonly clock: Clock;
}

/** What the user does with the list. The others need the editor. */
export type ListIntent = Exclude<InspectorIntent, { readonly type: "ready" | "copy" | "export" }>;

/** A slice of the work takes this long (ms), plus the time of one message. */
const sliceTime = 8;
/** The page is updated at most this often (ms). */
const updateInterval = 100;
/** Of a text to search for (characters). */
const maxTextLength = 1000;
/** Of names without secrets that are kept while rows are filtered. */
const maxShownNames = 1000;

/** What the tab shows: one connection of an agent. */
interface Shown {
  readonly agent: string;
  readonly recorder: TrafficRecorder | undefined;
  readonly index: MessageIndex | undefined;
}

export class InspectedMessages implements Disposable {
  readonly #options: InspectedMessagesOptions;
  readonly #link: Disposable;
  #isPageReady = false;
  #shown: Shown = { agent: "", recorder: undefined, index: undefined };
  #filter: InspectorFilter = {};
  #rows: FilteredRows | undefined;
  /** Counts the lists, so that a message about an earlier one is recognized. */
  #list = 0;
  /** Counts the connections that were shown. */
  #connection = 0;
  /** The rows that the page has. */
  #window = { from: 0, count: 0 };
  #sentEnd = 0;
  #isMoreInWindow = false;
  /** A row passes the filter now that did not when it was filtered. */
  #isFilterOutdated = false;
  #selected: number | undefined;
  /** The message to go to once all rows are there. */
  #target: number | InspectedFailure | undefined;
  #timer: Disposable | undefined;
  #slice: NodeJS.Immediate | undefined;
  #updatedAt = 0;
  /** The names of agents are read from the settings. */
  readonly #names = new Map<string, string>();

  constructor(options: InspectedMessagesOptions) {
    this.#options = options;
    this.#link = options.traffic.onDidRecord(agent => {
      if (agent === this.#shown.agent) this.#updateLater();
    });
  }

  /** The agent that is shown. Empty: none. */
  get agent(): string {
    return this.#shown.agent;
  }

  /** Shows the messages of the agent, and selects the one at which the failure began. */
  show(agent: string, failure?: InspectedFailure): void {
    if (agent !== this.#shown.agent || failure) this.#choose(agent, {}, failure);
  }

  /** The page receives messages from now on. */
  start(): void {
    this.#isPageReady = true;
    this.#work();
  }

  /** The page is closed. */
  stop(): void {
    this.#isPageReady = false;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#slice) clearImmediate(this.#slice);
    this.#slice = undefined;
    this.#selected = undefined;
    this.#target = undefined;
    this.#rows = undefined;
    this.#shown = { agent: "", recorder: undefined, index: undefined };
  }

  dispose(): void {
    this.stop();
    this.#link.dispose();
  }

  /** The message with this number in the list, without secrets, as text. Undefined if it is no longer recorded. */
  textOf(list: number, number: number): string | undefined {
    const record = list === this.#list ? this.#shown.index?.recordAt(number) : undefined;
    if (!record) return undefined;
    const { msg, text = "" } = this.#options.masking.record(record);
    return msg === undefined ? text : JSON.stringify(msg, undefined, 2);
  }

  /** Shows the latest connection of the agent. */
  #choose(agent: string, filter: InspectorFilter = {}, target?: InspectedFailure): void {
    this.#names.clear();
    const recorder = this.#options.traffic.tap(agent);
    if (agent !== this.#shown.agent || recorder !== this.#shown.recorder || !this.#shown.index) {
      this.#shown = { agent, recorder, index: recorder && new MessageIndex(recorder) };
      this.#connection++;
      this.#selected = undefined;
    }
    this.#setFilter(filter, target);
  }

  #setFilter(filter: InspectorFilter, target?: number | InspectedFailure): void {
    const { index } = this.#shown;
    const text = filter.text?.slice(0, maxTextLength);
    this.#filter = { ...filter, ...(text !== undefined && { text }) };
    this.#rows = index && new FilteredRows(index, this.#filter, this.#searched());
    this.#list++;
    this.#isFilterOutdated = false;
    this.#window = { from: 0, count: 0 };
    this.#sentEnd = 0;
    this.#target = target;
    this.#work();
  }

  /** Does what the user chose on the page. */
  run(intent: ListIntent): void {
    if ("list" in intent && intent.list !== this.#list) return;
    switch (intent.type) {
      case "chooseAgent":
        if (this.#options.traffic.recordedAgents.includes(intent.agent)) this.#choose(intent.agent);
        return;
      case "filter": {
        const { type: _, ...filter } = intent;
        return this.#setFilter(filter);
      }
      case "rows":
        this.#window = { from: intent.from, count: Math.min(intent.count, maxRowsAtOnce) };
        return this.#sendRows();
      case "select": {
        const row = this.#rows?.rowAt(intent.position);
        this.#target = undefined;
        return row && this.#sendMessage(row.number);
      }
      case "goTo":
        return this.#goTo(intent.number);
      default:
        return intent satisfies never;
    }
  }

  /** Goes to the message, in the list without a filter if the filter hides it. */
  #goTo(number: number): void {
    if (!this.#shown.index?.rowAt(number)) this.#options.post({ type: "gone", list: this.#list });
    else if (this.#rows?.positionOf(number) !== undefined) this.#sendMessage(number, true);
    else if (this.#rows?.isComplete) this.#setFilter({}, number);
    // The filter may not have reached it.
    else this.#target = number;
  }

  /** Updates the page soon, because a message was recorded. */
  #updateLater(): void {
    if (!this.#isPageReady) return;
    this.#timer ??= this.#options.clock.after(updateInterval, () => {
      this.#timer = undefined;
      if (this.#options.traffic.tap(this.#shown.agent) === this.#shown.recorder) this.#work();
      else this.#showNewConnection();
    });
  }

  /** The agent was started again. Its new connection has other sessions, so the filter keeps everything else. */
  #showNewConnection(): void {
    const { session: _, ...filter } = this.#filter;
    this.#choose(this.#shown.agent, filter);
  }

  /** Works until all rows are there. */
  #work(): void {
    if (this.#slice || !this.#isPageReady) return;
    const { index } = this.#shown;
    const { clock } = this.#options;
    const end = clock.now() + sliceTime;
    const isTimeOver = (): boolean => clock.now() >= end;
    const isIndexed = index?.advance(isTimeOver) ?? true;
    const isFiltered = this.#rows?.advance(isTimeOver) ?? true;
    if (index && this.#noteChanges(index)) this.#isFilterOutdated = true;
    const isDone = isIndexed && isFiltered;
    if (isDone && this.#isFilterOutdated) return this.#filterAgain();
    if (isDone || clock.now() - this.#updatedAt > updateInterval) this.#update(isDone);
    if (isDone) return this.#reachTarget();
    this.#slice = setImmediate(() => {
      this.#slice = undefined;
      this.#work();
    });
  }

  /** Filters all rows again, and goes back to the selected one. */
  #filterAgain(): void {
    const selected = this.#selected;
    const isShown = selected !== undefined && this.#rows?.positionOf(selected) !== undefined;
    this.#setFilter(this.#filter, this.#target ?? (isShown ? selected : undefined));
  }

  /** Sends what changed. Returns whether a row passes the filter now that did not before. */
  #noteChanges(index: MessageIndex): boolean {
    const changed = index.takeChanged();
    if (changed.size === 0) return false;
    const { from, count } = this.#window;
    const { removed = 0, end = 0 } = this.#rows ?? {};
    const first = this.#rows?.rowAt(Math.max(from, removed));
    const last = this.#rows?.rowAt(Math.min(from + count, end) - 1);
    for (const number of changed) {
      if (first && last && number >= first.number && number <= last.number) this.#isMoreInWindow = true;
      if (number === this.#selected) this.#sendMessage(number);
    }
    if (this.#filter.only !== "faults") return false;
    return [...changed].some(number => index.rowAt(number)?.faults && this.#rows?.positionOf(number) === undefined);
  }

  #update(isDone: boolean): void {
    this.#updatedAt = this.#options.clock.now();
    const { traffic, masking } = this.#options;
    const { agent, index, recorder } = this.#shown;
    const { removed = 0, end = 0 } = this.#rows ?? {};
    const known = new Set([...traffic.recordedAgents, agent]);
    this.#options.post({
      type: "list",
      list: {
        ...{ list: this.#list, connection: this.#connection, agent, filter: this.#filter, removed, end },
        agents: [...known].map(id => ({ id, name: this.#nameOf(id) })),
        total: index ? index.end - index.first : 0,
        dropped: recorder?.dropped ?? 0,
        ...(!isDone && { isReading: true as const }),
        ...(recorder?.isClosed && { isClosed: true as const }),
        methods: [...(index?.methods ?? [])].map(name => masking.text(name)).sort(),
        sessions: [...(index?.sessions ?? [])].map(name => masking.text(name)),
      },
    });
    const { from, count } = this.#window;
    if (this.#isMoreInWindow || (this.#sentEnd < from + count && end > this.#sentEnd)) this.#sendRows();
  }

  #nameOf(agent: string): string {
    const name = this.#names.get(agent) ?? this.#options.nameOf(agent);
    this.#names.set(agent, name);
    return name;
  }

  #sendRows(): void {
    const { from, count } = this.#window;
    const rows: InspectorRow[] = [];
    let first = from;
    for (let position = from; position < from + count; position++) {
      const row = this.#rows?.rowAt(position);
      // Rows can be missing at the beginning, because their records were dropped a moment ago.
      if (row && rows.length === 0) first = position;
      if (row) rows.push(this.#shownRow(row));
    }
    this.#isMoreInWindow = false;
    this.#sentEnd = Math.min(from + count, this.#rows?.end ?? 0);
    if (rows.length > 0) this.#options.post({ type: "rows", list: this.#list, from: first, rows });
  }

  #sendMessage(number: number, reveal = false): void {
    const { index } = this.#shown;
    const row = index?.rowAt(number);
    const record = index?.recordAt(number);
    if (!row || !record) return;
    this.#selected = number;
    const { msg, text = "" } = this.#options.masking.record(record);
    const position = this.#rows?.positionOf(number);
    this.#options.post({
      ...{ type: "message", list: this.#list, row: this.#shownRow(row), root: jsonTree(msg ?? text) },
      ...(position !== undefined && { position }),
      ...(reveal && { reveal: true as const }),
    });
  }

  /** Goes to the message that was to be shown once all rows are there. */
  #reachTarget(): void {
    const target = this.#target;
    const { index } = this.#shown;
    if (target === undefined || !index) return;
    this.#target = undefined;
    const number = typeof target === "number" ? target : failingMessage(index, target.session);
    if (number === undefined) this.#options.post({ type: "gone", list: this.#list });
    else this.#goTo(number);
  }

  /** The row without secrets, which an agent could write into any name. */
  #shownRow({ method, update, session, id, faults, ...row }: InspectorRow): InspectorRow {
    const { text } = this.#options.masking;
    return {
      ...row,
      method: text(method),
      ...(update !== undefined && { update: text(update) }),
      ...(session !== undefined && { session: text(session) }),
      ...(id !== undefined && { id: text(id) }),
      ...(faults && {
        faults: faults.map(({ kind, name }) => ({ kind, ...(name !== undefined && { name: text(name) }) })),
      }),
    };
  }

  /** What is searched: messages and names without secrets. */
  #searched(): SearchedRowTexts {
    const { masking } = this.#options;
    const names = new Map<string, string>();
    return {
      ofRecord: record => {
        const { msg, text = "" } = masking.record(record);
        return msg === undefined ? text : JSON.stringify(msg);
      },
      ofName: name => {
        const known = names.get(name);
        if (known !== undefined) return known;
        const shown = masking.text(name);
        // Most names are those of a few methods and sessions. An agent can send any number of others.
        if (names.size < maxShownNames) names.set(name, shown);
        return shown;
      },
    };
  }
}
