// Asks several agents the same: a worktree and a session for each, which are all prepared before the first prompt is sent.
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Clock } from "../../base/log.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import { showInputBox, showWarningMessage, withProgress } from "../../editor/editorUi.ts";
import type { Git } from "../../git/gitProgram.ts";
import { localBranches, removeNewWorktree, type Repository } from "../../git/gitWorktrees.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { PromptContent, PromptContentOptions } from "../../mentions/promptContent.ts";
import type { PromptDraft } from "../../mentions/promptDraft.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { Attachment } from "../../panel/protocol.ts";
import { hasConversation, isBusy } from "../../session/state.ts";
import type { Session } from "../../session/session.ts";
import type { Candidate, CandidateGroup, CandidateGroups } from "../candidates/candidateGroups.ts";
import { candidateBranches, candidateNames } from "../candidates/candidateNames.ts";
import { attachmentsIn } from "../candidates/candidatePrompt.ts";
import { sendHeldPrompts, whenStarted } from "../candidates/candidateStart.ts";
import { makeWorktree, type MadeWorktree } from "../makeWorktree.ts";
import type { WorktreeRecords } from "../worktreeRecords.ts";
import { askBase, chooseRepository } from "./askBase.ts";
import { chooseAgents, chooseStart, type ChosenStart } from "./chooseAgents.ts";

/** The prompt in the chat, and its content for an agent. */
export interface DraftedPrompts {
  /** The draft of the session in the surface. Undefined: there is none. */
  read(session: string, surface: string): Promise<PromptDraft | undefined>;
  /** The draft of the session was sent. */
  used(session: string, draft: PromptDraft): void;
  /** Why the attachments are not sent, as a sentence. */
  refusalOf(attachments: readonly Attachment[]): Promise<string | undefined>;
  contentOf(draft: PromptDraft, agent: Pick<PromptContentOptions, "accepts" | "agentName">): Promise<PromptContent>;
}

/** The settings of worktrees and their number. */
export interface AskSettings {
  /** The ignored files that a worktree gets. */
  readonly copy: readonly string[];
  /** The folder in which worktrees are made. Undefined: beside the repository. */
  readonly parent: string | undefined;
  readonly maxCandidates: number;
}

export interface AskSeveralAgentsOptions {
  readonly registry: SessionRegistry;
  readonly agents: readonly AgentDefinition[];
  readonly folders: Pick<WorkspaceFolders, "choose">;
  readonly chat: ChatSurface;
  readonly prompts: DraftedPrompts;
  readonly records: WorktreeRecords;
  readonly groups: CandidateGroups;
  /** Throws with a sentence. */
  readonly settings: () => AskSettings;
  /** Deletes a closed session from the list of sessions. */
  readonly deleteStored: (session: string) => void;
  /** Resolves when the commands of closed sessions have ended. */
  readonly whenEnded: () => Promise<void>;
  /** Shows the page that compares the candidates of the group. */
  readonly compare: (group: string) => void;
  readonly clock: Clock;
}

/** What the user wants. */
interface Plan extends ChosenStart {
  readonly draft: PromptDraft;
  readonly git: Git;
  readonly repository: Repository;
  readonly base: Pick<Parameters<typeof makeWorktree>[0], "base" | "takesUncommitted">;
  readonly settings: AskSettings;
}

/** A candidate that is being prepared. */
interface Prepared {
  readonly candidate: Candidate;
  readonly made: MadeWorktree;
}

/** Asks, makes the worktrees, and sends the prompt. Rejects with a sentence. Nothing is left if the user cancels. */
export async function askSeveralAgents(options: AskSeveralAgentsOptions): Promise<void> {
  const { registry, agents, chat, prompts } = options;
  const surface = registry.open.activeSurface;
  if (registry.obstacle || agents.length === 0) {
    // The chat shows it, with what to do.
    registry.start(undefined, surface);
    return chat.focus("composer", [surface]);
  }
  const session = registry.open.selected(surface)?.id;
  const drafted = session === undefined ? undefined : await prompts.read(session, surface);
  const plan = await askForPlan(options, drafted);
  if (!plan) return;
  const group = await prepare(options, plan);
  if (!group) return;
  if (session !== undefined && drafted) prompts.used(session, drafted);
  if (plan.sendsAtOnce)
    for (const candidate of group.candidates) {
      const started = registry.open.get(candidate.session);
      if (started) sendHeldPrompts(started);
    }
}

