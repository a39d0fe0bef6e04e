// Confinement in tables: each row is a path that an agent might send, and the expected result.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Confinement, isInside, normalisePath, pathKey } from "../../src/files/paths.ts";
import { type Platform } from "../../src/base/platform.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { locateInRoots, FakeResolver } from "../support/fakes/fakePorts.ts";

type Row = readonly [sent: string, actedOn: string | RegExp];

interface World {
  readonly platform: Platform;
  readonly roots: readonly string[];
  readonly ignoresCase?: boolean;
  readonly links?: Readonly<Record<string, string>>;
}

function confinement(world: World): { readonly confinement: Confinement; readonly resolver: FakeResolver } {
  const resolver = new FakeResolver(world.ignoresCase);
  for (const [link, target] of Object.entries(world.links ?? {})) resolver.links.set(link, target);
  return { confinement: new Confinement(resolver, world.roots, world.platform), resolver };
}

function table(title: string, world: World, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [sent, expected] of rows) {
      const shown = JSON.stringify(sent.length > 60 ? `${sent.slice(0, 60)}…` : sent);
      it(`${shown} ${typeof expected === "string" ? `is ${expected}` : `is refused: ${expected.source}`}`, async () => {
        const result = locateInRoots(confinement(world).confinement, sent);
        if (typeof expected === "string") assert.equal((await result).path, expected);
        else await rejectsWithRefusal("invalid", expected, result);
      });
    }
  });
}

table("POSIX paths", { platform: "posix", roots: ["/ws", "/data/extra/"] }, [
  ["/ws", "/ws"],
  ["/ws/", "/ws"],
  ["/ws/a.txt", "/ws/a.txt"],
  ["/ws/a/../b.txt", "/ws/b.txt"],
  ["/ws/./a//b.txt", "/ws/a/b.txt"],
  ["//ws/a.txt", "/ws/a.txt"],
  ["/tmp/../ws/a.txt", "/ws/a.txt"],
  ["/../../ws/a.txt", "/ws/a.txt"],
  ["/ws/..a/b", "/ws/..a/b"],
  ["/ws/a..b", "/ws/a..b"],
  ["/ws/.../b", "/ws/.../b"],
  ["/ws/line\nbreak", "/ws/line\nbreak"],
  ["/ws/C:\\x", "/ws/C:\\x"],
  ["/ws/a\\..\\..\\b", "/ws/a\\..\\..\\b"],
  ["/ws/nul", "/ws/nul"],
  ["/ws/trailing. ", "/ws/trailing. "],
  ["/ws/%2e%2e/etc", "/ws/%2e%2e/etc"],
  ["/data/extra/x", "/data/extra/x"],
  ["", /empty/],
  ["a.txt", /relative/],
  ["./a.txt", /relative/],
  ["../ws/a.txt", /relative/],
  [" /ws/a.txt", /relative/],
  ["~/a.txt", /“~”/],
  ["~root/a.txt", /“~”/],
  ["file:///ws/a.txt", /URI/],
  ["vscode-remote://host/ws/a.txt", /URI/],
  ["C:\\ws\\a.txt", /relative/],
  ["\\ws\\a.txt", /relative/],
  ["/ws/a\0.txt", /NUL/],
  ["/ws/\ud800", /Unicode/],
  ["/", /outside/],
  ["/w", /outside/],
  ["/wsx", /outside/],
  ["/wsx/a.txt", /outside/],
  ["/ws2", /outside/],
  ["/WS/a.txt", /outside/],
  ["/ws/..", /outside/],
  ["/ws/../etc/passwd", /outside/],
  ["/ws/a/../../etc/passwd", /outside/],
  ["/ws/../ws2/a", /outside/],
  ["/ws//..//..//etc", /outside/],
  ["/etc/passwd", /outside/],
  ["/data/extra2", /outside/],
  ["/data", /outside/],
  [`/ws/${"a".repeat(40_000)}`, /characters long/],
]);

