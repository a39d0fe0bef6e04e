// Creates the history of files of a window: its log of facts, the sensor of git, and its command.
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { FactLog } from "../factLog.ts";
import type { FactSink } from "../facts.ts";
import { ExplainedFiles } from "./explainedFiles.ts";
import { HeadSensor, type HeadSensorOptions } from "./headSensor.ts";

export interface HistoryFeature {
  readonly facts: FactSink;
  readonly explained: ExplainedFiles;
  readonly commands: CommandHandlers<"parley.explainChanges">;
}

/** Creates the history and listens to the editor and git. */
export function createHistory(
  { store, clock, log }: ExtensionPlatform,
  options: Omit<HeadSensorOptions, "facts" | "log">,
): HistoryFeature {
  const facts = new FactLog(() => clock.now());
  store.add(new HeadSensor({ ...options, facts, log }));
  const explained = store.add(new ExplainedFiles(facts));
  return { facts, explained, commands: { "parley.explainChanges": file => explained.show(file) } };
}
