// Refusals that name a file.
import { Refusal } from "../base/errors.ts";
import { quotePath } from "../base/text.ts";

/** The request for the file failed. `reason` continues the sentence that begins with the path. */
export function failedRefusal(path: string, reason: string): Refusal {
  return new Refusal("failed", `${quotePath(path)} ${reason}`, { path });
}

/** There is no file. */
export function missingRefusal(path: string): Refusal {
  return new Refusal("notFound", `${quotePath(path)} does not exist.`, { path });
}

/** The file has no text. */
export function binaryRefusal(path: string): Refusal {
  return new Refusal("invalid", `${quotePath(path)} is binary, not text.`, { path });
}

/** The file has bytes that the encoding lacks. Agents and users read this. */
export function encodingRefusal(path: string, encoding: string): Refusal {
  return failedRefusal(
    path,
    `is not valid ${encoding}, the encoding that the editor uses for it. The user can choose another one with “Reopen with Encoding” or the setting “files.encoding”.`,
  );
}
