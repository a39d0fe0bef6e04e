// The views of surfaces: each shows its own session, and what features show is read for that session.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { SurfaceViews } from "../../src/library/surfaceViews.ts";
import type { Session } from "../../src/session/session.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";

describe("the views of surfaces", () => {
  let open: OpenSessions;
  let headChanged: Emitter<void>;
  let views: SurfaceViews;
  let changes: number;
  let bench: SessionBench;
  let session: Session;
  const read: (string | undefined)[] = [];
  beforeEach(() => {
    open = new OpenSessions();
    headChanged = new Emitter();
    changes = 0;
    read.length = 0;
    const head = {
      read: (shown: Session | undefined) => {
        read.push(shown?.id);
        const session = shown?.id;
        const own = { agents: [], chosenAgent: { id: "a", name: "A" }, problem: null, changes: null } as const;
        return { ...own, follow: "off" as const, sendKey: "enter" as const, ...(session !== undefined && { session }) };
      },
      onDidChange: headChanged.event,
    };
    views = new SurfaceViews({ open, head, isOutside: () => false, log: nullLog });
    views.onDidChange(() => changes++);
    bench = new SessionBench();
    ({ session } = bench);
  });
  afterEach(() => {
    views.dispose();
    open.dispose();
    session.dispose();
    bench.died.dispose();
    headChanged.dispose();
  });

  it("show the next agent and no title while no session is shown", () => {
    assert.deepEqual([views.view("view").head.agent?.name, views.title("view")], ["A", ""]);
    assert.equal(views.recentEntries("view"), undefined);
    assert.deepEqual(read, [undefined]);
  });

  it("show the session of each surface, and unchanged entries stay the same objects", () => {
    open.add(session);
    open.select("tab", session);
    session.addNotice("Hello.");
    const before = views.view("tab");
    assert.deepEqual([before.head.session, [...before.entries].length], [session.id, 1]);
    assert.equal(views.view("view").head.session, undefined);
    assert.equal(views.view("tab").entries, before.entries);
  });

  it("announce a change of the head", () => {
    headChanged.fire();
    assert.equal(changes, 1);
  });
});
