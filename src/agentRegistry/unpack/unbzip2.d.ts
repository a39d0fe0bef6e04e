// The type of `unbzip2-stream`, which has none of its own.
declare module "unbzip2-stream" {
  /** A stream that unpacks bzip2, in the style of Node 0.10. */
  function unbzip2Stream(): NodeJS.ReadWriteStream;
  export = unbzip2Stream;
}