/** Asks everything. Undefined: cancelled. */
async function askForPlan(
  { agents: all, folders, prompts, settings: readSettings }: AskSeveralAgentsOptions,
  drafted: PromptDraft | undefined,
): Promise<Plan | undefined> {
  const steps = drafted ? 3 : 4;
  const title = (step: number): string => t("Ask Several Agents ({0} of {1})", step - (drafted ? 1 : 0), steps);
  const chosen = await chooseRepository(folders);
  if (!chosen) return undefined;
  const settings = readSettings();
  const draft = drafted ?? (await askForPrompt(title(1)));
  if (!draft) return undefined;
  const refusal = await prompts.refusalOf(draft.attachments);
  if (refusal !== undefined) throw new Error(refusal);
  // Worktrees take a while, so the user learns before them that the prompt cannot be sent.
  const checked = await prompts.contentOf(draft, { accepts: null, agentName: t("The agent") });
  if ("unsent" in checked) throw new Error(checked.unsent);
  const agents = await chooseAgents(all, settings.maxCandidates, title(2));
  if (!agents) return undefined;
  const base = await askBase(chosen.git, chosen.repository, title(3));
  if (!base) return undefined;
  const start = await chooseStart(agents, settings.maxCandidates, title(4));
  return start && { draft, ...chosen, ...start, base, settings };
}

async function askForPrompt(title: string): Promise<PromptDraft | undefined> {
  const text = await showInputBox({
    title,
    prompt: t("The prompt for all agents. To attach files, write it in the chat first, then run this command"),
    ignoreFocusOut: true,
    validateInput: typed => (typed.trim() === "" ? t("Enter a prompt.") : undefined),
  });
  return text === undefined ? undefined : { text, attachments: [] };
}

/**
 * Makes and prepares everything. Resolves with the candidates that can work, whose prompts are held. Undefined: cancelled, and
 * nothing is left.
 */
async function prepare(options: AskSeveralAgentsOptions, plan: Plan): Promise<CandidateGroup | undefined> {
  const { groups, compare, registry } = options;
  const { repository, base, draft } = plan;
  const worktrees = await makeWorktrees(options, plan);
  if (!worktrees) return undefined;
  const title = maskKnownSecrets(promptLine(draft));
  let group: CandidateGroup = {
    ...{ id: randomUUID(), title, origin: repository.top, commonFolder: repository.commonFolder, base: base.base },
    ...{ created: options.clock.now(), candidates: [] },
  };
  const prepared: Prepared[] = [];
  try {
    for (const { agent, name, made } of worktrees) {
      const content = await promptFor(made, name, options, plan);
      const session = startHeld(made, { agent, name, title }, options, content);
      const { path: worktree, branch } = made.record;
      prepared.push({ made, candidate: { session: session.id, name, agent: agent.id, worktree, branch } });
    }
    group = { ...group, candidates: prepared.map(({ candidate }) => candidate) };
    await groups.write(group);
  } catch (thrown) {
    const without = worktrees.filter(({ made }) => !prepared.some(one => one.made === made));
    await discard(prepared, options, plan.git);
    for (const { made } of without) await removeMade(made, options.records, plan.git);
    throw thrown;
  }
  compare(group.id);
  const failed = await whenAllStarted(registry, group);
  const kept = failed && (await askAboutFailed(failed, group));
  const left = prepared.filter(({ candidate }) => !kept?.includes(candidate.session));
  await groups.leaveOut(group.id, await discard(left, options, plan.git));
  return kept && groups.get(group.id);
}

/** Waits for all sessions, with their progress. Undefined: cancelled. */
function whenAllStarted(
  { open }: SessionRegistry,
  { candidates }: CandidateGroup,
): Thenable<Awaited<ReturnType<typeof whenStarted>> | undefined> {
  const title = t("Preparing {0} agents…", candidates.length);
  return withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const show = (done: number): void => progress.report({ message: t("{0} of {1}", done, candidates.length) });
      const sessions = candidates.map(({ session }) => session);
      return whenStarted(open, sessions, show, controller.signal).catch((thrown: unknown) => {
        if (controller.signal.aborted) return undefined;
        throw thrown;
      });
    },
  );
}

/** Asks what to do with agents that failed to start. Resolves with the sessions to continue with; undefined: with none. */
async function askAboutFailed(
  failed: readonly { readonly session: string; readonly reason: string }[],
  { candidates }: CandidateGroup,
): Promise<readonly string[] | undefined> {
  const others = candidates.filter(({ session }) => !failed.some(one => one.session === session));
  if (failed.length === 0) return others.map(({ session }) => session);
  const detail = failed.map(({ session, reason }) => {
    const name = candidates.find(candidate => candidate.session === session)?.name ?? "";
    return t("{0}: {1}", name, reason);
  });
  const goOn = t("Go On with the Others");
  const buttons = others.length > 0 ? [goOn] : [];
  const pressed = await showWarningMessage(
    others.length > 0
      ? t(
          "{0} of {1} agents failed to start. Cancel removes all worktrees that were made for them.",
          failed.length,
          candidates.length,
        )
      : t("No agent could be started. The worktrees that were made for them are removed."),
    { modal: true, detail },
    ...buttons,
  );
  return pressed === goOn ? others.map(({ session }) => session) : undefined;
}

interface MadeFor {
  readonly agent: AgentDefinition;
  readonly name: string;
  readonly made: MadeWorktree;
}

