// The entry of `dist/mcpBridge.js`: a program that agents start as an MCP server over stdio. It forwards each line to the
// server of the editor's tools over HTTP, and the answers back. The address and the token are in its environment, because
// other users of the machine can read arguments. It ends with its input.
import { bridgeTarget } from "../bridgeTarget.ts";
import { MessageBridge } from "./messageBridge.ts";

const say = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

const target = bridgeTarget(process.env);
if (typeof target === "string") {
  say(target);
  process.exitCode = 1;
} else {
  const stop = (): void => {
    bridge.end();
    // Nothing is left that keeps the process, once the answers are written.
    process.stdin.destroy();
  };
  const bridge = new MessageBridge({
    ...target,
    write: line => void process.stdout.write(`${line}\n`),
    warn: say,
    onGone: sentence => {
      say(sentence);
      process.exitCode = 1;
      stop();
    },
  });
  process.stdin.on("data", (chunk: Buffer) => bridge.push(chunk));
  process.stdin.once("close", stop);
  process.stdin.once("end", stop);
  process.stdin.once("error", stop);
  // The client has gone.
  process.stdout.on("error", stop);
  process.stderr.on("error", stop);
}
