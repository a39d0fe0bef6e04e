// The demo agent as a program: speaks ACP over stdin and stdout until stdin ends, and cleans up after itself.
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { demoAgent } from "./demoAgent.ts";
import { input, Output } from "./stdio.ts";
import { endTrials } from "./trial.ts";

process.on("exit", endTrials);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
// Writing to a disconnected client fails.
process.stdout.on("error", () => process.exit(0));

const output = new Output();
const connection = demoAgent(output).connect(ndJsonStream(output.stream(), input()));
void connection.closed.then(() => process.exit(0));
