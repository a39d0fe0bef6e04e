// The gate that every request for a file, a folder or a command passes. The permissions room implements it.
import type { LocatedPath, Confinement } from "./paths.ts";

export type Operation = "read" | "write" | "run";

export interface AccessRequest {
  readonly operation: Operation;
  /** The path as the agent sent it. For `run`: the folder. */
  readonly path: string;
  readonly located: LocatedPath;
  /** For `run`: the command line as displayed, and the program with its arguments if the agent sent them separately. */
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Admits requests or rejects with a Refusal. Resolves with true if the user was asked, which takes time. */
export interface Gate {
  admit(request: AccessRequest, signal?: AbortSignal): Promise<boolean>;
}

/** A gate that asks no one and refuses everything outside the roots. */
export const rootsOnly = (confinement: Confinement): Gate => ({
  admit({ path, located }) {
    return located.inside ? Promise.resolve(false) : Promise.reject(confinement.outsideRefusal(path));
  },
});