table("POSIX paths in a session on “/”", { platform: "posix", roots: ["/"] }, [
  ["/", "/"],
  ["/etc/passwd", "/etc/passwd"],
  ["/..", "/"],
]);

table("paths where case does not count", { platform: "posix", roots: ["/Users/Me/Work"], ignoresCase: true }, [
  ["/users/me/work/a.txt", "/Users/Me/Work/a.txt"],
  ["/USERS/ME/WORK", "/Users/Me/Work"],
  ["/Users/Me/Wor\u212a/a.txt", "/Users/Me/Work/a.txt"], // the Kelvin sign: macOS composes it to a K
  ["/Users/Me/Works", /outside/],
]);

table("accents where case does not count", { platform: "posix", roots: ["/caf\u00e9"], ignoresCase: true }, [
  ["/cafe\u0301/a.txt", "/caf\u00e9/a.txt"],
  ["/CAF\u00c9/a.txt", "/caf\u00e9/a.txt"],
  ["/cafe/a.txt", /outside/],
]);

table(
  "letters that only some file systems call equal",
  { platform: "posix", roots: ["/strasse/i/s"], ignoresCase: true },
  [
    ["/stra\u00dfe/i/s/a", /outside/],
    ["/strasse/\u0131/s/a", /outside/],
    ["/strasse/i/\u017f/a", /outside/],
    ["/STRASSE/I/S/a", "/strasse/i/s/a"],
  ],
);

table(
  "symbolic links",
  {
    platform: "posix",
    roots: ["/home/me/project"],
    links: {
      "/home/me/project": "/mnt/disk/project",
      "/mnt/disk/project/out": "/etc",
      "/mnt/disk/project/in": "/mnt/disk/project/src",
      "/mnt/disk/project/up": "/mnt/disk",
      "/mnt/disk/project/self": "/mnt/disk/project/self",
      "/elsewhere": "/mnt/disk/project/src",
      "/mnt/disk/project/new.txt": "/etc/new.txt",
    },
  },
  [
    ["/home/me/project/a.txt", "/home/me/project/a.txt"],
    ["/mnt/disk/project/a.txt", "/home/me/project/a.txt"],
    ["/elsewhere/a.txt", "/home/me/project/src/a.txt"],
    ["/home/me/project/in/a.txt", "/home/me/project/src/a.txt"],
    ["/home/me/project/up/project/a.txt", "/home/me/project/a.txt"],
    ["/home/me/project/out/passwd", /outside/],
    ["/home/me/project/out", /outside/],
    ["/home/me/project/up/other", /outside/],
    ["/home/me/project/new.txt", /outside/],
    ["/home/me/project/self/a", /leads back to itself/],
  ],
);

