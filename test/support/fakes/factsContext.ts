// Where a question is asked, for tests of its facts: a trusted folder on a POSIX system, without links.
import type { FactsContext } from "../../../src/permissions/questionFacts.ts";

export const factsContext: FactsContext = {
  agent: "demo",
  workspaceFolder: "/work/app",
  place: { roots: ["/work/app"], platform: "posix", ignoresCase: false, home: "/home/me" },
  shells: ["posix"],
  trusted: true,
  resolve: path => Promise.resolve(path),
};
