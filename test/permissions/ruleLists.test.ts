// The stored lists of rules: their rows, their changes, and how changes are undone.
import assert from "node:assert/strict";
import fc from "fast-check";
import { changedList, fieldsOf, rowsOf, undoOf, valueOf, type RuleChange } from "../../src/permissions/ruleLists.ts";
import { ruleConditionNames } from "../../src/permissions/ruleFields.ts";
import { isRulesIntent, ruleTexts } from "../../src/panel/rulesPage.ts";

const npmTest = { effect: "allow", command: ["npm test", "npm run *"] };
const noRm = { effect: "deny", command: "rm" };

describe("a list of permission rules", () => {
  it("is the same after a change and its undo, also if a rule was added or deleted elsewhere meanwhile", () => {
    const value = fc.constantFrom<unknown>(npmTest, noRm, "rubbish", 7, null, { effect: "ask", kind: "edit" });
    const lists = fc.array(value, { maxLength: 6 });
    fc.assert(
      fc.property(lists, fc.nat(5), fc.option(value), fc.boolean(), (list, index, after, adds) => {
        const isNew = adds || index >= list.length;
        const change: RuleChange = {
          ...{ scope: "user", index: Math.min(index, isNew ? list.length : list.length - 1) },
          ...(!isNew && { before: list[index] }),
          ...(after !== null || isNew ? { after: after ?? noRm } : {}),
        };
        const changed = changedList(list, change);
        assert.ok(changed);
        assert.deepEqual(changedList(changed, undoOf(change)), list);
        const elsewhere = ["first", ...changed];
        const undone = changedList(elsewhere, undoOf(change));
        assert.equal(undone?.length, list.length + 1);
        assert.ok(change.before === undefined || undone.includes(change.before));
      }),
    );
  });

  it("is not changed if the rule is gone", () => {
    assert.equal(changedList([npmTest], { scope: "user", index: 0, before: noRm }), undefined);
    assert.equal(changedList([], { scope: "user", index: 3, before: noRm, after: npmTest }), undefined);
  });

  it("has a row for each item, equal ones too, with the problem of what is no rule", () => {
    const rows = rowsOf("workspace", [npmTest, noRm, noRm, { effect: "deny", comand: "rm" }, 7], text => `!${text}`);
    assert.equal(new Set(rows.map(({ id }) => id)).size, 5);
    assert.deepEqual(rows[0]?.fields.command, ["npm test", "npm run *"]);
    assert.equal(rows[1]?.name, "deny command “rm”");
    assert.match(rows[3]?.problem ?? "", /^!Permission rule 4 .*Did you mean “command”\?$/);
    assert.equal(rows[3]?.name, "(deny, comand “rm”)");
    assert.match(rows[4]?.problem ?? "", /must be an object\.$/);
    assert.equal(rows[4]?.name, "7");
    assert.equal(rowsOf("user", undefined).length, 0);
    assert.equal(rowsOf("user", "rubbish")[0]?.problem, "The permission rules must be a list.");
  });

  it("keeps the id of a row when rows before it change", () => {
    assert.equal(rowsOf("user", [npmTest, noRm])[1]?.id, rowsOf("user", [noRm])[0]?.id);
  });

  it("has every condition of rules, so that a form loses none", () => {
    assert.deepEqual([...ruleTexts].sort(), [...ruleConditionNames].sort());
  });

  it("stores what a form has, without blank lines, and shows it again", () => {
    const fields = { ...fieldsOf(undefined), effect: "allow", command: ["npm test ", "", " npm run *"], path: [" "] };
    assert.deepEqual(valueOf(fields), npmTest);
    assert.deepEqual(valueOf(fieldsOf(npmTest)), npmTest);
    assert.deepEqual(valueOf(fieldsOf(noRm)), noRm);
    assert.deepEqual(fieldsOf({ effect: 7, command: [1, "a"] }), { ...fieldsOf(undefined), command: ["a"] });
  });
});

describe("a message of the page of permission rules", () => {
  it("is an intent only if all of its fields are right", () => {
    const fields = fieldsOf(npmTest);
    for (const right of [
      { type: "ready" },
      { type: "undo" },
      { type: "delete", row: "a" },
      { type: "test", request: 1, tested: "command", text: "ls" },
      { type: "save", request: 1, scope: "user", fields },
      { type: "save", request: 1, row: "a", scope: "workspace", fields },
    ])
      assert.equal(isRulesIntent(right), true, JSON.stringify(right));
    for (const wrong of [
      ...[undefined, null, 7, "ready", {}, { type: "toString" }, { type: "delete" }, { type: "ready", more: 1 }],
      { type: "test", request: 1, tested: "rm", text: "ls" },
      { type: "save", request: 1, scope: "folder", fields },
      { type: "save", request: 1, scope: "user", fields: { ...fields, command: "npm test" } },
      { type: "save", request: 1, scope: "user", fields: { ...fields, more: [] } },
    ])
      assert.equal(isRulesIntent(wrong), false, JSON.stringify(wrong));
  });
});