table("Windows paths", { platform: "windows", roots: ["c:\\Work", "\\\\srv\\share\\dir"], ignoresCase: true }, [
  ["C:\\Work\\a.txt", "C:\\Work\\a.txt"],
  ["c:/work/A.txt", "C:\\Work\\A.txt"],
  ["C:\\Work", "C:\\Work"],
  ["C:\\WORK\\", "C:\\Work"],
  ["C:\\Work\\sub\\..\\a.txt", "C:\\Work\\a.txt"],
  ["C:\\..\\Work\\a", "C:\\Work\\a"],
  ["\\\\?\\C:\\Work\\a.txt", "C:\\Work\\a.txt"],
  ["//?/C:/Work/a.txt", "C:\\Work\\a.txt"],
  ["\\\\srv\\share\\dir\\a.txt", "\\\\srv\\share\\dir\\a.txt"],
  ["//SRV/Share/Dir/a.txt", "\\\\srv\\share\\dir\\a.txt"],
  ["\\\\?\\UNC\\srv\\share\\dir\\a.txt", "\\\\srv\\share\\dir\\a.txt"],
  ["C:\\Work\\.git\\config", "C:\\Work\\.git\\config"],
  ["C:\\Work\\console.txt", "C:\\Work\\console.txt"],
  ["C:\\Work\\com10", "C:\\Work\\com10"],
  ["C:\\Work\\a b", "C:\\Work\\a b"],
  ["", /empty/],
  ["a.txt", /not absolute/],
  ["\\Work\\a.txt", /not absolute/],
  ["/Work/a.txt", /not absolute/],
  ["C:a.txt", /relative to its drive/],
  ["C:", /relative to its drive/],
  ["file:///C:/Work/a.txt", /URI/],
  ["C:\\Work2\\a.txt", /outside/],
  ["C:\\Wor\u212a\\a.txt", /outside/], // the Kelvin sign, a distinct letter on Windows
  ["C:\\Work\\..\\Windows\\win.ini", /outside/],
  ["C:\\Windows\\system32", /outside/],
  ["D:\\Work\\a.txt", /outside/],
  ["C:\\", /outside/],
  ["\\\\srv\\share\\other", /outside/],
  ["\\\\srv\\share2\\dir\\a", /outside/],
  ["\\\\evil\\share\\dir\\a", /outside/],
  ["\\\\localhost\\c$\\Work\\a.txt", /outside/],
  ["\\\\srv\\share\\..\\..\\x", /outside/],
  ["\\\\srv", /not absolute/],
  ["\\\\srv\\..\\x", /not a path to a share/],
  ["\\\\.\\C:\\Work\\a.txt", /device/],
  ["\\\\.\\pipe\\x", /device/],
  ["\\\\?\\GLOBALROOT\\Device\\x", /device/],
  ["\\\\?\\Volume{b75e2c83-0000-0000-0000-602f00000000}\\a", /device/],
  ["\\??\\C:\\Work\\a.txt", /device/],
  ["\\\\?\\C:\\Work\\..\\a.txt", /combines/],
  ["C:\\Work\\a.txt:stream", /alternate data stream/],
  ["C:\\Work\\a.txt::$DATA", /alternate data stream/],
  ["C:\\Work:x\\a", /alternate data stream/],
  ["C:\\Work\\a.txt.", /dot or a space/],
  ["C:\\Work\\a.txt ", /dot or a space/],
  ["C:\\Work\\.. \\x", /dot or a space/],
  ["C:\\Work\\...\\x", /dot or a space/],
  ["C:\\Work \\a.txt", /dot or a space/],
  ["C:\\Work\\nul", /device/],
  ["C:\\Work\\NUL.txt", /device/],
  ["C:\\Work\\nul .txt", /device/],
  ["C:\\Work\\sub\\COM1", /device/],
  ["C:\\Work\\com\u00b9.log", /device/],
  ["C:\\Work\\LPT9\\a", /device/],
  ["C:\\Work\\CONIN$", /device/],
  ["C:\\Work\\aux\\..\\a.txt", /device/],
  ["C:\\Work\\a?.txt", /not allowed in file names/],
  ["C:\\Work\\*.txt", /not allowed in file names/],
  ["C:\\Work\\a\tb", /not allowed in file names/],
  ['C:\\Work\\"a"', /not allowed in file names/],
  ["C:\\Work\\a\0b", /NUL/],
]);

