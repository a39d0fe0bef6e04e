// Formats generated documents as `npm run format` does.
import { spawnSync } from "node:child_process";
import { inProject, Problem, root } from "./project.mjs";

/**
 * The formatted text. Its language is that of the file.
 * @param {string} text
 * @param {string} file the name or path of the file
 * @returns {string}
 */
export function formatted(text, file) {
  const command = [inProject("node_modules", "oxfmt", "bin", "oxfmt"), `--stdin-filepath=${file}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    ...{ cwd: root, input: text, encoding: "utf8" },
    maxBuffer: Infinity,
  });
  if (status !== 0) throw new Problem(`${file} could not be formatted: ${stderr.trim()}`);
  return stdout;
}
