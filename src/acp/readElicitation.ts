// Reads `elicitation/create` (spec page "Elicitation"). What the agent sends is hostile: sizes are limited, and only web
// addresses can be opened.
import { domainToUnicode } from "node:url";
import { Refusal } from "../base/errors.ts";
import { asArray, asNumber, asObject, asString, isObject, optionalField, type JsonObject } from "./parse.ts";
import type { FormChoice, FormField, FormRequest, Form, TextFormat, WebAddress } from "../session/forms/form.ts";

/** What an elicitation belongs to, and ends with. */
export type ElicitationScope =
  | { readonly sessionId: string; readonly toolCallId?: string }
  | { readonly requestId: string | number };

/** What the agent asks for, and what it belongs to. */
export type Elicitation = { readonly scope: ElicitationScope } & FormRequest;

const maxFields = 100;
const maxChoices = 1000;
/** In characters, for names, titles, descriptions, defaults and patterns. */
const maxText = 10_000;
/** In characters, for all texts of a form together. The panel writes the form with each draft. */
const maxFormLength = 200_000;
/** For all fields of a form together. The panel shows each. */
const maxFormChoices = 3000;
/** The panel sends names back, so it must get them whole. In characters. */
const maxNameLength = 1000;

/** The request, checked. Throws a Refusal if it cannot be shown at all. */
export function readElicitation(params: JsonObject): Elicitation {
  const scope = readScope(params);
  const message = requiredText(params, "message");
  switch (params["mode"]) {
    case "form":
      return { scope, ...readForm(message, params["requestedSchema"]) };
    case "url": {
      const elicitationId = requiredText(params, "elicitationId");
      return { scope, type: "url", message, elicitationId, address: readAddress(requiredText(params, "url")) };
    }
    default:
      throw invalid("mode", "`mode` must be `form` or `url`.");
  }
}

const invalid = (field: string, message: string): Refusal => new Refusal("invalid", message, { field });

function readScope(params: JsonObject): ElicitationScope {
  const sessionId = asString(params["sessionId"]);
  if (sessionId !== undefined) return { sessionId, ...optionalField("toolCallId", asString(params["toolCallId"])) };
  const requestId = asString(params["requestId"]) ?? asNumber(params["requestId"]);
  if (requestId === undefined) throw invalid("sessionId", "The request needs a `sessionId` or a `requestId`.");
  return { requestId };
}

function requiredText(params: JsonObject, field: string): string {
  const value = asString(params[field]);
  if (value === undefined) throw invalid(field, `The request needs a string in \`${field}\`.`);
  return limited(value, field);
}

/** Refuses a text over the limit, because a cut text could ask for something else. */
function limited(value: string, field: string): string {
  if (value.length > maxText) throw invalid(field, `\`${field}\` may have at most ${maxText} characters.`);
  return value;
}

const optionalText = <K extends string>(item: JsonObject, key: K): { [P in K]?: string } => {
  const value = asString(item[key]);
  return optionalField(key, value === undefined ? undefined : limited(value, key));
};

type FormOrDeclined = { type: "form"; form: Form } | { type: "declined"; message: string; reason: string };

function readForm(message: string, schema: unknown): FormOrDeclined {
  if (!isObject(schema)) throw invalid("requestedSchema", "A form needs a schema in `requestedSchema`.");
  const properties = Object.entries(asObject(schema["properties"]));
  if (properties.length > maxFields) throw invalid("requestedSchema", `A form may have at most ${maxFields} fields.`);
  const required = new Set(asArray(schema["required"]).filter(name => typeof name === "string"));
  const fields: FormField[] = [];
  for (const [name, property] of properties) {
    if (name.length > maxNameLength) throw invalid("requestedSchema", `A name may have ${maxNameLength} characters.`);
    const field = readField(name, asObject(property), required.has(name));
    if (field) fields.push(field);
  }
  const choices = fields.reduce((sum, field) => sum + ("choices" in field ? field.choices.length : 0), 0);
  if (choices > maxFormChoices)
    throw invalid("requestedSchema", `A form may have at most ${maxFormChoices} choices in all fields together.`);
  const known = new Set(fields.map(field => field.name));
  const unknown = [...required].find(name => !known.has(name));
  if (unknown !== undefined) {
    const reason = `The form requires “${limited(unknown, "required")}”, and Parley does not know its type.`;
    return { type: "declined", message, reason };
  }
  const form = { message, ...optionalText(schema, "title"), ...optionalText(schema, "description"), fields };
  if (JSON.stringify(form).length > maxFormLength)
    throw invalid("requestedSchema", `A form may have at most ${maxFormLength} characters.`);
  return { type: "form", form };
}

