// How an agent of the registry is distributed: as a package for npx or uvx, or as an archive for a platform. Each way is
// read by itself, so a malformed one does not hide the others.
import { commandLineText } from "../base/commandLineText.ts";
import { exactLine } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import { isRecord } from "../base/validators.ts";
import { archiveKind, entryNameFault, type ArchiveKind } from "./archiveEntry.ts";
import { checkedAddress } from "./secureAddress.ts";

/** What a way to start an agent adds to its program. */
interface StartArguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A package that `npx` or `uvx` downloads and starts. */
export interface PackageDistribution extends StartArguments {
  readonly type: "npx" | "uvx";
  readonly package: string;
  /** The program of the package, if it is not the one with the name of the package. */
  readonly cmd?: string;
}

/** An archive, or the program itself. */
export interface BinaryDistribution extends StartArguments {
  readonly type: "binary";
  readonly archive: string;
  readonly archiveKind: ArchiveKind;
  /** The path of the program in the archive, with slashes. */
  readonly cmd: string;
  /** The SHA-256 of the archive, in lower case. */
  readonly sha256?: string;
}

export type Distribution = PackageDistribution | BinaryDistribution;

/** How an agent starts, as it is shown: the program of an archive by its path in the archive. */
export interface ShownStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How the distribution starts its agent. */
export function shownStart(distribution: Distribution): ShownStart {
  const { args, env } = distribution;
  if (distribution.type === "binary") return { command: distribution.cmd, args, env };
  const { type, package: name, cmd } = distribution;
  if (type === "npx")
    return {
      command: "npx",
      args: ["--yes", ...(cmd === undefined ? [name] : [`--package=${name}`, cmd]), ...args],
      env,
    };
  return { command: "uvx", args: [...(cmd === undefined ? [name] : ["--from", name, cmd]), ...args], env };
}

/** The ways that an entry of the index describes, and what is wrong with the others. */
export interface Distributions {
  readonly distributions: readonly Distribution[];
  readonly faults: readonly string[];
}

const maxArguments = 100;
const maxTextLength = 4000;
/** What the user agrees to must fit into a question as a whole. */
const maxShownVariables = 20;
/** Of a command line, a variable or an address (characters). */
const maxShownLine = 400;

/** The name of this platform in the registry, such as `linux-x86_64`. Undefined if the registry has no name for it. */
export function registryTarget(platform: string, architecture: string): string | undefined {
  const system = { darwin: "darwin", linux: "linux", win32: "windows" }[platform];
  const processor = { arm64: "aarch64", x64: "x86_64" }[architecture];
  return system && processor && `${system}-${processor}`;
}

/** Reads the field `distribution` of an entry. `from` is the address of the index. */
export function readDistributions(value: unknown, target: string | undefined, from: string): Distributions {
  const distributions: Distribution[] = [];
  const faults: string[] = [];
  const known = isRecord(value) ? value : {};
  for (const [type, described] of Object.entries(known).slice(0, 20)) {
    try {
      if (type === "npx" || type === "uvx") distributions.push(shownWhole(readPackage(type, described)));
      else if (type === "binary") distributions.push(shownWhole(readBinary(described, target, from)));
      else faults.push(t("Parley does not know the distribution “{0}”.", type.slice(0, 50)));
    } catch (error) {
      faults.push(`${type}: ${(error as Error).message}`);
    }
  }
  if (distributions.length + faults.length === 0) faults.push(t("The entry has no distribution."));
  const order = ["npx", "uvx", "binary"];
  distributions.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  return { distributions, faults };
}

/** Throws a sentence if a question could show only a part of the start. */
function shownWhole<T extends Distribution>(distribution: T): T {
  const { command, args, env } = shownStart(distribution);
  const variables = Object.entries(env);
  if (variables.length > maxShownVariables)
    throw new Error(t("It sets more than {0} environment variables.", maxShownVariables));
  const isLong = (text: string): boolean => exactLine(text).length > maxShownLine;
  if (isLong(commandLineText(command, args)))
    throw new Error(t("Its command has more than {0} characters.", maxShownLine));
  if (variables.some(([name, value]) => isLong(`${name}=${value}`)))
    throw new Error(t("One of its environment variables has more than {0} characters.", maxShownLine));
  return distribution;
}

