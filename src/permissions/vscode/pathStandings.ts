// What is known of a path before a file is shown or sent: whether it looks like a secret, and whether it is inside the folders.
import { homedir } from "node:os";
import { hostPlatform } from "../../base/platform.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { secretMatcher } from "../sensitiveFiles.ts";

export interface PathStanding {
  /** The path, or what it leads to, looks like a secret. */
  readonly secret: boolean;
  readonly inside: boolean;
}

/** A test for many paths. `sensitive`: the user's globs for secrets. It rejects if a path cannot be resolved. */
export function pathStandings(
  roots: readonly string[],
  sensitive: readonly string[],
): (path: string) => Promise<PathStanding> {
  const paths = nodePaths();
  const confinement = new Confinement(paths, roots);
  const place = { roots, platform: hostPlatform, ignoresCase: paths.ignoresCase, home: homedir() };
  const isSecret = secretMatcher(sensitive, place);
  return async path => {
    const located = await confinement.locate(path);
    return { secret: isSecret(path) || isSecret(located.path), inside: located.inside };
  };
}
