// VS Code in a browser stores the states of panels every few seconds. A reload before that restores older states.
import type { Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";

/** Resolves when VS Code has stored a value that contains this text. */
export async function whenStored(page: Page, text: string): Promise<void> {
  // The desktop stores it when the window closes, and not in a database of the page.
  if (process.env["PARLEY_DESKTOP"]) return;
  await until(() => page.evaluate(storageHolds, text)).catch((cause: unknown) => {
    throw new Error(`VS Code has not stored "${text}".`, { cause });
  });
}

/** Runs in the page. Whether VS Code has stored a value that contains this text. */
async function storageHolds(text: string): Promise<boolean> {
  const settled = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The database failed."));
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name ?? ""));
    for (const store of database.objectStoreNames) {
      const values = await settled(database.transaction(store).objectStore(store).getAll());
      if (JSON.stringify(values).includes(text)) {
        database.close();
        return true;
      }
    }
    database.close();
  }
  // Reads without a pause keep the transactions of VS Code waiting.
  await new Promise(resolve => setTimeout(resolve, 250));
  return false;
}
