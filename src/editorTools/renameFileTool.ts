// The tool that renames or moves a file.
import { basename, dirname, join, resolve } from "node:path";
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
      if ((await files.kindOf(await spelledPath(path, context))) === "link")
        throw new Refusal(
          "invalid",
          `${quotePath(path)} is a symbolic link to ${quotePath(from.path)}. Only the file itself can be renamed here.`,
        );
      // On a disk that ignores case, the new name leads to the file itself, whose path has the old name.
      const target = await spelledPath(newPath, context);
      if (target === from.path) throw new Refusal("invalid", "Both paths are the same. Nothing was changed.");
      const kind = await files.kindOf(from.path);
      if (kind === "missing") throw missingRefusal(path);
      if (kind !== "file")
        throw new Refusal("invalid", `${quotePath(path)} is not a file. Rename its files one by one.`);
      if ((await files.kindOf(target)) !== "missing" && !(await files.isOtherSpelling(from.path, target)))
        throw new Refusal("invalid", `${quotePath(newPath)} exists already. Choose another path.`);
      const isSameFolder = dirname(from.path) === dirname(target);
      const title = isSameFolder
        ? t("Rename {0} to {1}", basename(from.path), basename(target))
        : t("Move {0} to {1}", basename(from.path), target);
      const changes = [{ operation: "move", path: target, oldPath: from.path }] as const;
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
          await files.move(context.access.confinement.roots, from.path, target);
          return {
            structured: { path: from.path, newPath: target },
            text: `Moved ${from.path} to ${target}. Files that name it were not changed.`,
          };
        },
      });
    },
  },
  { destroys: true },
);

/** The path with the links above it resolved, and with its name as it was sent. A link to it from outside is resolved. */
async function spelledPath(path: string, context: ToolContext): Promise<string> {
  const normal = resolve(path);
  const folder = await context.access.confinement.locate(dirname(normal));
  return folder.inside ? join(folder.path, basename(normal)) : (await located(path, context)).path;
}

async function located(path: string, { access: { confinement } }: ToolContext): Promise<LocatedPath> {
  const found = await confinement.locate(path);
  if (!found.inside) throw confinement.outsideRefusal(path);
  return found;
}
