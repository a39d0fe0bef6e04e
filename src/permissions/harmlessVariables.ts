// Environment variables of a command that change only its language and look, or keep it from waiting for a person.

const isPlain: RegExp = /^[\w.:@+-]{0,100}$/;
const isFlag: RegExp = /^(?:|0|1|true|false|yes|no)$/;
/** Programs run these values, so only the ones that show text as it is, or do nothing, count. */
const isNoPager: RegExp = /^(?:|cat)$/;
const isNoEditor: RegExp = /^(?:true|:)$/;
const isSystemShell: RegExp = /^(?:\/usr)?\/bin\/(?:ba|da|z)?sh$/;

const named = (names: string, check: RegExp): readonly (readonly [string, RegExp])[] =>
  names.split(" ").map(name => [name, check] as const);

const harmlessValues: ReadonlyMap<string, RegExp> = new Map([
  ...named("CI TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES", isPlain),
  ...named("LANG LANGUAGE", isPlain),
  ["TZ", /^[\w+-]{0,50}(?:\/[\w+-]{1,50}){0,2}$/],
  ...named(
    "GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS PYTHONUNBUFFERED PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK",
    isFlag,
  ),
  ...named("NONINTERACTIVE HOMEBREW_NO_AUTO_UPDATE DISABLE_AUTO_UPDATE", isFlag),
  ["DEBIAN_FRONTEND", /^noninteractive$/],
  ["GCM_INTERACTIVE", /^(?:|0|false|never)$/i],
  ...named("PAGER GIT_PAGER MANPAGER GH_PAGER AWS_PAGER SYSTEMD_PAGER DELTA_PAGER BAT_PAGER", isNoPager),
  ...named("EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR", isNoEditor),
  ["SHELL", isSystemShell],
]);

/** Whether a variable with this value does not change what a command does. */
export function isHarmlessVariable({ name, value }: { readonly name: string; readonly value: string }): boolean {
  const check = harmlessValues.get(name) ?? (/^LC_[A-Z]+$/.test(name) ? isPlain : undefined);
  return check?.test(value) === true;
}
