// The connection of a page to the extension host. A page may acquire it once.
interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): WebviewApi;

export const webviewApi = acquireVsCodeApi();
