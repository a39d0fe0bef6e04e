// Notes what the agents of sessions report, as far as it is evidence of who changed a file: calls, terminals and
// questions. Pure.
import type { SessionEvent, ToolContent } from "../session/events.ts";
import { openQuestions, toolKey, type SessionState } from "../session/state.ts";
import { newPathsIn } from "../session/toolPaths.ts";
import type { WindowFact } from "./facts.ts";
import { isGitCommand, namesGit } from "./namesGit.ts";

/** The fact of an event that reports a tool call. `after`: the state after the event. */
export function toolFact(event: SessionEvent, after: SessionState, session: string): WindowFact | undefined {
  if (event.type !== "tool" && event.type !== "toolChunk") return undefined;
  const { toolCallId } = event;
  const entry = after.entries.get(toolKey(toolCallId));
  const { parent, fields = {} } = entry?.kind === "tool" ? entry : {};
  const { title, kind, status } = event.type === "tool" ? event.patch : {};
  const paths = newPathsIn(event, "locations", "diffs", "moves");
  const reported = editsIn(event);
  return {
    type: "toolReported",
    session,
    toolCallId,
    ...(parent !== undefined && { parent }),
    ...(title && { title }),
    ...(kind && { kind }),
    ...(status && { status }),
    ...(paths.length > 0 && { paths: [...new Set(paths)] }),
    ...(reported && { reported }),
    ...(event.type === "toolChunk" && { isPart: true as const }),
    ...(namesGit(fields, after.terminals) && { namesGit: true as const }),
  };
}

/** The edits that an event reports. Undefined: it does not report the content of its call. */
function editsIn(event: Extract<SessionEvent, { type: "tool" | "toolChunk" }>): readonly ToolContent[] | undefined {
  const content = event.type === "tool" ? event.patch.content : [event.content];
  return content?.filter(({ type }) => type === "diff" || type === "changes");
}

/** The facts of a session whose state has changed: terminals that began or ended, and questions. */
export function stateFacts(before: SessionState, after: SessionState, session: string): readonly WindowFact[] {
  const facts: WindowFact[] = [];
  if (before.terminals !== after.terminals) {
    for (const [terminal, now] of after.terminals) {
      const earlier = before.terminals.get(terminal);
      const hasBegun = !earlier && !now.exit;
      const hasEnded = now.exit !== undefined && earlier !== undefined && !earlier.exit;
      const isNamed = earlier !== undefined && earlier.command !== now.command;
      if (!hasBegun && !hasEnded && !isNamed) continue;
      const git = isGitCommand(now.command) && { namesGit: true as const };
      facts.push({ type: "terminalChanged", session, terminal, isRunning: !now.exit, ...git });
    }
  }
  if (before.questions !== after.questions) {
    const open = openQuestions(after).map(({ id, toolCallId }) => ({ id, ...(toolCallId && { toolCallId }) }));
    facts.push({ type: "questionsChanged", session, open });
  }
  return facts;
}
