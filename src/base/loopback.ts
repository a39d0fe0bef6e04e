// The names and addresses of the machine itself.

/** Whether a host is the machine itself, by its name. `hostname` is that of a URL. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname.replace(/\.$/, ""));
