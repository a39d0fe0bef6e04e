// What is wrong with an answer, as a sentence beside its field.
import type { FieldFault, TextFormat } from "../../src/session/forms/form.ts";
import { t } from "../base/l10n.ts";

export function faultText(fault: FieldFault): string {
  switch (fault.fault) {
    case "missing":
      return t("An answer is required.");
    case "wrongType":
      return t("Enter a number.");
    case "notInteger":
      return t("Enter a whole number.");
    case "notOffered":
      return t("Choose one of the offered values.");
    case "tooShort":
      return t("Enter at least {0} characters.", fault.limit);
    case "tooLong":
      return t("Enter at most {0} characters.", fault.limit);
    case "tooSmall":
      return t("Enter {0} or more.", fault.limit);
    case "tooLarge":
      return t("Enter {0} or less.", fault.limit);
    case "tooFew":
      return t("Choose at least {0}.", fault.limit);
    case "tooMany":
      return t("Choose at most {0}.", fault.limit);
    case "format":
      return formatText(fault.format);
    default:
      fault satisfies never;
      return "";
  }
}

function formatText(format: TextFormat): string {
  switch (format) {
    case "email":
      return t("Enter an email address.");
    case "uri":
      return t("Enter a whole address, such as https://example.com.");
    case "date":
      return t("Enter a date, such as 2026-01-31.");
    case "date-time":
      return t("Enter a date and time, such as 2026-01-31T12:00:00Z.");
    default:
      format satisfies never;
      return "";
  }
}
