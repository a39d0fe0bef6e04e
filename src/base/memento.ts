// Where features keep values beyond the window. VS Code's states and its secret storage are such places.

/** Values by their keys, as `vscode.Memento` keeps them. */
export interface Memento {
  get<T>(key: string): T | undefined;
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Secrets by their keys, as `vscode.SecretStorage` keeps them. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** The states of the extension: of this workspace, and of all. */
export interface ExtensionStates {
  readonly workspaceState: Memento;
  readonly globalState: Memento;
}
