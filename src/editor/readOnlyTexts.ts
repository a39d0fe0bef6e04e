// Texts shown as read-only documents of a scheme, as sides of diffs. The newest ones are kept.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";

export interface ReadOnlyTextsOptions {
  readonly scheme: string;
  /** Texts kept readable for open editors; the oldest go first. */
  readonly maxTexts: number;
  /** Stands in a document whose text is not kept any more. */
  readonly placeholder: string;
}

export class ReadOnlyTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly #options: ReadOnlyTextsOptions;
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor(options: ReadOnlyTextsOptions) {
    this.#options = options;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(options.scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? this.#options.placeholder;
  }

  /** A document with the text. The path gives the editor its language. */
  add(path: string, text: string): vscode.Uri {
    const { scheme, maxTexts } = this.#options;
    const key = `${++this.#count}`;
    this.#texts.set(key, text);
    for (const old of this.#texts.keys()) {
      if (this.#texts.size <= maxTexts) break;
      this.#texts.delete(old);
    }
    return vscode.Uri.file(path).with({ scheme, query: key });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
  }
}
