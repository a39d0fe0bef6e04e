// Examples of text that is or is not a file path, for the tests of the rule and of its rendering.

/** Text that the panel treats as a file. */
export const files: readonly string[] = [
    "src/a.ts", "src/a.ts:10", "src/a.ts:10:5", "src/a.ts:10-20", "src/a.ts#L10", "src/a.ts#L10-L20", "./a.ts", "../lib/a.ts:3",
    "a.ts:10", "a.test.ts:10:5", "/work/a.ts", "/work/a.ts:3", "~/notes.md", "C:\\work\\a.ts", "C:\\work\\a.ts:10:5",
    "c:/work/a.ts", "src\\a.ts", "src/.github/ci.yml", "my-app/pages/id.tsx", "file:///work/a.ts",
    "file:///c%3A/work/a.ts#L7", "lib/odd.extension:12", "node_modules/@types/node/fs.d.ts:8",
  ]; // prettier-ignore
/** Text that only looks like a file. */
export const noFiles: readonly string[] = [
    "a.ts", "Array.from", "console.log", "e.g.", "i.e./etc.", "and/or", "either/or.This", "1.2/3.4", "v1.2.3", "example.com:443",
    "example.com/a.html", "www.example.org/x.js", "localhost:3000", "127.0.0.1:80", "node.js", "ada@example.com", "10:30",
    "std::vec", "foo.bar:12", "react/jsx-runtime", "text/plain", "a/b", "https://example.com/a.ts", "http://a.b/c.js:3",
    "vscode://file/a.ts", "\\\\host\\share\\a.ts", "//host/share/a.ts", "user/repo#12", "Ctrl+C", "file://host/a.ts",
  ]; // prettier-ignore
