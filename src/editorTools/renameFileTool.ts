// The tool that renames or moves a file.
import { basename, dirname } from "node:path";
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import type { LocatedPath } from "../files/paths.ts";
import { failedRefusal, missingRefusal } from "../files/refusals.ts";
import { askedCall } from "./askedCall.ts";
import { text } from "./resultFields.ts";
import { actingTool, resultSchema, type ToolContext } from "./tool.ts";
import { textArgument } from "./toolArguments.ts";

/** Renames or moves one file. */
export const renameFileTool = actingTool(
  {
    name: "rename_file",
    title: "Rename File",
    description:
      "Renames or moves a file, and creates the folders above its new path. Tabs of the file follow. The user is asked first. Other files that name it, such as imports, are not changed: find them first with find_code or a search, and change them afterwards.",
    arguments: {
      path: textArgument("The absolute path of the file.", 32_000),
      newPath: textArgument("Its new absolute path, where no file is yet.", 32_000),
    },
    result: resultSchema({ path: text(), newPath: text() }),
    async run({ path, newPath }, context, signal) {
      const [from, to] = [await located(path, context), await located(newPath, context)];
      const { files } = context.editor;
      if (from.key === to.key && from.path === to.path)
        throw new Refusal("invalid", "Both paths are the same. Nothing was changed.");
      const kind = await files.kindOf(from.path);
      if (kind === "missing") throw missingRefusal(path);
      if (kind !== "file")
        throw new Refusal("invalid", `${quotePath(path)} is not a file. Rename its files one by one.`);
      // On a file system that ignores case, the new path can be the file itself.
      if (from.key !== to.key && (await files.kindOf(to.path)) !== "missing")
        throw new Refusal("invalid", `${quotePath(newPath)} exists already. Choose another path.`);
      const isSameFolder = dirname(from.path) === dirname(to.path);
      const title = isSameFolder
        ? t("Rename {0} to {1}", basename(from.path), basename(to.path))
        : t("Move {0} to {1}", basename(from.path), to.path);
      const changes = [{ operation: "move", path: to.path, oldPath: from.path }] as const;
      return askedCall({ ...{ title, kind: "move" }, content: [{ type: "changes", changes }] }, context, {
        signal,
        act: async () => {
          for (const [sent, known] of [
            [path, from],
            [newPath, to],
          ] as const) {
            await context.access.gate.admit({ operation: "write", path: sent, located: known }, signal);
            const now = await context.access.confinement.locate(sent);
            if (now.key !== known.key)
              throw failedRefusal(sent, "was moved, or replaced by a link to another place, during the request.");
          }
          signal.throwIfAborted();
          await files.move(context.access.confinement.roots, from.path, to.path);
          return {
            structured: { path: from.path, newPath: to.path },
            text: `Moved ${from.path} to ${to.path}. Files that name it were not changed.`,
          };
        },
      });
    },
  },
  { destroys: true },
);

async function located(path: string, { access: { confinement } }: ToolContext): Promise<LocatedPath> {
  const found = await confinement.locate(path);
  if (!found.inside) throw confinement.outsideRefusal(path);
  return found;
}
