// The environment that programs share: the proxy of VS Code's settings, and the PATHs of VS Code and of the login shell.
import assert from "node:assert/strict";
import fc from "fast-check";
import { maskText } from "../../src/base/mask.ts";
import {
  changedEnvironment,
  joinedPath,
  readProxySettings,
  withDirectLoopback,
  withProxy,
  type ShellPath,
} from "../../src/base/programEnvironment.ts";
import type { Platform } from "../../src/base/platform.ts";
import { WindowEnvironment } from "../../src/base/windowEnvironment.ts";

describe("the proxy of VS Code's settings", () => {
  const settings = { proxy: "http://proxy:8080", noProxy: ["intern.example"] };
  const direct = "intern.example,localhost,127.0.0.1,::1";

  it("is in the variables that programs read, in both cases, and local servers are reached without it", () => {
    assert.deepEqual(withProxy({ A: "1" }, settings, "posix"), {
      A: "1",
      HTTP_PROXY: settings.proxy,
      http_proxy: settings.proxy,
      HTTPS_PROXY: settings.proxy,
      https_proxy: settings.proxy,
      NO_PROXY: direct,
      no_proxy: direct,
    });
    assert.equal(withProxy({}, { proxy: "http://proxy" }, "posix")["no_proxy"], "localhost,127.0.0.1,::1");
  });

  it("is in one variable each on Windows, which ignores the case of names", () => {
    const env = withProxy({ Path: "C:\\x" }, settings, "windows");
    assert.deepEqual(Object.keys(env), ["Path", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]);
  });

  for (const [name, value] of [
    ["HTTPS_PROXY", "http://mine"],
    ["https_proxy", "http://mine"],
    ["Https_Proxy", "http://mine"],
    ["https_proxy", ""],
  ] as const)
    it(`does not replace ${name}=${value}`, () => {
      const env = withProxy({ [name]: value }, settings, "posix");
      assert.deepEqual(
        Object.entries(env).filter(([other]) => other.toUpperCase() === "HTTPS_PROXY"),
        [[name, value]],
      );
      assert.equal(env["http_proxy"], settings.proxy);
    });

  it("does not precede a proxy for everything", () => {
    assert.deepEqual(withProxy({ all_proxy: "socks5://mine" }, { proxy: "http://proxy" }, "posix"), {
      all_proxy: "socks5://mine",
    });
  });

  it("keeps the user's list of direct hosts, and adds local servers only to its own proxy", () => {
    const own = withProxy({ no_proxy: "a.example, localhost" }, settings, "posix");
    assert.deepEqual([own["NO_PROXY"], own["no_proxy"]], Array(2).fill("a.example,localhost,127.0.0.1,::1"));
    const two = withProxy({ NO_PROXY: "a", no_proxy: "" }, settings, "posix");
    assert.deepEqual([two["NO_PROXY"], two["no_proxy"]], Array(2).fill("a,localhost,127.0.0.1,::1"));
    const both = { HTTP_PROXY: "http://mine", HTTPS_PROXY: "http://mine", NO_PROXY: "a.example" };
    assert.deepEqual(withProxy(both, settings, "posix"), both);
    assert.equal(withProxy({ NO_PROXY: "*" }, settings, "posix")["NO_PROXY"], "*");
    assert.equal(withProxy({}, { ...settings, noProxy: ["*"] }, "posix")["NO_PROXY"], "*");
  });

  it("changes no variable that is set, whatever is set", () => {
    const names = fc.constantFrom(
      "HTTP_PROXY",
      "http_proxy",
      "HTTPS_PROXY",
      "https_proxy",
      "ALL_PROXY",
      "all_proxy",
      "A",
    );
    fc.assert(
      fc.property(fc.dictionary(names, fc.string()), fc.constantFrom("posix", "windows"), (env, platform) => {
        const result = withProxy(env, settings, platform);
        for (const [name, value] of Object.entries(env)) assert.equal(result[name], value);
        assert.deepEqual(withProxy(result, settings, platform), result);
      }),
    );
  });

  it("is nothing without the setting, and with proxySupport off", () => {
    const env = { A: "1" };
    assert.deepEqual(withProxy(env, readProxySettings("", [], "override"), "posix"), env);
    assert.deepEqual(withProxy(env, readProxySettings("http://proxy", ["a"], "off"), "posix"), env);
  });

  it("is read from values of every type, and an address with a line break is none", () => {
    assert.deepEqual(readProxySettings(" http://proxy ", ["*.a.example, b.example", 7, ""], "override"), {
      proxy: "http://proxy",
      noProxy: [".a.example", "b.example"],
    });
    assert.deepEqual(readProxySettings("http://proxy\nX=1", "a", "on"), {});
    assert.deepEqual(readProxySettings({ proxy: 1 }, null, undefined), {});
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (proxy, noProxy, support) => {
        const env = withProxy({}, readProxySettings(proxy, noProxy, support), "posix");
        for (const value of Object.values(env)) assert.doesNotMatch(value, /[\s\p{Cc}]/u);
      }),
    );
  });

  it("hides the password of its address in everything that is logged", () => {
    readProxySettings("http://me:walrus%4017-b@proxy:8080", [], "override");
    assert.equal(maskText("HTTPS_PROXY=http://me:walrus%4017-b@proxy:8080"), "HTTPS_PROXY=http://me:•••@proxy:8080");
    assert.equal(maskText("the word walrus@17-b was refused"), "the word ••• was refused");
  });
});

