// Every text of a view, by its location: `entries<tool>.title`, `parts<link>.uri`. The type contains all of them, so
// that a new one does not compile until it is listed here. The tests look for the listed ones in a hostile agent's
// view.
import type { View } from "../../../src/panel/protocol.ts";

type TagBy<T, F extends string> = T extends { readonly [P in F]: infer K extends string }
  ? string extends K
    ? ""
    : `<${K}>`
  : "";
type Tag<T> = TagBy<T, "type"> extends "" ? TagBy<T, "kind"> : TagBy<T, "type">;

/** Locations of the texts in a value, without strings of a closed set. Parts are listed once, wherever they occur. */
type TextPlace<T, P extends string = ""> = T extends string
  ? string extends T
    ? P
    : never
  : T extends readonly (infer E)[]
    ? TextPlace<E, P>
    : T extends object
      ? { [K in keyof T & string]-?: TextPlace<T[K], K extends "parts" ? K : Below<P, Tag<T>, K>> }[keyof T & string]
      : never;
type Below<P extends string, T extends string, K extends string> = P extends "" ? K : `${P}${T}.${K}`;

/** The source of each text: "agent" if an agent writes it. Texts of other sources are not counted. */
const sources: Readonly<Record<TextPlace<View>, "agent" | "Parley" | "user">> = {
  // Only a currency code gets there.
  "entries<user>.branch.previous": "Parley",
  "entries<user>.branch.next": "Parley",
  "entries<agent>.branch.previous": "Parley",
  "entries<agent>.branch.next": "Parley",
  "entries<thought>.branch.previous": "Parley",
  "entries<thought>.branch.next": "Parley",
  "entries<user>.turn.cost.currency": "Parley",
  "entries<agent>.turn.cost.currency": "Parley",
  "entries<thought>.turn.cost.currency": "Parley",
  "entries<tool>.turn.cost.currency": "Parley",
  "entries<notice>.link.agentName": "agent",
  "entries<notice>.link.session": "Parley",
  "entries<notice>.link.title": "agent",
  "entries<notice>.turn.cost.currency": "Parley",
  "entries<compaction>.turn.cost.currency": "Parley",
  "entries<problem>.turn.cost.currency": "Parley",
  "entries<turnEnd>.turn.cost.currency": "Parley",
  "entries<user>.id": "Parley",
  "entries<agent>.id": "Parley",
  "entries<thought>.id": "Parley",
  "entries<user>.parent": "agent",
  "entries<agent>.parent": "agent",
  "entries<thought>.parent": "agent",
  "entries<tool>.id": "agent",
  "entries<tool>.parent": "agent",
  "entries<tool>.title": "agent",
  "entries<tool>.toolKind": "agent",
  "entries<tool>.locations.path": "agent",
  "entries<tool>.locations.label": "agent",
  "entries<tool>.files.path": "agent",
  "entries<tool>.files.label": "agent",
  "entries<tool>.decisions": "agent",
  "entries<tool>.byAllEdits": "Parley",
  "entries<notice>.id": "Parley",
  "entries<notice>.title": "agent",
  "entries<notice>.description": "agent",
  "entries<notice>.files.path": "agent",
  "entries<notice>.files.label": "agent",
  "entries<compaction>.id": "Parley",
  "entries<compaction>.status": "agent",
  "entries<compaction>.error": "agent",
  "entries<compaction>.parent": "agent",
  "entries<problem>.id": "Parley",
  "entries<problem>.problem.message": "agent",
  "entries<problem>.problem.detail": "agent",
  "entries<problem>.problem.command": "agent",
  "entries<problem>.problem.signIn.id": "agent",
  "entries<problem>.problem.signIn.name": "agent",
  "entries<problem>.problem.signIn.description": "agent",
  "entries<turnEnd>.id": "Parley",
  "entries<turnEnd>.stopReason": "agent",
  "parts<text>.text": "agent",
  // One word of letters, digits and a few signs.
  "parts<text>.pre.language": "Parley",
  "parts<image>.mimeType": "agent",
  "parts<image>.data": "agent",
  "parts<image>.uri": "agent",
  "parts<audio>.mimeType": "agent",
  "parts<audio>.data": "agent",
  "parts<link>.uri": "agent",
  "parts<link>.name": "agent",
  "parts<link>.description": "agent",
  "parts<link>.mimeType": "agent",
  "parts<resource>.uri": "agent",
  "parts<resource>.mimeType": "agent",
  "parts<resource>.text": "agent",
  "parts<resource>.data": "agent",
  "parts<placeholder>.kind": "agent",
  "parts<diff>.path": "agent",
  "parts<diff>.label": "agent",
  "parts<diff>.hunks.lines.text": "agent",
  "parts<files>.files.operation": "agent",
  "parts<files>.files.path": "agent",
  "parts<files>.files.label": "agent",
  "parts<files>.files.from": "agent",
  "parts<files>.files.diff.hunks.lines.text": "agent",
  "parts<files>.files.mode": "Parley",
  "parts<files>.patch": "agent",
  "parts<terminal>.terminalId": "Parley",
  "parts<terminal>.command": "agent",
  "parts<terminal>.cwd": "agent",
  "parts<terminal>.text": "agent",
  "parts<terminal>.exit.signal": "agent",
  "parts<json>.text": "agent",
  "parts<session>.entry": "Parley",
  "parts<session>.title": "agent",
  "parts<plan>.entries.content": "agent",
  "parts<plan>.entries.priority": "agent",
  "parts<plan>.entries.status": "agent",
  "parts<plan>.markdown": "agent",
  "parts<plan>.uri": "agent",
  "parts<plan>.kind": "agent",
  "parts<plan>.file.path": "agent",
  "parts<plan>.file.label": "agent",
  "head.session": "Parley",
  "head.folder": "Parley",
  "head.title": "agent",
  "head.recent.id": "Parley",
  // The host escapes invisible characters of it.
  "head.recent.title": "Parley",
  "head.recent.agentName": "Parley",
  "head.recent.icon": "Parley",
  "head.agent.id": "user",
  "head.agent.name": "agent",
  // An account is shown in the menu of agents only, which is closed.
  "head.agent.account": "Parley",
  "head.agent.package": "user",
  "head.agent.icon": "user",
  "head.agent.description": "agent",
  "head.agents.id": "user",
  "head.agents.name": "agent",
  "head.agents.account": "Parley",
  "head.agents.package": "user",
  "head.agents.icon": "user",
  "head.agents.description": "agent",
  "head.connection.detail": "agent",
  "head.connection.refusedChoices.option": "agent",
  "head.connection.refusedChoices.name": "agent",
  "head.connection.refusedChoices.chosen": "agent",
  "head.connection.refusedChoices.message": "agent",
  "head.activity.state": "Parley",
  "head.live": "Parley",
  "head.problem.message": "agent",
  "head.problem.detail": "agent",
  "head.problem.command": "agent",
  "head.problem.signIn.id": "agent",
  "head.problem.signIn.name": "agent",
  "head.problem.signIn.description": "agent",
  // The name of the chosen method, which the banner shows as a button before.
  "head.problem.signingIn.name": "Parley",
  "head.activeFile.name": "Parley",
  "head.activeFile.path": "Parley",
  "head.questions.id": "Parley",
  "head.questions.entry": "Parley",
  "head.questions.title": "agent",
  "head.questions.toolKind": "agent",
  "head.questions.command": "agent",
  "head.questions.cwd": "agent",
  "head.questions.locations.path": "agent",
  "head.questions.locations.label": "agent",
  "head.questions.options.id": "agent",
  "head.questions.options.name": "agent",
  "head.questions.options.kind": "agent",
  "head.questions.reason": "agent",
  "head.questions.plan": "Parley",
  "head.questions.env.name": "agent",
  "head.questions.env.value": "agent",
  // A form is shown only while it is the oldest question. test/webview/formCard.test.ts shows hostile texts in it.
  "head.questions.form.message": "Parley",
  "head.questions.form.title": "Parley",
  "head.questions.form.description": "Parley",
  "head.questions.form.fields<text>.name": "Parley",
  "head.questions.form.fields<text>.title": "Parley",
  "head.questions.form.fields<text>.description": "Parley",
  "head.questions.form.fields<text>.pattern": "Parley",
  "head.questions.form.fields<text>.default": "Parley",
  "head.questions.form.fields<number>.name": "Parley",
  "head.questions.form.fields<number>.title": "Parley",
  "head.questions.form.fields<number>.description": "Parley",
  "head.questions.form.fields<boolean>.name": "Parley",
  "head.questions.form.fields<boolean>.title": "Parley",
  "head.questions.form.fields<boolean>.description": "Parley",
  "head.questions.form.fields<select>.name": "Parley",
  "head.questions.form.fields<select>.title": "Parley",
  "head.questions.form.fields<select>.description": "Parley",
  "head.questions.form.fields<select>.choices.value": "Parley",
  "head.questions.form.fields<select>.choices.name": "Parley",
  "head.questions.form.fields<select>.choices.description": "Parley",
  "head.questions.form.fields<select>.default": "Parley",
  "head.questions.form.fields<multiselect>.name": "Parley",
  "head.questions.form.fields<multiselect>.title": "Parley",
  "head.questions.form.fields<multiselect>.description": "Parley",
  "head.questions.form.fields<multiselect>.choices.value": "Parley",
  "head.questions.form.fields<multiselect>.choices.name": "Parley",
  "head.questions.form.fields<multiselect>.choices.description": "Parley",
  "head.questions.form.fields<multiselect>.default": "Parley",
  "head.questions.address.href": "Parley",
  "head.questions.address.host": "Parley",
  "head.questions.address.decodedHost": "Parley",
  "head.plans.id": "Parley",
  "head.plans.entries.content": "agent",
  "head.plans.entries.priority": "agent",
  "head.plans.entries.status": "agent",
  "head.plans.markdown": "agent",
  "head.plans.uri": "agent",
  "head.plans.kind": "agent",
  "head.plans.file.path": "agent",
  "head.plans.file.label": "agent",
  "head.questions.description": "agent",
  "entries<tool>.cancel": "Parley",
  "head.queue.id": "Parley",
  "head.queue.text": "agent",
  "head.queue.attachments": "user",
  "head.changes.files.path": "agent",
  "head.changes.files.label": "agent",
  "head.changes.files.unknown": "Parley",
  "head.changes.files.movedFrom": "agent",
  "head.changes.others.sessions.id": "Parley",
  "head.changes.others.sessions.title": "agent",
  "head.commands.name": "agent",
  "head.commands.description": "agent",
  "head.commands.hint": "agent",
  "head.options<select>.id": "agent",
  "head.options<select>.name": "agent",
  "head.options<select>.description": "agent",
  "head.options<select>.category": "agent",
  "head.options<select>.value": "agent",
  "head.options<select>.choices.value": "agent",
  "head.options<select>.choices.name": "agent",
  "head.options<select>.choices.description": "agent",
  "head.options<select>.choices.group": "agent",
  "head.options<boolean>.id": "agent",
  "head.options<boolean>.name": "agent",
  "head.options<boolean>.description": "agent",
  "head.options<boolean>.category": "agent",
  "head.usage.cost.currency": "agent",
  // Only the view of a restored session has it.
  "head.resumeQuestion.costs.currency": "Parley",
  "head.turnUsage.models.model": "agent",
  "head.cwd": "user",
  // Of MCP servers. test/mcp and test/webview/mcp.test.ts have hostile ones.
  "head.prompts.name": "Parley",
  "head.prompts.description": "Parley",
  "head.prompts.hint": "Parley",
  "head.prompts.action<allow>.server": "Parley",
  "head.prompts.action<retry>.server": "Parley",
  "head.prompts.action<signIn>.server": "Parley",
  "head.prompts.action<wait>.server": "Parley",
  "head.mcpServers.name": "Parley",
  "head.mcpServers.detail": "Parley",
  "head.mcpServers.icon": "Parley",
  "head.mcpServers.reason": "Parley",
  "head.questions.asker": "Parley",
  "head.questions.origin": "Parley",
  "head.questions.preview.notes": "Parley",
  // Git reports them. An agent can choose the name of a branch, so the header shows invisible characters by their codes.
  "head.worktree.branch": "Parley",
  "head.worktree.problem": "Parley",
  "head.worktree.state.comparedWith": "Parley",
};

