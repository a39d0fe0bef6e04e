// The one place from which every program that a session starts gets its environment: agents, their commands, MCP servers
// and sign-ins.
import type { Log } from "./log.ts";
import { hostPlatform, type Environment } from "./platform.ts";
import { joinedPath, withProxy, type ProxySettings, type ShellPath } from "./programEnvironment.ts";

interface WindowEnvironmentOptions {
  /** The environment of the extension host, which can change while it runs. */
  readonly host: Environment;
  /** Asks the user's login shell for its PATH. Absent: only the PATH of the host is used. */
  readonly askShell?: (env: Environment) => Promise<ShellPath>;
  /** The proxy of the settings now. */
  readonly proxy?: () => ProxySettings;
  readonly log?: Pick<Log, "info">;
}

export class WindowEnvironment {
  readonly #options: WindowEnvironmentOptions;
  #shell: Promise<ShellPath | undefined> | undefined;

  constructor(options: WindowEnvironmentOptions) {
    this.#options = options;
  }

  /** The environment of the extension host. */
  get host(): Environment {
    return this.#options.host;
  }

  /** The login shell is asked again: a program that the user has installed since can be on its PATH. */
  forgetShell(): void {
    this.#shell = undefined;
  }

  /** The PATH of the login shell, which is asked once, with the first use. Undefined on Windows. Never rejects. */
  shell(): Promise<ShellPath | undefined> {
    this.#shell ??= this.#askShell();
    return this.#shell;
  }

  async #askShell(): Promise<ShellPath | undefined> {
    const { askShell, host, log } = this.#options;
    if (hostPlatform === "windows" || !askShell) return undefined;
    const shell = await askShell(host);
    if (shell.path === undefined) log?.info(`Programs get the PATH of VS Code. ${shell.reason}`);
    return shell;
  }

  /** What all programs share, without the proxy of the settings. */
  async shared(): Promise<Environment> {
    const shell = await this.shell();
    const { host } = this.#options;
    return shell?.path === undefined ? host : { ...host, PATH: joinedPath(host["PATH"], shell.path) };
  }

  /**
   * The environment of a program that starts now. `withOwn` adds the variables of the program to what all programs share.
   * It gets the proxy of the settings, unless these variables decide otherwise.
   */
  async of(withOwn: (shared: Environment) => Environment): Promise<Readonly<Record<string, string>>> {
    return withProxy(withOwn(await this.shared()), this.#options.proxy?.() ?? {});
  }
}

/** The environment of the extension host alone. */
export const hostEnvironment = new WindowEnvironment({ host: process.env });
