// Examples of text that is or is not a file path, for the tests of the rule and of its rendering.

/** Text that the panel treats as a file. */
export const files: readonly string[] = [
    "src/a.ts", "src/a.ts:10", "src/a.ts:10:5", "src/a.ts:10-20", "src/a.ts#L10", "src/a.ts#L10-L20", "./a.ts", "../lib/a.ts:3",
    "a.ts:10", "a.test.ts:10:5", "/work/a.ts", "/work/a.ts:3", "~/notes.md", "C:\\work\\a.ts", "C:\\work\\a.ts:10:5",
    "c:/work/a.ts", "src\\a.ts", "src/.github/ci.yml", "my-app/pages/id.tsx", "file:///work/a.ts",
    "file:///c%3A/work/a.ts#L7", "lib/odd.extension:12", "node_modules/@types/node/fs.d.ts:8",
    // Letters of every script, composed and decomposed.
    "größe/übersicht.md", "cafe\u0301/re\u0301sume\u0301.md:3", "документы/план.md", "έγγραφα/σχέδιο.md:4", "src/组件/按钮.tsx",
    "文档/设计.md", "設計/画面.ts:10", "ソース/ファイル・一覧.ts", "문서/계획.md", "\u1106\u116e\u11ab\u1109\u1165/a.md", "מסמכים/תוכנית.md", "مستندات/خطة.md:7",
    "दस्तावेज़/योजना.md", "เอกสาร/แผน.md", "src/😀/a.ts", "src/𠮷野/a.ts",
    // Brackets and other characters of names.
    "app/[slug]/page.tsx", "app/[...slug]/page.tsx:3", "app/[[...slug]]/page.tsx", "app/(group)/page.tsx", "app/@modal/(.)photo/[id]/page.tsx",
    "[id].tsx:10", "[slug]/page.tsx", "(group)/layout.tsx", "pages/[id].tsx", "docs/C#/intro.md", "docs/C#/intro.md:3", "src/a(1).ts", "src/a+b/c.ts",
    "app/routes/$id.tsx", "data/year=2024/part.json", "docs/报告（1）/a.md", "docs/a,b/c.md", "docs/l'été/a.md", "src/100%25/a.ts", "src/Näme&Co/a.ts",
  ]; // prettier-ignore
/** Text that only looks like a file. */
export const noFiles: readonly string[] = [
    "a.ts", "Array.from", "console.log", "e.g.", "i.e./etc.", "and/or", "either/or.This", "1.2/3.4", "v1.2.3", "example.com:443",
    "example.com/a.html", "www.example.org/x.js", "localhost:3000", "127.0.0.1:80", "node.js", "ada@example.com", "10:30",
    "std::vec", "foo.bar:12", "react/jsx-runtime", "text/plain", "a/b", "https://example.com/a.ts", "http://a.b/c.js:3",
    "vscode://file/a.ts", "\\\\host\\share\\a.ts", "//host/share/a.ts", "user/repo#12", "Ctrl+C", "file://host/a.ts",
    // Parts of something longer.
    "src/**/a.ts", "src/*.test/a.ts", "${root}/a.ts", "packages/<name>/a.ts", "src/{a,b}/c.ts", ".../src/a.ts", "…/src/a.ts", "$HOME/a.ts",
    "https://example.com/文档/a.ts", "пример.рф/a.html", "file://хост/a.ts", "\\\\сервер\\папка\\a.ts", "git@github.com:user/repo.ts",
  ]; // prettier-ignore
