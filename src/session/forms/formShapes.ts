// The checks of stored forms, their answers, and problems. Their types are declared elsewhere, because panel and webview
// need them without the checks; `isExactly` compares both.
import type { NextStep, Problem } from "../../base/errors.ts";
import {
  isAnyOf,
  isBoolean,
  isExactly,
  isFiniteNumber,
  isListOf,
  isOneOf,
  isRecordWith,
  isString,
  isTrue,
  optional,
  type Validator,
} from "../../base/validators.ts";
import type { Form, FormDecision, TextFormat, WebAddress } from "./form.ts";

const optionalString = optional(isString);
const optionalNumber = optional(isFiniteNumber);

/** Any string: another version of Parley may have stored one that this version does not know. */
const isStringOf = <T extends string>(): Validator<T> => isString as Validator<string> as Validator<T>;

const isFormValue = isAnyOf(isString, isFiniteNumber, isBoolean, isListOf(isString));
const isChoices = isListOf(isRecordWith({ value: isString, name: isString, description: optionalString }));
const fieldParts = { name: isString, title: isString, description: optionalString, required: isBoolean };

/** Whether a stored value is a form. */
export const isForm = isExactly<Form>()(
  isRecordWith({
    message: isString,
    title: optionalString,
    description: optionalString,
    fields: isListOf(
      isAnyOf(
        isRecordWith({
          ...fieldParts,
          type: isOneOf("text"),
          minLength: optionalNumber,
          maxLength: optionalNumber,
          pattern: optionalString,
          format: optional(isStringOf<TextFormat>()),
          secret: optional(isTrue),
          completes: optional(isTrue),
          default: optionalString,
        }),
        isRecordWith({
          ...fieldParts,
          type: isOneOf("number"),
          integer: isBoolean,
          minimum: optionalNumber,
          maximum: optionalNumber,
          default: optionalNumber,
        }),
        isRecordWith({ ...fieldParts, type: isOneOf("boolean"), default: optional(isBoolean) }),
        isRecordWith({ ...fieldParts, type: isOneOf("select"), choices: isChoices, default: optionalString }),
        isRecordWith({
          ...fieldParts,
          type: isOneOf("multiselect"),
          choices: isChoices,
          minItems: optionalNumber,
          maxItems: optionalNumber,
          default: optional(isListOf(isString)),
        }),
      ),
    ),
  }),
);

/** Whether a stored value is the web address of a question. */
export const isWebAddress = isExactly<WebAddress>()(
  isRecordWith({ href: isString, host: isString, decodedHost: optionalString, hasUserName: optional(isTrue) }),
);

/** Whether a stored value is the answer to a form or a web address. */
export const isFormDecision = isExactly<FormDecision>()(
  isRecordWith({
    action: isOneOf("accept", "decline"),
    answers: optional(
      isListOf(
        isAnyOf(
          isRecordWith({ field: isString, value: isFormValue }),
          isRecordWith({ field: isString, answered: isTrue }),
        ),
      ),
    ),
  }),
);

/** Whether a stored value is a problem. */
export const isProblem = isExactly<Problem>()(
  isRecordWith({
    message: isString,
    detail: optionalString,
    command: optionalString,
    next: isListOf(isStringOf<NextStep>()),
    reconnects: optional(isTrue),
    signIn: optional(isListOf(isRecordWith({ id: isString, name: isString, description: optionalString }))),
  }),
);
