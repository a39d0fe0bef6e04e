// `initialize`, and the choice between versions of the protocol (spec page "Initialization"). The request of version 2
// has the fields of both versions, because an agent of version 1 reads a request that has only those of version 2 as a
// client without capabilities.
import { ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock } from "../base/log.ts";
import { programOf, sharesFiles, type AgentPlace } from "./agentPlace.ts";
import { answerInTime, isConnectionClosed } from "./agentProblems.ts";
import { shorten, unsupportedVersion } from "./errorCodes.ts";
import { errorReason } from "./errorReason.ts";
import { asArray, asObject, asString, optionalField, type JsonObject } from "./parse.ts";
import { signInProblem } from "./signInProblem.ts";
import { asSentence } from "../base/sentences.ts";

/** The versions of the protocol that Parley speaks. Version 2 is a draft. */
export type ProtocolVersion = 1 | 2;

/** What the handshake needs to know. */
export interface HandshakeOptions {
  /** The name that users see, for messages. */
  readonly agentName: string;
  readonly clientVersion: string;
  /** The time limit for an answer (ms). */
  readonly timeout?: number;
  readonly limitClock?: Clock;
  /** The latest version to offer. */
  readonly protocol: ProtocolVersion;
  readonly place: AgentPlace;
}

/** The answer of an agent, and the version that both sides speak from now on. */
export interface Handshake {
  readonly version: ProtocolVersion;
  readonly result: JsonObject;
}

/**
 * Advertises only what works (spec page "Initialization": omitted means unsupported). `_meta.terminal_output` is the
 * de-facto extension for the output of commands that the agent runs itself. With `_meta["terminal-auth"]`, agents name
 * the command that signs in. An agent on a server has no such program here, and uses files and terminals of Parley only
 * if it works with the same files.
 */
const v1Capabilities = (place: AgentPlace): JsonObject => ({
  ...(sharesFiles(place) && { fs: { readTextFile: true, writeTextFile: true }, terminal: true }),
  ...(programOf(place) && { auth: { terminal: true } }),
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  plan: {},
  subagents: {},
  _meta: { terminal_output: true, ...(programOf(place) && { "terminal-auth": true }) },
});

const v2Capabilities = (place: AgentPlace): JsonObject => ({
  ...(programOf(place) && { auth: { terminal: {} } }),
  elicitation: { form: {}, url: {} },
  ...(programOf(place) && { _meta: { "terminal-auth": true } }),
});

const clientInfo = (version: string): JsonObject => ({ name: "parley", title: "Parley", version });

type Introducing = Pick<HandshakeOptions, "clientVersion" | "place">;

const v1Request = ({ clientVersion, place }: Introducing): JsonObject => ({
  protocolVersion: 1,
  clientInfo: clientInfo(clientVersion),
  clientCapabilities: v1Capabilities(place),
});

const unionRequest = (options: Introducing): JsonObject => ({
  ...v1Request(options),
  protocolVersion: 2,
  info: clientInfo(options.clientVersion),
  capabilities: v2Capabilities(options.place),
});

/** Sends `initialize` and agrees on a version. Rejects with a ProblemError. */
export async function negotiate(
  connection: MessageConnection,
  options: HandshakeOptions,
  signal: AbortSignal,
): Promise<Handshake> {
  const send = (request: JsonObject): Promise<JsonObject> => initialize(connection, request, options, signal);
  const v1 = async (): Promise<Handshake> => ({ version: 1, result: await send(v1Request(options)) });
  if (options.protocol === 1) return checked(await v1().catch(fail(options)), options);
  let first: JsonObject;
  try {
    first = await send(unionRequest(options));
  } catch (error) {
    // The agent lists the versions that it speaks.
    if (supportedVersions(error).includes(1)) return checked(await v1().catch(fail(options)), options);
    if (!isOtherRefusal(error)) return fail(options)(error);
    // An agent of version 1 can refuse what it does not know. If it refuses version 1, too, the first reason counts.
    const second = await v1().catch(() => undefined);
    return second?.result["protocolVersion"] === 1 ? second : fail(options)(error);
  }
  if (first["protocolVersion"] === 2) return { version: 2, result: first };
  const result = checked({ version: 1, result: first }, options).result;
  // An agent that speaks both versions may have converted the capabilities of version 2 down, so it gets those of
  // version 1. An agent that accepts no second `initialize` keeps to its first answer.
  const again = await v1().catch(() => undefined);
  return again?.result["protocolVersion"] === 1 ? again : { version: 1, result };
}

function initialize(
  connection: MessageConnection,
  request: JsonObject,
  options: HandshakeOptions,
  signal: AbortSignal,
): Promise<JsonObject> {
  const send = (): Promise<unknown> => connection.sendRequest<unknown>("initialize", request);
  return answerInTime(send, options, signal, t("its first message, `initialize`,")).then(asObject);
}

