// The user's consent to servers: before Parley starts one for the first time, and before an agent gets one of the
// workspace. It holds for the definition as it was shown. For a server of the workspace, it also holds for the content of
// the files that the definition names, so that a changed script or file of variables is asked about again.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { ExtensionStates, Memento } from "../base/memento.ts";
import { newestEntries } from "../base/newestEntries.ts";
import type { ServerContent } from "./serverContent.ts";
import type { McpServer } from "./servers.ts";
import { changedFiles, consentTo, covers, serverKey, type StoredConsent } from "./storedConsent.ts";
import { consentQuestion, type ConsentQuestion } from "./consentQuestion.ts";

/** Earlier versions kept consents to definitions under `parley.mcp.allowed`. They don't cover files, so they don't count. */
const consentsKey = "parley.mcp.consents";
const earlierKey = "parley.mcp.allowed";
const limits = { count: 500, entryBytes: 256_000, totalBytes: 1_000_000 };

interface ConsentOptions {
  readonly states: ExtensionStates;
  /** Reads what the server runs and reads in the workspace folders. Never rejects. */
  readonly contentOf: (server: McpServer) => Promise<ServerContent>;
  /** Asks the user. Resolves with whether the user allows the server. */
  readonly ask: (question: ConsentQuestion, server: McpServer) => Promise<boolean>;
}

/** Remembers consents, those to servers of a workspace for this workspace only. */
export class ServerConsents implements Disposable {
  readonly #options: ConsentOptions;
  /** The content that was read last, by the key of the server, and whether the consent holds for it. */
  readonly #read = new Map<string, { readonly content: ServerContent; readonly isAllowed: boolean }>();
  readonly #changed = new Emitter<void>();
  /** Fires when a check has another result than the one before. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  #state({ source }: McpServer): Memento {
    const { workspaceState, globalState } = this.#options.states;
    return source === "workspace" ? workspaceState : globalState;
  }

  #stored(server: McpServer): readonly StoredConsent[] {
    return this.#state(server).get<readonly StoredConsent[]>(consentsKey, []);
  }

  #consent(server: McpServer): StoredConsent | undefined {
    const key = serverKey(server);
    return this.#stored(server).find(({ definition }) => definition === key);
  }

  /** Whether the user has allowed the server, by the last check. A server of the workspace is checked before it starts. */
  has(server: McpServer): boolean {
    if (server.source !== "workspace") return this.#consent(server) !== undefined;
    return this.#read.get(serverKey(server))?.isAllowed === true;
  }

  /** Reads the files of the server now. Resolves with them if the user has allowed exactly them. */
  async check(server: McpServer): Promise<ServerContent | undefined> {
    const content = await this.#options.contentOf(server);
    const consent = this.#consent(server);
    const isAllowed = consent !== undefined && covers(consent, server, content);
    this.#keep(server, content, isAllowed);
    return isAllowed ? content : undefined;
  }

  #keep(server: McpServer, content: ServerContent, isAllowed: boolean): void {
    const key = serverKey(server);
    const before = this.#read.get(key);
    this.#read.set(key, { content, isAllowed });
    if (before?.isAllowed !== isAllowed || before.content.files.join("\n") !== content.files.join("\n"))
      this.#changed.fire();
  }

  /** The files that the user allowed with other content, by the last check. Undefined: the definition was not allowed. */
  changes(server: McpServer): readonly string[] | undefined {
    const consent = this.#consent(server);
    const read = this.#read.get(serverKey(server));
    return consent && (read ? changedFiles(consent, read.content) : []);
  }

  /** Identifies the content that was read last. */
  contentKey(server: McpServer): string {
    const { content } = this.#read.get(serverKey(server)) ?? {};
    return content ? JSON.stringify([...content.digests]) : "";
  }

  /** The files that servers run or read, by the last checks. Of the workspace, only servers count that the user allowed. */
  files(servers: readonly McpServer[]): readonly string[] {
    const own = servers.filter(server => server.source !== "workspace" || this.#consent(server) !== undefined);
    return [...new Set(own.flatMap(server => this.#read.get(serverKey(server))?.content.files ?? []))];
  }

  /** Asks, unless the user has allowed exactly this. Resolves with whether the server may start. */
  async ask(server: McpServer): Promise<boolean> {
    if (await this.check(server)) return true;
    const { content } = this.#read.get(serverKey(server)) ?? { content: await this.#options.contentOf(server) };
    const { name, folder } = server;
    const isKnown = this.#stored(server).some(one => one.name === name && one.folder === folder);
    const question = consentQuestion(server, content, this.changes(server), isKnown);
    if (!(await this.#options.ask(question, server))) return false;
    await this.#store(server, content);
    // The files may have changed while the question was open. Only what was shown is allowed.
    return (await this.check(server)) !== undefined;
  }

  async #store(server: McpServer, content: ServerContent): Promise<void> {
    const consent = consentTo(server, content);
    const state = this.#state(server);
    const others = this.#stored(server).filter(({ definition }) => definition !== consent.definition);
    await state.update(consentsKey, newestEntries([...others, consent], limits));
    if (state.get(earlierKey) !== undefined) await state.update(earlierKey, undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
