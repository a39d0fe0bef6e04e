// Files that look like secrets. An agent may access them only with the user's permission, even inside the workspace
// folders.
import { t } from "../base/l10n.ts";
import {
  expandGlob,
  foldedSpellings,
  overlapTest,
  pathGlobs,
  restrictionTest,
  type PathGlob,
  type PathContext,
} from "./pathGlob.ts";

/** Recognised by name in any folder. */
const secretNames = [
  ".env*", "*.env", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials",
  ".dockercfg", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc", "*.ovpn",
  "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "*_rsa", "*_ed25519",
  "credentials", "credentials.json", "client_secret*.json", "service-account*.json", "secrets.{json,yml,yaml,toml}",
  "*.tfvars", "*.tfstate", "terraform.rc", ".terraformrc", ".vault-token", "kubeconfig", "master.key",
  // The state database of VS Code and its forks has the tokens of extensions.
  "state.vscdb", "state.vscdb.backup", "Login Data", "logins.json", "key4.db", "cookies.sqlite",
]; // prettier-ignore

/** Folders of keys and cloud credentials, at any place. */
const secretFolders = [
  ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".docker", ".oci", ".aliyun", ".terraform.d",
  ".password-store", ".local/share/keyrings", "Library/Keychains",
]; // prettier-ignore

/** Files of agents and tools with tokens, in any folder. */
const tokenFiles = [
  ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/*.json", ".gemini/*.txt", ".qwen/*.json",
  "opencode/auth.json", "opencode/mcp-auth.json", ".local/share/opencode/**", ".config/github-copilot/**",
  "github-copilot/{hosts,apps,versions,auth}.json", ".copilot/*.json", ".config/goose/**", ".augment/session.json",
  ".cargo/credentials*", ".m2/settings*.xml", ".gradle/gradle.properties", ".gem/credentials", ".bundle/config",
  ".composer/auth.json", ".nuget/NuGet/NuGet.Config", ".config/hub", ".config/op/**", ".config/rclone/**",
]; // prettier-ignore

/** Profiles of browsers, on all systems. */
const browserProfiles = [
  ".mozilla/**", ".thunderbird/**", ".config/{google-chrome,chromium,microsoft-edge,vivaldi,opera}*/**",
  ".config/BraveSoftware/**", "snap/{firefox,chromium}/**",
  "Library/Application Support/{Google/Chrome,Chromium,Firefox,Microsoft Edge,BraveSoftware,Arc}*/**", "Library/Cookies/**",
  "AppData/{Local,Roaming}/{Google/Chrome,Chromium,Mozilla,Microsoft/Edge,BraveSoftware,Opera Software}*/**",
]; // prettier-ignore

/** Files of processes, other names of any file, the memory, and names with which bash opens connections. */
const aliases = [
  "/proc/*/{environ,mem}", "/proc/*/{root,cwd,fd,map_files}/**", "/proc/*/task/*/{environ,mem}", "/proc/*/task/*/{root,cwd,fd}/**",
  "/proc/kcore", "/dev/{mem,kmem}", "/dev/{tcp,udp}/**", "/.vol/**",
]; // prettier-ignore

const builtInGlobs: readonly PathGlob[] = [
  ...secretNames.map(name => `**/${name}`),
  ...secretFolders.map(folder => `**/${folder}/**`),
  ...[...tokenFiles, ...browserProfiles].map(glob => `**/${glob}`),
  "/etc/{shadow,gshadow,sudoers}*",
  "/{run,var/run}/secrets/**",
  ...aliases,
].flatMap(pathGlobs);

/** The valid globs of a setting, and the errors in the others, as sentences. */
export function readGlobSetting(
  setting: string,
  value: unknown,
): { readonly globs: readonly string[]; readonly problems: readonly string[] } {
  if (value === undefined || value === null) return { globs: [], problems: [] };
  if (!Array.isArray(value)) return { globs: [], problems: [t("{0} must be a list of globs.", setting)] };
  const globs: string[] = [];
  const problems: string[] = [];
  for (const one of value as readonly unknown[]) {
    const expanded = typeof one === "string" ? expandGlob(one) : t("is no text");
    if (typeof one === "string" && typeof expanded !== "string") globs.push(one);
    else problems.push(t("{0}: {1} {2}.", setting, JSON.stringify(one), String(expanded)));
  }
  return { globs, problems };
}

/** What a folder can add, so that it cannot make the check of paths slow. */
const maxFolderGlobs = 200;
const maxFolderGlobLength = 200;
const maxFolderAlternatives = 1000;
/** The number of mistakes in globs of folders that the user reads about. */
const maxFolderProblems = 3;

/** The same for the globs of the workspace and its folders, which are not the user's own. */
export function readFolderGlobs(
  setting: string,
  values: readonly unknown[],
): { readonly globs: readonly string[]; readonly problems: readonly string[] } {
  const lists = values.map(value => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
  const all = [...new Set(lists.flat())];
  const short = all.filter(one => typeof one !== "string" || one.length <= maxFolderGlobLength);
  const { globs, problems } = readGlobSetting(
    t("{0} of the folder", setting),
    short.slice(0, maxFolderGlobs).map(one => (typeof one === "string" ? one : null)),
  );
  let alternatives = 0;
  const used = globs.filter(glob => (alternatives += pathGlobs(glob).length) <= maxFolderAlternatives);
  const ignored = all.length - used.length - problems.length;
  return {
    globs: used,
    problems: [
      ...problems.slice(0, maxFolderProblems),
      ...(ignored > 0
        ? [t("{0} of the folder has too many or too long globs. {1} are ignored.", setting, ignored)]
        : []),
    ],
  };
}

/** A test for many paths. */
export interface SecretTest {
  /** Whether the path looks like a secret. */
  (path: string): boolean;
  /** Whether a path with the wildcards of a shell may stand for such a path. */
  readonly mayMatch: (shellPattern: string) => boolean;
}

/** Examples that repositories contain on purpose: `.env.example`. */
const exampleFile = /(?:^|[\\/])\.env\.(?:example|sample|template|dist)$/i;

/** The same test for many paths. */
export function secretMatcher(extraGlobs: readonly string[], place: PathContext): SecretTest {
  const context = { ...place, ignoresCase: true };
  const extra = extraGlobs.flatMap(pathGlobs);
  const globs = [...builtInGlobs, ...extra];
  const all = restrictionTest(globs, context);
  const named = restrictionTest(extra, context);
  const isSensitive = (path: string): boolean =>
    foldedSpellings(path).some(one => (exampleFile.test(one) ? named(one) : all(one)));
  return Object.assign(isSensitive, { mayMatch: overlapTest(globs, context) });
}

const builtInTests = new WeakMap<PathContext, SecretTest>();

/** The test for the built-in list. */
export function builtInSecrets(place: PathContext): SecretTest {
  const made = builtInTests.get(place) ?? secretMatcher([], place);
  builtInTests.set(place, made);
  return made;
}

/** Whether the path looks like a secret. Case never matters, so that in doubt the user is asked. */
export function looksSensitive(path: string, extraGlobs: readonly string[], place: PathContext): boolean {
  return secretMatcher(extraGlobs, place)(path);
}
