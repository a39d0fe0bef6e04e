// Answers questions in batches, if one answer to many questions costs little more than one to a single question.

interface Question<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions that are asked while others are being answered are answered together afterwards. */
export class Batches<K, V> {
  readonly #answer: (keys: readonly K[]) => Promise<readonly V[]>;
  readonly #maxKeys: number;
  #waiting: Question<K, V>[] = [];
  #isAnswering = false;

  /** `answer`: the values of the keys, in order. It gets at most `maxKeys` keys. */
  constructor(answer: (keys: readonly K[]) => Promise<readonly V[]>, maxKeys: number) {
    this.#answer = answer;
    this.#maxKeys = maxKeys;
  }

  /** The value of the key. Rejects only if the answer to this key alone fails. */
  get(key: K): Promise<V> {
    const value = new Promise<V>((resolve, reject) => this.#waiting.push({ key, resolve, reject }));
    if (!this.#isAnswering) void this.#answerAll();
    return value;
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    // What is asked in the same moment belongs to the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxKeys);
      const isAnswered = await this.#settle(batch);
      if (!isAnswered) for (const one of batch) await this.#settle([one]);
    }
    this.#isAnswering = false;
  }

  /** Resolves with false if the answer to several questions failed. A failure of one question is its answer. */
  async #settle(batch: readonly Question<K, V>[]): Promise<boolean> {
    try {
      const values = await this.#answer(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, i) => resolve(values[i] as V));
    } catch (error) {
      const [only, ...others] = batch;
      if (others.length > 0) return false;
      only?.reject(error);
    }
    return true;
  }
}