const fail =
  (options: HandshakeOptions) =>
  (error: unknown): never => {
    throw error instanceof ProblemError ? error : handshakeError(options, asError(error));
  };

/** Rejects an answer with another version than the one that was requested. */
function checked(handshake: Handshake, options: HandshakeOptions): Handshake {
  const version = handshake.result["protocolVersion"];
  if (version !== handshake.version) throw new ProblemError(versionProblem(options, version));
  return handshake;
}

/** The versions that an agent speaks, from its refusal of `initialize`. */
function supportedVersions(error: unknown): readonly number[] {
  if (!(error instanceof ResponseError) || error.code !== unsupportedVersion) return [];
  return asArray(asObject(error.data)["supported"]).filter(isVersion);
}

/** Whether the agent refused the request for another reason than its version. */
const isOtherRefusal = (error: unknown): boolean =>
  error instanceof ResponseError && error.code !== unsupportedVersion && !isConnectionClosed(error);

/** The agent's output ended before it answered. Usually its process ended too, and its exit explains more. */
export class StreamEndedError extends ProblemError {}

function handshakeError(options: HandshakeOptions, error: Error): ProblemError {
  const { agentName } = options;
  if (isConnectionClosed(error)) {
    return new StreamEndedError({
      message: t("{0} closed its output before it answered. Check that its command starts an ACP agent.", agentName),
      next: ["restartAgent", "showTraffic", "showLog", "openSettings"],
    });
  }
  if (error instanceof ResponseError && error.code === unsupportedVersion)
    return new ProblemError(otherVersions(options, supportedVersions(error)));
  const reason = errorReason(error);
  if (reason.isAuthentication) return new ProblemError(signInProblem({ agentName, signInMethods: [] }, reason));
  return new ProblemError({
    message: t(
      "{0} refused to start a conversation: {1} Check that its command starts an ACP agent.",
      agentName,
      asSentence(reason.sentence),
    ),
    ...optionalField("detail", reason.detail),
    next: ["restartAgent", "showTraffic", "openSettings"],
  });
}

const spoken = (protocol: ProtocolVersion): string => (protocol === 1 ? t("version 1") : t("versions 1 and 2"));

/** The problem for an agent that answered with another version, or with a value that is no version. */
function versionProblem(options: HandshakeOptions, version: unknown): Problem {
  if (isVersion(version)) return otherVersions(options, [version]);
  const given =
    asString(version) === undefined ? t("no version") : t('version "{0}" (a string)', shorten(String(version)));
  return {
    message: t(
      "{0} speaks {1} of the Agent Client Protocol; Parley speaks {2}. Check that its command starts an ACP agent, or select another one.",
      options.agentName,
      given,
      spoken(options.protocol),
    ),
    next: versionSteps,
  };
}

/** The problem for an agent that speaks only these versions, which are none if it does not list them. */
function otherVersions({ agentName, protocol }: HandshakeOptions, supported: readonly number[]): Problem {
  const versions = [...new Set(supported)].sort((a, b) => a - b).slice(0, maxListedVersions);
  if (protocol === 1 && versions.includes(2) && !versions.includes(1)) {
    return {
      message: t(
        "{0} needs version 2 of the Agent Client Protocol, which is a draft. Parley can speak it with this agent.",
        agentName,
      ),
      next: ["useDraftProtocol", ...versionSteps],
    };
  }
  return { message: `${spokenText(agentName, protocol, versions)} ${versionAdvice(versions)}`, next: versionSteps };
}

function spokenText(agentName: string, protocol: ProtocolVersion, versions: readonly number[]): string {
  const own = spoken(protocol);
  if (versions.length === 0) {
    return protocol === 1
      ? t("{0} does not speak version 1 of the Agent Client Protocol, the version that Parley speaks.", agentName)
      : t(
          "{0} does not speak versions 1 and 2 of the Agent Client Protocol, the versions that Parley speaks.",
          agentName,
        );
  }
  const listed = versions.join(", ");
  return versions.length === 1
    ? t("{0} speaks version {1} of the Agent Client Protocol; Parley speaks {2}.", agentName, listed, own)
    : t("{0} speaks versions {1} of the Agent Client Protocol; Parley speaks {2}.", agentName, listed, own);
}

const versionSteps = ["selectAgent", "openSettings", "showTraffic"] as const;
const maxListedVersions = 5;

function versionAdvice(versions: readonly number[]): string {
  if (versions.length === 0) return t("Try another version of the agent, or select another agent.");
  // The agent lists the version that it refused.
  if (versions.includes(1)) return t("This is an error in the agent. Select another one.");
  return versions.some(version => version > 1)
    ? t("The agent is newer than Parley. Update Parley, use an earlier version of the agent, or select another agent.")
    : t("Update the agent or select another one.");
}

const isVersion = (value: unknown): value is number => Number.isInteger(value);
