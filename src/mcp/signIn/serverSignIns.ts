// The user's sign-ins to MCP servers over HTTP: signing in with the browser, tokens that are renewed, and signing out.
import { randomBytes } from "node:crypto";
import { SequencerByKey, untilAborted } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import type { ExtensionStates, SecretStore } from "../../base/memento.ts";
import { rememberSecrets } from "../../base/secrets/secret.ts";
import {
  hasAuthorization,
  protectsTokens,
  type ServerCredentials,
  type SignInChallenge,
  type StoredSignIn,
} from "../clientSignIn.ts";
import type { McpClient } from "../promptServer.ts";
import type { ServerLaunch } from "../servers.ts";
import { listenForRedirect } from "./redirectListener.ts";
import { serverAddressKey, SignInStore, type NamedSignIn } from "./signInStore.ts";
import { signInQuestion, type SignInQuestion } from "./signInQuestion.ts";

/** For the user in the browser (ms). */
export const maxSignInTime = 5 * 60_000;
/** A token is renewed this long before it ends, because a request takes time (ms). */
const renewalTime = 30_000;
/** A server that rejects every token does not get more (ms). Parley would register each of them as a secret. */
const renewalInterval = 10_000;
/** An authorization server that does not answer is not asked again meanwhile: it would delay every session (ms). */
const failureTime = 30_000;
/** Another window may still be writing the tokens that it got for the refresh token. The store is read this often (ms). */
const otherWindowTime = 4_000;
const readInterval = 250;

/** A server over HTTP whose variables are resolved. */
export type HttpLaunch = Exclude<ServerLaunch, { type: "stdio" }>;

/** What the user sees of a sign-in outside the panel. */
export interface SignInQuestions {
  /** Shows the page and who gets what. Resolves with whether the user wants to open it. */
  confirm(question: SignInQuestion): Promise<boolean>;
  /** Asks whether an agent may have the token. */
  confirmToken(question: SignInQuestion): Promise<boolean>;
  /** Opens the page in the browser, exactly as it is. */
  open(href: string): Promise<void>;
  /** Shows that Parley waits for the browser, with a button that cancels, until the promise settles. */
  whileWaiting(title: string, waiting: Promise<unknown>, cancel: () => void): void;
  /** Shows a failure that does not end anything. */
  warn(message: string): void;
  /** Where the browser reaches this address of the machine on which Parley runs. */
  externalAddress(address: string): Promise<string>;
}

interface SignInsOptions {
  readonly secrets: SecretStore;
  readonly states: Pick<ExtensionStates, "globalState">;
  readonly client: Pick<McpClient, "signIn" | "refreshSignIn" | "revokeSignIn">;
  readonly questions: SignInQuestions;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Whether requests to the server can have a token of a sign-in. The user's own header has precedence, and no token leaves
 * the machine without encryption.
 */
export const takesSignIn = (launch: ServerLaunch): launch is HttpLaunch =>
  launch.type !== "stdio" && protectsTokens(launch.url) && !hasAuthorization(launch.headers);

/** The sign-ins of a window, by the addresses of servers. */
export class ServerSignIns implements Disposable {
  readonly #options: SignInsOptions;
  readonly #store: SignInStore;
  readonly #changed = new Emitter<void>();
  /** Fires when the user signs in or out, and while a sign-in waits for the browser. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** The sign-ins that wait for the user or the browser. */
  readonly #waiting = new Map<string, AbortController>();
  /** Renewals run one after the other, because a refresh token can be used once. */
  readonly #renewals = new SequencerByKey<string>();
  /** When the tokens of a key were renewed last. */
  readonly #renewedAt = new Map<string, number>();
  /** The last failure to renew the tokens of a key. */
  readonly #failures = new Map<string, { readonly at: number; readonly error: unknown }>();
  readonly #ended = new AbortController();

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#store = new SignInStore(options);
  }

  isSignedIn(url: string): boolean {
    return serverAddressKey(url) in this.#store.names;
  }

