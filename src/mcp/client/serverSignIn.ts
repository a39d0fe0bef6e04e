// Signs in to an MCP server with the official client: finds the authorization server, registers Parley, sends the user to
// its page with PKCE, and exchanges the code that comes back for tokens. Nothing is kept before the tokens have arrived.
import {
  auth,
  AuthorizationServerMismatchError,
  computeScopeUnion,
  exchangeAuthorization,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  RegistrationRejectedError,
  selectClientAuthMethod,
  validateAuthorizationResponseIssuer,
  type AuthorizationServerMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { OAuthClient, SignInFlow, ServerSignInTarget, StoredSignIn } from "../clientSignIn.ts";
import {
  authorizationFetch,
  authorizationLimits,
  checkAuthorizationAddress,
  SignInProblem,
  type AuthorizationLimits,
} from "./authorizationFetch.ts";

/** Of a token. Servers limit their headers to a similar size (characters). */
const maxToken = 16_000;
/** Of words of an authorization server in a sentence (characters). */
const maxWords = 300;
/** Of permissions that are kept (characters). */
const maxScope = 2_000;
/** A longer life of a token is not believed (seconds). */
const maxLifetime = 365 * 24 * 3600;

/** What is known once the user is on the page. */
interface Redirected {
  readonly authorizationServer: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly client: StoredOAuthClientInformation;
  readonly verifier: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/**
 * Signs in. Resolves with undefined if the user does not open the page. Rejects with an error whose message is a
 * sentence.
 */
export async function signIn(
  target: ServerSignInTarget,
  flow: SignInFlow,
  limits: AuthorizationLimits = authorizationLimits,
): Promise<StoredSignIn | undefined> {
  const server = new URL(target.url);
  try {
    const redirected = await redirect(server, target, flow, limits);
    if (!redirected) return undefined;
    const answer = await flow.answer();
    const { metadata, authorizationServer, issuer, tokenEndpoint, client, resource } = redirected;
    if ("problem" in answer) throw new SignInProblem(answer.problem);
    if ("error" in answer) {
      // The words of another one are not shown (RFC 9207).
      validateAuthorizationResponseIssuer({
        iss: answer.iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      });
      const words = answer.description ?? answer.error;
      throw new SignInProblem(t("{0} refused the sign-in: {1}", new URL(authorizationServer).host, cut(words)));
    }
    // Not `auth`, which would send the code a second time after some errors.
    const tokens = await exchangeAuthorization(authorizationServer, {
      ...{ clientInformation: client, authorizationCode: answer.code, codeVerifier: redirected.verifier },
      ...{ redirectUri: flow.redirectUrl, fetchFn: authorizationFetch(server, flow.signal, limits) },
      ...(metadata && { metadata }),
      ...(answer.iss !== undefined && { iss: answer.iss }),
      ...(resource !== undefined && { resource }),
    });
    const method = "token_endpoint_auth_method" in client ? client.token_endpoint_auth_method : undefined;
    return {
      issuer,
      tokenEndpoint,
      authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
      ...revocationOf(metadata),
      client: {
        id: client.client_id,
        ...(client.client_secret !== undefined && { secret: client.client_secret }),
        ...(typeof method === "string" && { authMethod: method }),
      },
      ...(resource !== undefined && { resource }),
      ...scopeOf(tokens.scope ?? redirected.scope),
      ...checkedTokens(tokens),
    };
  } catch (error) {
    throw signInSentence(error, server);
  }
}

/** Brings the user to the page. Resolves with undefined if the user does not open it. */
async function redirect(
  server: URL,
  target: ServerSignInTarget,
  flow: SignInFlow,
  limits: AuthorizationLimits,
): Promise<Redirected | undefined> {
  const known: { discovery?: OAuthDiscoveryState; client?: StoredOAuthClientInformation; verifier?: string } = {};
  let page: URL | undefined;
  const { redirectUrl, state } = flow;
  const { challenge, client, granted } = target;
  // Otherwise the user would lose the permissions of the sign-in that the server finds insufficient.
  const scope = challenge.isMore ? computeScopeUnion(granted, target.scope, challenge.scope) : target.scope;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Parley",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope !== undefined && { scope }),
    },
    state: () => state,
    // The ID that the user entered is one of the authorization server that the MCP server names now, which the user sees.
    clientInformation: context =>
      known.client ?? (client && { ...informationOf(client), issuer: context?.issuer ?? "" }),
    // An ID that the user entered is never replaced by one that Parley registers.
    saveClientInformation: information => void (known.client = information),
    // Tokens of an earlier sign-in are not used, so that the official client opens the page.
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: url => void (page = url),
    saveCodeVerifier: verifier => void (known.verifier = verifier),
    codeVerifier: () => known.verifier ?? "",
    saveDiscoveryState: discovery => void (known.discovery = discovery),
    discoveryState: () => known.discovery,
  };
  await auth(provider, {
    serverUrl: server,
    ...resourceMetadataOf(challenge.resourceMetadataUrl),
    ...((scope ?? challenge.scope) !== undefined && { scope: scope ?? challenge.scope }),
    fetchFn: authorizationFetch(server, flow.signal, limits),
  });
  const { discovery, verifier } = known;
  const information = known.client ?? (client && informationOf(client));
  if (!page || !discovery || verifier === undefined || !information)
    throw new SignInProblem(t("The server did not name a page to sign in."));
  const { authorizationServerUrl: authorizationServer, authorizationServerMetadata: metadata } = discovery;
  await checkAuthorizationAddress(page, server);
  const tokenEndpoint = metadata?.token_endpoint ?? new URL("/token", authorizationServer).href;
  await checkAuthorizationAddress(tokenEndpoint, server);
  const issuer = metadata?.issuer ?? authorizationServer;
  const asked = page.searchParams.get("scope");
  const isOpen = await flow.open({
    href: page.href,
    issuer,
    tokenEndpoint,
    sendsSecret: client?.secret !== undefined,
    ...(asked !== null && asked !== "" && { scope: asked }),
  });
  if (!isOpen) return undefined;
  const resource = page.searchParams.get("resource") ?? undefined;
  return {
    ...{ authorizationServer, issuer, tokenEndpoint, metadata },
    ...{ client: information, verifier, resource, scope: asked ?? undefined },
  };
}

