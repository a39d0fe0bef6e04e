// The module that @xterm/headless ships for browsers. Its manifest names a file that does not exist.
declare module "@xterm/headless/lib-headless/xterm-headless.mjs" {
  import type { Terminal as HeadlessTerminal } from "@xterm/headless";
  export const Terminal: typeof HeadlessTerminal;
}
