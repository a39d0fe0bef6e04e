// The set-up that a repository proposes for its worktrees in `.cursor/worktrees.json`, and which of them the user has allowed. It is
// the text of others: nothing of it runs before the user has seen and allowed exactly this text for this repository.
import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { asError, isNotFoundError, ProblemError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Memento } from "../base/memento.ts";
import type { Platform } from "../base/platform.ts";
import type { WorktreeRecord } from "./worktreeRecords.ts";

/** Other tools read the file, too. */
const folderName = ".cursor";
const fileName = "worktrees.json";
export const proposedSetUpFile = `${folderName}/${fileName}`;

/** The variable by which the commands know the folder that the worktree was made from. Cursor has chosen its name. */
const originVariable = "ROOT_WORKTREE_PATH";

/** A larger file is not read. Bytes. */
const maxBytes = 100_000;
/** A dialog of VS Code does not show more. */
const maxLines = 60;
const maxLineLength = 500;

/** A set-up that a repository proposes. */
export interface ProposedSetUp {
  /** The command lines, which run one after the other. */
  readonly commands: readonly string[];
  /** Everything that runs, in lines: the command lines, and the text of a script. */
  readonly lines: readonly string[];
}

/** A set-up that the user has allowed, or one without commands that the user has not allowed. */
export interface AllowedSetUp {
  readonly commands: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Reads the proposed set-up of the worktree. Undefined: there is none for this platform. Rejects with a ProblemError if it cannot
 * be read or is too long to be shown.
 */
export async function readProposedSetUp(top: string, platform: Platform): Promise<ProposedSetUp | undefined> {
  const text = await readOwnFile(top, [folderName, fileName]);
  if (text === undefined) return undefined;
  const proposed = parse(text, platform);
  if (proposed === undefined) return undefined;
  const found =
    typeof proposed === "string" ? await ofScript(top, proposed, platform) : { commands: proposed, lines: proposed };
  if (found.commands.length === 0) return undefined;
  if (found.lines.length > maxLines || found.lines.some(line => line.length > maxLineLength))
    throw problem(t("It is too long to be shown. Set “parley.worktrees.setup”, or run it yourself."));
  return found;
}

/** The command lines, or the path of a script. Undefined: there are none for the platform. */
function parse(text: string, platform: Platform): readonly string[] | string | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (thrown) {
    throw problem(asError(thrown).message);
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) throw problem(t("It is no JSON object."));
  const keys = file as Readonly<Record<string, unknown>>;
  const own = keys[platform === "windows" ? "setup-worktree-windows" : "setup-worktree-unix"];
  const value = own ?? keys["setup-worktree"];
  if (value === undefined || value === null) return undefined;
  const listed = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (!listed.every(each => typeof each === "string")) throw problem(t("Its commands must be texts."));
  const commands = listed.filter(each => each.trim() !== "");
  return Array.isArray(value) ? commands.flatMap(linesOf) : commands[0];
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/).filter(line => line.trim() !== "");

/** A text in place of a list is the path of a script beside the file, or else a command line. */
async function ofScript(top: string, text: string, platform: Platform): Promise<ProposedSetUp> {
  const path = join(top, folderName, text);
  const parts = relative(top, path).split(sep);
  const script = parts.includes("..") ? undefined : await readOwnFile(top, parts);
  if (script === undefined) return { commands: linesOf(text), lines: linesOf(text) };
  const command = scriptCommand(path, platform);
  return { commands: [command], lines: [command, "", ...script.trimEnd().split(/\r?\n/)] };
}

function scriptCommand(path: string, platform: Platform): string {
  if (platform === "posix") return `bash '${path.replaceAll("'", "'\\''")}'`;
  return /\.ps1$/i.test(path) ? `powershell -ExecutionPolicy Bypass -File "${path}"` : `"${path}"`;
}

/** The text of a regular file below `top`, never through a link. Undefined: there is none. */
async function readOwnFile(top: string, parts: readonly string[]): Promise<string | undefined> {
  let at = top;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const found = await lstat(at).catch(ifMissing);
    if (!found || !(index === parts.length - 1 ? found.isFile() : found.isDirectory())) return undefined;
    if (found.isFile() && found.size > maxBytes) throw problem(t("“{0}” is larger than 100 kB.", parts.join("/")));
  }
  return readFile(at, "utf8");
}

function ifMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown)) throw thrown;
}

const problem = (reason: string): ProblemError =>
  new ProblemError({
    message: t("The set-up that “{0}” proposes for the worktree cannot be used: {1}", proposedSetUpFile, reason),
    next: ["retry", "startAnyway"],
  });

const stateKey = "parley.worktrees.allowedSetUps";
/** The oldest are forgotten first. */
const maxAllowed = 200;

export interface ProposedSetUpsOptions {
  readonly state: Memento;
  readonly platform: Platform;
  /** Asks the user whether these lines may run in the worktree. */
  readonly ask: (lines: readonly string[], record: WorktreeRecord) => Promise<boolean>;
}

/** The proposed set-ups that the user has allowed. */
export class ProposedSetUps {
  readonly #options: ProposedSetUpsOptions;
  /** Several worktrees wait for one answer. */
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(options: ProposedSetUpsOptions) {
    this.#options = options;
  }

  /**
   * The proposed set-up of the worktree, without commands unless the user has allowed it before or allows it now. Undefined: there is
   * none. Rejects with a ProblemError.
   */
  async allowed(record: WorktreeRecord): Promise<AllowedSetUp | undefined> {
    const { path, origin, commonFolder } = record;
    const found = await readProposedSetUp(path, this.#options.platform);
    if (!found) return undefined;
    // The path of the worktree is in the command that starts a script.
    const text = found.lines.join("\n").replaceAll(path, () => "<worktree>");
    const key = createHash("sha256")
      .update(JSON.stringify([commonFolder, text]))
      .digest("hex");
    if (!(await this.#isAllowed(key, found.lines, record))) return { commands: [], env: [] };
    // The file may have changed while the user read it.
    const now = await readProposedSetUp(path, this.#options.platform);
    if (JSON.stringify(now) !== JSON.stringify(found)) throw problem(t("It has changed meanwhile."));
    return { commands: found.commands, env: [{ name: originVariable, value: origin }] };
  }

  async #isAllowed(key: string, lines: readonly string[], record: WorktreeRecord): Promise<boolean> {
    const { state, ask } = this.#options;
    if (this.#known.includes(key)) return true;
    const asked = this.#asked.get(key) ?? ask(lines, record);
    this.#asked.set(key, asked);
    try {
      if (!(await asked)) return false;
    } finally {
      this.#asked.delete(key);
    }
    if (!this.#known.includes(key)) await state.update(stateKey, [...this.#known, key].slice(-maxAllowed));
    return true;
  }

  get #known(): readonly string[] {
    const stored = this.#options.state.get<unknown>(stateKey);
    return Array.isArray(stored) ? stored.filter(each => typeof each === "string") : [];
  }
}
