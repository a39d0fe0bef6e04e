// Starts MCP servers for Parley's own connections: finds the program, starts it as agents are started, and connects to it
// with the client in `dist/mcp.js`.
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { launch, type AgentProcess } from "../agents/launch.ts";
import { agentEnvironment, agentSpawn } from "../agents/locateAgent.ts";
import { prepareStartFolder } from "../agents/startFolder.ts";
import { asError, ProblemError } from "../base/errors.ts";
import { withTimeout } from "../base/async.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { t } from "../base/l10n.ts";
import type { Log } from "../base/log.ts";
import type { ExtensionStates } from "../base/memento.ts";
import { maskKnownIn } from "../base/secrets/knownSecrets.ts";
import { credentialsIn, maskText, maskValue } from "../base/mask.ts";
import { hostPlatform } from "../base/platform.ts";
import { findProgram } from "../base/program.ts";
import { credentialArguments, rememberSecrets } from "../base/secrets/secret.ts";
import type { FormAnswer } from "../session/forms/form.ts";
import { readEnvFile } from "./envFile.ts";
import type { ServerContent } from "./serverContent.ts";
import { missingProgramReason } from "./missingProgram.ts";
import type { ServerConnectOptions, McpClient, PromptServer, ServerFormRequest } from "./promptServer.ts";
import type { McpServer, ServerLaunch } from "./servers.ts";
import { resolveVariables } from "./serverVariables.ts";
import { takesSignIn, type HttpLaunch, type ServerSignIns } from "./signIn/serverSignIns.ts";
import { serverKey } from "./storedConsent.ts";
import type { ServerConsents } from "./serverConsents.ts";
import type { ServerInputs } from "./serverInputs.ts";
import { ServerVerdicts } from "./serverVerdicts.ts";

/** Until a server has listed its prompts, and for each further request (ms). */
const maxAnswerTime = 10_000;
/** Of what a program wrote to stderr before it failed, as part of the reason. */
const maxOutputLines = 3;
const maxOutputLength = 500;

/** The client passes the message of such an error on as it is. */
const startProblem = (message: string): ProblemError => new ProblemError({ message, next: [] });

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    info => info.isDirectory(),
    () => false, // There is nothing, or nothing that could be used.
  );

interface LauncherOptions {
  readonly states: Pick<ExtensionStates, "globalState">;
  /** The version of Parley. */
  readonly version: string;
  readonly client: Pick<McpClient, "connectToServer">;
  readonly signIns: Pick<ServerSignIns, "credentials">;
  /** Servers of the user start here if they name no folder. */
  readonly startFolder: string;
  readonly userHome: string;
  readonly environment: WindowEnvironment;
  readonly inputs: ServerInputs;
  readonly consents: Pick<ServerConsents, "check" | "changes">;
  readonly log: Log;
  readonly workspaceFolder: () => string;
  /** All workspace folders. */
  readonly roots: () => readonly string[];
  readonly askForm: (server: McpServer, request: ServerFormRequest, signal: AbortSignal) => Promise<FormAnswer>;
}

/** Starts servers, and keeps how each of them was found to speak. */
export class ServerLauncher {
  readonly #options: LauncherOptions;
  readonly #verdicts: ServerVerdicts;
  /** The values of files of variables, by the key of the server. */
  readonly #fileValues = new Map<string, ReadonlySet<string>>();