/** Undefined for types that Parley does not know. Malformed optional parts count as absent, as the schema asks. */
function readField(name: string, property: JsonObject, required: boolean): FormField | undefined {
  const { title = name, description } = {
    ...optionalText(property, "title"),
    ...optionalText(property, "description"),
  };
  const base = { name, title: title === "" ? name : title, ...optionalField("description", description), required };
  switch (property["type"]) {
    case "string":
      return readText(base, property);
    case "number":
    case "integer": {
      const value = asNumber(property["default"]);
      const integer = property["type"] === "integer";
      return {
        ...base,
        type: "number",
        integer,
        ...optionalField("minimum", asNumber(property["minimum"])),
        ...optionalField("maximum", asNumber(property["maximum"])),
        ...optionalField("default", integer && !Number.isSafeInteger(value) ? undefined : value),
      };
    }
    case "boolean": {
      const value = property["default"];
      return { ...base, type: "boolean", ...optionalField("default", typeof value === "boolean" ? value : undefined) };
    }
    case "array":
      return readMultiselect(base, property);
    default:
      return undefined;
  }
}

type FieldBase = Pick<FormField, "name" | "title" | "required"> & { readonly description?: string };

function readText(base: FieldBase, property: JsonObject): FormField | undefined {
  const value = optionalText(property, "default");
  if (Array.isArray(property["enum"]) || Array.isArray(property["oneOf"])) {
    const choices = Array.isArray(property["oneOf"])
      ? titledChoices(property["oneOf"])
      : plainChoices(property["enum"], property["enumNames"]);
    if (choices.length === 0) return undefined; // Nobody can answer it.
    const isOffered = choices.some(choice => choice.value === value.default);
    return { ...base, type: "select", choices, ...(isOffered && value) };
  }
  return {
    ...base,
    type: "text",
    ...optionalField("minLength", count(property["minLength"])),
    ...optionalField("maxLength", count(property["maxLength"])),
    ...optionalText(property, "pattern"),
    ...optionalField(
      "format",
      formats.find(format => format === property["format"]),
    ),
    ...value,
  };
}

const formats: readonly TextFormat[] = ["email", "uri", "date", "date-time"];

function readMultiselect(base: FieldBase, property: JsonObject): FormField | undefined {
  const items = asObject(property["items"]);
  const choices = Array.isArray(items["anyOf"]) ? titledChoices(items["anyOf"]) : plainChoices(items["enum"]);
  if (choices.length === 0) return undefined;
  const offered = new Set(choices.map(choice => choice.value));
  const chosen = new Set(asArray(property["default"]).filter(one => typeof one === "string" && offered.has(one)));
  return {
    ...base,
    type: "multiselect",
    choices,
    ...optionalField("minItems", count(property["minItems"])),
    ...optionalField("maxItems", count(property["maxItems"])),
    ...(chosen.size > 0 && { default: [...chosen] as readonly string[] }),
  };
}

const count = (value: unknown): number | undefined => {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

const titledChoices = (list: unknown): readonly FormChoice[] =>
  distinctChoices(list, item => {
    const value = asString(asObject(item)["const"]);
    if (value === undefined) return undefined;
    const { title, description } = {
      ...optionalText(asObject(item), "title"),
      ...optionalText(asObject(item), "description"),
    };
    return { value, name: title ?? value, ...optionalField("description", description) };
  });

/** `names`: the names to show, by position, which only MCP has (`enumNames`, since 2025-06-18). */
function plainChoices(list: unknown, names?: unknown): readonly FormChoice[] {
  const shown = asArray(names).slice(0, maxChoices).map(asString);
  return distinctChoices(list, (item, at) => {
    if (typeof item !== "string") return undefined;
    const name = shown[at] ?? "";
    return { value: item, name: name === "" ? item : limited(name, "enumNames") };
  });
}

/** The choices with different values. Refuses a list over the limit, because a shortened list hides choices. */
function distinctChoices(
  list: unknown,
  read: (item: unknown, at: number) => FormChoice | undefined,
): readonly FormChoice[] {
  const items = asArray(list);
  if (items.length > maxChoices) throw invalid("requestedSchema", `A field may have at most ${maxChoices} choices.`);
  const choices = new Map<string, FormChoice>();
  for (const [at, item] of items.entries()) {
    const choice = read(item, at);
    if (choice && !choices.has(choice.value)) choices.set(limited(choice.value, "choices"), choice);
  }
  return [...choices.values()];
}

/** A web address. Other schemes could start programs or show files, so they are refused with a Refusal. */
export function readAddress(text: string): WebAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("url", "`url` must be an address that begins with https:// or http://.");
  }
  const decoded = domainToUnicode(url.hostname);
  return {
    href: url.href,
    host: url.host,
    ...(decoded !== "" && decoded !== url.hostname && { decodedHost: decoded }),
    ...((url.username !== "" || url.password !== "") && { hasUserName: true }),
  };
}