/** Where tokens are revoked, unless it is another host than the one that made them: the user has not seen that one. */
function revocationOf(metadata: AuthorizationServerMetadata | undefined): { revocationEndpoint?: string } {
  if (!metadata || !("revocation_endpoint" in metadata)) return {};
  const { revocation_endpoint: address, token_endpoint: tokens } = metadata;
  if (typeof address !== "string" || !URL.canParse(address)) return {};
  return new URL(address).origin === new URL(tokens).origin ? { revocationEndpoint: address } : {};
}

const scopeOf = (scope: string | undefined): { scope?: string } =>
  scope !== undefined && scope !== "" && scope.length <= maxScope ? { scope } : {};

/** A malformed address of the challenge is left out: the usual places are tried. */
const resourceMetadataOf = (address: string | undefined): { resourceMetadataUrl?: URL } =>
  address !== undefined && URL.canParse(address) ? { resourceMetadataUrl: new URL(address) } : {};

const informationOf = ({ id, secret, authMethod }: OAuthClient): StoredOAuthClientInformation => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
  ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
});

/** The tokens, if they can be a header. Throws a SignInProblem. */
function checkedTokens(tokens: OAuthTokens): Pick<StoredSignIn, "accessToken" | "refreshToken" | "expiresAt"> {
  const { access_token: access, refresh_token: refresh, token_type: type, expires_in: lifetime } = tokens;
  if (type.toLowerCase() !== "bearer")
    throw new SignInProblem(t("The authorization server made a token that Parley cannot use: {0}", cut(type)));
  for (const token of [access, ...(refresh === undefined ? [] : [refresh])])
    if (token.length > maxToken || !/^[\x21-\x7e]+$/.test(token))
      throw new SignInProblem(t("The authorization server made a token that Parley cannot use."));
  const seconds = lifetime !== undefined && lifetime > 0 ? Math.min(lifetime, maxLifetime) : undefined;
  return {
    accessToken: access,
    ...(refresh !== undefined && { refreshToken: refresh }),
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1000 }),
  };
}

/**
 * Gets new tokens for those of a sign-in. Resolves with undefined if the user has to sign in again. Rejects with a
 * sentence for other failures, such as a network that is down.
 */
