// The merge of handler tables, and the types that prove a merged table complete. The compiler checks the second part: an
// expected error that does not occur fails the type check.
import assert from "node:assert/strict";
import { mergeTables, type CompleteTables } from "../../src/window/handlerTables.ts";

type Key = "open" | "close" | "save";
type Handlers = Readonly<Record<Key, () => string>>;

const handlersOf = <const Tables extends readonly object[]>(tables: CompleteTables<Key, Tables>): Handlers =>
  mergeTables<Handlers>(tables);

const openAndClose = { open: () => "open", close: () => "close" };
const save = { save: () => "save" };

describe("the merge of handler tables", () => {
  it("has the handlers of all tables", () => {
    const handlers = handlersOf([openAndClose, save]);
    assert.deepEqual([handlers.open(), handlers.close(), handlers.save()], ["open", "close", "save"]);
  });

  it("is a compile error when a key has no handler", () => {
    // @ts-expect-error "save" is not handled.
    assert.deepEqual(Object.keys(handlersOf([openAndClose])), ["open", "close"]);
  });

  it("is a compile error when two tables handle the same key", () => {
    const again = { close: () => "again" };
    // @ts-expect-error "close" is handled twice.
    assert.equal(Object.keys(handlersOf([openAndClose, save, again])).length, 3);
  });

  it("is a compile error when a table handles an unknown key", () => {
    const print = { print: () => "print" };
    // @ts-expect-error "print" is not a key.
    assert.equal(Object.keys(handlersOf([openAndClose, save, print])).length, 4);
  });
});
