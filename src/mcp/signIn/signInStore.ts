// The sign-ins to MCP servers in VS Code's secret storage, by the address of the server. The global state has their
// addresses without secrets, because the secret storage lists none.
import { createHash } from "node:crypto";
import { Sequencer } from "../../base/async.ts";
import type { ExtensionStates, Memento, SecretStore } from "../../base/memento.ts";
import { newestEntries } from "../../base/newestEntries.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import { rememberSecrets } from "../../base/secrets/secret.ts";
import { isRecord } from "../../base/validators.ts";
import type { StoredSignIn } from "../clientSignIn.ts";

const namesKey = "parley.mcp.signIns";
const nameLimits = { count: 200, entryBytes: 4_000, totalBytes: 200_000 };
const secretKey = (key: string): string => `parley.mcp.signIn.${key}`;

/** Identifies the server of an address. The address itself can have a secret. */
export const serverAddressKey = (url: string): string => {
  const address = new URL(url);
  address.hash = "";
  return digest(address.href);
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A sign-in as it is listed: without secrets. */
export interface NamedSignIn {
  /** Of the server, without a query and without secrets that Parley knows. */
  readonly address: string;
  /** Of the authorization server. */
  readonly issuer: string;
}

type Names = Readonly<Record<string, NamedSignIn>>;

/** Reads and writes the sign-ins. */
export class SignInStore {
  readonly #secrets: SecretStore;
  readonly #state: Memento;
  readonly #writes = new Sequencer();

  constructor({ secrets, states }: { secrets: SecretStore; states: Pick<ExtensionStates, "globalState"> }) {
    this.#secrets = secrets;
    this.#state = states.globalState;
  }

  /** What is stored, by the key of the address. */
  get names(): Names {
    return this.#state.get<Names>(namesKey, {});
  }

  /** The sign-in, which another window may have renewed. Malformed ones count as absent. Registers its secrets. */
  async read(key: string): Promise<StoredSignIn | undefined> {
    const text = await this.#secrets.get(secretKey(key));
    const stored = text === undefined ? undefined : readStored(text);
    if (stored) rememberSignIn(stored);
    return stored;
  }

  write(key: string, url: string, stored: StoredSignIn): Promise<void> {
    return this.#writes.queue(async () => {
      rememberSignIn(stored);
      await this.#secrets.store(secretKey(key), JSON.stringify(stored));
      await this.#addName(key, url, stored);
    });
  }

  /** Lists a sign-in that is stored, if it is not: two windows that write the list at once lose some. */
  list(key: string, url: string, stored: StoredSignIn): Promise<void> {
    return this.#writes.queue(() => this.#addName(key, url, stored));
  }

  async #addName(key: string, url: string, { issuer }: StoredSignIn): Promise<void> {
    const { origin, pathname } = new URL(url);
    const { [key]: known, ...others } = this.names;
    const named: NamedSignIn = { address: maskKnownSecrets(`${origin}${pathname}`), issuer };
    if (known?.address === named.address && known.issuer === named.issuer) return;
    const entries = newestEntries([...Object.entries(others), [key, named] as const], nameLimits);
    await this.#state.update(namesKey, Object.fromEntries(entries));
  }

  forget(key: string): Promise<void> {
    return this.#writes.queue(async () => {
      await this.#secrets.delete(secretKey(key));
      await this.#forgetName(key);
    });
  }

  /**
   * Forgets a sign-in whose tokens the authorization server no longer accepts. Only a digest of the token stays, so that
   * another window that is just renewing it knows that the user has not signed out.
   */
  end(key: string, { accessToken }: StoredSignIn): Promise<void> {
    return this.#writes.queue(async () => {
      await this.#secrets.store(secretKey(key), JSON.stringify({ over: digest(accessToken) }));
      await this.#forgetName(key);
    });
  }

  /** Whether this sign-in was forgotten because its tokens were no longer accepted. */
  async isOver(key: string, { accessToken }: StoredSignIn): Promise<boolean> {
    const text = await this.#secrets.get(secretKey(key));
    return text !== undefined && readRecord(text)?.["over"] === digest(accessToken);
  }

  async #forgetName(key: string): Promise<void> {
    const { [key]: _, ...others } = this.names;
    await this.#state.update(namesKey, others);
  }
}

/** Hides the secrets of the sign-in in everything that is logged or shown. */
function rememberSignIn({ accessToken, refreshToken, client }: StoredSignIn): void {
  rememberSecrets([accessToken, refreshToken, client.secret].filter(value => value !== undefined));
}

function readRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // Another version may have written it.
  }
}

function readStored(text: string): StoredSignIn | undefined {
  const value = readRecord(text);
  if (!value) return undefined;
  const { issuer, tokenEndpoint, authMethods, client, accessToken } = value;
  const isText = (each: unknown): boolean => typeof each === "string";
  const isWhole =
    [issuer, tokenEndpoint, accessToken].every(isText) &&
    Array.isArray(authMethods) &&
    authMethods.every(isText) &&
    isRecord(client) &&
    isText(client["id"]);
  return isWhole ? (value as unknown as StoredSignIn) : undefined;
}
