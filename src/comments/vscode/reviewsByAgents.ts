// Lets an agent review the changes that wait: it gets them in a session of its own, and its remarks become comments.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import { showErrorMessage, showInformationMessage } from "../../editor/editorUi.ts";
import { currentTextOf } from "../../editor/openDocuments.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { ReviewedFile } from "../../review/review.ts";
import { readOnlyMode } from "../../session/readOnlyMode.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { linesNow, newComment, replacement, type LineComment } from "../lineComment.ts";
import type { LineComments } from "../lineComments.ts";
import { cutAnswer, isUnfinished, promptAnswer } from "../promptAnswer.ts";
import { hunkAt, type CommentedReview } from "../reviewedComments.ts";
import { reviewRemarks, reviewRequest, type ReviewRemark } from "../reviewRequest.ts";
import { onlyOrPickedAgent } from "../../library/vscode/pickAgent.ts";

export interface ReviewsByAgentsOptions {
  readonly comments: LineComments;
  readonly review: CommentedReview;
  readonly registry: SessionRegistry;
  readonly folders: Pick<WorkspaceFolders, "usual">;
  readonly agents: { definitions(): readonly AgentDefinition[] };
  /** The files whose lines the user does not want to share. */
  readonly declined: (paths: readonly string[]) => Promise<readonly string[]>;
  /** Whether there is a session with this id. */
  readonly hasSession: (id: string) => boolean;
  /** Shows the session with this id in the chat. */
  readonly show: (session: string) => Promise<void>;
  /** Shows a comment in its file. */
  readonly open: (comment: string) => Promise<void>;
  readonly log: Log;
}

/** A review in progress. */
interface RunningReview {
  readonly session: string;
  readonly prompt: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The files with their texts when the agent got them, by the names that it knows. */
  readonly files: ReadonlyMap<string, ReviewedFile>;
}

