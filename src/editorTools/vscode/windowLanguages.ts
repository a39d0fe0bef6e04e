// What the language servers of the window answer.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import { Refusal } from "../../base/errors.ts";
import type { CodePlace, CodePosition, CodeSymbol, EditorLanguages, PlaceKind } from "../editorView.ts";
import { codeRange } from "./codeRange.ts";

/** The time limit for an answer (ms). A server that has just started reads the whole project first. */
const maxAnswerWait = 20_000;

const tooSlow = (): never => {
  throw new Refusal(
    "failed",
    `The language server has not answered for ${maxAnswerWait / 1000} seconds. Try again later.`,
  );
};

const placeCommands = {
  definition: (uri: vscode.Uri, at: vscode.Position) =>
    vscode.commands.executeCommand<readonly FoundPlace[] | undefined>("vscode.executeDefinitionProvider", uri, at),
  references: (uri: vscode.Uri, at: vscode.Position) =>
    vscode.commands.executeCommand<readonly FoundPlace[] | undefined>("vscode.executeReferenceProvider", uri, at),
  implementations: (uri: vscode.Uri, at: vscode.Position) =>
    vscode.commands.executeCommand<readonly FoundPlace[] | undefined>("vscode.executeImplementationProvider", uri, at),
} as const satisfies Readonly<Record<PlaceKind, unknown>>;

type FoundPlace = vscode.Location | vscode.LocationLink;
type FoundSymbol = vscode.DocumentSymbol | vscode.SymbolInformation;

/** The language servers. VS Code opens the files that they are asked about. */
export class WindowLanguages implements EditorLanguages {
  async symbolsOf(path: string): Promise<readonly CodeSymbol[]> {
    const found = await answer(
      vscode.commands.executeCommand<readonly FoundSymbol[] | undefined>(
        "vscode.executeDocumentSymbolProvider",
        vscode.Uri.file(path),
      ),
    );
    return (found ?? []).flatMap(symbol => symbolsIn(symbol, path));
  }

  async findSymbols(query: string): Promise<readonly CodeSymbol[]> {
    const found = await answer(
      vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
        "vscode.executeWorkspaceSymbolProvider",
        query,
      ),
    );
    return (found ?? []).filter(({ location }) => location.uri.scheme === "file").map(symbolAt);
  }

  async places(kind: PlaceKind, { path, line, column }: CodePosition): Promise<readonly CodePlace[]> {
    const at = new vscode.Position(line - 1, column - 1);
    const found = await answer(placeCommands[kind](vscode.Uri.file(path), at));
    return (found ?? []).flatMap(place => {
      const { uri, range } =
        "targetUri" in place
          ? { uri: place.targetUri, range: place.targetSelectionRange ?? place.targetRange }
          : { uri: place.uri, range: place.range };
      return uri.scheme === "file" ? [{ path: uri.fsPath, ...codeRange(range) }] : [];
    });
  }

  async hover({ path, line, column }: CodePosition): Promise<readonly string[]> {
    const found = await answer(
      vscode.commands.executeCommand<readonly vscode.Hover[] | undefined>(
        "vscode.executeHoverProvider",
        vscode.Uri.file(path),
        new vscode.Position(line - 1, column - 1),
      ),
    );
    return (found ?? []).flatMap(({ contents }) => contents.map(hoverText));
  }

  async lineText(path: string, line: number): Promise<string | undefined> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    return line <= document.lineCount ? document.lineAt(line - 1).text : undefined;
  }
}

/** What a language server answers. Rejects with a Refusal if it takes too long. */
export const answer = <T>(asked: Thenable<T>): Promise<T> =>
  withTimeout(Promise.resolve(asked), maxAnswerWait, tooSlow);

const hoverText = (content: vscode.MarkdownString | vscode.MarkedString): string => {
  if (typeof content === "string") return content;
  return "language" in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
};

const kindOf = (kind: vscode.SymbolKind): string => (vscode.SymbolKind[kind] ?? "symbol").toLowerCase();

const symbolAt = ({ name, kind, containerName, location }: vscode.SymbolInformation): CodeSymbol => ({
  ...{ name, kind: kindOf(kind), path: location.uri.fsPath },
  ...{ line: location.range.start.line + 1, endLine: location.range.end.line + 1 },
  ...(containerName !== "" && { container: containerName }),
});

/** The symbol and those in it. */
function symbolsIn(symbol: FoundSymbol, path: string, container?: string): readonly CodeSymbol[] {
  if (!("children" in symbol)) return [symbolAt(symbol)];
  const { name, kind, range, children } = symbol;
  return [
    {
      ...{ name, kind: kindOf(kind), path, line: range.start.line + 1, endLine: range.end.line + 1 },
      ...(container !== undefined && { container }),
    },
    ...children.flatMap(child => symbolsIn(child, path, name)),
  ];
}
