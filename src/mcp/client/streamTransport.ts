// The stdio transport over the streams of a process that Parley has started: one JSON message per line.
import { StringDecoder } from "node:string_decoder";
import {
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { t } from "../../base/l10n.ts";
import type { ServerStreams } from "../promptServer.ts";

/** A longer line ends the connection, because it would fill the memory. In characters. */
const maxLineLength = 32 * 1024 * 1024;

/** A transport over streams. `pid` and `stderr` are the properties by which the client recognises stdio. */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly pid: number;
  readonly #streams: ServerStreams;
  readonly #decoder = new StringDecoder("utf8");
  #parts: string[] = [];
  #length = 0;
  #isClosed = false;

  constructor(streams: ServerStreams) {
    this.#streams = streams;
    this.pid = streams.pid;
  }

  start(): Promise<void> {
    const { stdin, stdout } = this.#streams;
    stdout.on("data", this.#read);
    stdout.once("close", this.#ended);
    stdout.once("end", this.#ended);
    stdin.on("error", this.#failed);
    stdout.on("error", this.#failed);
    if (stdout.destroyed || stdout.readableEnded) this.#ended();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#streams;
    return new Promise((resolve, reject) => {
      if (this.#isClosed || !stdin.writable) return reject(new Error(t("The server has ended.")));
      stdin.write(serializeMessage(message), error => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const isFirst = !this.#isClosed;
    this.#isClosed = true;
    this.#streams.stdout.off("data", this.#read);
    await this.#streams.stop();
    if (isFirst) this.onclose?.();
  }

  #ended = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  };

  #failed = (error: Error): void => this.onerror?.(error);

  #read = (chunk: Buffer): void => {
    const lines = this.#decoder.write(chunk).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const whole = this.#parts.length === 0 ? line : [...this.#parts, line].join("");
      this.#parts = [];
      this.#length = 0;
      if (whole.trim() !== "") this.#receive(whole);
    }
    if (rest === "") return;
    this.#parts.push(rest);
    this.#length += rest.length;
    if (this.#length > maxLineLength) {
      this.onerror?.(new Error("The server sent a message that is too long."));
      this.close().catch(this.#failed);
    }
  };

  /** A line that is no message is skipped: some servers print other texts. */
  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      this.onerror?.(new Error("The server sent a line that is not a message."));
      return;
    }
    this.onmessage?.(message);
  }
}
