// The tools that other extensions contribute to this window, as VS Code lists and runs them. VS Code does not say whose a
// tool is, so the manifests of the extensions say it. Tools of VS Code itself and of its MCP servers are in none.
import * as vscode from "vscode";
import { asError, Refusal } from "../../base/errors.ts";
import { visibleText } from "../../base/visibleText.ts";
import type { EditorExtensionTools, ExtensionTool, ExtensionResultPart } from "../editorExtensionTools.ts";
import { maxExtensionTools } from "../extensionTools.ts";

const maxErrorLength = 2000;

interface WindowExtensionToolsOptions {
  /** The ids of the tools that the user has chosen. */
  readonly chosen: () => readonly string[];
  readonly inputFault: (schema: object, input: object) => string | undefined;
}

/** The tools of the other extensions in this extension host. */
export class WindowExtensionTools implements EditorExtensionTools {
  readonly #options: WindowExtensionToolsOptions;

  constructor(options: WindowExtensionToolsOptions) {
    this.#options = options;
  }

  /** All tools that can be chosen. A name that several extensions declare belongs to none of them for certain. */
  all(): readonly ExtensionTool[] {
    const owners = toolOwners();
    return vscode.lm.tools.flatMap(({ name, description, inputSchema, tags }) => {
      const [owner, ...others] = owners.get(name) ?? [];
      if (!owner || others.length > 0) return [];
      const { extension, title = name } = owner;
      return [
        {
          ...{ id: `${extension.id}/${name}`, name, title, extension, tags: [...tags] },
          description: typeof description === "string" ? description : "",
          ...(inputSchema && { inputSchema: JSON.parse(JSON.stringify(inputSchema)) as object }),
        },
      ];
    });
  }

  chosen(): readonly ExtensionTool[] {
    const ids = new Set(this.#options.chosen().slice(0, maxExtensionTools));
    return ids.size === 0 ? [] : this.all().filter(({ id }) => ids.has(id));
  }

  inputFault({ inputSchema }: ExtensionTool, input: object): string | undefined {
    return inputSchema && this.#options.inputFault(inputSchema, input);
  }

  async invoke({ name }: ExtensionTool, input: object, signal: AbortSignal): Promise<readonly ExtensionResultPart[]> {
    const source = new vscode.CancellationTokenSource();
    const cancel = (): void => source.cancel();
    signal.addEventListener("abort", cancel);
    try {
      signal.throwIfAborted();
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
      return content.map(resultPart);
    } catch (thrown) {
      signal.throwIfAborted();
      throw failure(asError(thrown));
    } finally {
      signal.removeEventListener("abort", cancel);
      source.dispose();
    }
  }
}

function failure({ name, message }: Error): Refusal {
  return name === "Canceled"
    ? new Refusal("cancelled", "The tool was cancelled, perhaps by the user in the question of VS Code.")
    : new Refusal("failed", `The tool of the extension failed: ${visibleText(message.slice(0, maxErrorLength))}`);
}

function resultPart(part: unknown): ExtensionResultPart {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: "text", text: part.value };
  if (part instanceof vscode.LanguageModelPromptTsxPart) return { kind: "prompt", value: part.value };
  // VS Code has a class for data since 1.104.
  const { mimeType, data } = (part ?? {}) as { readonly mimeType?: unknown; readonly data?: unknown };
  return typeof mimeType === "string" && data instanceof Uint8Array
    ? { kind: "data", mimeType, data }
    : { kind: "unknown" };
}

/** What the manifest of an extension says of a tool. */
interface ToolOwner {
  readonly title?: string;
  readonly extension: ExtensionTool["extension"];
}

/** The extensions that declare each name. */
function toolOwners(): ReadonlyMap<string, readonly ToolOwner[]> {
  const owners = new Map<string, ToolOwner[]>();
  for (const { id, packageJSON } of vscode.extensions.all) {
    const { displayName, contributes } = packageJSON as {
      readonly displayName?: unknown;
      readonly contributes?: { readonly languageModelTools?: unknown };
    };
    const declared = contributes?.languageModelTools;
    const extension = { id, title: typeof displayName === "string" ? displayName : id };
    for (const one of Array.isArray(declared) ? (declared as readonly unknown[]) : []) {
      const { name, displayName: title } = (one ?? {}) as { readonly name?: unknown; readonly displayName?: unknown };
      if (typeof name !== "string") continue;
      const owner = { extension, ...(typeof title === "string" && { title }) };
      owners.set(name, [...(owners.get(name) ?? []), owner]);
    }
  }
  return owners;
}
