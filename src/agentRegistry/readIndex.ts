// Reads the index of a registry of agents, entry by entry. The schema is `agent.schema.json` beside the public index:
// https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json
import { visibleName } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import { isRecord } from "../base/validators.ts";
import { entryNameFault } from "./archiveEntry.ts";
import { readDistributions } from "./distribution.ts";
import { isAgentId, type RegistryAgent, type RegistryIndex, type UnusableAgent } from "./registryAgent.ts";
import { checkedAddress } from "./secureAddress.ts";

/** More entries are not read. */
const maxEntries = 2000;

/** The ID of Parley's own agent, which no other one may replace. */
const reservedId = "demo";

/** Where the index is from, and for which platform its archives are chosen. */
export interface IndexSource {
  readonly address: string;
  /** As `registryTarget` returns it. */
  readonly target: string | undefined;
}

/** Reads the text of an index. Throws a sentence if it is no index at all. */
export function readIndex(text: string, source: IndexSource): RegistryIndex {
  const entries = entriesOf(text);
  const agents: RegistryAgent[] = [];
  const unusable: UnusableAgent[] = [];
  const seen = new Set<string>();
  for (const [at, entry] of entries.slice(0, maxEntries).entries()) {
    const result = readAgent(entry, source);
    if ("reason" in result) unusable.push({ ...result, label: result.label || t("Entry {0}", at + 1) });
    else if (seen.has(result.id)) unusable.push({ label: result.name, reason: t("Its ID is listed twice.") });
    else {
      seen.add(result.id);
      agents.push(result);
    }
  }
  if (entries.length > maxEntries) {
    const reason = t("Parley reads at most {0} entries.", maxEntries);
    unusable.push({ label: t("{0} more entries", entries.length - maxEntries), reason });
  }
  return { agents, unusable };
}

function entriesOf(text: string): readonly unknown[] {
  let index: unknown;
  try {
    index = JSON.parse(text);
  } catch {
    throw new Error(t("The registry did not answer with an index of agents.")); // A page of a proxy, for example.
  }
  if (!isRecord(index) || !Array.isArray(index["agents"]))
    throw new Error(t("The registry did not answer with an index of agents."));
  return index["agents"] as readonly unknown[];
}

function readAgent(entry: unknown, { address, target }: IndexSource): RegistryAgent | UnusableAgent {
  if (!isRecord(entry)) return { label: "", reason: t("The entry is not an object.") };
  const { id, version } = entry;
  const name = cleanText(entry["name"], 60);
  const label = name || cleanText(id, 60);
  if (!isAgentId(id)) return { label, reason: t("Its ID is not valid.") };
  if (id === reservedId) return { label, reason: t("Its ID is that of the demo agent.") };
  // The version is in the name of a folder.
  if (
    typeof version !== "string" ||
    !/^\w[\w.+-]{0,49}$/.test(version) ||
    version.includes("..") ||
    entryNameFault(version) !== undefined
  )
    return { id, label, reason: t("Its version is not valid.") };
  const { distributions, faults } = readDistributions(entry["distribution"], target, address);
  if (distributions.length === 0) return { id, label, reason: faults.join(" ") };
  const license = cleanText(entry["license"], 40);
  const website = linkOf(entry["website"], address) ?? linkOf(entry["repository"], address);
  const icon = linkOf(entry["icon"], address);
  const authors = Array.isArray(entry["authors"]) ? entry["authors"] : [];
  return {
    id,
    name: label,
    version,
    description: cleanText(entry["description"], 300),
    authors: authors
      .slice(0, 5)
      .map(author => cleanText(author, 60))
      .filter(author => author !== ""),
    ...(license !== "" && { license }),
    ...(website !== undefined && { website }),
    ...(icon !== undefined && { icon }),
    distributions,
  };
}

const cleanText = (value: unknown, max: number): string => (typeof value === "string" ? visibleName(value, max) : "");

/** The address of an optional field. A malformed one is left out. */
function linkOf(value: unknown, from: string): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > 2000) return undefined;
  try {
    return checkedAddress(value, from).href;
  } catch {
    return undefined; // Only a link is missing.
  }
}
