// Where an agent runs, and what follows from that for the protocol.
import type { AgentProgram } from "../session/signIn.ts";

/** An agent on this machine, with how it is started, or one on a server. */
export type AgentPlace = { readonly program: AgentProgram } | { readonly server: ServerPlace };

/** What a server sees of the folders of this machine. */
export interface ServerPlace {
  /** The server works with the files of this machine, so the agent may use files and terminals of Parley. */
  readonly sharesFiles: boolean;
  /** The folder on the server in which sessions work. Absent: the path of the workspace folder. */
  readonly folder?: string;
}

/** How the agent is started, for methods that sign in with its program. Undefined for an agent on a server. */
export const programOf = (place: AgentPlace): AgentProgram | undefined =>
  "program" in place ? place.program : undefined;

/** Whether paths of the agent are paths of this machine. */
export const sharesFiles = (place: AgentPlace): boolean => !("server" in place) || place.server.sharesFiles;

/** The folder of a session, as the agent gets it. */
export const folderAtAgent = (place: AgentPlace, cwd: string): string =>
  ("server" in place ? place.server.folder : undefined) ?? cwd;
