// The types of the tools that other extensions contribute to VS Code.

/** A part of a result. `prompt`: an element of `@vscode/prompt-tsx`, as JSON. */
export type ExtensionResultPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "prompt"; readonly value: unknown }
  | { readonly kind: "data"; readonly mimeType: string; readonly data: Uint8Array }
  | { readonly kind: "unknown" };

/** A tool that an extension contributes. */
export interface ExtensionTool {
  /** The extension and the name, such as `publisher.extension/name`. The setting has it. */
  readonly id: string;
  /** The name in VS Code, which is unique there. */
  readonly name: string;
  /** What the user reads. */
  readonly title: string;
  readonly extension: { readonly id: string; readonly title: string };
  /** What the extension writes for language models. */
  readonly description: string;
  readonly tags: readonly string[];
  /** The JSON Schema of its input. Absent: it has none. */
  readonly inputSchema?: object;
}

/** How the tools of other extensions are listed, checked and run. `vscode/` implements it. */
export interface EditorExtensionTools {
  /** The chosen ones that are there now. They come and go with their extensions, so they are read with each call. */
  chosen(): readonly ExtensionTool[];
  /** What is wrong with the input, as far as the schema can be checked. Undefined: nothing. */
  inputFault(tool: ExtensionTool, input: object): string | undefined;
  /** Runs a tool. VS Code may ask the user, too. Rejects with a Refusal if the tool fails. */
  invoke(tool: ExtensionTool, input: object, signal: AbortSignal): Promise<readonly ExtensionResultPart[]>;
}
