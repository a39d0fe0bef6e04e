// The numbers that tune how the panel paints agree with each other.
import assert from "node:assert/strict";
import * as limits from "../../webview-ui/scheduling/limits.ts";

describe("the numbers that tune painting", () => {
  it("let a page adapt the portion of a frame, and keep it smaller while the user types", () => {
    const { minPortion, maxPortion, typingPortion, shortFrame, longFrame } = limits;
    assert.ok(typingPortion < minPortion && minPortion < maxPortion);
    // 50 ms is the longest task that the benchmarks of the panel allow.
    assert.ok(limits.frameInterval < shortFrame && shortFrame < longFrame && longFrame < 50);
  });

  it("release text before a user who has stopped typing no longer counts as typing", () => {
    const { frameInterval, minHoldTime, maxHoldTime, typingTime } = limits;
    assert.ok(frameInterval < minHoldTime && minHoldTime < maxHoldTime && maxHoldTime < typingTime);
  });

  it("leave deferred painting until text and keys have had their turn", () => {
    const { sliceTime, frameInterval, busyDelay, quietTime, maxHoldTime } = limits;
    assert.ok(sliceTime < frameInterval && busyDelay < quietTime && quietTime >= maxHoldTime);
  });

  it("paint the first screen in one frame, and the rest within the lines of an opened conversation", () => {
    const { costPerFrame, messageCost, minLineHeight, minWindowHeight, maxInitialLines, screensOfFlood } = limits;
    assert.ok(minLineHeight > limits.lineHeight && costPerFrame / messageCost >= 1);
    assert.ok((screensOfFlood * minWindowHeight) / minLineHeight < maxInitialLines);
    assert.ok(limits.growthFactor > 1 && limits.earlierLinesPerStep <= maxInitialLines);
  });
});
