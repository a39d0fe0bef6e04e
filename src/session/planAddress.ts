// The addresses of documents that show plans of agents. They are the same in every window.

/** The scheme of the documents. */
export const planScheme = "parley-plan";

/** A plan of a session. */
export interface PlanAddress {
  readonly session: string;
  readonly plan: string;
}

/** The query of the URI of a plan. */
export const planQuery = ({ session, plan }: PlanAddress): string => new URLSearchParams({ session, plan }).toString();

/** The plan that a URI is the address of. Undefined: of none. */
export function planAddress({
  scheme,
  query,
}: {
  readonly scheme: string;
  readonly query: string;
}): PlanAddress | undefined {
  if (scheme !== planScheme) return undefined;
  const parameters = new URLSearchParams(query);
  const [session, plan] = [parameters.get("session"), parameters.get("plan")];
  return session === null || plan === null ? undefined : { session, plan };
}

/** {@link planAddress} of a URI as text. VS Code encodes the whole query, also the signs between its parameters. */
export function planAddressOfUri(uri: string): PlanAddress | undefined {
  const encoded = new RegExp(`^${planScheme}:[^?#]*\\?([^#]*)`).exec(uri)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return planAddress({ scheme: planScheme, query: decodeURIComponent(encoded) });
  } catch {
    // No text that VS Code has encoded.
    return undefined;
  }
}
