// Titles of tool calls: which titles of agents are replaced, and by what.
import assert from "node:assert/strict";
import type { ToolFields } from "../../src/session/events.ts";
import { isOnlyCommand, permissionTitle, questionTitle, toolTitle } from "../../src/session/toolTitle.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const at = (...paths: readonly string[]): Partial<ToolFields> => ({ locations: paths.map(path => ({ path })) });
const diff = (path: string): Partial<ToolFields> => ({ content: [{ type: "diff", path, newText: "" }] });

describe("the title of a tool call", () => {
  const rows: readonly [string, Partial<ToolFields>, string][] = [
    ["the agent's, if it is a sentence", { title: "Read a.txt", kind: "read", ...at("/w/a.txt") }, "Read a.txt"],
    ["the agent's, if it is one word", { title: "grep", kind: "search" }, "grep"],
    ["the agent's, if it is a command", { title: "./run.sh", kind: "execute" }, "./run.sh"],
    ["the agent's, if it has a path and more", { title: "a.txt: b => c", kind: "edit" }, "a.txt: b => c"],
    ["the agent's, if a tool is named with dots", { title: "mcp.mini.echo", kind: "other" }, "mcp.mini.echo"],
    ["the agent's, if a tool is named with a slash", { title: "mini/echo", kind: "other" }, "mini/echo"],
    ["the agent's, if it is a quoted pattern", { title: "'**/*.js'", kind: "search" }, "'**/*.js'"],
    ["the agent's, if it begins with a bracket", { title: "[x] Read", kind: "other" }, "[x] Read"],
    ["a verb before a relative path", { title: "a.txt", kind: "read", ...at("/w/a.txt") }, "Read a.txt"],
    ["a verb before a path that nothing else names", { title: "src/a.txt", kind: "read" }, "Read src/a.txt"],
    ["a verb before a hidden file", { title: ".env", kind: "read" }, "Read .env"],
    [
      "a verb before an absolute path",
      { title: "/w/src/a.txt", kind: "edit", ...diff("/w/src/a.txt") },
      "Edit src/a.txt",
    ],
    ["a verb before a path outside", { title: "/etc/hostname", kind: "read" }, "Read /etc/hostname"],
    [
      "a verb before a path with spaces",
      { title: "my file.txt", kind: "read", ...at("/w/my file.txt") },
      "Read my file.txt",
    ],
    ["a verb before a path in backticks", { title: "`a.txt`", kind: "delete", ...at("/w/a.txt") }, "Delete a.txt"],
    ["a verb before a path with a line", { title: "a.txt:10-20", kind: "read", ...at("/w/a.txt") }, "Read a.txt:10-20"],
    ["a verb before a path on Windows", { title: "C:\\a\\b.txt", kind: "read" }, "Read C:\\a\\b.txt"],
    [
      "the known path for the same file relative to another folder",
      { title: "../../etc/hosts", kind: "read", ...at("/etc/hosts") },
      "Read /etc/hosts",
    ],
    ["a verb before a URL", { title: "https://a.b/c", kind: "fetch" }, "Fetch https://a.b/c"],
    ["a verb for a path without a kind", { title: "/etc", ...at("/etc/hostname", "/etc") }, "Access /etc"],
    ["the kind and the file, if it is empty", { title: " ", kind: "read", ...at("/w/a.txt") }, "Read a.txt"],
    ["the kind and the file of a diff", { title: "", kind: "edit", ...diff("/w/a.txt") }, "Edit a.txt"],
    ["the kind and how many files", { title: "", kind: "delete", ...at("/w/a", "/w/b", "/w/a") }, "Delete 2 files"],
    ["the kind and the file of the input", { kind: "read", rawInput: { file_path: "/w/a.txt" } }, "Read a.txt"],
    ["the command", { title: "", kind: "execute", rawInput: { command: "ls\n -l" } }, "Run `ls -l`"],
    ["the command of a call without a kind", { rawInput: { cmd: "ls" } }, "Run `ls`"],
    ["what is searched", { kind: "search", rawInput: { pattern: "a|b" } }, "Search for a|b"],
    ["what is fetched", { kind: "fetch", rawInput: { url: "https://a.b" } }, "Fetch https://a.b"],
    ["the kind alone", { kind: "search" }, "Search"],
    ["the kind of a call for a file that is not known", { kind: "edit" }, "Edit a file"],
    ["the kind of a command that is not known", { kind: "execute" }, "Run a command"],
    ["the name of the tool", { title: "", kind: "other", name: "echo_back" }, "Use echo_back"],
    ["a tool, if nothing is known", {}, "Use a tool"],
    ["a tool, if the kind has the name of an object's method", { kind: "constructor" }, "Use a tool"],
    ["the kind and the file, if it is JSON", { title: '{"path":"/w/a.txt"}', kind: "read" }, "Read a.txt"],
    ["a tool, if it is JSON of no kind", { title: '{"text":"ping"}', kind: "other" }, "Use a tool"],
    [
      "the kind, if it is JSON that was cut",
      { title: '{"path":"/w/a.t', kind: "read", ...at("/w/a.txt") },
      "Read a.txt",
    ],
    ["the kind, if it is an empty object", { title: "{}", kind: "think" }, "Think"],
    ["the kind, if it is a list", { title: '["a"]', kind: "fetch" }, "Fetch a page"],
    [
      "the name of a tool with the file",
      { title: "Write", kind: "edit", rawInput: { path: "/w/src/a.txt" } },
      "Write src/a.txt",
    ],
    ["the name of a tool with the file of a location", { title: "view", ...at("/w/a.txt") }, "view a.txt"],
    [
      "the number of files, if it names only a tool",
      { title: "Edit", kind: "edit", ...at("/w/a", "/b") },
      "Edit 2 files",
    ],
    [
      "the name of a tool with the command",
      { title: "Bash", kind: "execute", rawInput: { command: "npm test" } },
      "Bash: `npm test`",
    ],
    ["the name of a tool with the command, without a kind", { title: "run", rawInput: { cmd: "ls" } }, "run: `ls`"],
    [
      "the command, if it names only the program",
      { title: "bash", kind: "execute", rawInput: { command: ["bash", "-c", "ls"] } },
      "Run `bash -c ls`",
    ],
    [
      "the agent's, if it is the whole command",
      { title: "make", kind: "execute", rawInput: { command: "make" } },
      "make",
    ],
    ["the name of a tool with a pattern", { title: "grep", kind: "search", rawInput: { pattern: "a" } }, "grep: a"],
    [
      "the name of a tool with a URL",
      { title: "Fetch", kind: "fetch", rawInput: { url: "https://a.b" } },
      "Fetch: https://a.b",
    ],
    [
      "a verb before a file without an ending",
      { title: "LICENSE", kind: "read", ...at("/other/LICENSE") },
      "Read /other/LICENSE",
    ],
    [
      "the name of a tool with what has arrived of its arguments",
      { title: "Edit", kind: "edit", rawInput: '{"path":"/w/a.txt","text":"{' },
      "Edit a.txt",
    ],
    [
      "the agent's with a relative path",
      { title: "Read file '/w/src/a.md' again", kind: "read" },
      "Read file 'src/a.md' again",
    ],
    ["the agent's with relative paths", { title: "Compare /w/a and (/w/b)", kind: "other" }, "Compare a and (b)"],
    [
      "the agent's with paths that only look alike",
      { title: "Read /w2/a, /x/w/b and /w", kind: "read" },
      "Read /w2/a, /x/w/b and /w",
    ],
    ["the agent's with the paths of a command", { title: "rm -r /w/src", kind: "execute" }, "rm -r /w/src"],
    [
      "the agent's with the name of the file, if its path is long",
      { title: "Write /home/ada/projects/of/this/year/another/folder/src/a.txt", kind: "edit" },
      "Write /home/…/src/a.txt",
    ],
    [
      "the agent's with a whole web address",
      { title: "Get https://example.com/a/very/long/path/to/some/page/of/the/documentation.html", kind: "fetch" },
      "Get https://example.com/a/very/long/path/to/some/page/of/the/documentation.html",
    ],
  ];
  for (const [what, fields, title] of rows) {
    it(`is ${what}`, () => assert.equal(toolTitle(fields, "/w"), title));
  }

  it("has relative paths only after white space or punctuation, and whole paths if it is very long", () => {
    assert.equal(toolTitle({ title: "See /w/a,/w/b x/w/c /w/w/w/d (/w/e)" }, "/w"), "See a,b x/w/c w/w/d (e)");
    const long = `See ${"/w/a ".repeat(1000)}`;
    assert.equal(permissionTitle(long, {}, "/w"), long);
  });

  it("is found in time that grows with the length of the title", () => {
    for (const title of [`See ${"/w/a ".repeat(400_000)}`, `See ${"/w".repeat(1_000_000)}`, "/w/a:".repeat(790)]) {
      const used = processorTime();
      toolTitle({ title }, "/w");
      assert.ok(used() < 1000, `${title.slice(0, 10)}: ${used()} ms`);
    }
  });

  it("is at most a few hundred characters if it comes from the arguments", () => {
    assert.ok(toolTitle({ kind: "execute", rawInput: { command: "x".repeat(100_000) } }, "/w").length < 300);
  });
});

