// Takes the place of the validator of JSON Schema of the MCP client and of the MCP server, which is a third of the size of
// each. The client validates only results of tools, which Parley does not call, and answers to forms, which Parley validates
// itself. The server with the tools of the editor checks their arguments itself (`editorTools/toolArguments.ts`), and with a smaller
// validator if another extension declares them (`editorTools/http/inputFault.ts`).

/** The client reads it to explain failures of `fetch` in browsers. */
export const CORS_IS_POSSIBLE = false;

/** Accepts every value. */
export class DefaultJsonSchemaValidator {
  getValidator<T>(): (data: unknown) => { readonly valid: true; readonly data: T; readonly errorMessage: undefined } {
    return data => ({ valid: true, data: data as T, errorMessage: undefined });
  }
}
