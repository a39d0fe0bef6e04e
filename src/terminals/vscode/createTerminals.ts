// Creates the terminals of the editor that show the output of agents' commands, and waits for commands that are ending.
import { asError } from "../../base/errors.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { Session } from "../../session/session.ts";
import { EditorTerminals } from "./editorTerminals.ts";

export interface TerminalsFeature {
  /** Remembers that the commands of a session are ending. */
  readonly onEnding: (ended: Promise<void>) => void;
  /** Resolves when the commands of all closed sessions have ended, or their failure was logged. */
  readonly whenEnded: () => Promise<void>;
  readonly intents: IntentHandlers<"openTerminal">;
}

/** Creates the terminals of a window. `session`: the open session with that id. */
export function createTerminals(
  { store, log }: ExtensionPlatform,
  session: (id: string | undefined) => Session | undefined,
): TerminalsFeature {
  const editorTerminals = store.add(new EditorTerminals());
  const pending = new Set<Promise<void>>();
  return {
    onEnding(ended) {
      const settled = ended.catch((error: unknown) =>
        log.error("A terminal could not be ended.", asError(error).message),
      );
      pending.add(settled);
      void settled.then(() => pending.delete(settled));
    },
    async whenEnded() {
      await Promise.all(pending);
    },
    intents: {
      openTerminal({ terminal, session: id }) {
        const shown = session(id);
        if (shown) editorTerminals.open(shown, terminal);
      },
    },
  };
}
