// The names of the candidates that work on one prompt, and of their branches.
import { branchNameFrom, branchWords } from "../branchNames.ts";

/** The names of agents as those of candidates: an agent that is taken several times gets a number, such as “Codex 2”. */
export function candidateNames(agents: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const agent of agents) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  const taken = new Set(agents);
  return agents.map(agent => (counts.get(agent) === 1 ? agent : numbered(agent, " ", 1, taken)));
}

/**
 * The names of the branches of candidates, such as `parley/fix-the-sum/codex-1` for the prompt “Fix the sum”. `branches`: those
 * of the repository. Git allows no branch below the name of another one.
 */
export function candidateBranches(
  title: string,
  names: readonly string[],
  branches: readonly string[],
): readonly string[] {
  // Some systems do not distinguish between capital and small letters in the names of files.
  const existing = branches.map(branch => branch.toLowerCase());
  const task = branchNameFrom(title, name =>
    existing.some(branch => branch === name || branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`)),
  );
  const taken = new Set<string>();
  return names.map(name => {
    const words = branchWords(name) || "agent";
    if (taken.has(words)) return `${task}/${numbered(words, "-", 2, taken)}`;
    taken.add(words);
    return `${task}/${words}`;
  });
}

/** The name with the first number that makes it a new one. It is taken from now on. */
function numbered(name: string, separator: string, first: number, taken: Set<string>): string {
  for (let number = first; ; number++) {
    const found = `${name}${separator}${number}`;
    if (taken.has(found)) continue;
    taken.add(found);
    return found;
  }
}
