// The account that an agent works with (`auth/status`, an unstable part of the protocol). It is shown and never logged.
import { asArray, asObject, asString, isObject } from "./parse.ts";

/** In characters. */
const maxLabelLength = 200;

/** The label of the active account, or of the first one. Undefined unless the user is signed in. */
export function accountLabel(status: unknown): string | undefined {
  const { state, accounts } = asObject(status);
  if (state !== "authenticated") return undefined;
  const all = asArray(accounts).filter(isObject);
  const account = all.find(({ active }) => active === true) ?? all[0];
  const label = [account?.["label"], account?.["email"], account?.["name"]].map(asString).find(text => text?.trim());
  return label?.trim().slice(0, maxLabelLength);
}
