// Permissions as names and as bit sets.

/** The names of the permissions in the API, by bit. The empty name is a bit without a meaning. */
export const permissionNames = [
  'CREATE_INSTANT_INVITE',
  'KICK_MEMBERS',
  'BAN_MEMBERS',
  'ADMINISTRATOR',
  'MANAGE_CHANNELS',
  'MANAGE_GUILD',
  'ADD_REACTIONS',
  'VIEW_AUDIT_LOG',
  'PRIORITY_SPEAKER',
  'STREAM',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_TTS_MESSAGES',
  'MANAGE_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'MENTION_EVERYONE',
  'USE_EXTERNAL_EMOJIS',
  'VIEW_GUILD_INSIGHTS',
  'CONNECT',
  'SPEAK',
  'MUTE_MEMBERS',
  'DEAFEN_MEMBERS',
  'MOVE_MEMBERS',
  'USE_VAD',
  'CHANGE_NICKNAME',
  'MANAGE_NICKNAMES',
  'MANAGE_ROLES',
  'MANAGE_WEBHOOKS',
  'MANAGE_GUILD_EXPRESSIONS',
  'USE_APPLICATION_COMMANDS',
  'REQUEST_TO_SPEAK',
  'MANAGE_EVENTS',
  'MANAGE_THREADS',
  'CREATE_PUBLIC_THREADS',
  'CREATE_PRIVATE_THREADS',
  'USE_EXTERNAL_STICKERS',
  'SEND_MESSAGES_IN_THREADS',
  'USE_EMBEDDED_ACTIVITIES',
  'MODERATE_MEMBERS',
  'VIEW_CREATOR_MONETIZATION_ANALYTICS',
  'USE_SOUNDBOARD',
  'CREATE_GUILD_EXPRESSIONS',
  'CREATE_EVENTS',
  'USE_EXTERNAL_SOUNDS',
  'SEND_VOICE_MESSAGES',
  '',
  'SET_VOICE_CHANNEL_STATUS',
  'SEND_POLLS',
  'USE_EXTERNAL_APPS',
  'PIN_MESSAGES',
  'BYPASS_SLOWMODE',
];

/**
 * permissionsOf returns the names of a bit set.
 * @param {string | null | undefined} bits
 */
export function permissionsOf(bits) {
  const set = BigInt(bits && /^\d+$/.test(bits) ? bits : 0);
  return permissionNames.filter((name, i) => name && (set >> BigInt(i)) & 1n);
}

/**
 * permissionsToText returns the names of a bit set, or the number if a bit has no name. "0" has no names and stays.
 * @param {string | null | undefined} bits
 */
export function permissionsToText(bits) {
  if (!bits || bits === '0' || !/^\d+$/.test(bits)) return bits ?? '';
  const known = permissionsOf(bits);
  return textToPermissions(known.join(' ')) === bits ? known.join(', ') : bits;
}

/**
 * textToPermissions returns the bit set of a number or of names with spaces or commas between them, and null for no
 * text. It returns other texts unchanged, so that the service names the mistake.
 * @param {string} text
 */
export function textToPermissions(text) {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^\d+$/.test(trimmed)) return trimmed;
  const words = trimmed
    .toUpperCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const bits = words.map((name) => permissionNames.indexOf(name));
  if (bits.includes(-1)) return trimmed;
  return String(bits.reduce((set, i) => set | (1n << BigInt(i)), 0n));
}
