// The gate that a request for a file, a folder or a command passes. The permissions room implements it.
import type { LocatedPath, Confinement } from "./paths.ts";

export type Operation = "read" | "write" | "run";

export interface AccessRequest {
  readonly operation: Operation;
  /** As the agent sent it. To run: the folder. */
  readonly path: string;
  readonly located: LocatedPath;
  /** To run: the command line as shown, and the program with its arguments where it was given so. */
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Lets requests in. Rejects with a Refusal; resolves with true when the user was asked, so that time has passed. */
export interface Gate {
  admit(request: AccessRequest, signal?: AbortSignal): Promise<boolean>;
}

/** The gate without anybody to ask: what is outside the roots is refused. */
export const rootsOnly = (confinement: Confinement): Gate => ({
  admit({ path, located }) {
    return located.inside ? Promise.resolve(false) : Promise.reject(confinement.outsideRefusal(path));
  },
});
