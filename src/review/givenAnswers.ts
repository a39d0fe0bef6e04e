// Which documents VS Code asked for the text before their changes, and whether they had one. Pure.

export class GivenAnswers {
  readonly #answers = new Map<string, boolean>();

  /** VS Code has asked about the document. */
  given(uri: string, hasTextBefore: boolean): void {
    this.#answers.set(uri, hasTextBefore);
  }

  /** VS Code asks again when the document is opened again. */
  forget(uri: string): void {
    this.#answers.delete(uri);
  }

  clear(): void {
    this.#answers.clear();
  }

  /** Whether an answer is no longer true. A document about which VS Code has not asked has none. */
  isOutdated(hasTextBefore: (uri: string) => boolean): boolean {
    return [...this.#answers].some(([uri, answer]) => answer !== hasTextBefore(uri));
  }
}
