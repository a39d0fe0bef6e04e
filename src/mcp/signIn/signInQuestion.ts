// The questions about sign-ins to MCP servers: before the browser opens a page, and before an agent gets a token.
import { readAddress } from "../../acp/readElicitation.ts";
import { serverOrigin } from "../../agents/remote/serverAddress.ts";
import { exactLine, visibleName, withoutMiddle } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import type { SignInPage } from "../clientSignIn.ts";

/** Limits of parts of the question, so that it fits on a screen (characters). */
const maxName = 80;
const maxAddress = 1_000;
const maxScope = 500;

/** The texts of a question. */
export interface SignInQuestion {
  readonly message: string;
  readonly detail: readonly string[];
}

/** The question whether the browser may open the page of a sign-in. */
export function signInQuestion(
  name: string,
  url: string,
  { href, issuer, tokenEndpoint, sendsSecret, scope }: SignInPage,
): SignInQuestion {
  const page = new URL(href);
  const tokens = new URL(tokenEndpoint);
  const authority = new URL(issuer);
  const shownName = visibleName(name, maxName);
  return {
    message:
      tokens.host === page.host
        ? t("Sign in to the MCP server “{0}” at {1}?", shownName, hostText(page))
        : t("Sign in to the MCP server “{0}” at {1}, with tokens of {2}?", shownName, hostText(page), hostText(tokens)),
    detail: [
      t("MCP server: {0}", hostText(new URL(url))),
      t("Your browser opens: {0}", withoutMiddle(exactLine(`${page.origin}${page.pathname}`), maxAddress)),
      t("Gets the code of this sign-in, and makes the tokens: {0}", hostText(tokens)),
      ...(sendsSecret ? [t("Gets your client secret, too.")] : []),
      ...([page.host, tokens.host].includes(authority.host)
        ? []
        : [t("Authorization server: {0}", hostText(authority))]),
      ...(scope === undefined ? [] : [t("It asks for: {0}", withoutMiddle(exactLine(scope), maxScope))]),
      "",
      t("The MCP server chose this page and these hosts. Sign in only if you trust all of them."),
      "",
      withoutMiddle(exactLine(href), maxAddress),
    ],
  };
}

/** The question whether an agent may have the token of the sign-in. `url`: of the MCP server. */
export function tokenQuestion(
  agent: { readonly name: string; readonly remote?: { readonly url: string } | undefined },
  name: string,
  url: string,
): SignInQuestion {
  return {
    message: t(
      "Give {0} your sign-in to the MCP server “{1}”?",
      visibleName(agent.name, maxName),
      visibleName(name, maxName),
    ),
    detail: [
      t("MCP server: {0}", hostText(new URL(url))),
      ...(agent.remote ? [t("The agent runs on: {0}", hostText(new URL(serverOrigin(agent.remote.url))))] : []),
      "",
      t(
        "The agent can then use the server in your name. It gets the access token when its session opens, and keeps it until the token expires, even if you sign out.",
      ),
    ],
  };
}

/** The host, also with its Punycode decoded: its letters can look like others. */
function hostText({ href, protocol }: URL): string {
  const { host, decodedHost } = readAddress(href);
  const shown = protocol === "https:" ? host : `${protocol}//${host}`;
  return exactLine(decodedHost === undefined ? shown : t("{0} (decoded: {1})", shown, decodedHost));
}