describe("Confinement", () => {
  it("does not access the network for a share that contains no root", async () => {
    const { confinement: fence, resolver } = confinement({
      platform: "windows",
      roots: ["C:\\Work"],
      ignoresCase: true,
    });
    await rejectsWithRefusal("invalid", /outside/, locateInRoots(fence, "\\\\evil\\share\\x"));
    assert.deepEqual(resolver.requestedPaths, ["C:\\Work"]);
  });

  it("does not follow a root that became a link later", async () => {
    const { confinement: fence, resolver } = confinement({ platform: "posix", roots: ["/ws"] });
    await locateInRoots(fence, "/ws/a");
    resolver.links.set("/ws", "/");
    await rejectsWithRefusal("invalid", /outside/, locateInRoots(fence, "/etc/passwd"));
  });

  it("returns a path relative to the innermost of its roots", async () => {
    const { confinement: fence } = confinement({
      platform: "posix",
      roots: ["/ws", "/short"],
      links: { "/short": "/ws/deep/folder" },
    });
    assert.equal((await locateInRoots(fence, "/ws/deep/folder/a")).path, "/short/a");
    assert.equal((await locateInRoots(fence, "/ws/deep/b")).path, "/ws/deep/b");
  });

  it("returns one key for all paths of a file", async () => {
    const { confinement: fence } = confinement({ platform: "windows", roots: ["C:\\Work"], ignoresCase: true });
    const keys = await Promise.all(["C:\\Work\\A.txt", "c:/work/sub/../a.TXT"].map(path => locateInRoots(fence, path)));
    assert.equal(keys[0]?.key, keys[1]?.key);
  });

  it("reports a path outside without refusing it", async () => {
    const { confinement: fence } = confinement({ platform: "posix", roots: ["/ws"] });
    assert.deepEqual(await fence.locate("/etc/../etc/hosts"), { path: "/etc/hosts", inside: false, key: "etc/hosts" });
  });

  it("refuses every path when there are no roots", async () => {
    const { confinement: fence } = confinement({ platform: "posix", roots: [] });
    await rejectsWithRefusal("invalid", /outside/, locateInRoots(fence, "/ws"));
  });

  it("reports a path that cannot be resolved", async () => {
    const denied = {
      ignoresCase: false,
      real: async () => Promise.reject(Object.assign(new Error("x"), { code: "EACCES" })),
    };
    await rejectsWithRefusal(
      "failed",
      /permission denied/,
      locateInRoots(new Confinement(denied, ["/ws"], "posix"), "/ws/a"),
    );
  });

  it("resolves the roots again if that failed the first time", async () => {
    let broken = true;
    const resolver = {
      ignoresCase: false,
      real: async (path: string) => (broken ? Promise.reject(new Error("not mounted")) : path),
    };
    const fence = new Confinement(resolver, ["/ws"], "posix");
    await rejectsWithRefusal("failed", /not mounted/, locateInRoots(fence, "/ws/a"));
    broken = false;
    assert.equal((await locateInRoots(fence, "/ws/a")).path, "/ws/a");
  });
});

describe("normal paths", () => {
  const segment = fc.constantFrom("a", "b", "..", ".", "", "ws", "C:", "nul", "a.", "x y", "…", "A");

  for (const platform of ["posix", "windows"] as const) {
    const start = platform === "posix" ? fc.constant("/") : fc.constantFrom("C:\\", "\\\\srv\\share\\", "\\\\?\\D:\\");
    const separator = platform === "posix" ? "/" : "\\";
    const path = fc.tuple(start, fc.array(segment)).map(([head, rest]) => head + rest.join(separator));
    const normal = (one: string): string | undefined => {
      try {
        return normalisePath(one, platform);
      } catch {
        return undefined;
      }
    };

    it(`contain no “.” and no “..”, and normalize to themselves (${platform})`, () => {
      fc.assert(
        fc.property(path, one => {
          const result = normal(one);
          if (result === undefined) return;
          assert.equal(normalisePath(result, platform), result);
          assert.ok(!result.split(separator).some(part => part === "." || part === ".."), result);
        }),
      );
    });

    it(`are inside each of their ancestors, and an ancestor is not inside them (${platform})`, () => {
      fc.assert(
        fc.property(path, fc.constantFrom("x", "x y", "dir"), (one, name) => {
          const parent = normal(one);
          if (parent === undefined) return;
          const child = normalisePath(parent + separator + name, platform);
          assert.ok(isInside(child, parent, platform, false));
          assert.ok(!isInside(parent, child, platform, false));
          assert.ok(!isInside(`${child}y`, child, platform, false));
        }),
      );
    });
  }

  it("have the same key exactly if they are the same file", () => {
    assert.equal(pathKey("C:\\A\\b", "windows", true), pathKey("C:\\a\\B", "windows", true));
    assert.notEqual(pathKey("/A", "posix", false), pathKey("/a", "posix", false));
    assert.notEqual(pathKey("/a/b", "posix", false), pathKey("/ab", "posix", false));
  });
});
