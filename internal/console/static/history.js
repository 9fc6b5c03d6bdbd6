// Whether a user can read the earlier messages of a channel. The service answers with no messages if not.

/** @import { Overwrite } from '../types/wire.js' */
/** @import { LoadedChannel } from './session.js' */
import { permissionNames } from './bits.js';

const administrator = 1n << BigInt(permissionNames.indexOf('ADMINISTRATOR'));
const readHistory = 1n << BigInt(permissionNames.indexOf('READ_MESSAGE_HISTORY'));

/**
 * overwritesOf returns the overwrites of a channel; of a thread, those of its parent.
 * @param {LoadedChannel} channel
 */
function overwritesOf({ guild, permission_overwrites, parent_id, type }) {
  const isThread = type >= 10 && type <= 12;
  const parent = isThread ? guild?.channels.find((c) => c.id === parent_id) : undefined;
  return (isThread ? parent?.permission_overwrites : permission_overwrites) ?? [];
}

/**
 * applyOverwrites returns a bit set after overwrites of one level: all denials, then all allowances.
 * @param {bigint} bits
 * @param {Overwrite[]} overwrites
 */
function applyOverwrites(bits, overwrites) {
  const union = (/** @type {'allow' | 'deny'} */ key) => overwrites.reduce((all, o) => all | BigInt(o[key] ?? 0), 0n);
  return (bits & ~union('deny')) | union('allow');
}

/**
 * canReadHistory reports whether the permissions of a member include the history of a channel. In direct messages they
 * always do.
 * @param {LoadedChannel} channel
 * @param {string} userID
 */
export function canReadHistory(channel, userID) {
  const { guild } = channel;
  const member = guild?.members.find((m) => m.user.id === userID);
  if (!(guild && member) || guild.owner_id === userID) return true;
  const held = new Set([guild.id, ...(member.roles ?? [])]);
  const roles = guild.roles.filter((r) => held.has(r.id));
  let bits = roles.reduce((all, r) => all | BigInt(r.permissions ?? 0), 0n);
  if (bits & administrator) return true;
  const overwrites = overwritesOf(channel);
  const matches = [
    (/** @type {string} */ id) => id === guild.id,
    (/** @type {string} */ id) => id !== guild.id && held.has(id),
    (/** @type {string} */ id) => id === userID,
  ];
  for (const match of matches) {
    const level = overwrites.filter((o) => match(o.id));
    bits = applyOverwrites(bits, level);
  }
  return Boolean(bits & readHistory);
}
