// Files that look like secrets: an agent may touch them only if the user says so, also inside the session's folders.
import { restrictionTest, expandGlob, pathGlobs, type PathGlob, type PathContext } from "./pathGlob.ts";

/** Known by name wherever they lie. */
const secretNames = [
  ".env*", "*.env", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials",
  ".dockercfg", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc", "*.ovpn",
  "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "*_rsa", "*_ed25519",
  "credentials", "credentials.json", "client_secret*.json", "service-account*.json", "secrets.{json,yml,yaml,toml}",
  "*.tfvars", "*.tfstate", "terraform.rc", ".terraformrc", ".vault-token", "kubeconfig", "master.key",
]; // prettier-ignore

/** Folders of keys and cloud credentials, wherever they lie. */
const secretFolders = [
  ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".docker", ".oci", ".aliyun", ".terraform.d",
]; // prettier-ignore

const builtInGlobs: readonly PathGlob[] = [
  ...secretNames.map(name => `**/${name}`),
  ...secretFolders.map(folder => `**/${folder}/**`),
  "/etc/{shadow,gshadow,sudoers}*",
  "/proc/*/environ",
].flatMap(pathGlobs);

/** Globs as they stand in the settings, and what is wrong with the rest, as sentences. */
export function readGlobSetting(
  setting: string,
  value: unknown,
): { readonly globs: readonly string[]; readonly problems: readonly string[] } {
  if (value === undefined || value === null) return { globs: [], problems: [] };
  if (!Array.isArray(value)) return { globs: [], problems: [`${setting} must be a list of globs.`] };
  const globs: string[] = [];
  const problems: string[] = [];
  for (const one of value as readonly unknown[]) {
    const expanded = typeof one === "string" ? expandGlob(one) : "is no text";
    if (typeof one === "string" && typeof expanded !== "string") globs.push(one);
    else problems.push(`${setting}: ${JSON.stringify(one)} ${String(expanded)}.`);
  }
  return { globs, problems };
}

/** The same for many paths. */
export function secretMatcher(extraGlobs: readonly string[], place: PathContext): (path: string) => boolean {
  return restrictionTest([...builtInGlobs, ...extraGlobs.flatMap(pathGlobs)], { ...place, ignoresCase: true });
}

/** Whether the path is one of a file that looks like a secret. Case never matters: it errs towards asking. */
export function looksSensitive(path: string, extraGlobs: readonly string[], place: PathContext): boolean {
  return secretMatcher(extraGlobs, place)(path);
}
