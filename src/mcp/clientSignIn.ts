// A sign-in to an MCP server over HTTP, as both bundles use it: `dist/mcp.js` speaks with the authorization server, and the
// extension keeps the result, asks the user, and waits for the browser.
import { isLoopback } from "../base/loopback.ts";

/** What a server says when it rejects a request for lack of a sign-in. Hostile, and absent if it says nothing. */
export interface SignInChallenge {
  readonly resourceMetadataUrl?: string;
  readonly scope?: string;
  /** The user is signed in, but needs these permissions, too. */
  readonly isMore?: true;
}

/** The error of a request that the server rejects until the user signs in. Its message is a sentence. */
export interface ServerSignInNeededError extends Error {
  readonly name: "ServerSignInNeededError";
  readonly challenge: SignInChallenge;
}

/** What Parley keeps of a sign-in. It contains secrets, so it is stored in VS Code's secret storage only. */
export interface StoredSignIn {
  /** The issuer of the authorization server that made the tokens. They are sent to no other one. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The ways in which a client identifies itself at the token endpoint. */
  readonly authMethods: readonly string[];
  /** Where a token is revoked. */
  readonly revocationEndpoint?: string;
  readonly client: OAuthClient;
  /** The resource for which the tokens were made. */
  readonly resource?: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** The permissions that the tokens have, as far as Parley knows. */
  readonly scope?: string;
  /** In milliseconds since 1970. Absent: the authorization server does not say. */
  readonly expiresAt?: number;
}

/** How Parley identifies itself to an authorization server: registered by the user, or by Parley. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** The way to identify itself that the registration fixed. */
  readonly authMethod?: string;
}

/** The server to which the user signs in. */
export interface ServerSignInTarget {
  readonly url: string;
  readonly challenge: SignInChallenge;
  /** Registered by the user. Absent: Parley registers itself. */
  readonly client?: OAuthClient;
  /** The permissions that the settings ask for, instead of those that the server names. */
  readonly scope?: string;
  /** The permissions of the present sign-in, which the user keeps if the server asks for more. */
  readonly granted?: string;
}

/** The page that the browser would open, and who gets what. */
export interface SignInPage {
  readonly href: string;
  readonly issuer: string;
  /** Gets the code, the verifier, and the secret of the client. */
  readonly tokenEndpoint: string;
  /** Whether the user has configured such a secret. */
  readonly sendsSecret: boolean;
  readonly scope?: string;
}

/**
 * What the authorization server sent to the redirect address. Hostile, except that the state is the right one. `problem` is
 * a sentence of Parley about an answer that it cannot read.
 */
export type RedirectAnswer =
  | { readonly code: string; readonly iss?: string }
  | { readonly error: string; readonly description?: string; readonly iss?: string }
  | { readonly problem: string };

/** The side of the user in a sign-in. */
export interface SignInFlow {
  /** Where the browser goes afterwards. */
  readonly redirectUrl: string;
  readonly state: string;
  readonly signal: AbortSignal;
  /** Shows the page to the user, and opens it if the user agrees. Resolves with false if not. */
  open(page: SignInPage): Promise<boolean>;
  /** Resolves when the browser comes back. Rejects with a sentence when the user cancels or the time is over. */
  answer(): Promise<RedirectAnswer>;
}

/** The tokens of a server, as its transport uses them. */
export interface ServerCredentials {
  /** A token that is valid as far as Parley knows. Undefined: the user is not signed in. */
  token(): Promise<string | undefined>;
  /** Gets another token because the server rejected this one. Resolves with whether there is one. */
  renew(rejected: string | undefined): Promise<boolean>;
}

/** Whether a token can be sent to this address: encrypted, or only to this machine. */
export function protectsTokens(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether the settings of a server already authorize its requests. */
export const hasAuthorization = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === "authorization");

/** Whether the error says that the user has to sign in. Errors of another bundle are of another class. */
export const isSignInNeeded = (error: unknown): error is ServerSignInNeededError =>
  error instanceof Error && error.name === "ServerSignInNeededError";