describe("the PATH of programs", () => {
  it("is that of the login shell for an editor that was started from the desktop", () => {
    assert.equal(joinedPath("/usr/bin:/bin", "/home/me/.nvm/bin:/usr/bin:/bin"), "/home/me/.nvm/bin:/usr/bin:/bin");
    assert.equal(joinedPath(undefined, "/usr/bin"), "/usr/bin");
  });

  it("begins with that of the terminal in which the editor was started", () => {
    assert.equal(joinedPath("/work/.venv/bin:/usr/bin", "/opt/bin:/usr/bin"), "/work/.venv/bin:/usr/bin:/opt/bin");
  });

  it("has every folder of both", () => {
    const path = fc.array(fc.constantFrom("/a", "/b", "/c", "/d"), { maxLength: 5 }).map(folders => folders.join(":"));
    fc.assert(
      fc.property(path, path, (host, shell) => {
        const folders = (text: string): ReadonlySet<string> => new Set(text.split(":").filter(Boolean));
        const joined = folders(joinedPath(host, shell));
        assert.deepEqual([...joined].sort(), [...new Set([...folders(host), ...folders(shell)])].sort());
      }),
    );
  });

  it("is asked for once, and that of VS Code is used if the shell does not tell", async function () {
    if (process.platform === "win32") return this.skip();
    let asked = 0;
    const logged: string[] = [];
    const windowWith = (answer: ShellPath): WindowEnvironment =>
      new WindowEnvironment({
        host: { PATH: "/usr/bin" },
        askShell: () => Promise.resolve(answer).finally(() => asked++),
        log: { info: text => logged.push(text) },
      });
    const known = windowWith({ shell: "/bin/bash", path: "/opt:/usr/bin" });
    const envs = await Promise.all([known.of(env => env), known.of(env => env), known.shared()]);
    assert.deepEqual([asked, ...envs.map(env => env["PATH"])], [1, ...Array(3).fill("/opt:/usr/bin")]);
    const unknown = windowWith({ shell: "/bin/bash", reason: "It hung." });
    assert.deepEqual([await unknown.of(env => env), await unknown.shared()], Array(2).fill({ PATH: "/usr/bin" }));
    assert.deepEqual([asked, logged], [2, ["Programs get the PATH of VS Code. It hung."]]);
  });
});

describe("a changed environment", () => {
  it("has one variable for names that differ in case, on Windows, and for those of a proxy", () => {
    const env = { Path: "a", HTTPS_PROXY: "b", A: "1" };
    const changes = { PATH: "c", https_proxy: "d", a: null };
    assert.deepEqual(changedEnvironment(env, changes, "windows"), { PATH: "c", https_proxy: "d" });
    assert.deepEqual(changedEnvironment(env, changes, "posix"), { Path: "a", A: "1", PATH: "c", https_proxy: "d" });
  });
});

describe("an agent behind a proxy", () => {
  const direct = (env: Readonly<Record<string, string>>, platform: Platform = "posix"): readonly unknown[] => {
    const made = withDirectLoopback(env, platform);
    return [made["NO_PROXY"], made["no_proxy"]];
  };

  it("reaches the servers of its own machine without the proxy", () => {
    const all = "localhost,127.0.0.1,::1";
    for (const name of ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
      assert.deepEqual(direct({ [name]: "http://mine" }), [all, all], name);
    assert.deepEqual(direct({ HTTP_PROXY: "http://mine", NO_PROXY: "a.example" }), Array(2).fill(`a.example,${all}`));
    assert.deepEqual(direct({ http_proxy: "http://mine", no_proxy: "a" }, "windows"), [`a,${all}`, undefined]);
  });

  it("keeps the direct hosts of both lists, whichever of them its programs read", () => {
    const proxy = { HTTP_PROXY: "http://mine" };
    const all = "localhost,127.0.0.1,::1";
    for (const env of [
      { NO_PROXY: "corp.example", no_proxy: "" },
      { NO_PROXY: "", no_proxy: "corp.example" },
    ])
      assert.deepEqual(direct({ ...proxy, ...env }), Array(2).fill(`corp.example,${all}`));
    assert.deepEqual(direct({ ...proxy, NO_PROXY: "a,b", no_proxy: "b,c" }), Array(2).fill(`a,b,c,${all}`));
    assert.deepEqual(
      direct({ ...proxy, no_proxy: "127.0.0.1", NO_PROXY: "a" }),
      Array(2).fill("127.0.0.1,a,localhost,::1"),
    );
    assert.deepEqual(direct({ ...proxy, NO_PROXY: "*", no_proxy: "" }), ["*", "*"]);
  });

  it("keeps its variables if it reaches them already, or has no proxy", () => {
    for (const env of [{ NO_PROXY: "a" }, { HTTP_PROXY: "" }, { HTTP_PROXY: "x", NO_PROXY: "*" }])
      assert.equal(withDirectLoopback(env, "posix"), env);
    for (const own of [
      { HTTP_PROXY: "x", NO_PROXY: "127.0.0.1" },
      { HTTP_PROXY: "x", NO_PROXY: "127.0.0.1,a", no_proxy: "*" },
    ])
      assert.equal(withDirectLoopback(own, "posix"), own);
  });
});
