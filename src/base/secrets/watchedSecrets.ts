// Secret storage that finds out whether it keeps its values. Without a keyring, VS Code keeps secrets only until the window
// closes, and no call says so. A canary, a value without meaning, is written at one start and read at the next. A note in the
// state says that it was written.
import { Sequencer } from "../async.ts";
import { asError } from "../errors.ts";
import { t } from "../l10n.ts";
import type { Log } from "../log.ts";
import type { Memento, SecretStore } from "../memento.ts";

/** Whether the storage kept the canary since an earlier start. `unknown`: there was none, or it could not be read. */
export type SecretMemory = "keeps" | "forgets" | "unknown";

const canaryKey = "parley.canary";
const noteKey = "parley.canaryWritten";

/** Says that a canary was written. `warned`: and that the user knows of one that was forgotten. */
interface CanaryNote {
  readonly warned?: true;
}

/** The question with the note behind it. */
export const withNote = (question: string, note: string | undefined): string =>
  note === undefined ? question : `${question} ${note}`;

export interface WatchedSecretsOptions {
  readonly secrets: SecretStore;
  readonly globalState: Memento;
  readonly log: Pick<Log, "warn">;
}

export class WatchedSecrets implements SecretStore {
  readonly #options: WatchedSecretsOptions;
  readonly #work = new Sequencer();
  #memory: SecretMemory = "unknown";
  /** A canary is stored. */
  #hasCanary = false;

  constructor(options: WatchedSecretsOptions) {
    this.#options = options;
  }

  /** What the last check found. */
  get memory(): SecretMemory {
    return this.#memory;
  }

  /** A sentence for questions whose answers are stored here. Undefined: there is nothing to say. */
  get note(): string | undefined {
    if (this.#memory !== "forgets") return undefined;
    return t("VS Code has forgotten the secrets of its last start, so you may have to enter this again.");
  }

  /** A sentence for reports. */
  get report(): string {
    switch (this.#memory) {
      case "keeps":
        return t("Secret storage: keeps its values");
      case "forgets":
        return t("Secret storage: has forgotten its values since the last start");
      case "unknown":
        return t(
          "Secret storage: not checked, because Parley had stored no secrets before this start, or could not read them",
        );
    }
  }

  /**
   * Looks for the canary of an earlier start. Resolves with whether the user has to know that secrets are lost, which is so
   * once until they are kept again. `hasSecrets`: whether Parley has stored secrets. Without them, nothing is written,
   * because VS Code can ask for a keyring then. Never rejects.
   */
  check(hasSecrets: boolean): Promise<boolean> {
    return this.#logFailure(false, async () => {
      const { secrets, globalState } = this.#options;
      const note = globalState.get<CanaryNote>(noteKey);
      if (note === undefined) {
        if (hasSecrets) await this.#writeCanary({});
        return false;
      }
      this.#hasCanary = (await secrets.get(canaryKey)) !== undefined;
      this.#memory = this.#hasCanary ? "keeps" : "forgets";
      if (this.#hasCanary) {
        if (note.warned) await globalState.update(noteKey, {});
        return false;
      }
      if (!hasSecrets) return false;
      await this.#writeCanary({ warned: true });
      return note.warned !== true;
    });
  }

  get(key: string): PromiseLike<string | undefined> {
    return this.#options.secrets.get(key);
  }

  delete(key: string): PromiseLike<void> {
    return this.#options.secrets.delete(key);
  }

  /** Stores the value, and soon afterwards the first canary. */
  async store(key: string, value: string): Promise<void> {
    await this.#options.secrets.store(key, value);
    void this.#logFailure(undefined, async () => {
      if (!this.#hasCanary) await this.#writeCanary(this.#options.globalState.get<CanaryNote>(noteKey, {}));
    });
  }

  /** The canary comes first, so that another window never reads a note without it. */
  async #writeCanary(note: CanaryNote): Promise<void> {
    const { secrets, globalState } = this.#options;
    if (!this.#hasCanary) await secrets.store(canaryKey, "kept");
    this.#hasCanary = true;
    await globalState.update(noteKey, note);
  }

  #logFailure<T>(otherwise: T, run: () => Promise<T>): Promise<T> {
    return this.#work.queue(async () => {
      try {
        return await run();
      } catch (thrown) {
        this.#options.log.warn("It could not be checked whether VS Code keeps secrets.", asError(thrown).message);
        return otherwise;
      }
    });
  }
}
