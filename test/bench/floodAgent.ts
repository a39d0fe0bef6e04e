// An agent that answers its first prompt with the lines of a file, as fast as the pipe accepts them: floodAgent.mjs
// <file> [--websocket]. Each line is a complete `session/update` of the session "flood". As a server for a WebSocket, it
// prints its port, sends a frame for each line, and ends with its first client.
import { createReadStream } from "node:fs";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { WebSocketServer, type WebSocket } from "ws";

const [file = "", transport] = process.argv.slice(2);

type Received = { readonly id?: unknown; readonly method?: string };

/** The answer to a request, other than to a prompt. */
function resultOf(method: string | undefined): object | undefined {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {} };
  return method === "session/new" ? { sessionId: "flood" } : undefined;
}

const response = (id: unknown, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result });

async function answerPipe(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line) as Received;
    const result = resultOf(method);
    if (result) process.stdout.write(`${response(id, result)}\n`);
    else if (method === "session/prompt") {
      // pipe() waits for room in the pipe.
      createReadStream(file)
        .on("end", () => process.stdout.write(`${response(id, { stopReason: "end_turn" })}\n`))
        .pipe(process.stdout, { end: false });
    }
  }
}

function serve(): void {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("listening", () => console.log((server.address() as AddressInfo).port));
  server.on("connection", socket => {
    socket.on("message", data => {
      const { id, method } = JSON.parse((data as Buffer).toString("utf8")) as Received;
      const result = resultOf(method);
      if (result) socket.send(response(id, result));
      else if (method === "session/prompt")
        void flood(socket).then(() => socket.send(response(id, { stopReason: "end_turn" })));
    });
    socket.on("close", () => server.close());
  });
}

/** Sends the lines, and waits while the socket has more than a pipe takes. */
async function flood(socket: WebSocket): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    socket.send(line);
    while (socket.bufferedAmount > 64 * 1024) await new Promise(resolve => setImmediate(resolve));
  }
}

if (transport === "--websocket") serve();
else await answerPipe();
