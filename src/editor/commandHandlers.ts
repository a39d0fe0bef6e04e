// Tables of command handlers. Each feature exports one; the window merges them.

/** Handlers of these commands, by id. A handler that fails rejects with a sentence for the user. */
export type CommandHandlers<Id extends `parley.${string}`> = {
  readonly [Key in Id]: (...args: readonly unknown[]) => Promise<void> | void;
};
