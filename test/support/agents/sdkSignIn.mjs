// An agent built on the official SDK that needs a sign-in: by itself (`login`), by its program in a terminal, or by a key.
// Plain Node; the SDK comes from the project's node_modules. SIGNED_IN names the file that a sign-in creates.
//   node sdkSignIn.mjs [--sign-in]
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const file = process.env.SIGNED_IN ?? "";
if (process.argv.includes("--sign-in")) {
  // Waits for an answer of the user, until the terminal is closed.
  if (process.env.FLOW === "wait") await new Promise(() => setInterval(() => {}, 1000));
  if (process.env.FLOW === "allow") writeFileSync(file, "");
  process.exit(process.env.FLOW === "allow" ? 0 : 1);
}
const isSignedIn = () => existsSync(file) || process.env.SDK_KEY === "key-1";

const app = agent({ name: "sdk-sign-in" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "sdk-sign-in", title: "SDK Agent", version: "1.0.0" },
    agentCapabilities: { auth: { logout: {} } },
    authMethods: [
      { id: "login", name: "Log in" },
      { id: "denied", name: "Log in elsewhere" },
      { type: "terminal", id: "terminal", name: "Log in at the terminal", args: ["--sign-in"], env: { FLOW: "allow" } },
      { type: "terminal", id: "broken", name: "Log in wrongly", args: ["--sign-in"], env: { FLOW: "deny" } },
      { type: "terminal", id: "waiting", name: "Log in slowly", args: ["--sign-in"], env: { FLOW: "wait" } },
      { id: "silent", name: "Log in without an answer" },
      { type: "env_var", id: "key", name: "Use a key", vars: [{ name: "SDK_KEY", label: "The key" }] },
    ],
  }))
  .onRequest(methods.agent.authenticate, ({ params }) => {
    if (params.methodId === "silent") return new Promise(() => {});
    if (params.methodId !== "login") throw RequestError.authRequired(undefined, "The account is closed");
    writeFileSync(file, "");
    return {};
  })
  .onRequest(methods.agent.session.new, () => {
    if (!isSignedIn()) throw RequestError.authRequired();
    return { sessionId: randomUUID() };
  })
  .onRequest(methods.agent.logout, () => {
    rmSync(file, { force: true });
    return {};
  })
  .onRequest(methods.agent.session.prompt, () => ({ stopReason: "end_turn" }));

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));
