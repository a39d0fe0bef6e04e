// The tools that other extensions contribute to VS Code, as tools for agents: those that the user has chosen. Parley asks
// before each call, and the extension runs it.
import { createHash } from "node:crypto";
import { untilAborted } from "../base/async.ts";
import { Refusal } from "../base/errors.ts";
import { visibleName } from "../base/inertText.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { shortQuote } from "../base/text.ts";
import { visibleText } from "../base/visibleText.ts";
import { maxJsonLength } from "../panel/projection/toolParts.ts";
import { askedCall } from "./askedCall.ts";
import type { ExtensionTool } from "./editorExtensionTools.ts";
import { extensionAnswer } from "./extensionResult.ts";
import { text, whole } from "./resultFields.ts";
import { wholeCharacters } from "./resultPages.ts";
import { resultSchema, type Tool, type ToolAnswer, type ToolContext } from "./tool.ts";

/** The number of tools that the user can choose. */
export const maxExtensionTools = 64;
/** No tool of Parley begins with it. */
const namePrefix = "ext_";
/** Some agents put the name of the server before it, and allow 64 characters. */
const maxNameLength = 48;
const maxTitleLength = 100;
const maxDescriptionLength = 4000;
const maxFieldDescription = 1000;
/** Of a schema as JSON, in characters. */
const maxSchemaLength = 50_000;
const maxSchemaDepth = 30;

/** The tools as agents can call them. */
export const toolsOfExtensions = (chosen: readonly ExtensionTool[]): readonly Tool[] => {
  const taken = new Set<string>();
  return chosen.map(tool => {
    const usual = agentName(tool);
    // Some agents do not tell upper case from lower case.
    const name = taken.has(usual.toLowerCase()) ? markedName(usual, tool.id) : usual;
    taken.add(name.toLowerCase());
    return agentTool(tool, name);
  });
};

/** The title, with the extension, for lists. */
export const fullTitle = ({ title, extension }: ExtensionTool): string =>
  `${visibleName(title, maxTitleLength)} (${visibleName(extension.title, maxTitleLength)})`;