/** A package of npm: with a version or a tag, and never an option, a path or an address. */
const npmPackage = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w.+~-]+)?$/i;
/** A package of PyPI: with extras and a version. */
const pythonPackage = /^[a-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:(?:==|@)[\w.+!-]+)?$/i;
const programName = /^[\w@][\w@.+-]*$/;

function readPackage(type: "npx" | "uvx", value: unknown): PackageDistribution {
  const described = isRecord(value) ? value : {};
  const { package: name, cmd } = described;
  if (typeof name !== "string" || name.length > 300 || !(type === "npx" ? npmPackage : pythonPackage).test(name))
    throw new Error(t("The name of the package is not valid."));
  if (cmd !== undefined && !(typeof cmd === "string" && cmd.length <= 200 && programName.test(cmd)))
    throw new Error(t("The name of the program is not valid."));
  return { type, package: name, ...(typeof cmd === "string" && { cmd }), ...readStart(described) };
}

function readBinary(value: unknown, target: string | undefined, from: string): BinaryDistribution {
  const platforms = isRecord(value) ? value : {};
  const described = target !== undefined && Object.hasOwn(platforms, target) ? platforms[target] : undefined;
  if (described === undefined) {
    const names = Object.keys(platforms).slice(0, 10).join(", ").slice(0, 200);
    throw new Error(
      names === ""
        ? t("There is no archive.")
        : t("There is no archive for {0}, only for {1}.", target ?? process.platform, names),
    );
  }
  if (!isRecord(described)) throw new Error(t("The archive is not described."));
  const { archive, cmd, sha256 } = described;
  if (typeof archive !== "string" || archive.length > maxTextLength)
    throw new Error(t("The archive has no web address."));
  const url = checkedAddress(archive, from);
  if (url.href.length > maxShownLine) throw new Error(t("The web address has more than {0} characters.", maxShownLine));
  const kind = archiveKind(url.pathname);
  if (kind === undefined) throw new Error(t("Parley cannot unpack “{0}”.", url.pathname.split("/").at(-1) ?? ""));
  if (typeof cmd !== "string") throw new Error(t("The program in the archive is not named."));
  const path = cmd.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  if (entryNameFault(path) !== undefined || path.startsWith("-"))
    throw new Error(t("The path “{0}” of the program is not valid.", cmd.slice(0, 200)));
  if (sha256 !== undefined && !(typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256)))
    throw new Error(t("The checksum of the archive is not valid."));
  return {
    type: "binary",
    archive: url.href,
    archiveKind: kind,
    cmd: path,
    ...(typeof sha256 === "string" && { sha256: sha256.toLowerCase() }),
    ...readStart(described),
  };
}

/** The variables that the start of an agent would replace, also by secrets of the user. */
const replacedVariable = /\$\{(?:env:[^}]*|userHome|workspaceFolder)\}/;

function readStart({ args = [], env = {} }: Readonly<Record<string, unknown>>): StartArguments {
  const isText = (text: unknown): text is string =>
    typeof text === "string" && text.length <= maxTextLength && !text.includes("\0") && !replacedVariable.test(text);
  if (!Array.isArray(args) || args.length > maxArguments || !args.every(isText))
    throw new Error(t("The arguments are not valid."));
  const variables = isRecord(env) && !Array.isArray(env) ? Object.entries(env) : undefined;
  const isVariable = ([name, text]: readonly [string, unknown]): boolean =>
    /^[A-Z_]\w{0,200}$/i.test(name) && isText(text);
  if (!variables || variables.length > maxArguments || !variables.every(isVariable))
    throw new Error(t("The environment variables are not valid."));
  return { args, env: Object.fromEntries(variables) as Record<string, string> };
}
