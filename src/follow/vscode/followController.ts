// Shows agents at work in the editor: marks where they are, and follows the main agent while the user wants that.
import * as vscode from "vscode";
import { asError, Refusal } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { turnEnded } from "../../session/activity.ts";
import type { WriteResult } from "../../session/agent.ts";
import type { SessionEvent } from "../../session/events.ts";
import type { ReadTextFileRequest, SessionParticipant } from "../../session/participant.ts";
import type { SessionState } from "../../session/state.ts";
import { withLineFeeds } from "../../base/text.ts";
import {
  clampLines,
  editedLines,
  lineSpanOf,
  LocationTracker,
  agentIdOf,
  type LineSpan,
  type AgentLocation,
} from "../agentLocations.ts";
import { FollowMode, type FollowState } from "../followMode.ts";
import { editFadeSteps, FollowMarks } from "../followMarks.ts";
import type { Confinement, LocatedPath } from "../../files/paths.ts";
import { isFile } from "../../editor/diskText.ts";
import { FollowDecorations } from "./followDecorations.ts";
import { FollowedEditor } from "./followedEditor.ts";
import { openDocumentOf } from "../../editor/openDocuments.ts";
import { StatusItem } from "../../editor/editorItems.ts";

/** Follows the agent of one session. Changes in a file during the agent's write to it count as the agent's. */
export type FollowTracker = SessionParticipant &
  Required<Pick<SessionParticipant, "observe" | "stateChanged" | "afterRead" | "aroundWrite">>;

export interface FollowControllerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The current turn. */
  readonly turn: () => string;
}

/** A place to show. */
interface FollowTarget {
  readonly located: LocatedPath;
  readonly place: AgentLocation;
  readonly tracker: Tracker;
}

/** The least time between two updates of the decorations, so that many places at once are painted together. Milliseconds. */
const minPaintInterval = 33;
const maxKeys = 1000;

/** Places that wait for their file to be located; the oldest are dropped. */
const maxPending = 100;

/**
 * A path is located again after this time, because tool calls can arrive faster than paths can be resolved. Before Parley
 * opens a file, it locates it in any case. Milliseconds.
 */
const locateInterval = 500;

/** One per window. Shows and follows the agent of one session at a time, the one that the user works with. */
export class FollowController implements Disposable {
  readonly #options: FollowControllerOptions;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  /** Fires when the user follows, pauses or stops following, and when another session is shown. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #marks = new FollowMarks();
  readonly #decorations: FollowDecorations;
  readonly #view: FollowedEditor;
  readonly #followMode: FollowMode<FollowTarget>;
  readonly #status: StatusItem;
  /** The keys of files, by the paths that the editor uses; "" for files outside of the workspace folders. */
  readonly #keys = new Map<string, string>();
  /** The agents that are writing a file, by the file's key. */
  readonly #writing = new Map<string, string[]>();
  #tracker: Tracker | undefined;
  readonly #trackers = new Map<string, Tracker>();
  /** The session to show. Its tracker may not exist yet. */
  #shownSession: string | undefined;
  /** The sessions that the user follows whenever they are shown. */
  readonly #followed = new Set<string>();
  #agentName = "";
  #paintedAt = -Infinity;
  #isPaintPlanned = false;
  #timer: Disposable | undefined;