/** The name for agents: only characters that MCP and the vendors of models allow, and the same in each list. */
function agentName({ id, name }: Pick<ExtensionTool, "id" | "name">): string {
  const safe = `${namePrefix}${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
  return safe === `${namePrefix}${name}` && safe.length <= maxNameLength ? safe : markedName(safe, id);
}

const markedName = (name: string, id: string): string => {
  const mark = `_${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
  return `${name.slice(0, maxNameLength - mark.length)}${mark}`;
};

function agentTool(tool: ExtensionTool, name: string): Tool {
  const title = fullTitle(tool);
  const { schema, note } = agentSchema(tool.inputSchema);
  const { id, title: extension } = tool.extension;
  const own = wholeCharacters(visibleText(tool.description.slice(0, maxDescriptionLength)), maxDescriptionLength);
  return {
    description: {
      ...{ name, title, inputSchema: schema },
      description: `A tool of the extension “${visibleName(extension, maxTitleLength)}” (${id}) of the editor, which the user has chosen for you. The user is asked before each call.${note} The extension describes it so:\n${own}`,
      outputSchema: resultSchema({
        output: text("What the tool returned, as text."),
        "totalLength?": whole("The characters of the whole output, whose end is missing here. Absent: it is whole."),
      }),
      annotations: {
        title,
        ...{ readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      },
    },
    run: (given, context, signal) => callExtensionTool(tool, given, context, signal),
  };
}

type AgentSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };
const anyInput: AgentSchema = { type: "object" };

/** The schema as agents get it. Its descriptions are limited, because the extension writes them. */
function agentSchema(schema: object | undefined): { readonly schema: AgentSchema; readonly note: string } {
  if (schema === undefined) return { schema: anyInput, note: "" };
  const unknown = (why: string): ReturnType<typeof agentSchema> => ({
    schema: anyInput,
    note: ` The schema of its input ${why}, so it is left out.`,
  });
  if (JSON.stringify(schema).length > maxSchemaLength) return unknown("is too large");
  const limited = limitedSchema(schema, maxSchemaDepth);
  if (limited === undefined) return unknown("is nested too deep");
  const { type, properties = {}, required = [] } = limited as Readonly<Record<string, unknown>>;
  if (type !== "object") return unknown("is not that of an object");
  const areSchemas = isRecord(properties) && Object.values(properties).every(isRecord);
  if (!areSchemas || !Array.isArray(required) || !required.every(name => typeof name === "string"))
    return unknown("has a form that not all agents can read");
  const kept = Object.entries(limited as object).filter(([key]) => !refusedAtRoot.has(key));
  const isWhole = kept.length === Object.keys(limited as object).length;
  return {
    schema: Object.fromEntries(kept) as AgentSchema,
    note: isWhole ? "" : " Its input has further conditions, which the schema does not show.",
  };
}

/** Vendors of models refuse a request that contains a schema with one of them at its root, with all its tools. */
const refusedAtRoot = new Set(["oneOf", "anyOf", "allOf", "not", "enum", "const", "if", "then", "else"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const dataKeywords = new Set(["const", "enum", "default", "examples"]);

/** A copy with short, visible descriptions. Undefined: it is nested too deep. */
function limitedSchema(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return undefined;
  let isTooDeep = false;
  const copy = (key: string, child: unknown): unknown => {
    if (typeof child === "string" && (key === "description" || key === "title"))
      return visibleText(wholeCharacters(child, maxFieldDescription));
    if (dataKeywords.has(key)) return child;
    const copied = limitedSchema(child, levels - 1);
    isTooDeep ||= copied === undefined && child !== undefined;
    return copied;
  };
  const made = Array.isArray(value)
    ? value.map(one => copy("", one))
    : Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(key, child)]));
  return isTooDeep ? undefined : made;
}

async function callExtensionTool(
  tool: ExtensionTool,
  given: unknown,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const input = given ?? {};
  if (typeof input !== "object" || Array.isArray(input))
    throw new Refusal("invalid", "The arguments must be an object.");
  // Within one field, because a field such as `command` at the top would be shown, in place of all others, as a command.
  const shown = { extension: tool.extension.id, tool: tool.name, input };
  if (JSON.stringify(shown, undefined, 2).length > maxJsonLength)
    throw new Refusal("invalid", "The arguments are larger than what can be shown to the user. Pass less.");
  const { extensionTools } = context.editor;
  const fault = extensionTools.inputFault(tool, input);
  if (fault !== undefined) throw new Refusal("invalid", `The arguments do not fit the schema of the tool: ${fault}`);
  const title = visibleName(tool.title, maxTitleLength);
  const extension = visibleName(tool.extension.title, maxTitleLength);
  return askedCall(
    {
      title: t("Use {0} of the extension {1}", shortQuote(title), shortQuote(extension)),
      kind: "other",
      input: shown,
      description: t(
        "The extension runs this tool. Parley cannot limit which files it reads or changes, or what it sends.",
      ),
      caveat: t("is a tool of an extension, which Parley cannot limit"),
    },
    context,
    {
      signal,
      act: async () => {
        // The extension can be replaced, and the user can change the choice, while the question is open.
        const now = extensionTools.chosen().find(({ id }) => id === tool.id);
        if (!now || !jsonEqual(now, tool))
          throw new Refusal(
            "failed",
            "The tool has changed, or is no longer available, since the user was asked. Nothing was run.",
          );
        const running = extensionTools.invoke(now, input, signal);
        return extensionAnswer(
          await untilAborted(running, [signal], () => {
            throw new Refusal("cancelled", "The call was cancelled. The extension may not have stopped at once.");
          }),
        );
      },
    },
  );
}
