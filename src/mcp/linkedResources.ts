// Links of a prompt to resources of its MCP server. Only Parley is connected to the server, so Parley reads them and embeds
// them in the prompt.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { visibleText } from "../base/visibleText.ts";
import type { ContentBlock } from "../session/events.ts";
import type { McpMessage, McpResource, PromptServer } from "./promptServer.ts";

type Link = Extract<ContentBlock, { type: "link" }>;

/** The links of one prompt that Parley reads, at most. */
const maxLinks = 20;
/** Of one link, such as a folder. */
const maxParts = 50;
/** The texts and the base64 of one link together, and of all links of a prompt (characters). */
const maxLinkLength = 1_000_000;
const maxPromptLength = 4_000_000;
/** Of a URI in a sentence (characters). */
const maxShownUri = 200;
/** The sentences about links of one prompt, at most. */
const maxNotes = 10;

/** What a link becomes: the resources, or the reason why it stays a link. */
type Embedded = { readonly resources: readonly McpResource[] } | { readonly reason: string };

/**
 * The messages with the resources in place of the links to them, and what could not be read, as sentences. The agent opens
 * links to the web itself. Rejects only when the signal aborts.
 */
export async function embedLinkedResources(
  messages: readonly McpMessage[],
  server: Pick<PromptServer, "offersResources" | "readResource">,
  signal: AbortSignal,
): Promise<{ readonly messages: readonly McpMessage[]; readonly notes: readonly string[] }> {
  const links = messages.map(({ content }) => content).filter(isServerLink);
  const uris = [...new Set(links.map(({ uri }) => uri))];
  const read = await Promise.all(
    uris.map(async (uri, at) => [uri, at < maxLinks ? await embed(uri, server, signal) : tooMany()] as const),
  );
  signal.throwIfAborted();
  const byUri = new Map<string, Embedded>();
  let length = 0;
  for (const [uri, embedded] of read) {
    const added = "resources" in embedded ? lengthOf(embedded.resources) : 0;
    const fits = length + added <= maxPromptLength;
    if (fits) length += added;
    byUri.set(uri, fits ? embedded : tooLarge());
  }
  const notes = [...byUri].flatMap(([uri, embedded]) =>
    "reason" in embedded && !isFile(uri)
      ? [t("The agent gets only a link to {0}, which it may not be able to open. {1}", shownUri(uri), embedded.reason)]
      : [],
  );
  const more = notes.length - maxNotes;
  const shown = more > 0 ? [...notes.slice(0, maxNotes), t("The same applies to {0} more links.", more)] : notes;
  const embedded = messages.flatMap(message => {
    const { content } = message;
    const found = isServerLink(content) ? byUri.get(content.uri) : undefined;
    if (!isServerLink(content) || !found || "reason" in found) return [message];
    // The prompt contains it once. Further links to it stay links.
    byUri.delete(content.uri);
    return found.resources.map(resource => ({ ...message, content: withLink(resource, content) }));
  });
  return { messages: embedded, notes: shown };
}

/** The agent may be able to open a file by itself. */
const isFile = (uri: string): boolean => /^file:/i.test(uri.trim());

/** The agent can load a link to the web, which needs no server. */
const isServerLink = (content: ContentBlock): content is Link =>
  content.type === "link" && !/^https?:/i.test(content.uri.trim());

/** A resource without a type or annotations has those of the link. */
const withLink = (resource: McpResource, { mimeType, annotations }: Link): McpResource => ({
  ...(mimeType !== undefined && { mimeType }),
  ...(annotations && { annotations }),
  ...resource,
});

async function embed(
  uri: string,
  server: Pick<PromptServer, "offersResources" | "readResource">,
  signal: AbortSignal,
): Promise<Embedded> {
  if (!server.offersResources) return { reason: t("Its server offers no resources.") };
  try {
    const resources = await server.readResource(uri, signal);
    if (resources.length === 0) return { reason: t("Its server returned nothing for it.") };
    return resources.length > maxParts || lengthOf(resources) > maxLinkLength ? tooLarge() : { resources };
  } catch (error) {
    return { reason: visibleText(asError(error).message) };
  }
}

const tooLarge = (): Embedded => ({ reason: t("It is too large to be part of the prompt.") });
const tooMany = (): Embedded => ({ reason: t("A prompt can have at most {0} linked resources.", maxLinks) });

const lengthOf = (resources: readonly McpResource[]): number =>
  resources.reduce((sum, { uri, text = "", blob = "" }) => sum + uri.length + text.length + blob.length, 0);

const shownUri = (uri: string): string => visibleLine(uri.length > maxShownUri ? `${uri.slice(0, maxShownUri)}…` : uri);
