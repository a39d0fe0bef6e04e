// The names and addresses of the machine itself.

/**
 * Whether a host is the machine itself, by address or by the name that is reserved for it (RFC 6761). `hostname` is that of
 * a URL. Names below `localhost` do not count, because some systems ask a name server for them.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname.replace(/\.$/, ""));
