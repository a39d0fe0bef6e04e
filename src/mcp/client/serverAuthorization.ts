// The authorization of requests to an MCP server over HTTP: the token of the user's sign-in, another one if the server
// rejects it, and the error that asks for a sign-in.
import {
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  SdkHttpError,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import { t } from "../../base/l10n.ts";
import {
  hasAuthorization,
  protectsTokens,
  type ServerCredentials,
  type SignInChallenge,
  type ServerSignInNeededError,
} from "../clientSignIn.ts";
import type { ServerTarget } from "../promptServer.ts";
import { errorSentence } from "./errorSentence.ts";

/** Of what a server says in a challenge (characters). */
const maxChallenge = 2_000;

/** The user has to sign in first. */
class SignInNeeded extends Error implements ServerSignInNeededError {
  override readonly name = "ServerSignInNeededError";
  readonly challenge: SignInChallenge;
  constructor(message: string, challenge: SignInChallenge) {
    super(message);
    this.challenge = challenge;
  }
}

/** Whether the server rejected the request for lack of a valid token. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof UnauthorizedError ||
  error instanceof InsufficientScopeError ||
  (error instanceof SdkHttpError && error.status === 401) ||
  // The transport for SSE has the status in words only.
  (error instanceof Error && /Non-200 status code \(401\)/.test(error.message));

const isForbidden = (error: unknown): boolean =>
  (error instanceof SdkHttpError && error.status === 403) ||
  (error instanceof Error && /Non-200 status code \(403\)/.test(error.message));

/** The authorization of one connection. */
export class ServerAuthorization {
  /** For the transport. Undefined: the server is a program, or the settings of the user authorize the requests. */
  readonly provider: AuthProvider | undefined;
  #challenge: SignInChallenge = {};
  readonly #target: ServerTarget;
  /** Whether the last request had the token of a sign-in. */
  #hasToken = false;

  constructor(target: ServerTarget) {
    this.#target = target;
    const credentials = target.type === "stdio" ? undefined : target.credentials;
    this.provider = credentials && this.#providerOf(credentials);
  }

  #providerOf(credentials: ServerCredentials): AuthProvider {
    let sent: string | undefined;
    return {
      token: async () => {
        sent = await credentials.token();
        this.#hasToken = sent !== undefined;
        return sent;
      },
      onUnauthorized: async ({ response }) => {
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
        this.#challenge = challengeOf(resourceMetadataUrl, scope);
        if (!(await credentials.renew(sent))) throw new UnauthorizedError();
      },
    };
  }

  /** The error with a message that a user can read, or one that asks for a sign-in. */
  sentence(error: unknown): Error {
    if (!this.provider && isUnauthorized(error) && lacksEncryption(this.#target))
      return new Error(t("The server requires you to sign in. Parley signs in only to servers with https://."));
    if (this.#hasToken && isForbidden(error))
      return new Error(
        t("The server does not allow this with your sign-in. Sign out, and sign in with another account."),
      );
    if (!this.provider || !isUnauthorized(error)) return errorSentence(error);
    if (!(error instanceof InsufficientScopeError))
      return new SignInNeeded(t("The server requires you to sign in."), this.#challenge);
    return new SignInNeeded(t("The server requires you to sign in again, with more permissions."), {
      ...challengeOf(error.resourceMetadataUrl, error.requiredScope),
      isMore: true,
    });
  }
}

/** Whether only the lack of encryption keeps the user from signing in. */
const lacksEncryption = (target: ServerTarget): boolean =>
  target.type !== "stdio" && !hasAuthorization(target.headers) && !protectsTokens(target.url);

/** What the server says about the sign-in that it needs. Texts over the limit are left out. */
const challengeOf = (resourceMetadataUrl: URL | undefined, scope: string | undefined): SignInChallenge => ({
  ...(resourceMetadataUrl &&
    resourceMetadataUrl.href.length <= maxChallenge && { resourceMetadataUrl: resourceMetadataUrl.href }),
  ...(scope !== undefined && scope.length <= maxChallenge && { scope }),
});
