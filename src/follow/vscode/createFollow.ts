// Creates what follows the agent in the editor, and its handlers.
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import { FollowController, type FollowControllerOptions } from "./followController.ts";

export interface FollowFeature {
  readonly controller: FollowController;
  readonly commands: CommandHandlers<"parley.toggleFollow">;
  readonly intents: IntentHandlers<"follow">;
  readonly head: HeadPart<"follow">;
}

/** Creates the controller that follows the agent of the active session. */
export function createFollow(
  { store, clock, log }: ExtensionPlatform,
  options: Omit<FollowControllerOptions, "clock" | "log">,
): FollowFeature {
  const controller = store.add(new FollowController({ ...options, clock, log }));
  return {
    controller,
    commands: followCommands(controller),
    intents: followIntents(controller),
    head: { values: { follow: session => controller.stateOf(session?.id) }, onDidChange: controller.onDidChange },
  };
}

const followCommands = (follow: FollowController): FollowFeature["commands"] => ({
  "parley.toggleFollow": () => follow.toggle(),
});

const followIntents = (follow: FollowController): FollowFeature["intents"] => ({
  follow: ({ on }) => follow.follow(on),
});
