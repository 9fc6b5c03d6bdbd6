// What happened to lobbies while the page was open.

/** @import { ListedLobby } from './lobby-editor.js' */
import { t } from './text.js';
import { useEffect, useRef, useState } from './vendor/hooks.js';

/** How many events the page keeps. */
const maxEvents = 200;

/**
 * LobbyEvent is a change between two readings of the list.
 * @typedef {{ lobby: string, at: number, text: string }} LobbyEvent
 */

/**
 * membersChanged returns the texts about members who came, left, connected and disconnected.
 * @param {ListedLobby} before
 * @param {ListedLobby} now
 * @param {(id: string) => string} name
 */
function membersChanged(before, now, name) {
  const old = new Map(before.members.map((m) => [m.id, m]));
  const left = before.members.filter((m) => !now.members.some((n) => n.id === m.id));
  const texts = now.members.flatMap((m) => {
    const was = old.get(m.id);
    if (!was) return [t.lobbyEvents.joined(name(m.id))];
    if (Boolean(was.connected) === Boolean(m.connected)) return [];
    return [m.connected ? t.lobbyEvents.connected(name(m.id)) : t.lobbyEvents.disconnected(name(m.id))];
  });
  return [...texts, ...left.map((m) => t.lobbyEvents.left(name(m.id)))];
}

/**
 * changesOf returns the texts about what changed in a lobby.
 * @param {ListedLobby | undefined} before
 * @param {ListedLobby | undefined} now
 * @param {(id: string) => string} name
 */
function changesOf(before, now, name) {
  if (!before) return [t.lobbyEvents.created];
  if (!now) return [t.lobbyEvents.ended];
  const texts = membersChanged(before, now, name);
  if (JSON.stringify(before.metadata) !== JSON.stringify(now.metadata)) texts.push(t.lobbyEvents.metadata);
  if (before.idle_timeout_seconds !== now.idle_timeout_seconds) texts.push(t.lobbyEvents.timeout);
  return texts;
}

/**
 * useHistory returns what changed since the page was opened, the newest first. The first reading has no events.
 * @param {{ now: number, lobbies: ListedLobby[] } | undefined} read
 * @param {string} app
 * @param {(id: string) => string} name
 */
export function useHistory(read, app, name) {
  const [events, setEvents] = useState(/** @type {LobbyEvent[]} */ ([]));
  const known = useRef(/** @type {{ app: string, lobbies: ListedLobby[] } | null} */ (null));
  useEffect(() => {
    if (!read) return;
    const before = known.current?.app === app ? known.current.lobbies : null;
    known.current = { app, lobbies: read.lobbies };
    if (!before) return;
    const ids = new Set([...before, ...read.lobbies].map((l) => l.id));
    const find = (/** @type {ListedLobby[]} */ list, /** @type {string} */ id) => list.find((l) => l.id === id);
    const added = [...ids].flatMap((id) =>
      changesOf(find(before, id), find(read.lobbies, id), name).map((text) => ({ lobby: id, at: read.now, text })),
    );
    if (added.length > 0) setEvents((all) => [...added, ...all].slice(0, maxEvents));
  }, [read]);
  return events;
}