/** Makes a worktree for each agent. If one fails, the user decides about the others. Undefined: cancelled, and none is left. */
async function makeWorktrees(
  { records, clock }: AskSeveralAgentsOptions,
  { git, repository, agents, base, settings, draft }: Plan,
): Promise<readonly MadeFor[] | undefined> {
  const names = candidateNames(agents.map(({ name }) => name));
  const branches = candidateBranches(promptLine(draft), names, await localBranches(git, repository.top));
  const { copy, parent } = settings;
  const found: MadeFor[] = [];
  const title = t("Creating {0} worktrees…", agents.length);
  const result = await withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const failed: string[] = [];
      for (const [at, agent] of agents.entries()) {
        const [name = "", branch = ""] = [names[at], branches[at]];
        progress.report({ message: name });
        const choices = { repository, branch, ...base, parent, copy };
        try {
          const made = await makeWorktree(choices, { git, records, clock, signal: controller.signal });
          found.push({ agent, name, made });
        } catch (thrown) {
          if (controller.signal.aborted) return undefined;
          failed.push(t("{0}: {1}", name, asError(thrown).message));
        }
      }
      return failed;
    },
  );
  const goesOn = result && (result.length === 0 || (await goesOnWithout(result, found.length)));
  if (goesOn) return found;
  for (const { made } of found) await removeMade(made, records, git);
  return undefined;
}

/** Asks whether to go on although worktrees could not be made. Rejects with the reasons if there is none. */
async function goesOnWithout(failed: readonly string[], count: number): Promise<boolean> {
  if (count === 0) throw new Error(t("The worktrees could not be created: {0}", failed.join(" ")));
  const goOn = t("Go On with the Others");
  const message = t("{0} of {1} worktrees could not be created.", failed.length, failed.length + count);
  return (await showWarningMessage(message, { modal: true, detail: failed }, goOn)) === goOn;
}

/** The prompt with the files of this worktree. Rejects with a sentence if it cannot be sent. */
async function promptFor(
  { record }: MadeWorktree,
  agentName: string,
  { prompts }: AskSeveralAgentsOptions,
  { draft }: Plan,
): Promise<Extract<PromptContent, { readonly content: unknown }>["content"]> {
  const attachments = await attachmentsIn(record.path, record.origin, draft.attachments);
  // What the agent accepts is known when it has started, and the session checks it then.
  const prompt = await prompts.contentOf({ text: draft.text.trimEnd(), attachments }, { accepts: null, agentName });
  if ("unsent" in prompt) throw new Error(prompt.unsent);
  return prompt.content;
}

/** Starts the session of a candidate with a prompt that waits. */
function startHeld(
  { record, folder, warnings }: MadeWorktree,
  { agent, name, title }: { readonly agent: AgentDefinition; readonly name: string; readonly title: string },
  { registry }: AskSeveralAgentsOptions,
  content: Parameters<Session["send"]>[0],
): Session {
  const session = registry.startUnshown(agent.id, folder);
  if (!session) throw new Error(t("The worktree was created in “{0}”, but no session could start there.", folder));
  session.rename(t("{0}: {1}", name, title));
  session.addNotice(
    t(
      "This session works in a worktree of {0}, on the new branch “{1}”: {2}",
      basename(record.origin),
      record.branch,
      folder,
    ),
  );
  for (const warning of warnings) session.addNotice(warning);
  // The agent is not connected yet, so the prompt is still in the queue.
  session.send(content);
  for (const { id } of session.state.pendingPrompts) session.queue.hold(id);
  return session;
}

/**
 * Closes sessions that have not worked, and removes their worktrees. One that the user has written in stays. Resolves with the
 * closed sessions.
 */
async function discard(
  prepared: readonly Prepared[],
  options: AskSeveralAgentsOptions,
  git: Git,
): Promise<readonly string[]> {
  const { registry, records, deleteStored, whenEnded } = options;
  const unused = prepared.filter(({ candidate }) => {
    const session = registry.open.get(candidate.session);
    return !session || !(hasConversation(session.state) || isBusy(session.state));
  });
  for (const { candidate } of unused) {
    registry.release(candidate.session);
    deleteStored(candidate.session);
  }
  // A set-up may still write there.
  await whenEnded();
  for (const { made } of unused) await removeMade(made, records, git);
  return unused.map(({ candidate }) => candidate.session);
}

/** Removes a worktree that nobody has used. Rejects with a sentence. */
async function removeMade({ record }: MadeWorktree, records: WorktreeRecords, git: Git): Promise<void> {
  try {
    await removeNewWorktree(git, record.origin, record);
  } catch (thrown) {
    throw new Error(t("A part of the worktree stays in “{0}”: {1}", record.path, asError(thrown).message));
  }
  await records.remove(record.path);
}

/** The first line of the prompt, for titles. */
function promptLine({ text, attachments }: PromptDraft): string {
  const [line = ""] = text.trim().split("\n");
  return line === "" ? (attachments[0]?.label ?? "") : line.slice(0, 100);
}
