// Steps on messages that several joined tests take.
import type { JoinedWindow } from "./joinedPanel.ts";

/** Chooses an action in the menu of the first message with this text. */
export async function chooseAction({ log }: JoinedWindow, text: string, action: string): Promise<void> {
  const message = log.locator("parley-message").filter({ hasText: text }).first();
  await message.hover();
  await message.getByRole("button", { name: "Message Actions" }).click();
  await message.getByRole("menuitem", { name: action }).click();
}
