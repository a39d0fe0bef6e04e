// The sample of a table that `npm test` visits.
import assert from "node:assert/strict";
import { chosenPlaces } from "../support/fakes/sample.ts";

describe("a sample of cases", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    assert.deepEqual(chosenPlaces(416, 40, 7), chosenPlaces(416, 40, 7));
    assert.notDeepEqual(chosenPlaces(416, 40, 7), chosenPlaces(416, 40, 8));
  });

  it("has the wanted number of cases, or all if there are fewer", () => {
    assert.equal(chosenPlaces(416, 40, 7).size, 40);
    assert.deepEqual([...chosenPlaces(3, 40, 7)].sort(), [0, 1, 2]);
  });

  it("leaves no case out in many runs", () => {
    const visited = new Set<number>();
    for (let seed = 1; seed <= 200; seed++) for (const place of chosenPlaces(416, 40, seed)) visited.add(place);
    assert.equal(visited.size, 416);
  });
});
