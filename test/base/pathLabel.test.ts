// Labels of paths.
import assert from "node:assert/strict";
import { homeLabel } from "../../src/base/pathLabel.ts";

describe("the label of a path", () => {
  it("has a tilde for the home folder, and for no other folder whose name begins like it", () => {
    const rows = [
      ["/home/ada/app", "/home/ada", "~/app"],
      ["/home/ada", "/home/ada", "~"],
      ["/srv/adams/app", "/srv/ada", "/srv/adams/app"],
      ["/srv/app", "/home/ada", "/srv/app"],
      ["C:\\Users\\ada\\app", "C:\\Users\\ada", "~\\app"],
      ["/srv/app", "", "/srv/app"],
    ] as const;
    for (const [path, home, label] of rows) assert.equal(homeLabel(path, home), label);
  });
});