const messages = ["entries<user>", "entries<agent>", "entries<thought>", "entries<compaction>"];
const cards = ["entries<tool>", "head.questions"];
/** Only tool calls and questions contain these. */
const cardParts = /^parts<(?:diff|files|terminal|json|session|plan)>/;
/** A question's tool call always shows more than its raw input, and one file change of one shape. It has no plans. */
const isNowhere = (place: string): boolean =>
  place === "head.questions.parts<json>.text" || place.startsWith("head.questions.parts<plan>");

/** Every location that an agent's text reaches, with the parts in each entry that contains them. */
export const agentFields: readonly string[] = Object.entries(sources)
  .filter(([, source]) => source === "agent")
  .flatMap(([place]) => {
    if (!place.startsWith("parts")) return [place];
    return [...(cardParts.test(place) ? [] : messages), ...cards].map(owner => `${owner}.${place}`);
  })
  .filter(place => !isNowhere(place));

const known = new Set<string>(Object.keys(sources));
const isOpening = (place: string): boolean => [...known].some(each => each.startsWith(place));
const openings = new Map<string, boolean>();
/** The location without the owner of its parts. */
const listed = (place: string): string => place.replace(/^.*\.parts/, "parts");

/** Every text of a view, with its location. */
export function* viewTexts(value: unknown, place = ""): Generator<readonly [place: string, text: string]> {
  if (typeof value === "string") yield [place, value];
  else if (Array.isArray(value)) for (const item of value as readonly unknown[]) yield* viewTexts(item, place);
  else if (typeof value === "object" && value !== null) {
    const record = value as Readonly<Record<string, unknown>>;
    const tag = [`<${String(record["kind"])}>`, `<${String(record["type"])}>`].find(each => opens(place + each)) ?? "";
    for (const [key, item] of Object.entries(record))
      yield* viewTexts(item, place === "" ? key : `${place}${tag}.${key}`);
  }
}

function opens(place: string): boolean {
  const short = listed(place);
  const before = openings.get(short) ?? isOpening(`${short}.`);
  openings.set(short, before);
  return before;
}

/** Whether the location is listed, from any source. */
export const isKnownPlace = (place: string): boolean => known.has(listed(place));
