// Waits for the browser after a sign-in: a web server on 127.0.0.1 that takes one answer with the right state, and ends.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { t } from "../../base/l10n.ts";
import type { RedirectAnswer } from "../clientSignIn.ts";

/** The only address that is ever bound. */
const host = "127.0.0.1";
const path = "/callback";
/** Of one request, with its address (bytes). A code can be long. */
const maxHeaderSize = 32 * 1024;
const maxConnections = 20;
/** A request must be complete after this time (ms). */
const requestTimeout = 10_000;
/** Requests without the right state, before the sign-in ends. */
const maxWrong = 50;
/** Of the code and the words of an error (characters). */
const maxValue = 16_000;

export interface RedirectListener {
  /** Where the browser goes. */
  readonly url: string;
  /** Settles once: with the answer, or with a sentence when the listener is closed. */
  readonly answer: Promise<RedirectAnswer>;
  /** Ends the server. Also settles `answer`. */
  close(reason: string): void;
}

/** Listens for an answer with the state. `port` is 0 if the system may choose one. Rejects with a sentence. */
export async function listenForRedirect(state: string, port = 0): Promise<RedirectListener> {
  let settle: { resolve: (answer: RedirectAnswer) => void; reject: (error: Error) => void } | undefined;
  const answer = new Promise<RedirectAnswer>((resolve, reject) => (settle = { resolve, reject }));
  // The caller may close the listener before it waits.
  answer.catch(() => {});
  let wrong = 0;
  const end = (): void => {
    server.close();
    // The page that is on its way still arrives.
    server.closeIdleConnections();
  };
  const server = createServer(
    { maxHeaderSize, requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 1000 },
    (request, response) => {
      const read = readAnswer(request, state);
      if (read !== "wrong") {
        // At once, so that a second answer finds nothing.
        end();
        settle?.resolve(read);
        return show(response, 200, t("Parley has the answer. You can close this page and return to VS Code."));
      }
      show(response, 400, t("This page does not belong to a sign-in that Parley waits for."));
      if (++wrong < maxWrong) return;
      end();
      settle?.reject(new Error(t("Another program or page disturbed the sign-in, so Parley ended it.")));
    },
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", error =>
      reject(
        new Error(t("Parley cannot wait for the browser at port {0}: {1}", port, error.message), { cause: error }),
      ),
    );
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    answer,
    close(reason) {
      end();
      server.closeAllConnections();
      settle?.reject(new Error(reason));
    },
  };
}

/** The answer, if it has the state. Only its state shows that it belongs to the sign-in. */
function readAnswer({ method, url = "" }: IncomingMessage, state: string): RedirectAnswer | "wrong" {
  if (method !== "GET" || !URL.canParse(url, `http://${host}`)) return "wrong";
  const { pathname, searchParams } = new URL(url, `http://${host}`);
  if (pathname !== path || !isSame(searchParams.get("state") ?? "", state)) return "wrong";
  const names = ["code", "iss", "error", "error_description"];
  const isOdd = names.some(name => {
    const values = searchParams.getAll(name);
    return values.length > 1 || values.some(value => value.length > maxValue);
  });
  // RFC 6749 forbids repeated values. It is not clear which of them counts.
  if (isOdd) return { problem: t("The answer of the sign-in page is malformed.") };
  const value = (name: string): string | undefined => searchParams.get(name) ?? undefined;
  const [code, iss, error, description] = names.map(value);
  if (error !== undefined)
    return { error, ...(description !== undefined && { description }), ...(iss !== undefined && { iss }) };
  if (code === undefined) return { problem: t("The answer of the sign-in page has no code.") };
  return { code, ...(iss !== undefined && { iss }) };
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A page that contains nothing of the request. */
function show(response: ServerResponse, status: number, text: string): void {
  const escaped = text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`);
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Parley</title><p>${escaped}</p>`);
}
