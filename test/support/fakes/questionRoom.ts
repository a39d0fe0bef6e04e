// Session services for questions only: all other requests are refused.
import type { SessionServices } from "../../../src/session/sessionServices.ts";
import type { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";

/** Session services with this broker. */
export function questionServices(broker: PermissionBroker, endTerminals: () => void): SessionServices {
  const none = (): Promise<never> => Promise.reject(new Error("not in this room"));
  return {
    requestPermission: (question, signal) => broker.requestPermission(question, signal),
    answer: (ask, option) => broker.answer(ask, option),
    cancelQuestions: fits => broker.cancelAll(fits),
    question: ask => broker.question(ask),
    endTerminals,
    readTextFile: none,
    writeTextFile: none,
    createTerminal: none,
    terminalOutput: none,
    waitForTerminalExit: none,
    killTerminal: none,
    releaseTerminal: none,
    dispose: () => broker.dispose(),
  };
}
