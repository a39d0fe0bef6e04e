// The entry of `dist/api.js`: the API of one window for other extensions, and what links and commands with arguments do.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { setTranslator, t, type Translator } from "../../base/l10n.ts";
import { showInformationMessage, showQuickPicks, showWarningMessage } from "../../editor/editorUi.ts";
import { readPromptLink } from "../promptLink.ts";
import type { ApiHost, WindowApi } from "./apiModule.ts";
import { callingExtension, ExtensionConsents } from "./extensionConsents.ts";
import { ExtensionConnection, withdrawnReason } from "./extensionConnection.ts";
import { fillFromLink, startSession } from "./fillMessageBox.ts";
import type { ParleyApi } from "./parleyApi.ts";

let isTranslated = false;

/** Sets what translates the texts of the bundle. */
export function translateApiWith(translator: Translator): void {
  if (isTranslated) return;
  isTranslated = true;
  setTranslator(translator);
}

/** Creates the API of one window. */
export const createWindowApi = (host: ApiHost): WindowApi => new ExtensionApi(host);

class ExtensionApi implements WindowApi {
  readonly #host: ApiHost;
  readonly #consents: ExtensionConsents;
  readonly #connections = new Map<string, ExtensionConnection>();
  readonly #link: vscode.Disposable;
  readonly #closed: Promise<never>;
  #close: (error: Error) => void = () => {};
  #isClosed = false;

  constructor(host: ApiHost) {
    this.#host = host;
    this.#consents = new ExtensionConsents(host.context.globalState);
    this.#closed = new Promise((_, reject) => (this.#close = reject));
    // Without a question that waits, nobody handles the rejection.
    this.#closed.catch(() => undefined);
    this.#link = vscode.extensions.onDidChange(() => {
      const ids = new Set(vscode.extensions.all.map(({ id }) => id.toLowerCase()));
      for (const [id, connection] of [...this.#connections])
        if (!ids.has(id)) connection.end(t("The extension is no longer enabled."));
    });
  }

  async connect(given: unknown): Promise<ParleyApi> {
    if (!vscode.workspace.isTrusted)
      throw new Error(t("Parley works for other extensions only in a trusted workspace."));
    if (this.#isClosed) throw new Error(closedReason());
    const caller = callingExtension(given, this.#host.context.extension.id);
    // The window can close while the user is asked.
    const isAllowed = await Promise.race([this.#consents.ask(caller), this.#closed]);
    if (!isAllowed)
      throw new Error(
        t(
          "The user does not allow “{0}” to use Parley. The command “{1}” changes that.",
          caller.name,
          t("Parley: Manage Extensions That Use Parley…"),
        ),
      );
    if (this.#isClosed) throw new Error(closedReason());
    const known = this.#connections.get(caller.id);
    if (known) return known.api;
    const connection = new ExtensionConnection({
      ...{ host: this.#host, caller, consents: this.#consents },
      onEnded: () => this.#connections.delete(caller.id),
    });
    this.#connections.set(caller.id, connection);
    return connection.api;
  }

  async openLink({ path, query }: vscode.Uri): Promise<void> {
    try {
      await fillFromLink(readPromptLink({ path, query }), this.#host);
    } catch (error) {
      void showWarningMessage(asError(error).message);
    }
  }

  startSession(wanted: object): Promise<void> {
    return startSession(wanted, this.#host);
  }

  async manage(): Promise<void> {
    const { allowed, refused } = this.#consents;
    const ids = [...new Set([...allowed, ...refused])].sort();
    if (ids.length === 0) {
      void showInformationMessage(t("No extension has asked to use Parley."));
      return;
    }
    const picked = await showQuickPicks(
      ids.map(id => ({ ...this.#row(id), id, picked: allowed.includes(id) })),
      {
        title: t("Extensions That Use Parley"),
        placeHolder: t("Checked extensions can send messages to your agents"),
        matchOnDescription: true,
      },
    );
    if (!picked) return;
    const chosen = new Set(picked.map(({ id }) => id));
    for (const id of ids) {
      if (chosen.has(id) === allowed.includes(id)) continue;
      await this.#consents.set(id, chosen.has(id));
      if (!chosen.has(id)) this.#connections.get(id)?.end(withdrawnReason());
    }
  }

  #row(id: string): { readonly label: string; readonly description: string; readonly detail?: string } {
    const extension = vscode.extensions.all.find(one => one.id.toLowerCase() === id);
    const { displayName } = (extension?.packageJSON ?? {}) as { readonly displayName?: unknown };
    const count = this.#connections.get(id)?.sessionCount ?? 0;
    const detail = !extension
      ? t("Not installed or not enabled")
      : count === 0
        ? undefined
        : count === 1
          ? t("1 open session")
          : t("{0} open sessions", count);
    const label = typeof displayName === "string" && displayName !== "" ? displayName : id;
    return { label, description: id, ...(detail !== undefined && { detail }) };
  }

  dispose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#link.dispose();
    this.#close(new Error(closedReason()));
    for (const connection of [...this.#connections.values()]) connection.end(closedReason());
  }
}

const closedReason = (): string => t("The window is closing.");
