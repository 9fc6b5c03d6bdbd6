// Reads the errors of @discordjs/rest and discord.js.

// line formats an entry of the error tree as they do: options[1].name[CODE]: message. The first key has no brackets.
export function line({ path, code, message }) {
  const [first, ...rest] = path.split('.');
  const shown = rest.reduce((text, key) => text + (/^\d+$/.test(key) ? `[${key}]` : `.${key}`), first);
  return `${shown}[${code}]: ${message}`;
}

export function failure(error) {
  if (!error.name.startsWith('DiscordAPIError[')) throw error; // discord.js has a copy of the class
  return {
    status: error.status,
    code: error.code,
    lines: error.rawError.errors ? error.message.split('\n').slice(1) : [],
  };
}
