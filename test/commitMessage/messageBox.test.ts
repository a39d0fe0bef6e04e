// Writing into the box of a commit message while the user may type.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { MessageBox, type MessageInput } from "../../src/commitMessage/messageBox.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

/** A box that shows what is written only when `arrive` is called, as between processes. */
class SlowInput implements MessageInput {
  readonly #changed = new Emitter<string>();
  readonly onDidChange = this.#changed.event;
  /** What the user sees. */
  shown: string;
  #value: string;
  readonly #onTheWay: string[] = [];
  constructor(text: string) {
    this.shown = text;
    this.#value = text;
  }
  get value(): string {
    return this.#value;
  }
  set value(text: string) {
    this.#value = text;
    this.#onTheWay.push(text);
  }
  arrive(): void {
    for (const text of this.#onTheWay.splice(0)) {
      this.shown = text;
      this.#changed.fire(text);
    }
  }
  /** The value arrives later than the change. */
  late(text: string): void {
    this.#value = text;
  }
  /** The user changes what is shown. */
  type(text: string): void {
    this.shown = text;
    this.#value = text;
    this.#changed.fire(text);
  }
}

describe("the box of a commit message", () => {
  const clock = new FakeClock();
  const open = (text: string): { readonly input: SlowInput; readonly box: MessageBox; readonly typed: string[] } => {
    const input = new SlowInput(text);
    const typed: string[] = [];
    return { input, typed, box: new MessageBox(input, clock, () => typed.push(input.shown)) };
  };

  it("shows a growing text at most every 100 ms, and the last one at once", () => {
    const { input, box } = open("hint");
    box.write("A");
    box.write("Ad");
    assert.equal(input.value, "hint");
    clock.advance(100);
    assert.equal(input.value, "Ad");
    box.write("Add");
    assert.equal(box.finish("Add x"), true);
    assert.equal(input.value, "Add x");
    clock.advance(1000);
    assert.equal(input.value, "Add x");
    assert.equal(clock.pendingTimers, 0);
  });

  it("shows what was there before when it is restored, also if nothing was written", () => {
    const { input, box } = open("hint");
    box.write("Add");
    clock.advance(100);
    input.arrive();
    box.restore();
    input.arrive();
    assert.equal(input.shown, "hint");
    box.write("late");
    clock.advance(100);
    assert.equal(input.value, "hint");
  });

  it("keeps what the user types, and ends", () => {
    const { input, box, typed } = open("");
    box.write("Add");
    clock.advance(100);
    input.arrive();
    input.type("Add my");
    assert.deepEqual(typed, ["Add my"]);
    box.write("Add more");
    clock.advance(100);
    box.restore();
    assert.equal(box.finish("Add more"), false);
    assert.equal(input.shown, "Add my");
  });

  it("keeps what the user types while a text is on its way", () => {
    const { input, box, typed } = open("");
    box.write("Add");
    clock.advance(100);
    input.arrive();
    box.write("Add more");
    clock.advance(100);
    // The user types before the box shows the text.
    input.type("Addx");
    input.arrive();
    assert.equal(typed.length, 1);
    assert.equal(input.shown, "Addx");
  });

  it("keeps an earlier text that the user brings back", () => {
    for (const [before, earlier] of [
      ["", ""],
      ["hint", "hint"],
      ["", "Add"],
    ] as const) {
      const { input, box, typed } = open(before);
      for (const text of ["Add", "Add more"]) {
        box.write(text);
        clock.advance(100);
        input.arrive();
      }
      input.type(earlier);
      box.write("Add more words");
      clock.advance(100);
      input.arrive();
      assert.deepEqual([input.shown, typed], [earlier, [earlier]]);
    }
  });

  it("keeps an earlier text that the user brings back while a text is on its way", () => {
    const { input, box, typed } = open("");
    box.write("Add");
    clock.advance(100);
    input.arrive();
    box.write("Add more");
    clock.advance(100);
    input.type("");
    input.arrive();
    assert.deepEqual([input.shown, typed], ["", [""]]);
  });

  it("takes no late value of the box for typing", () => {
    const { input, box, typed } = open("");
    for (const text of ["A", "Ad"]) {
      box.write(text);
      clock.advance(100);
    }
    input.arrive();
    input.late("A");
    box.write("Add");
    clock.advance(100);
    assert.deepEqual([input.value, typed], ["Add", []]);
  });

  it("notices typing without events before it writes again, also if the user brings back an earlier text", () => {
    for (const text of ["Add my", ""]) {
      const plain: MessageInput = { value: "" };
      let typed = 0;
      const box = new MessageBox(plain, clock, () => typed++);
      box.write("Add");
      clock.advance(100);
      plain.value = text;
      box.write("Add more");
      clock.advance(100);
      assert.deepEqual([plain.value, typed], [text, 1]);
    }
  });

  it("takes other line ends for no typing", () => {
    const { input, box, typed } = open("");
    box.write("a\nb");
    clock.advance(100);
    input.type("a\r\nb");
    assert.deepEqual(typed, []);
    assert.equal(box.finish("a\nb\nc"), true);
  });
});
