// Shows a session of the lists in the chat.
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { RememberedSession } from "../rememberedSessions.ts";
import type { SessionRegistry } from "../sessionRegistry.ts";
import type { StoredSessions } from "../storedSessions.ts";

export interface ShowSessionOptions {
  readonly registry: SessionRegistry;
  readonly stored: StoredSessions;
  readonly chat: ChatSurface;
}

/**
 * Shows a session, where it is shown already or else in the active surface, at its open question if it has one.
 * `list`: the focus stays in the list of sessions.
 */
export async function showSession(
  options: ShowSessionOptions,
  id: string,
  focus: "chat" | "list" = "chat",
): Promise<void> {
  const { registry, chat } = options;
  const { open } = registry;
  const session = open.get(id);
  const surface = (session && open.surfacesOf(session)[0]) ?? open.activeSurface;
  if (!(await openInSurface(options, id, surface))) return;
  open.activate(surface);
  if (focus === "list") return chat.showSurface([surface]);
  await chat.focus("question", [surface]);
}

/** Whether there is such a session: an open one, one that the window restores, or a stored one. */
export function hasSession({ registry, stored }: Pick<ShowSessionOptions, "registry" | "stored">, id: string): boolean {
  const { open, unopened } = registry;
  return open.get(id) !== undefined || stored.get(id) !== undefined || unopened.some(each => each.id === id);
}

/** A session that is not open. Undefined: there is none. */
export function rememberedSession(
  { registry: { unopened }, stored }: Pick<ShowSessionOptions, "registry" | "stored">,
  id: string,
): RememberedSession | undefined {
  const entry = stored.get(id);
  return entry
    ? { id, agent: entry.agent, cwd: entry.folder, title: entry.title }
    : unopened.find(each => each.id === id);
}

/** Shows the session in the surface, and opens it if necessary. False if there is no such session. */
export async function openInSurface(
  { registry, stored }: Pick<ShowSessionOptions, "registry" | "stored">,
  id: string,
  surface: string,
): Promise<boolean> {
  if (registry.open.get(id)) {
    registry.show(id, surface);
    return true;
  }
  const remembered = rememberedSession({ registry, stored }, id);
  if (!remembered) return false;
  await registry.openStored(remembered, surface);
  return true;
}
