// When a window loads the extension, and what the activation waits for. Pure.

/** The load of the extension. */
export class ExtensionLoad<E> {
  readonly #create: () => Promise<E>;
  readonly #onFailed: (reason: string) => void;
  #loaded: Promise<E> | undefined;

  /** `onFailed` gets the reason of each load that fails. */
  constructor(create: () => Promise<E>, onFailed: (reason: string) => void) {
    this.#create = create;
    this.#onFailed = onFailed;
  }

  /** The extension, if its load has begun. */
  get begun(): Promise<E> | undefined {
    return this.#loaded;
  }

  /** Loads the extension once. After a failure, the next use tries again. */
  load(): Promise<E> {
    this.#loaded ??= this.#create().catch((error: unknown) => {
      this.#loaded = undefined;
      this.#onFailed(error instanceof Error ? error.message : String(error));
      throw error;
    });
    return this.#loaded;
  }

  /** Loads the extension if it is needed. Resolves also if it is being loaded for another reason. Never rejects for a failed load. */
  async loadIf(isNeeded: () => Promise<boolean>): Promise<void> {
    if (!this.#loaded && !(await isNeeded())) return;
    // A failure was reported.
    await this.load().catch(() => undefined);
  }
}

/** What a window does at its start. Neither rejects. */
export interface WindowStart {
  /** Shows the chat if `npm start` has opened the window. */
  openChatAtStart(): Promise<void>;
  /** Loads the extension if it shows something without being used. */
  loadIfNeeded(): Promise<void>;
}

/**
 * Starts a window. Resolves when the activation may end. After the activation, VS Code reads the documents of restored tabs, and
 * the extension provides them. The chat view can wait for the activation, so the activation does not wait for the chat.
 */
export async function startWindow(start: WindowStart, hasRestoredDocuments: () => boolean): Promise<void> {
  void start.openChatAtStart();
  const loading = start.loadIfNeeded();
  if (hasRestoredDocuments()) await loading;
}
