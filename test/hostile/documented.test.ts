// docs/RELIABILITY.md: each promise names a test that exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";

describe("docs/RELIABILITY.md", () => {
  const text = readFileSync("docs/RELIABILITY.md", "utf8");

  it("names only tests that exist", () => {
    const named = [...text.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, file = ""]) => file);
    assert.ok(named.length > 30, `${named.length} tests`);
    assert.deepEqual(
      named.filter(file => !existsSync(file)),
      [],
    );
  });

  it("names a test for each promise", () => {
    const promises = text.slice(text.indexOf("## What the agent sends"), text.indexOf("## How to repeat it"));
    const items = promises.split(/^- /m).slice(1);
    assert.ok(items.length > 20, `${items.length} promises`);
    assert.deepEqual(
      items.filter(item => !item.includes("`test/")),
      [],
    );
  });
});
