// What features show in the head of a view. Each feature exports its part, and the window merges the parts.
import type { Problem } from "../base/errors.ts";
import type { Event } from "../base/lifecycle.ts";
import type { Session } from "../session/session.ts";
import type { FeatureHead, ViewBranch, ViewQuestion, ViewSignIn, ViewAgent } from "./protocol.ts";

/** Facts of features that the projection combines with the state of the session. */
export interface HeadFacts {
  /** Whether the settings no longer have the agent of the session. */
  readonly hasLostAgent?: boolean;
  /** The agent of the next session. */
  readonly chosenAgent: ViewAgent | null;
  /** The reason why no session can start, such as no folder or no trust. Null if there is none. */
  readonly problem: Problem | null;
  /** The faults in the settings. */
  readonly settingsProblem?: Problem;
  /** The sign-in in progress. */
  readonly signingIn?: ViewSignIn;
  /** What Parley itself asks. */
  readonly ownQuestions?: readonly ViewQuestion[];
  /** The turns with a checkpoint, by their prompt ids. Stays the same set until a checkpoint is added. */
  readonly checkpoints?: ReadonlySet<string>;
  /** Where branches of the conversation part, by entry. Stays the same map until a branch is added or gone. */
  readonly branches?: ReadonlyMap<string, ViewBranch>;
}

/** Everything that features give to a view. */
export type HeadInputs = FeatureHead & HeadFacts;

/** Values by their keys, for the session that a panel shows. A value stays the same object until it changes. */
export type HeadValues = { readonly [Key in keyof HeadInputs]-?: (session: Session | undefined) => HeadInputs[Key] };

/** What one feature gives. */
export interface HeadPart<Key extends keyof HeadInputs> {
  readonly values: Pick<HeadValues, Key>;
  /** Fires when a value may be another one. */
  readonly onDidChange: Event<void>;
}

/** The merged parts of all features. */
export interface Head {
  read(session: Session | undefined): HeadInputs;
  readonly onDidChange: Event<void>;
}
