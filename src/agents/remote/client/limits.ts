// The limits that both transports to servers have.

/** Larger messages end the connection. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** How long the server may take to answer the end of the connection (ms). */
export const maxCloseTime = 500;
/** Of what a server writes with a refusal, this many characters are read. */
export const maxRefusalLength = 2000;