  constructor(options: FollowControllerOptions) {
    this.#options = options;
    const { clock, turn } = options;
    this.#followMode = this.#store.add(
      new FollowMode<FollowTarget>({
        clock,
        reveal: target => this.#reveal(target),
        changed: () => this.#modeChanged(),
      }),
    );
    this.#view = this.#store.add(
      new FollowedEditor({
        clock,
        turn,
        isFollowing: () => this.#followMode.state === "on",
        isWrittenByAgent: document => this.#writing.has(this.#keyOf(document)),
        interrupted: () => this.#followMode.interrupt(),
      }),
    );
    this.#decorations = this.#store.add(new FollowDecorations());
    const status = { name: vscode.l10n.t("Parley: Following"), command: { command: "parley.toggleFollow" } };
    this.#status = this.#store.add(new StatusItem("parley.following", 89, status));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#paint()));
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => this.#documentChanged(event)));
  }

  get state(): FollowState {
    return this.#followMode.state;
  }

  /** Off for each session but the one that is shown. */
  stateOf(session: string | undefined): FollowState {
    return session === this.#shownSession ? this.state : "off";
  }

  /** Starts, resumes or stops following the session that is shown. */
  follow(on: boolean): void {
    if (this.#shownSession !== undefined && on) this.#followed.add(this.#shownSession);
    else if (this.#shownSession !== undefined) this.#followed.delete(this.#shownSession);
    if (on) this.#view.startFollowing();
    this.#followMode.setFollowing(on);
  }

  toggle(): void {
    this.follow(this.state !== "on");
  }

  /** Shows the agent of this session from now on, in place of the one before it. */
  show(session: string | undefined): void {
    if (session === this.#shownSession) return;
    this.#shownSession = session;
    this.#forget();
    this.#tracker = session === undefined ? undefined : this.#trackers.get(session);
    if (session !== undefined && this.#followed.has(session)) this.follow(true);
    this.#paint();
    this.#changed.fire();
  }

  /** Tracks the agent of a session, in these folders. */
  startSession(confinement: Confinement, session: string): FollowTracker {
    const tracker: Tracker = new Tracker({
      confinement,
      clock: this.#options.clock,
      log: this.#options.log,
      at: (located, place) => {
        if (this.#tracker === tracker) this.#at({ located, place, tracker });
      },
      stateChanged: (before, after) => {
        if (this.#tracker === tracker) this.#stateChanged(before, after);
      },
      writes: (key, who, began) => {
        if (this.#tracker === tracker) this.#writes(key, who, began);
      },
      disposed: () => {
        this.#trackers.delete(session);
        this.#followed.delete(session);
        if (this.#tracker === tracker) this.#forget();
      },
    });
    this.#trackers.set(session, tracker);
    if (this.#shownSession === session) this.#tracker = tracker;
    return tracker;
  }

  #stateChanged(before: SessionState, after: SessionState): void {
    this.#agentName = after.agent?.name ?? "";
    if (!turnEnded(before, after)) return;
    this.#marks.clearAgents();
    this.#followMode.turnEnded();
    this.#paint();
  }

  #forget(): void {
    this.#tracker = undefined;
    this.#marks.clear();
    this.#keys.clear();
    this.#writing.clear();
    this.#view.reset();
    this.#followMode.reset();
    this.#paint();
  }

  #modeChanged(): void {
    if (this.state === "paused") {
      const tooltip = vscode.l10n.t("Follow {0} again", this.#agentName);
      this.#status.show("debug-pause", vscode.l10n.t("Following paused"), [tooltip]);
    } else this.#status.hide();
    this.#changed.fire();
  }

  #at(target: FollowTarget): void {
    const { located, place } = target;
    this.#rememberKey(located.path, located.key);
    const document = openDocumentOf(located.path);
    this.#mark(target, document && linesIn(place, document), document === undefined);
    if (place.parent === undefined) this.#followMode.agentMoved(target);
  }

  /** `isEarly`: the document is not open yet, so the change cannot be searched in its text. */
  #mark({ located, place }: FollowTarget, lines: LineSpan | undefined, isEarly = false): void {
    const found = isEarly ? lineSpanOf(place, Number.MAX_SAFE_INTEGER) : lines;
    if (place.doing === "edit" && found) this.#marks.edit(agentIdOf(place), located.key, found, this.#now());
    else this.#marks.visit(agentIdOf(place), located.key, found);
    this.#paint();
  }

  async #reveal(target: FollowTarget): Promise<void> {
    const { located, place, tracker } = target;
    try {
      // The path may have become a link since.
      const now = await tracker.confinement.locate(place.path);
      if (!now.inside || now.key !== located.key || !(await isFile(now.path))) return;
      const isEarly = openDocumentOf(now.path) === undefined;
      await this.#view.reveal(vscode.Uri.file(now.path), document => {
        if (isEarly && place.change) this.#mark(target, linesIn(place, document));
        return clampLines(
          this.#marks.linesOfAgent(agentIdOf(place), now.key) ?? { first: 0, last: 0 },
          document.lineCount,
        );
      });
    } catch (error) {
      // Binary files cannot be shown as text. Only log it: the user did not ask for this file.
      this.#options.log.debug(`${place.path} could not be shown.`, asError(error).message);
    }
  }

  #writes(key: string, who: string, began: boolean): void {
    const writers = this.#writing.get(key) ?? [];
    if (began) this.#writing.set(key, [...writers, who]);
    else if (writers.length <= 1) this.#writing.delete(key);
    else this.#writing.set(key, writers.slice(1));
  }

  #documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const key = this.#keyOf(document);
    if (key === "" || contentChanges.length === 0) return;
    const replacements = contentChanges.map(({ range, text }) => ({ ...positions(range), text: withLineFeeds(text) }));
    this.#marks.shift(key, replacements);
    const [who] = this.#writing.get(key) ?? [];
    if (who !== undefined) {
      // The topmost lines last, because the view goes there.
      for (const lines of [...editedLines(replacements)].reverse()) this.#marks.edit(who, key, lines, this.#now());
    }
    this.#paint();
  }

  #rememberKey(path: string, key: string): void {
    this.#keys.delete(path);
    this.#keys.set(path, key);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= maxKeys) break;
      this.#keys.delete(oldest);
    }
  }

  #keyOf({ uri }: vscode.TextDocument): string {
    return uri.scheme === "file" ? (this.#keys.get(uri.fsPath) ?? "") : "";
  }

  /** Updates the decorations at once if the last update was long enough ago, else soon. */
  #paint(): void {
    if (this.#isPaintPlanned || this.#store.isDisposed) return;
    this.#timer?.dispose();
    // The system clock may be set back.
    const wait = Math.min(this.#paintedAt + minPaintInterval - this.#now(), minPaintInterval);
    this.#isPaintPlanned = wait > 0;
    if (wait > 0) this.#timer = this.#options.clock.after(wait, () => this.#paintNow());
    else this.#paintNow();
  }

  #paintNow(): void {
    const now = this.#now();
    this.#isPaintPlanned = false;
    this.#paintedAt = now;
    const steps = vscode.workspace.getConfiguration("workbench").get("reduceMotion") === "on" ? 1 : editFadeSteps;
    for (const editor of vscode.window.visibleTextEditors) {
      const { uri } = editor.document;
      if (uri.scheme !== "file") continue;
      const key = this.#keys.get(uri.fsPath);
      if (key === undefined) this.#lookUp(uri.fsPath);
      this.#decorations.paint(editor, key ? this.#marks.marks(key, now, steps) : [], who => this.#nameOf(who));
    }
    const next = this.#marks.timeToNextChange(now, steps);
    this.#timer = next === undefined ? undefined : this.#options.clock.after(next, () => this.#paintNow());
  }

  /** Locates the file of an editor whose path no place has named yet. */
  #lookUp(path: string): void {
    const tracker = this.#tracker;
    if (!tracker) return;
    const found = tracker.locate(path).then(located => {
      if (this.#tracker !== tracker) return;
      this.#rememberKey(path, located?.inside ? located.key : "");
      if (located?.inside) this.#paint();
    });
    found.catch((error: unknown) => this.#options.log.error("A file could not be looked up.", asError(error).stack));
  }

  #nameOf(who: string): string {
    const name = this.#agentName === "" ? vscode.l10n.t("Agent") : this.#agentName;
    return who === "" ? name : vscode.l10n.t("{0} (sub-agent)", name);
  }

  #now(): number {
    return this.#options.clock.now();
  }

  dispose(): void {
    this.#store.dispose();
    this.#timer?.dispose();
  }
}

