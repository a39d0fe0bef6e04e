// Determines the programs that a command line runs, with a strict parser for each shell. A line that is not fully
// understood is opaque: rules may deny or ask about it, but never allow it.
import { t } from "../../base/l10n.ts";
import { cmdCommands } from "./cmd.ts";
import { fragmentsOf } from "./fragments.ts";
import { posixCommands, programCommands } from "./programs.ts";
import { powershellCommands } from "./powershell.ts";
import { NotUnderstood, type Command, type CommandLine, type Shell, type StartFolder } from "./types.ts";

const parsers: Readonly<Record<Shell, (line: string, start?: StartFolder) => readonly Command[]>> = {
  posix: (line, start) => posixCommands(line, start),
  powershell: powershellCommands,
  cmd: cmdCommands,
};

/** Parses a line as a shell would. `start`: the folder that it starts in. Never throws. */
export function parseCommandLine(line: string, shell: Shell, start?: StartFolder): CommandLine {
  return tryParse(line, shell, () => {
    checkCharacters(line, shell);
    return parsers[shell](line, start);
  });
}

/**
 * Parses a program and its arguments as they are passed to a process without a shell. `bash -lc script` and `pwsh
 * -Command script` are parsed as their scripts. `line` is for display. Never throws.
 */
export function parseArguments(argv: readonly string[], line = argv.join(" "), start?: StartFolder): CommandLine {
  const script = powershellScript(argv);
  const shell = script === undefined ? "posix" : "powershell";
  return tryParse(line, shell, () => {
    for (const word of argv) checkCharacters(word, shell);
    return script === undefined ? programCommands(argv, start) : powershellCommands(script);
  });
}

function tryParse(line: string, shell: Shell, commands: () => readonly Command[]): CommandLine {
  try {
    return { kind: "commands", line, commands: commands() };
  } catch (thrown) {
    if (!(thrown instanceof NotUnderstood)) throw thrown;
    return { kind: "opaque", line, reason: thrown.message, fragments: fragmentsOf(line, shell) };
  }
}

function powershellScript(argv: readonly string[]): string | undefined {
  const [file = "", ...rest] = argv.map(word => word.toLowerCase());
  if (!/^(?:.*[\\/])?(?:pwsh|powershell)(?:\.exe)?$/.test(file)) return undefined;
  const flag = rest.findIndex(word => !["-noprofile", "-nologo", "-noninteractive"].includes(word));
  const named = rest[flag] === "-command" || rest[flag] === "-c";
  return named && flag === rest.length - 2 ? argv[argv.length - 1] : undefined;
}

/** Control characters, and all characters that have no width or look like a space without being one. */
const invisibleCharacter = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u;

function checkCharacters(line: string, shell: Shell): void {
  const rest = line.replace(/[ \n\t]/g, "");
  if (invisibleCharacter.test(rest)) throw new NotUnderstood(t("contains characters that are not seen"));
  // PowerShell treats typographic dashes and quotes like its own. cmd.exe maps letters to its code page.
  if (shell === "powershell" && /[^\x21-\x7e\p{L}\p{N}\p{M}]/u.test(rest)) {
    throw new NotUnderstood(t("contains signs that PowerShell may take for its own"));
  }
  if (shell === "cmd" && /[^\x21-\x7e]/.test(rest))
    throw new NotUnderstood(t("contains letters that cmd.exe may change"));
}
