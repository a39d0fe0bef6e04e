// Lets an agent review the changes that wait: it gets them in a session of its own, and its remarks become comments.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import { showErrorMessage, showInformationMessage, showQuickPick } from "../../editor/editorUi.ts";
import { currentTextOf } from "../../editor/openDocuments.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { ReviewedFile } from "../../review/review.ts";
import { readOnlyMode } from "../../session/readOnlyMode.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { afterReplacement, newComment, type LineComment } from "../lineComment.ts";
import type { LineComments } from "../lineComments.ts";
import { isUnfinished, promptAnswer } from "../promptAnswer.ts";
import { hunkAt, type CommentedReview } from "../reviewedComments.ts";
import { reviewRemarks, reviewRequest, type ReviewRemark } from "../reviewRequest.ts";

export interface ReviewsByAgentsOptions {
  readonly comments: LineComments;
  readonly review: CommentedReview;
  readonly registry: SessionRegistry;
  readonly folders: Pick<WorkspaceFolders, "usual">;
  readonly agents: { definitions(): readonly AgentDefinition[] };
  /** The files whose lines the user does not want to share. */
  readonly declined: (paths: readonly string[]) => Promise<readonly string[]>;
  /** Shows the session with this id in the chat. */
  readonly show: (session: string) => Promise<void>;
  /** Shows a comment in its file. */
  readonly open: (comment: string) => Promise<void>;
  readonly log: Log;
}

/** A review in progress. */
interface RunningReview {
  readonly prompt: string;
  readonly agent: string;
  /** The files with their texts when the agent got them, by the names that it knows. */
  readonly files: ReadonlyMap<string, ReviewedFile>;
}

export class ReviewsByAgents implements Disposable {
  readonly #options: ReviewsByAgentsOptions;
  /** By the ids of the sessions. */
  readonly #running = new Map<string, RunningReview>();
  readonly #listener: Disposable;