interface TrackerOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly log: Log;
  readonly at: (located: LocatedPath, place: AgentLocation) => void;
  readonly stateChanged: (before: SessionState, after: SessionState) => void;
  readonly writes: (key: string, who: string, began: boolean) => void;
  readonly disposed: () => void;
}

/** One session's places. Their files are located one after the other, so that places stay in order. */
class Tracker implements FollowTracker {
  readonly #options: TrackerOptions;
  readonly #locations: LocationTracker;
  readonly #waiting: AgentLocation[] = [];
  /** The files that were located in this interval, by the paths that the agent gave. */
  readonly #located = new Map<string, LocatedPath | undefined>();
  #locatedSince = -Infinity;
  #isLooking = false;
  #disposed = false;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#locations = new LocationTracker(options.confinement.roots[0] ?? "");
  }

  get confinement(): Confinement {
    return this.#options.confinement;
  }

  observe(event: SessionEvent, before: SessionState, after: SessionState): void {
    for (const place of this.#locations.observe(event, before, after)) this.#put(place);
  }

  stateChanged(before: SessionState, after: SessionState): void {
    this.#locations.stateChanged(before, after);
    this.#options.stateChanged(before, after);
  }

  afterRead(request: ReadTextFileRequest): void {
    this.#put(this.#locations.readLocation(request));
  }

  async aroundWrite(path: string, _text: string, next: () => Promise<WriteResult>): Promise<WriteResult> {
    const place = this.#locations.writeLocation(path);
    const who = agentIdOf(place);
    let key: string | undefined;
    let ended = false;
    // In parallel with the write, which must begin now because requests are served in order.
    const looked = this.locate(path).then(located => {
      if (ended || this.#disposed || !located?.inside) return;
      key = located.key;
      this.#options.writes(key, who, true);
    });
    looked.catch((error: unknown) => this.#options.log.error("A file could not be looked up.", asError(error).stack));
    try {
      const done = await next();
      this.#put(place);
      return done;
    } finally {
      ended = true;
      if (key !== undefined && !this.#disposed) this.#options.writes(key, who, false);
    }
  }

  /** Undefined for anything that is not an absolute path. */
  async locate(path: string): Promise<LocatedPath | undefined> {
    try {
      return await this.confinement.locate(path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#options.log.debug("A place of the agent is not shown.", error.message);
      return undefined;
    }
  }

  #put(place: AgentLocation): void {
    this.#waiting.push(place);
    if (this.#waiting.length > maxPending) this.#waiting.shift();
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookUp().catch((error: unknown) => {
      this.#isLooking = false;
      this.#options.log.error("The agent's place could not be shown.", asError(error).stack);
    });
  }

  async #lookUp(): Promise<void> {
    for (let place = this.#waiting.shift(); place; place = this.#waiting.shift()) {
      const located = await this.#locateOnce(place.path);
      if (this.#disposed) return;
      if (!located?.inside) continue;
      // Output may name files that do not exist, or that cannot be read.
      const isThere = !place.guessed || (await isFile(located.path).catch(() => false));
      if (isThere && !this.#disposed) this.#options.at(located, place);
    }
    this.#isLooking = false;
  }

  async #locateOnce(path: string): Promise<LocatedPath | undefined> {
    const now = this.#options.clock.now();
    // The system clock may be set back.
    if (Math.abs(now - this.#locatedSince) > locateInterval) {
      this.#located.clear();
      this.#locatedSince = now;
    }
    if (!this.#located.has(path)) this.#located.set(path, await this.locate(path));
    return this.#located.get(path);
  }

  dispose(): void {
    this.#disposed = true;
    this.#options.disposed();
  }
}

const linesIn = (place: AgentLocation, document: vscode.TextDocument): LineSpan | undefined =>
  lineSpanOf(place, document.lineCount, () => document.getText());

const positions = ({ start, end }: vscode.Range): Pick<vscode.Range, "start" | "end"> => ({ start, end });
