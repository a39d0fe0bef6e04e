// Read-only documents for texts, used as the sides of diffs. Only the newest texts are kept.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";

export interface ReadOnlyTextsOptions {
  readonly scheme: string;
  /** How many texts to keep for open editors. The oldest are removed first. */
  readonly maxTexts: number;
  /** The text of a document whose own text was removed. */
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

  /** Adds a document with the text. The editor derives the language from the path. */
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