  constructor(options: ReviewsByAgentsOptions) {
    this.#options = options;
    this.#listener = options.registry.open.onDidChange(change => {
      if (change.type === "changed") this.#update(change.session);
      else if (change.type === "closed") this.#running.delete(change.session.id);
    });
  }

  /** Asks the user for an agent, which reviews all changes that wait. Rejects with a sentence. */
  async start(): Promise<void> {
    const { review, agents, declined } = this.#options;
    if (review.files.length === 0) {
      void showInformationMessage(vscode.l10n.t("There are no changes to review."));
      return;
    }
    const definition = await pickAgent(agents.definitions());
    if (!definition) return;
    const refused = new Set(await declined(review.files.map(({ path }) => path)));
    // As they are now, since the choice can take long.
    const files = review.files.filter(({ path }) => !refused.has(path));
    if (files.length === 0) return;
    await this.#begin(definition, files);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#running.clear();
  }

  async #begin({ id, name }: AgentDefinition, files: readonly ReviewedFile[]): Promise<void> {
    const { registry, folders } = this.#options;
    const folder = folders.usual(registry.open.active?.state.workspaceFolder);
    const session = folder === undefined ? undefined : registry.startUnshown(id, folder);
    if (!session || folder === undefined)
      throw new Error(registry.obstacle?.message ?? vscode.l10n.t("No session could be started. The chat says why."));
    session.rename(vscode.l10n.t("Review of Changes"));
    await session.open();
    if (session.state.connection?.state !== "ready") {
      await this.#options.show(session.id);
      throw new Error(vscode.l10n.t("{0} is not ready. The chat says why. Ask again when it is.", name));
    }
    const mode = readOnlyMode(session.state.options);
    if (mode) await session.setOption(mode.id, mode.value);
    const byName = new Map(files.map(file => [relativeLabel(file.path, folder), file]));
    const text = reviewRequest(
      [...byName].map(([label, { changes, movedFrom, unknown }]) => ({
        ...{ name: label, changes },
        ...(movedFrom !== undefined && { movedFrom: relativeLabel(movedFrom, folder) }),
        ...(unknown !== undefined && { unknown }),
      })),
    );
    const prompt = session.send([{ type: "text", text }]);
    if (prompt === undefined) return;
    this.#running.set(session.id, { prompt, agent: name, files: byName });
    this.#update(session);
    const started =
      files.length === 1
        ? vscode.l10n.t("{0} is reviewing 1 file. Its remarks become comments.", name)
        : vscode.l10n.t("{0} is reviewing {1} files. Its remarks become comments.", name, files.length);
    void this.#offerChat(session.id, started);
  }

  #update({ id, state }: Session): void {
    const running = this.#running.get(id);
    if (!running || isUnfinished(promptAnswer(state, running.prompt).phase)) return;
    this.#running.delete(id);
    this.#ended(id, state, running).catch((thrown: unknown) => {
      this.#options.log.error("The remarks of a review could not be shown.", asError(thrown).stack);
      void showErrorMessage(
        vscode.l10n.t("The remarks of {0} could not be shown: {1}", running.agent, asError(thrown).message),
      );
    });
  }

  async #ended(session: string, state: SessionState, { prompt, agent, files }: RunningReview): Promise<void> {
    const { phase, text } = promptAnswer(state, prompt);
    if (phase === "gone") return;
    const remarks = reviewRemarks(maskKnownSecrets(text), [...files.keys()]);
    const added: string[] = [];
    for (const remark of remarks) {
      const file = files.get(remark.name);
      if (file) added.push(await this.#add(remark, file, { session, prompt, agent }));
    }
    const [first] = added;
    if (first === undefined) {
      const none =
        phase === "done"
          ? vscode.l10n.t("{0} has finished the review without remarks about lines.", agent)
          : vscode.l10n.t("The review of {0} ended early, without remarks about lines.", agent);
      return this.#offerChat(session, none);
    }
    const found =
      added.length === 1
        ? vscode.l10n.t("{0} has written 1 remark about the changes.", agent)
        : vscode.l10n.t("{0} has written {1} remarks about the changes.", agent, added.length);
    const show = vscode.l10n.t("Show First Remark");
    if ((await showInformationMessage(found, show)) === show) await this.#options.open(first);
  }

  /** Adds the comment at the lines as they are now. Returns its id. */
  async #add(
    remark: ReviewRemark,
    { path, changes }: ReviewedFile,
    by: { readonly session: string; readonly prompt: string; readonly agent: string },
  ): Promise<string> {
    const { comments, review, registry } = this.#options;
    const now = await currentTextOf(path);
    const id = randomUUID();
    const place = { id, path, uri: vscode.Uri.file(path).toString(), lines: remark.lines };
    const then = changes.text ?? "";
    const written = {
      id: randomUUID(),
      text: remark.text,
      at: Date.now(),
      isAgents: true,
      end: "done",
      ...by,
    } as const;
    const comment: LineComment = { ...newComment(place, then), remarks: [written] };
    const moved = afterReplacement(comment, then, now ?? null);
    const hunk = hunkAt(review, path, moved.lines, "text");
    // An answer of the user goes to the session that made the change.
    const session = hunk?.session ?? registry.open.active?.id;
    comments.add(
      { ...moved, ...(session !== undefined && { session }), ...(hunk && { hunk: hunk.id, hunkLines: moved.quoted }) },
      now ?? undefined,
    );
    return id;
  }

  async #offerChat(session: string, text: string): Promise<void> {
    const show = vscode.l10n.t("Show in Chat");
    if ((await showInformationMessage(text, show)) === show) await this.#options.show(session);
  }
}

async function pickAgent(agents: readonly AgentDefinition[]): Promise<AgentDefinition | undefined> {
  if (agents.length <= 1) return agents[0];
  const picks = agents.map(agent => ({
    label: agent.name,
    ...(agent.icon !== undefined && { iconPath: new vscode.ThemeIcon(agent.icon) }),
    ...(agent.description !== undefined && { detail: agent.description }),
    agent,
  }));
  const picked = await showQuickPick(picks, {
    title: vscode.l10n.t("Review Changes With"),
    placeHolder: vscode.l10n.t("The agent gets the changes in a new session, and its remarks become comments"),
    matchOnDetail: true,
  });
  return picked?.agent;
}
