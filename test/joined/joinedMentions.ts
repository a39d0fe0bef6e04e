// Mentions of a joined window: files of its folder, without VS Code and its index.
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { pathPreview } from "../../src/mentions/pathPreview.ts";
import { promptContent, type PathContent } from "../../src/mentions/promptContent.ts";
import { intentHandlers } from "../../src/panel/intentHandlers.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import type { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

export class JoinedMentions {
  readonly #folder: string;
  readonly #documents: NodeDocuments;

  constructor(folder: string, documents: NodeDocuments) {
    this.#folder = folder;
    this.#documents = documents;
  }

  /** Answers the composer with files whose path contains what was typed. Their keys are their paths in the folder. */
  readonly intents = intentHandlers({
    complete: ({ request, query }, replyTarget) => {
      const files = readdirSync(this.#folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(this.#folder.length + 1))
        .filter(path => path.includes(query));
      const items = files.map(path => ({
        ...{ key: path, kind: "file" as const, label: basename(path) },
        ...(dirname(path) !== "." && { detail: dirname(path) }),
      }));
      replyTarget.reply({ type: "completions", request, items });
    },
    attachItem: ({ key }, replyTarget) => {
      const source = { type: "path", path: join(this.#folder, key) } as const;
      const attachment: Attachment = { id: randomUUID(), kind: "file", label: basename(key), source };
      replyTarget.reply({ type: "attached", attachments: [attachment], key });
    },
    preview: async ({ request, target }, replyTarget) => {
      const path = target.type === "path" ? target.path : join(this.#folder, target.key);
      const access = basename(path) === ".env" ? "secret" : "allowed";
      replyTarget.reply({ type: "preview", request, preview: await pathPreview({ path }, access, this.#documents) });
    },
  });

  /** The content of a prompt, as the window sends it. */
  async content(text: string, attachments: readonly Attachment[]): Promise<readonly ContentBlock[]> {
    const read = async ({ path }: { readonly path: string }): Promise<PathContent> => ({
      kind: "text",
      uri: pathToFileURL(path).href,
      text: await this.#documents.read(path),
    });
    const prompt = await promptContent(text, attachments, { accepts: null, agentName: "The agent", read });
    if ("unsent" in prompt) throw new Error(prompt.unsent);
    return prompt.content;
  }
}