  /** How each server was to be started last, by its key. */
  readonly #resolved = new Map<string, ServerLaunch>();

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#verdicts = new ServerVerdicts(options.states);
  }

  /**
   * How to start the server. Asks for its values, if `asks`. Rejects with a sentence if one is missing, or if the user has
   * not allowed what a server of the workspace runs and reads now.
   */
  async resolve(
    server: McpServer,
    asks: boolean,
    workspaceFolder = this.#options.workspaceFolder(),
  ): Promise<ServerLaunch> {
    const inputs = await this.#options.inputs.values(server, asks);
    if (!inputs) throw new Error(t("{0} needs a value that was not entered.", server.name));
    // Read after the values are known, because they can be part of paths.
    const content = server.source === "workspace" ? await this.#allowedContent(server) : undefined;
    const folder = server.folder ?? workspaceFolder;
    const launch = resolveVariables(server, {
      ...{ workspaceFolder: folder, userHome: this.#options.userHome },
      env: await this.#options.environment.shared(),
      inputs,
    });
    rememberSecrets(launchCredentials(launch));
    this.#resolved.set(serverKey(server), launch);
    if (launch.type !== "stdio" || launch.envFile === undefined) return launch;
    const { envFile, ...rest } = launch;
    const variables =
      content?.variables ??
      (
        await readEnvFile(envFile, {
          ...{ server: server.name, folder, mustBeInside: false },
          roots: this.#options.roots(),
        })
      ).variables;
    this.#fileValues.set(serverKey(server), new Set(Object.values(variables)));
    return { ...rest, env: { ...variables, ...launch.env } };
  }

  /**
   * The server over HTTP to which the user can sign in, as it was resolved last. Undefined: it takes no sign-in, or its
   * variables are not known yet.
   */
  signInLaunch(server: McpServer): HttpLaunch | undefined {
    const launch = this.#resolved.get(serverKey(server));
    if (launch) return takesSignIn(launch) ? launch : undefined;
    const isPlain = server.type !== "stdio" && !JSON.stringify(server).includes("${");
    return isPlain && takesSignIn(server) ? server : undefined;
  }

  /** What the server runs and reads now. Rejects with a sentence if the user has not allowed it. */
  async #allowedContent(server: McpServer): Promise<ServerContent> {
    const { consents } = this.#options;
    const content = await consents.check(server);
    if (content?.problem !== undefined) throw new Error(content.problem);
    if (content) return content;
    const changed = (consents.changes(server) ?? []).map(path => basename(path)).join(", ");
    throw new Error(
      changed === ""
        ? t("The MCP server {0} is not allowed yet.", server.name)
        : t("Files of the MCP server {0} changed since you allowed it: {1}. Allow it again.", server.name, changed),
    );
  }

  /** Hides credentials, and all values of the server's file of variables. */
  #mask(server: McpServer, text: string): string {
    const values = this.#fileValues.get(serverKey(server)) ?? [];
    return maskText([...values].reduce((masked, value) => maskValue(masked, value), text));
  }

  /** Connects to the server. Rejects with a sentence. */
  async connect(
    server: McpServer,
    events: Pick<ServerConnectOptions, "onPromptsChanged" | "onClosed">,
    signal: AbortSignal,
  ): Promise<PromptServer> {
    const { version, client, signIns, log, askForm } = this.#options;
    const start = await this.resolve(server, true);
    const verdict = this.#verdicts.of(server);
    const attempt = new AbortController();
    const started: AgentProcess[] = [];
    const connecting = client.connectToServer(
      start.type === "stdio"
        ? {
            type: "stdio",
            start: async () => {
              const process = await this.#start(server, start);
              started.push(process);
              return process;
            },
          }
        : { ...start, ...(takesSignIn(start) && { credentials: signIns.credentials(start.url) }) },
      {
        clientVersion: version,
        timeout: maxAnswerTime,
        ...(verdict && { verdict }),
        signal: AbortSignal.any([signal, attempt.signal]),
        ...events,
        onWarning: message => log.warn(`[${server.name}] ${this.#mask(server, message)}`),
        askForm: (request, formSignal) => askForm(server, request, AbortSignal.any([formSignal, signal])),
      },
    );
    const connected = await withTimeout(connecting, maxAnswerTime, () => {
      attempt.abort();
      // A connection that succeeds all the same must not stay.
      connecting.then(late => late.close()).catch((error: unknown) => log.debug(asError(error).message));
      throw new Error(t("The server did not answer within {0} seconds.", maxAnswerTime / 1000));
    }).catch((error: unknown) => {
      throw withLastOutput(asError(error), this.#mask(server, started.at(-1)?.stderrTail() ?? ""));
    });
    await this.#verdicts.keep(server, maskKnownIn(connected.verdict));
    return connected;
  }

  async #start(server: McpServer, start: Extract<ServerLaunch, { type: "stdio" }>): Promise<AgentProcess> {
    const { startFolder, log, environment } = this.#options;
    const { name } = server;
    const workspaceFolder = server.folder ?? this.#options.workspaceFolder();
    const env = await environment.of(shared => agentEnvironment(shared, start.env));
    const found = findProgram(start.command, {
      env,
      platform: hostPlatform,
      cwd: workspaceFolder,
    });
    if (!("path" in found)) throw startProblem(missingProgramReason(start.command, found, workspaceFolder));
    // npx and others read settings from the folder in which they start, so a server of the user starts in a folder of
    // Parley. A server of the workspace may be a file of it, and the user has allowed it.
    const folder =
      (start.cwd !== undefined && workspaceFolder !== "" ? resolve(workspaceFolder, start.cwd) : start.cwd) ??
      (server.source === "workspace" ? workspaceFolder : await prepareStartFolder(startFolder));
    const definition = {
      id: name,
      name,
      command: found.path,
      args: start.args,
      env: start.env,
      missingFiles: "error",
      startTimeout: maxAnswerTime / 1000,
    } as const;
    if (!(await isFolder(folder)))
      throw startProblem(t("The cwd {0} of the MCP server {1} is not a folder.", folder, name));
    try {
      const onStderr = (line: string): void => log.info(`[${name}] ${this.#mask(server, line)}`);
      return await launch(definition, folder, onStderr, { ...agentSpawn(definition, env), env });
    } catch (error) {
      // Its sentence refers to the settings of agents.
      const detail = error instanceof ProblemError ? error.problem.detail : asError(error).message;
      throw startProblem(t("{0} could not be started. {1}", found.path, detail ?? "").trim());
    }
  }
}

/** The credentials in the variables, arguments, headers and address of a server. */
function launchCredentials(launch: ServerLaunch): readonly string[] {
  const values = Object.entries(launch.type === "stdio" ? launch.env : launch.headers);
  const secret = launch.type === "stdio" ? undefined : launch.oauth?.clientSecret;
  const others = launch.type === "stdio" ? credentialArguments(launch.args) : credentialsIn("", launch.url);
  return [
    ...values.flatMap(([name, value]) => credentialsIn(name, value)),
    ...others,
    ...(secret === undefined ? [] : [secret]),
  ];
}

/** The error with the end of what the program wrote to stderr, which often says more. */
function withLastOutput(error: Error, output: string): Error {
  const lines = output.split("\n").map(line => line.trim());
  const last = lines.filter(Boolean).slice(-maxOutputLines).join("\n").slice(-maxOutputLength);
  return last === "" ? error : new Error(t("{0} Its last output: {1}", error.message, last), { cause: error });
}
