// A window that signs in to MCP servers of a test: what it stores and asks, and what the browser does.
import assert from "node:assert/strict";
import { nullLog, systemClock } from "../../../src/base/log.ts";
import type { ExtensionStates, SecretStore } from "../../../src/base/memento.ts";
import { authorizationLimits } from "../../../src/mcp/client/authorizationFetch.ts";
import { refreshSignIn, revokeSignIn, signIn } from "../../../src/mcp/client/serverSignIn.ts";
import { isSignInNeeded, type SignInChallenge } from "../../../src/mcp/clientSignIn.ts";
import { ServerSignIns, type HttpLaunch } from "../../../src/mcp/signIn/serverSignIns.ts";
import type { SignInQuestion } from "../../../src/mcp/signIn/signInQuestion.ts";
import { browse } from "./authorizedServer.ts";
import { connected } from "./servers.ts";

/** A window: what it stores, what the user is asked, and what the browser does. */
export class SignInBench {
  readonly secrets: Map<string, string>;
  readonly state: Map<string, unknown>;
  readonly questions: SignInQuestion[] = [];
  readonly opened: string[] = [];
  readonly notifications: string[] = [];
  readonly warnings: string[] = [];
  readonly timers: (() => void)[] = [];
  agrees = true;
  /** What the browser does with the page. */
  browser: (href: string) => Promise<unknown> = href => browse(href);
  browsed: Promise<unknown> = Promise.resolve();
  limits = authorizationLimits;
  cancel = (): void => {};
  /** Where the browser reaches an address of this machine. */
  externalAddress = (address: string): Promise<string> => Promise.resolve(address);
  /** How far the clock is ahead of the system's (ms). */
  ahead = 0;
  /** Runs when the authorization server has renewed the tokens, before the window knows them. */
  onRenewed = (): Promise<unknown> => Promise.resolve();
  readonly signIns: ServerSignIns;

  /** `other` is another window with the same store. */
  constructor(other?: SignInBench) {
    this.secrets = other?.secrets ?? new Map<string, string>();
    this.state = other?.state ?? new Map<string, unknown>();
    const secrets: SecretStore = {
      get: key => Promise.resolve(this.secrets.get(key)),
      store: (key, value) => Promise.resolve(void this.secrets.set(key, value)),
      delete: key => Promise.resolve(void this.secrets.delete(key)),
    };
    const globalState = {
      get: (key: string, otherwise?: unknown) => this.state.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void this.state.set(key, value)),
    } as ExtensionStates["globalState"];
    this.signIns = new ServerSignIns({
      ...{ secrets, states: { globalState }, log: nullLog },
      clock: {
        now: () => systemClock.now() + this.ahead,
        after: (ms, run) => {
          // A short time passes at once.
          if (ms > 1000) this.timers.push(run);
          else setImmediate(() => ((this.ahead += ms), run()));
          return { dispose: () => {} };
        },
      },
      client: {
        signIn: (target, flow) => signIn(target, flow, this.limits),
        refreshSignIn: async (url, stored, signal) => {
          const renewed = await refreshSignIn(url, stored, signal, this.limits);
          if (renewed) await this.onRenewed();
          return renewed;
        },
        revokeSignIn,
      },
      questions: {
        confirm: question => {
          this.questions.push(question);
          return Promise.resolve(this.agrees);
        },
        confirmToken: () => Promise.resolve(false),
        open: href => {
          this.opened.push(href);
          this.browsed = this.browser(href).catch((error: unknown) => error);
          return Promise.resolve();
        },
        whileWaiting: (title, _, cancel) => {
          this.notifications.push(title);
          this.cancel = cancel;
        },
        warn: message => void this.warnings.push(message),
        externalAddress: address => this.externalAddress(address),
      },
    });
  }

  signIn(url: string, more: Partial<HttpLaunch> = {}, challenge: SignInChallenge = {}): Promise<boolean> {
    return this.signIns.signIn("tickets", { type: "http", url, headers: {}, ...more }, challenge);
  }

  /** The JSON of everything that is stored. */
  get stored(): string {
    return JSON.stringify([...this.secrets, ...this.state]);
  }
}

/** Connects as Parley does, with the tokens of the bench. */
export const connectWith = (bench: SignInBench, url: string): ReturnType<typeof connected> =>
  connected({ type: "http", url, headers: {}, credentials: bench.signIns.credentials(url) });

/** The challenge of a server that requires a sign-in. */
export async function challengeOf(bench: SignInBench, url: string): Promise<SignInChallenge> {
  const error: unknown = await connectWith(bench, url).catch((thrown: unknown) => thrown);
  assert.ok(isSignInNeeded(error), String(error));
  return error.challenge;
}
