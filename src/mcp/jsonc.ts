// JSON with comments and trailing commas, as VS Code writes `mcp.json`.

/** The value of the text. Throws a SyntaxError. */
export function parseJsonc(text: string): unknown {
  // Strings come first, so that nothing inside of them counts as a comment or a comma.
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, piece => (piece.startsWith('"') ? piece : " "))
    .replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, piece => (piece === "," ? " " : piece));
  return JSON.parse(plain) as unknown;
}
