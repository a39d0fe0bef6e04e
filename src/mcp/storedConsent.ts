// A consent as it is stored, and what it covers: the definition of a server, and the content of its files.
import { createHash, createHmac, randomUUID } from "node:crypto";
import type { ServerContent } from "./serverContent.ts";
import { serverFingerprint, type McpServer } from "./servers.ts";

/** A short key of the definition. */
export const serverKey = (server: McpServer): string => keyOfFingerprint(serverFingerprint(server));

export const keyOfFingerprint = (fingerprint: string): string => createHash("sha256").update(fingerprint).digest("hex");

/** Digests are keyed, because a file of variables can have few possible contents. */
export interface StoredConsent {
  readonly definition: string;
  readonly name: string;
  readonly folder?: string;
  readonly salt: string;
  /** None for a server of the user, whose definition is enough. */
  readonly files: readonly (readonly [path: string, digest: string])[];
}

/** The consent to a server with this content. */
export function consentTo(server: McpServer, { digests }: ServerContent): StoredConsent {
  const { name, folder, source } = server;
  const salt = randomUUID();
  return {
    ...{ definition: serverKey(server), name, salt },
    ...(folder !== undefined && { folder }),
    files: source === "workspace" ? [...digests].map(([path, digest]) => [path, keyedDigest(salt, digest)]) : [],
  };
}

/** Whether the consent covers the server with this content. */
export function covers(consent: StoredConsent, server: McpServer, content: ServerContent): boolean {
  if (consent.definition !== serverKey(server)) return false;
  return server.source !== "workspace" || changedFiles(consent, content).length === 0;
}

/** The files whose content differs from what the user allowed, also those that are new or missing. */
export function changedFiles({ salt, files }: StoredConsent, { digests }: ServerContent): readonly string[] {
  const allowed = new Map(files);
  const all = new Set([...allowed.keys(), ...digests.keys()]);
  return [...all].filter(path => {
    const digest = digests.get(path);
    return digest === undefined || allowed.get(path) !== keyedDigest(salt, digest);
  });
}

const keyedDigest = (salt: string, digest: string): string => createHmac("sha256", salt).update(digest).digest("hex");
