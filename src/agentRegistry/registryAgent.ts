// An agent as the registry describes it, after Parley has checked the entry. All texts are hostile and limited in length.
import { isString, type Validator } from "../base/validators.ts";
import { entryNameFault } from "./archiveEntry.ts";
import type { Distribution } from "./distribution.ts";

/** Whether a value is the ID of an agent. The ID becomes the name of a folder. */
export const isAgentId: Validator<string> = (value): value is string =>
  isString(value) && /^[a-z][a-z0-9-]{0,63}$/.test(value) && entryNameFault(value) === undefined;

/** An entry of the index that Parley can read. */
export interface RegistryAgent {
  /** As `isAgentId` allows it. */
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