  isWaiting(url: string): boolean {
    return this.#waiting.has(serverAddressKey(url));
  }

  /** The sign-ins that are kept, by the keys of their servers. */
  get names(): Readonly<Record<string, NamedSignIn>> {
    return this.#store.names;
  }

  /** The tokens for a connection to the server. */
  credentials(url: string): ServerCredentials {
    return {
      token: () => this.token(url),
      renew: rejected =>
        this.#renew(url, ({ accessToken }) => accessToken === rejected).then(
          token => token !== undefined && token !== rejected,
        ),
    };
  }

  /** A token that has not expired. Undefined: the user is not signed in. Rejects with a sentence if it cannot be renewed. */
  token(url: string): Promise<string | undefined> {
    const isOver = ({ expiresAt }: StoredSignIn): boolean =>
      expiresAt !== undefined && expiresAt - renewalTime < this.#options.clock.now();
    return this.#renew(url, isOver);
  }

  /**
   * The token of the server, a new one if `isOver`, unless that was renewed just now. Forgets a sign-in that is over for
   * good.
   */
  #renew(url: string, isOver: (stored: StoredSignIn) => boolean): Promise<string | undefined> {
    const key = serverAddressKey(url);
    const { clock } = this.#options;
    return this.#renewals.queue(key, async () => {
      const stored = await this.#store.read(key);
      if (stored) await this.#store.list(key, url, stored);
      if (!stored || !isOver(stored)) return stored?.accessToken;
      const now = clock.now();
      const failure = this.#failures.get(key);
      if (failure && now - failure.at < failureTime) throw failure.error;
      if (now - (this.#renewedAt.get(key) ?? -renewalInterval) < renewalInterval) return stored.accessToken;
      return this.#renewNow(key, url, stored);
    });
  }

  async #renewNow(key: string, url: string, stored: StoredSignIn): Promise<string | undefined> {
    const { client, clock } = this.#options;
    let renewed: StoredSignIn | undefined;
    try {
      renewed = await client.refreshSignIn(url, stored, this.#ended.signal);
    } catch (error) {
      this.#failures.set(key, { at: clock.now(), error });
      throw error;
    }
    this.#failures.delete(key);
    if (!renewed) return this.#giveUp(key, stored);
    const now = await this.#store.read(key);
    // The user may have signed in again meanwhile.
    if (now && now.accessToken !== stored.accessToken) return now.accessToken;
    if (!now && !(await this.#store.isOver(key, stored))) {
      // The user signed out in another window, which did not know these tokens.
      await this.#revoke(url, renewed);
      return undefined;
    }
    await this.#store.write(key, url, renewed);
    this.#renewedAt.set(key, clock.now());
    return renewed.accessToken;
  }

  /** The token that another window got with the same refresh token. If there is none, the sign-in is over for good. */
  async #giveUp(key: string, stored: StoredSignIn): Promise<string | undefined> {
    const { clock } = this.#options;
    const end = clock.now() + (stored.refreshToken === undefined ? 0 : otherWindowTime);
    for (;;) {
      const now = await this.#store.read(key);
      if (now?.accessToken !== stored.accessToken) return now?.accessToken;
      if (clock.now() >= end) break;
      this.#ended.signal.throwIfAborted();
      await new Promise<void>(resolve => clock.after(readInterval, resolve));
    }
    await this.#store.end(key, stored);
    this.#changed.fire();
    return undefined;
  }

  /**
   * Signs in to the server, after the user has seen the page. Resolves with whether the user is signed in. Rejects with a
   * sentence.
   */
  async signIn(name: string, launch: HttpLaunch, challenge: SignInChallenge): Promise<boolean> {
    const { client, questions, clock } = this.#options;
    const { url, oauth } = launch;
    const key = serverAddressKey(url);
    if (this.#waiting.has(key)) return false;
    const cancelled = new AbortController();
    this.#waiting.set(key, cancelled);
    this.#changed.fire();
    const state = randomBytes(32).toString("base64url");
    rememberSecrets([state, ...(oauth?.clientSecret === undefined ? [] : [oauth.clientSecret])]);
    const signal = AbortSignal.any([cancelled.signal, this.#ended.signal]);
    try {
      const listener = await listenForRedirect(state, oauth?.callbackPort);
      const timer = clock.after(maxSignInTime, () =>
        cancelled.abort(
          new Error(t("Nobody signed in within {0} minutes, so Parley stopped waiting.", maxSignInTime / 60_000)),
        ),
      );
      const end = (): void => listener.close(asError(signal.reason).message);
      signal.addEventListener("abort", end);
      try {
        // VS Code may not answer with the address for the browser, so the user can cancel that, too.
        const run = async (): Promise<StoredSignIn | undefined> => {
          const granted = (await this.#store.read(key))?.scope;
          const redirectUrl = await questions.externalAddress(listener.url);
          signal.throwIfAborted();
          return client.signIn(
            {
              ...{ url, challenge },
              ...(oauth && {
                client: { id: oauth.clientId, ...(oauth.clientSecret !== undefined && { secret: oauth.clientSecret }) },
              }),
              ...(oauth?.scope !== undefined && { scope: oauth.scope }),
              ...(granted !== undefined && { granted }),
            },
            {
              ...{ state, signal, redirectUrl },
              open: async page => {
                if (!(await questions.confirm(signInQuestion(name, url, page)))) return false;
                signal.throwIfAborted();
                const title = t("Sign in to the MCP server “{0}” in your browser.", name);
                questions.whileWaiting(title, listener.answer, () => this.cancel(url));
                await questions.open(page.href);
                return true;
              },
              answer: () => listener.answer,
            },
          );
        };
        const stored = await untilAborted(run(), [signal], () => {
          throw asError(signal.reason);
        });
        if (!stored) return false;
        await this.#store.write(key, url, stored);
        this.#failures.delete(key);
        this.#renewedAt.delete(key);
        return true;
      } finally {
        timer.dispose();
        signal.removeEventListener("abort", end);
        listener.close(t("The sign-in has ended."));
      }
    } catch (error) {
      // The user knows what was cancelled.
      if (asError(error) instanceof SignInCancelled) return false;
      throw error;
    } finally {
      this.#waiting.delete(key);
      this.#changed.fire();
    }
  }

  /** Stops waiting for the browser. */
  cancel(url: string): void {
    this.#waiting.get(serverAddressKey(url))?.abort(new SignInCancelled());
  }

  /**
   * Forgets the sign-in with this key, and asks the authorization server to revoke its tokens, after a renewal that runs.
   * Shows and logs a failure of that.
   */
  signOut(key: string): Promise<void> {
    return this.#renewals.queue(key, async () => {
      const { address } = this.#store.names[key] ?? {};
      const stored = await this.#store.read(key);
      await this.#store.forget(key);
      this.#changed.fire();
      // The listed address lacks its secrets.
      const url = stored?.resource ?? address;
      if (stored && url !== undefined) await this.#revoke(url, stored);
    });
  }

  async #revoke(url: string, stored: StoredSignIn): Promise<void> {
    const { client, log, questions } = this.#options;
    try {
      await client.revokeSignIn(url, stored, this.#ended.signal);
    } catch (error) {
      const { message } = asError(error);
      log.warn("The tokens of an MCP server were deleted, but not revoked.", message);
      if (!this.#ended.signal.aborted)
        questions.warn(
          t("You are signed out. The tokens are deleted here, but they could not be revoked: {0}", message),
        );
    }
  }

  dispose(): void {
    this.#ended.abort(new Error(t("The window is closing.")));
    this.#changed.dispose();
  }
}

/** The user has cancelled the sign-in. */
class SignInCancelled extends Error {
  constructor() {
    super(t("The sign-in was cancelled."));
  }
}
