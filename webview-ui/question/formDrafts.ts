// What the user has entered in open forms, so that a reload does not lose it. Secrets are never kept.
import { maskVariable } from "../../src/base/mask.ts";
import { fieldFault, type Form, type FormField, type FormValue } from "../../src/session/forms/form.ts";
import { savedState, updateSavedState } from "../base/vscodeApi.ts";

/** The oldest drafts are forgotten first. */
const maxDrafts = 10;
/** A larger draft is not kept, because each save of the state writes all of them. */
const maxDraftLength = 20_000;

/** The same form has the same key, also if the agent asks again after a reload, under another id. */
const keyOf = (form: Form): string => JSON.stringify(form);

/** The values that were kept for the form, without those that it no longer accepts as such. */
export function formDraft(form: Form): ReadonlyMap<string, FormValue> {
  const kept = savedState.formDrafts.find(({ key }) => key === keyOf(form));
  const fields = new Map(form.fields.map(field => [field.name, field]));
  return new Map(
    (kept?.values ?? []).filter(([name, value]) => {
      const field = fields.get(name);
      if (!field || isSecret(field, value)) return false;
      const fault = fieldFault(field, value)?.fault;
      return fault !== "wrongType" && fault !== "notOffered";
    }),
  );
}

/** Keeps the values, except secrets and what looks like one. */
export function keepFormDraft(form: Form, answers: ReadonlyMap<string, FormValue>): void {
  const fields = new Map(form.fields.map(field => [field.name, field]));
  const values = [...answers].filter(([name, value]) => {
    const field = fields.get(name);
    return field !== undefined && !isSecret(field, value);
  });
  const key = keyOf(form);
  const others = savedState.formDrafts.filter(draft => draft.key !== key);
  const isKept = values.length > 0 && key.length + JSON.stringify(values).length <= maxDraftLength;
  updateSavedState({ formDrafts: [...others, ...(isKept ? [{ key, values }] : [])].slice(-maxDrafts) });
}

/** Forgets the values, because the form was answered. */
export function forgetFormDraft(form: Form): void {
  const key = keyOf(form);
  updateSavedState({ formDrafts: savedState.formDrafts.filter(draft => draft.key !== key) });
}

/** A field of Parley's own for a secret, or a text that its names or its format show to be one. */
function isSecret(field: FormField, value: FormValue): boolean {
  if (field.type !== "text" || typeof value !== "string") return false;
  if (field.secret || /key|token|secret|pass|credential|\bpin\b/i.test(`${field.name} ${field.title}`)) return true;
  return [field.name, field.title].some(name => maskVariable(name, value) !== value);
}
