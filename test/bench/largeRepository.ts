// A repository of 100,000 files.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folders = 1000;
const filesEach = 100;

/** The path of a file, by the numbers of its folder (of 1,000) and of itself (of 100). */
export const fileAt = (root: string, folder: number, file: number): string =>
  join(root, `d${folder}`, `file${file}.ts`);

/** Makes the repository, with one commit of all files on `main`. Returns how to run git in it. */
export function makeRepository(root: string): (...args: readonly string[]) => void {
  for (let d = 0; d < folders; d++) {
    mkdirSync(join(root, `d${d}`), { recursive: true });
    for (let f = 0; f < filesEach; f++)
      writeFileSync(fileAt(root, d, f), `export const value = ${d * filesEach + f};\n`);
  }
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: root });
  git("init", "-q", "-b", "main");
  git("-c", "core.looseCompression=1", "add", "-A");
  git("commit", "-qm", "all");
  git("repack", "-adq");
  return git;
}
