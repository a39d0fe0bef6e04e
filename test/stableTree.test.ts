// What goldens of accessibility trees leave out, and what they must not.
import assert from "node:assert/strict";
import { stableTree } from "./support/fakes/stableTree.ts";

describe("a stable accessibility tree", () => {
  const folder = "/tmp/parley-workspace-aB3dE9";

  for (const [what, tree, stable] of [
    ["paths in the workspace", `- link "${folder}/src/sum.js"`, '- link "‹folder›/src/sum.js"'],
    ["other paths", "- text: Saved in /home/ada/project/a.txt.", "- text: Saved in ‹path›"],
    ["addresses of files", "- /url: file:///home/ada/a.txt", "- /url: ‹path›"],
    ["the name of the workspace", "- treeitem parley-workspace-Zz19Qa", "- treeitem ‹workspace›"],
    ["announcements", "  - status:\n    - paragraph: Working…\n  - button", "  - status\n  - button"],
    ["IDs", "- main 0f8fad5b-d9cb-469f-a165-70867728950e", "- main ‹id›"],
    ["times of day", '- time "9:05:31 PM"', '- time "‹time›"'],
    [
      "durations",
      "- text: Finished in 1.2 s, 350 ms and 2 min 5 s",
      "- text: Finished in ‹duration›, ‹duration› and ‹duration›",
    ],
    ["ages", '- treeitem "Talk, Demo Agent, now"', '- treeitem "Talk, Demo Agent, ‹duration›"'],
  ] as const)
    it(`has no ${what}`, () => assert.equal(stableTree(tree, folder), stable));

  for (const tree of [
    '- button "Allow Once (1)"',
    "- text: 2 files +3 −1",
    "- link: src/sum.js:12",
    '- textbox "Message": "#script day.json"',
    "- text: Type / for commands. I ask now.",
    '- img "3 of 12"',
  ])
    it(`keeps ${tree}`, () => assert.equal(stableTree(tree, folder), tree));
});
