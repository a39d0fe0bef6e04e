// An agent as the registry describes it, after Parley has checked the entry. All texts are hostile and limited in length.
import type { Distribution } from "./distribution.ts";

/** An entry of the index that Parley can read. */
export interface RegistryAgent {
  /** Matches `^[a-z][a-z0-9-]*$`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly authors: readonly string[];
  /** The short name of the license, such as `MIT`. */
  readonly license?: string;
  readonly website?: string;
  /** The web address of an SVG. */
  readonly icon?: string;
  /** The ways to install it, best first. At least one. */
  readonly distributions: readonly Distribution[];
}

/** An entry that Parley cannot use, with the reason. It is shown, and affects no other entry. */
export interface UnusableAgent {
  /** Absent if it is not valid. */
  readonly id?: string;
  readonly label: string;
  readonly reason: string;
}

/** The index, entry by entry. */
export interface RegistryIndex {
  readonly agents: readonly RegistryAgent[];
  readonly unusable: readonly UnusableAgent[];
}
