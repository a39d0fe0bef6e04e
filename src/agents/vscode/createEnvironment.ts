// Creates the environment of the programs that the sessions of a window start.
import type { Log } from "../../base/log.ts";
import { WindowEnvironment } from "../../base/windowEnvironment.ts";
import { readProxySettings } from "../../base/programEnvironment.ts";
import { userValueOf } from "../../editor/userSettings.ts";
import { agentEnvironment } from "../locateAgent.ts";
import { loginShellPath } from "../loginShellPath.ts";

/** The environment. Nothing is asked before the first program starts, and each start reads the settings again. */
export const createEnvironment = ({ log }: { readonly log: Log }): WindowEnvironment =>
  new WindowEnvironment({
    host: process.env,
    askShell: env => loginShellPath(agentEnvironment(env, {})),
    proxy: () =>
      readProxySettings(
        userValueOf("http", "proxy"),
        userValueOf("http", "noProxy"),
        userValueOf("http", "proxySupport"),
      ),
    log,
  });
