// The user's consent that an extension uses Parley: asked once for each extension, and withdrawn by a command. VS Code does not
// say which extension calls, so the consent informs the user and does not protect from an extension that lies.
import * as vscode from "vscode";
import { visibleName } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";

const stateKey = "parley.api.allowed";
/** Of the stored consents. The oldest ones are forgotten first. */
const maxConsents = 100;
const maxName = 60;

/** An extension that wants to use Parley. */
export interface CallingExtension {
  /** In lower case, because VS Code ignores the case. */
  readonly id: string;
  /** Its display name, safe to show. */
  readonly name: string;
}

/** Remembers consents by the id of the extension, in the global state, and refusals until the window is reloaded. */
export class ExtensionConsents {
  readonly #state: vscode.Memento;
  readonly #refused = new Set<string>();
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The ids that the user has allowed, and those that the user has refused in this window. */
  get allowed(): readonly string[] {
    const stored: unknown = this.#state.get(stateKey);
    return Array.isArray(stored) ? stored.filter(id => typeof id === "string") : [];
  }
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  isAllowed(id: string): boolean {
    return this.allowed.includes(id);
  }

  /** Whether the extension may use Parley. Asks if the user has not decided yet, one question at a time for an extension. */
  async ask(extension: CallingExtension): Promise<boolean> {
    const { id } = extension;
    if (this.isAllowed(id)) return true;
    if (this.#refused.has(id)) return false;
    const asking = this.#asking.get(id) ?? this.#ask(extension).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  async #ask({ id, name }: CallingExtension): Promise<boolean> {
    const allow = t("Allow");
    const pressed = await showWarningMessage(
      t("Allow the extension “{0}” to use your agents?", name),
      {
        modal: true,
        detail: [
          t("Extension: {0}", id),
          "",
          t(
            "It can start sessions in the folders of your windows, send messages and files to your agents, and read their answers. Agents may bill you for this.",
          ),
          "",
          t("Only you answer permission requests, in the chat. The sessions are in the list of sessions."),
          "",
          t(
            "To withdraw this, run “{0}”. VS Code does not tell Parley which extension calls, so another extension could use this name.",
            t("Parley: Manage Extensions That Use Parley…"),
          ),
        ],
      },
      allow,
    );
    await this.set(id, pressed === allow);
    return pressed === allow;
  }

  /** Stores what the user has decided. */
  async set(id: string, isAllowed: boolean): Promise<void> {
    const others = this.allowed.filter(one => one !== id);
    if (isAllowed) this.#refused.delete(id);
    else this.#refused.add(id);
    await this.#state.update(stateKey, isAllowed ? [...others, id].slice(-maxConsents) : others);
  }
}

/**
 * The extension that the caller says it is. Throws with a sentence if it is no installed extension, or one that does not call
 * other extensions.
 */
export function callingExtension(given: unknown, ownId: string): CallingExtension {
  const id = idOf(given);
  if (id === undefined) throw new Error(t("Pass the extension of your own context: connect(context.extension)."));
  const known = vscode.extensions.all.find(one => one.id.toLowerCase() === id);
  const { displayName, isBuiltin } = (known?.packageJSON ?? {}) as { displayName?: unknown; isBuiltin?: unknown };
  if (!known || isBuiltin === true || id === ownId.toLowerCase())
    throw new Error(t("“{0}” is not an extension that can use Parley.", visibleName(id, maxName)));
  const name = typeof displayName === "string" ? visibleName(displayName, maxName) : "";
  return { id, name: name === "" ? visibleName(id, maxName) : name };
}

function idOf(given: unknown): string | undefined {
  try {
    const { id } = given as { readonly id?: unknown };
    return typeof id === "string" && id !== "" ? id.slice(0, 500).toLowerCase() : undefined;
  } catch {
    // It is no object, or a getter throws.
    return undefined;
  }
}
