// The contract of every PathResolver, the real one and the in-memory one: the target of a path through symbolic links.
import assert from "node:assert/strict";
import type { PathResolver } from "../../../src/files/ports.ts";
import { errorCodeOf } from "../../../src/base/errors.ts";

/** A file system for the tests of a resolver. Paths are absolute in it: `/a/b`. */
export interface LinkWorld {
  readonly resolver: PathResolver;
  /** The path in the form that the resolver accepts. */
  path(path: string): string;
  /** Creates a file and its parent folders. */
  file(path: string): Promise<void>;
  /** Creates a symbolic link. An absolute target is a path of this world. */
  link(path: string, target: string): Promise<void>;
}

/** Runs the contract on a fresh world for each test. */
export function pathResolverContract(make: () => Promise<LinkWorld>): void {
  let world: LinkWorld;
  beforeEach(async () => {
    world = await make();
    await world.file("/ws/src/a.txt");
    await world.file("/other/b.txt");
  });
  const leads = async (from: string, to: string): Promise<void> =>
    assert.equal(await world.resolver.real(world.path(from)), world.path(to), from);

  it("returns a path without links unchanged", async () => {
    await leads("/ws/src/a.txt", "/ws/src/a.txt");
    await leads("/ws", "/ws");
  });

  it("follows a link to a file, and a link in the middle of a path", async () => {
    await world.link("/ws/b", "/other/b.txt");
    await world.link("/ws/out", "/other");
    await leads("/ws/b", "/other/b.txt");
    await leads("/ws/out/b.txt", "/other/b.txt");
  });

  it("follows links to links", async () => {
    await world.link("/ws/one", "/ws/two");
    await world.link("/ws/two", "/other");
    await leads("/ws/one/b.txt", "/other/b.txt");
  });

  it("resolves the deepest existing folder of a missing path, and appends the rest", async () => {
    await world.link("/ws/out", "/other");
    await leads("/ws/src/new/deep.txt", "/ws/src/new/deep.txt");
    await leads("/ws/out/new/deep.txt", "/other/new/deep.txt");
  });

  it("follows a link to a path that does not exist yet", async () => {
    await world.link("/ws/dangling", "/other/not/there.txt");
    await leads("/ws/dangling", "/other/not/there.txt");
  });

  it("fails with ELOOP on a link that leads back to itself", async () => {
    await world.link("/ws/x", "/ws/y");
    await world.link("/ws/y", "/ws/x");
    await assert.rejects(world.resolver.real(world.path("/ws/x")), error => errorCodeOf(error) === "ELOOP");
  });

  it("follows a link that replaced another", async () => {
    await world.link("/ws/b", "/other/b.txt");
    await leads("/ws/b", "/other/b.txt");
    await world.link("/ws/b", "/ws/src/a.txt");
    await leads("/ws/b", "/ws/src/a.txt");
  });
}
