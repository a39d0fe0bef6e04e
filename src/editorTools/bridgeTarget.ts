// How the bridge for agents that take only commands (`dist/mcpBridge.js`) is started, and what it reads when it starts.

const urlVariable = "PARLEY_TOOLS_URL";
const tokenVariable = "PARLEY_TOOLS_TOKEN";

/** Where the server of the editor's tools is, and the token of a session. */
export interface ToolTarget {
  readonly url: string;
  readonly token: string;
}

/** The variables with which the bridge reaches the server. */
export const bridgeVariables = ({ url, token }: ToolTarget): Readonly<Record<string, string>> => ({
  // The program of the editor behaves as Node.js.
  ELECTRON_RUN_AS_NODE: "1",
  [urlVariable]: url,
  [tokenVariable]: token,
});

/** The target in the variables of the bridge, or a sentence about what is wrong. The token goes to this machine only. */
export function bridgeTarget(env: Readonly<Record<string, string | undefined>>): ToolTarget | string {
  const { [urlVariable]: url, [tokenVariable]: token } = env;
  if (url === undefined || token === undefined)
    return "This program is started by a coding agent, with variables that Parley gives it. It does nothing by itself.";
  if (!/^http:\/\/127\.0\.0\.1:\d{1,5}\/mcp$/.test(url)) return `${urlVariable} is not the address of the editor.`;
  if (!/^[\w-]{1,200}$/.test(token)) return `${tokenVariable} is not a token.`;
  return { url, token };
}
