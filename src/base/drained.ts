// Waiting for a stream that cannot take more now.

/** Resolves when the stream takes data again or has closed. What is destroyed already does neither: check that before. */
export const drained = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