describe("the title of a permission request", () => {
  it("has whole paths outside the folder, because the user decides on them", () => {
    const title = "Write /home/ada/projects/of/this/year/another/folder/src/a.txt";
    assert.equal(permissionTitle(title, { kind: "edit" }, "/w"), title);
    assert.equal(permissionTitle("Write /w/src/a.txt", { kind: "edit" }, "/w"), "Write src/a.txt");
    assert.equal(permissionTitle("A wants to write /w/.env", undefined, "/w"), "A wants to write /w/.env");
  });
});

describe("the title of a question", () => {
  const rows: readonly [string, string, string | undefined, string][] = [
    ["stays if the question has no command", "npm test", undefined, "npm test"],
    ["stays if it does not contain the command", "Install the packages", "npm ci", "Install the packages"],
    ["does not repeat the command", "npm test", "npm test", "Run a command"],
    ["does not repeat the command in backticks", "Run `npm test`", "npm test", "Run a command"],
    ["does not repeat the command in one line", "a && b", "a &&\n  b", "Run a command"],
    ["does not repeat a command for a shell", "ls -l", "/bin/bash -lc 'ls -l'", "Run a command"],
    ["keeps a description in parentheses", "npm test [in /w] (Run all tests)", "npm test", "Run all tests"],
    ["drops a description that repeats the command", "Shell: npm test (Run npm te)", "npm test", "Run a command"],
    ["drops a description without words", "npm test (Run npm test)", "npm test", "Run a command"],
    [
      "does not take a part of the command for a description",
      "echo (some words)",
      "echo (some words)",
      "Run a command",
    ],
  ];
  for (const [what, title, command, expected] of rows) {
    it(what, () => assert.equal(questionTitle(title, command), expected));
  }

  it("is accompanied by no text that is only the command", () => {
    for (const text of ["npm test", "```sh\nnpm test\n```", "$ npm test", "`npm test`"])
      assert.ok(isOnlyCommand(text, "npm test"), text);
    assert.ok(!isOnlyCommand("npm test, then npm publish", "npm test"));
  });
});