export async function refreshSignIn(
  url: string,
  stored: StoredSignIn,
  signal: AbortSignal,
  limits: AuthorizationLimits = authorizationLimits,
): Promise<StoredSignIn | undefined> {
  if (stored.refreshToken === undefined) return undefined;
  const server = new URL(url);
  try {
    const tokens = await refreshAuthorization(stored.issuer, {
      metadata: metadataOf(stored),
      clientInformation: informationOf(stored.client),
      refreshToken: stored.refreshToken,
      ...(stored.resource !== undefined && { resource: stored.resource }),
      fetchFn: authorizationFetch(server, signal, limits),
    });
    const { expiresAt: _, ...kept } = stored;
    return { ...kept, ...scopeOf(tokens.scope), ...checkedTokens(tokens) };
  } catch (error) {
    const isOver =
      error instanceof OAuthError &&
      [OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient].some(
        code => code === error.code,
      );
    if (isOver) return undefined;
    throw signInSentence(error, server);
  }
}

/**
 * Makes the tokens worthless (RFC 7009), if the authorization server offers that. Rejects with a sentence if it keeps one
 * of them.
 */
export async function revokeSignIn(
  url: string,
  { revocationEndpoint, authMethods, client, accessToken, refreshToken }: StoredSignIn,
  signal: AbortSignal,
): Promise<void> {
  if (revocationEndpoint === undefined) return;
  const send = authorizationFetch(new URL(url), signal);
  // As at the token endpoint, which is at the same host.
  const method = selectClientAuthMethod(informationOf(client), [...authMethods]);
  const revoke = async (token: string, hint: string): Promise<void> => {
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const isBasic = method === "client_secret_basic";
    const headers = isBasic ? { authorization: `Basic ${btoa(`${client.id}:${client.secret ?? ""}`)}` } : {};
    if (!isBasic) body.set("client_id", client.id);
    if (method === "client_secret_post" && client.secret !== undefined) body.set("client_secret", client.secret);
    const { status } = await send(revocationEndpoint, { method: "POST", headers, body });
    if (status !== 200)
      throw new SignInProblem(t("The authorization server answered with the HTTP status {0}.", status));
  };
  const results = await Promise.allSettled([
    ...(refreshToken === undefined ? [] : [revoke(refreshToken, "refresh_token")]),
    revoke(accessToken, "access_token"),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** What the official client needs of the metadata to refresh tokens. */
const metadataOf = ({ issuer, tokenEndpoint, authMethods }: StoredSignIn): AuthorizationServerMetadata => ({
  issuer,
  token_endpoint: tokenEndpoint,
  ...(authMethods.length > 0 && { token_endpoint_auth_methods_supported: [...authMethods] }),
  authorization_endpoint: issuer,
  response_types_supported: ["code"],
});

const cut = (words: string): string => (words.length > maxWords ? `${words.slice(0, maxWords)}…` : words);

/** The error with a message that a user can read. */
function signInSentence(thrown: unknown, server: URL): Error {
  const error = asError(thrown);
  if (error instanceof SignInProblem) return error;
  return new SignInProblem(signInMessage(error, server), { cause: error });
}

function signInMessage(error: Error, server: URL): string {
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError)
    return t(
      "The answer is not from the authorization server that {0} names, so Parley ended the sign-in.",
      server.host,
    );
  if (error instanceof InsecureTokenEndpointError)
    return t("The server named an address without encryption to sign in: {0}", cut(error.tokenEndpoint));
  if (error instanceof RegistrationRejectedError || error.message.includes("dynamic client registration"))
    return t(
      "The authorization server of {0} does not let Parley register itself. Register a client there with the redirect address {1}, and add its ID to the settings of the server as oauth.clientId.",
      ...[server.host, "http://127.0.0.1/callback"],
    );
  // The official client adds the whole body, such as a page of a proxy.
  const [, status] = /^HTTP (\d+): Invalid OAuth error response/.exec(error.message) ?? [];
  if (status !== undefined) return t("The authorization server answered with the HTTP status {0}.", status);
  if (error instanceof OAuthError)
    return t("The authorization server of {0} refused the request: {1}", server.host, cut(error.message));
  return t("The sign-in to {0} failed: {1}", server.host, cut(error.message));
}
