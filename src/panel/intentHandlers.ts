// Tables of intent handlers. Each feature exports one; the window merges them.
import type { PanelAction, ReplyTarget } from "./replyTarget.ts";

export type IntentType = PanelAction["type"];

/** The intent of each type. */
export type IntentOf<Type extends IntentType> = Extract<PanelAction, { readonly type: Type }>;

/** Handlers of these intents, by type. A handler that fails rejects with a sentence for the user. */
export type IntentHandlers<Types extends IntentType> = {
  readonly [Type in Types]: (intent: IntentOf<Type>, replyTarget: ReplyTarget) => Promise<void> | void;
};

/** These handlers, with the intent types that they handle inferred from their names. */
export const intentHandlers = <Types extends IntentType>(handlers: IntentHandlers<Types>): IntentHandlers<Types> =>
  handlers;
