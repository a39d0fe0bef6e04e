// Reads the answers of an MCP server over HTTP that come as a stream of events (`text/event-stream`). Pure.

/** Collects the data of events from parts of a stream. Comments, which keep a connection open, have no data. */
export class EventStream {
  #rest = "";
  #data: string[] = [];

  /** The data of the events that this part of the text completes. */
  push(text: string): readonly string[] {
    const lines = (this.#rest + text).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    const events: string[] = [];
    for (const line of lines) {
      if (line.startsWith("data:")) this.#data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      if (line !== "" || this.#data.length === 0) continue;
      const data = this.#data.join("\n");
      this.#data = [];
      if (data !== "") events.push(data);
    }
    return events;
  }
}