/** More remarks do not become comments. The chat has all of them. */
const maxRemarks = 100;

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
    const { review, agents } = this.#options;
    if (review.files.length === 0) return noChanges();
    const definition = await onlyOrPickedAgent(agents.definitions(), {
      title: vscode.l10n.t("Review Changes With"),
      placeHolder: vscode.l10n.t("The agent gets the changes in a new session, and its remarks become comments"),
    });
    if (!definition) return;
    const sharing = new Sharing(this.#options.declined);
    const files = await sharing.allowed(review);
    if (files.length > 0) return this.#begin(definition, sharing);
    void showInformationMessage(vscode.l10n.t("The review did not start because you declined to share the files."));
  }

  dispose(): void {
    this.#listener.dispose();
    this.#running.clear();
  }

  async #begin({ id, name }: AgentDefinition, sharing: Sharing): Promise<void> {
    const { registry, folders, review } = this.#options;
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
    // The changes as they are now, since an agent can take long to start.
    const files = new Map((await sharing.allowed(review)).map(file => [relativeLabel(file.path, folder), file]));
    if (files.size === 0) return noChanges();
    const request = reviewRequest(
      [...files].map(([label, { path, changes, movedFrom, unknown }]) => ({
        ...{ name: label, path, changes },
        ...(movedFrom !== undefined && { movedFrom: relativeLabel(movedFrom, folder) }),
        ...(unknown !== undefined && { unknown }),
      })),
    );
    const prompt = session.send([{ type: "text", text: request }]);
    if (prompt === undefined) return;
    this.#running.set(session.id, { session: session.id, prompt, agent: name, files });
    this.#update(session);
    const started =
      files.size === 1
        ? vscode.l10n.t("{0} is reviewing 1 file. Its remarks become comments.", name)
        : vscode.l10n.t("{0} is reviewing {1} files. Its remarks become comments.", name, files.size);
    const { refused } = sharing;
    const without = refused.length === 0 ? "" : vscode.l10n.t("It does not get {0}.", refused.join(", "));
    this.#offerChat(session.id, [started, without].join(" ").trim());
  }

  #update({ id, state }: Session): void {
    const running = this.#running.get(id);
    if (!running || isUnfinished(promptAnswer(state, running.prompt).phase)) return;
    this.#running.delete(id);
    const report = (thrown: unknown): void => this.#report(vscode.l10n.t("The remarks could not be shown"), thrown);
    this.#ended(state, running).catch(report);
  }

  async #ended(state: SessionState, running: RunningReview): Promise<void> {
    const { phase, text } = promptAnswer(state, running.prompt);
    if (phase === "gone") return;
    const { agent, session } = running;
    const named = [...running.files].map(([name, { path }]) => ({ name, path }));
    const remarks = reviewRemarks(maskKnownSecrets(text), named);
    const shown = remarks.slice(0, maxRemarks);
    const added: string[] = [];
    for (const [name, file] of running.files) {
      const own = shown.filter(one => one.name === name);
      if (own.length > 0) added.push(...(await this.#add(own, file, running)));
    }
    const early = phase === "done" ? "" : vscode.l10n.t("The review ended early.");
    const [first] = added;
    if (first === undefined) {
      const none = vscode.l10n.t("{0} has no remarks about lines.", agent);
      return this.#offerChat(session, [none, early].join(" ").trim());
    }
    const found =
      added.length === 1
        ? vscode.l10n.t("{0} has written 1 remark about the changes.", agent)
        : vscode.l10n.t("{0} has written {1} remarks about the changes.", agent, added.length);
    const more = remarks.length > maxRemarks ? vscode.l10n.t("The chat has more of them.") : "";
    const message = [found, more, early].filter(one => one !== "").join(" ");
    this.#offer(message, vscode.l10n.t("Show First Remark"), () => this.#options.open(first));
  }

  /** Adds the comments of a file, at its lines as they are now. Returns their ids. */
  async #add(remarks: readonly ReviewRemark[], file: ReviewedFile, by: RunningReview): Promise<readonly string[]> {
    const { comments, log } = this.#options;
    const { path, changes } = file;
    const now = await currentTextOf(path).catch((thrown: unknown) => {
      log.warn(`${path} could not be read for the remarks of a review.`, asError(thrown).message);
      return undefined;
    });
    const then = changes.text ?? "";
    // The lines of a file that cannot be read stay.
    const moved = now === undefined ? (comment: LineComment) => comment : replacement(then, now);
    return remarks.map(remark => {
      const comment = moved(remarkComment(remark, path, then, by));
      comments.add(this.#withOwner(comment, file, by), now ?? undefined);
      return comment.id;
    });
  }

  /** The comment with its hunk, and with the session that made the change, which gets the answers of the user. */
  #withOwner(comment: LineComment, { path, turns }: ReviewedFile, by: RunningReview): LineComment {
    const { review, registry, hasSession } = this.#options;
    const hunk = hunkAt(review, path, comment.lines, "text");
    const sessions = new Map(review.turns.map(({ id, session }) => [id, session?.id]));
    const active = registry.open.active?.id;
    const owners = [
      active === by.session ? undefined : active,
      ...turns.map(turn => sessions.get(turn)),
      hunk?.session,
    ];
    const session = owners.findLast(id => id !== undefined && hasSession(id));
    return {
      ...comment,
      ...(session !== undefined && { session }),
      ...(hunk && { hunk: hunk.id, hunkLines: linesNow(comment) }),
    };
  }

  #offerChat(session: string, text: string): void {
    this.#offer(text, vscode.l10n.t("Show in Chat"), () => this.#options.show(session));
  }

  /** Shows a message with a button. */
  #offer(text: string, button: string, run: () => Promise<void>): void {
    const offer = async (): Promise<void> => {
      if ((await showInformationMessage(text, button)) === button) await run();
    };
    offer().catch((thrown: unknown) => this.#report(button, thrown));
  }

  #report(what: string, thrown: unknown): void {
    const { message, stack } = asError(thrown);
    this.#options.log.error("A review by an agent failed.", stack);
    void showErrorMessage(`${what}: ${message}`);
  }
}

const noChanges = (): void => void showInformationMessage(vscode.l10n.t("There are no changes to review."));

/** Which of the changed files an agent may get. Each path is asked about once, also one that a file was moved from. */
class Sharing {
  readonly #declined: ReviewsByAgentsOptions["declined"];
  readonly #asked = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(declined: ReviewsByAgentsOptions["declined"]) {
    this.#declined = declined;
  }

  /** The paths that the user does not share. */
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  /** The changed files that the agent may get. Asks about those that are new, until there are none. */
  async allowed(review: CommentedReview): Promise<readonly ReviewedFile[]> {
    for (;;) {
      const { files } = review;
      const unknown = [...new Set(files.flatMap(pathsOf))].filter(path => !this.#asked.has(path));
      if (unknown.length === 0) return files.filter(file => !pathsOf(file).some(path => this.#refused.has(path)));
      for (const path of unknown) this.#asked.add(path);
      for (const path of await this.#declined(unknown)) this.#refused.add(path);
    }
  }
}

const pathsOf = ({ path, movedFrom }: ReviewedFile): readonly string[] =>
  movedFrom === undefined ? [path] : [path, movedFrom];

function remarkComment(
  { lines, text }: ReviewRemark,
  path: string,
  fileText: string,
  { session, prompt, agent }: RunningReview,
): LineComment {
  const place = { id: randomUUID(), path, uri: vscode.Uri.file(path).toString(), lines };
  const remark = { id: randomUUID(), text: cutAnswer(text), at: Date.now(), isAgents: true, end: "done" } as const;
  return { ...newComment(place, fileText), remarks: [{ ...remark, session, prompt, agent }] };
}
