// Creates the tools of the editor for agents: an MCP server that each session reaches with a token of its own.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Event } from "../../base/lifecycle.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Review } from "../../review/review.ts";
import type { SessionParticipant } from "../../session/participant.ts";
import { changesOfSession } from "../sessionChanges.ts";
import { toolDescriptions } from "../sessionTools.ts";
import type { ToolAccess } from "../tool.ts";
import type { ToolServerModule } from "../toolServer.ts";
import { ToolSessions, type ToolAddress } from "../toolSessions.ts";
import { WindowEditor } from "./windowEditor.ts";

export interface EditorToolsFeature {
  /** The server, as agents get it with their MCP servers. */
  readonly server: {
    /** The titles of the tools. Undefined while the user has switched them off. */
    tools(): readonly string[] | undefined;
    /** Where the agent of the session reaches its tools. Starts the server. */
    addressFor(session: string): Promise<ToolAddress>;
    /** Fires when the tools may be on or off. */
    readonly onDidChange: Event<void>;
  };
  /** The tools' part in a session, which opens its files to them. */
  startSession(session: string, access: ToolAccess): SessionParticipant;
  /** Ends the server. Resolves when nothing listens any more. */
  close(): Promise<void>;
}

interface EditorToolsOptions {
  /** Whether the user lets agents use the tools. */
  readonly isOn: () => boolean;
  /** Fires when `isOn` may have changed. */
  readonly onDidChange: Event<void>;
  readonly review: () => Pick<Review, "files" | "turns">;
}

/** Creates the feature. Nothing listens before a session gets the tools. */
export function createEditorTools(
  { context, store, clock, log }: ExtensionPlatform,
  { isOn, onDidChange, review }: EditorToolsOptions,
): EditorToolsFeature {
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  let editor: WindowEditor | undefined;
  const sessions = store.add(
    new ToolSessions({
      ...{ isOn, clock, log },
      startServer: options => {
        // It listens for problems from now on.
        editor ??= store.add(new WindowEditor());
        return loadServer(context.asAbsolutePath(join("dist", "extension.js"))).startToolServer({
          ...options,
          version,
        });
      },
      context: (session, access) => {
        editor ??= store.add(new WindowEditor());
        return { access, editor, changes: () => changesOfSession(review(), session), clock };
      },
    }),
  );
  return {
    server: {
      tools: () => (isOn() ? toolDescriptions.map(({ title }) => title) : undefined),
      addressFor: session => sessions.addressFor(session),
      onDidChange,
    },
    startSession: (session, access) => sessions.opened(session, access),
    close: () => sessions.close(),
  };
}

/** Loads the server in `dist/editorTools.js`. */
const loadServer = (extensionFile: string): ToolServerModule =>
  createRequire(extensionFile)("./editorTools.js") as ToolServerModule;
