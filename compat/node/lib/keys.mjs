// Converts member names between the camel case of libraries and the snake case of the API. The keys of localization
// dictionaries stay unchanged, because they are locales.
const dictionary = /^(name|description)_?localizations$/i;

const rename = (name) => (value) => {
  if (Array.isArray(value)) return value.map(rename(name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [name(key), dictionary.test(key) ? member : rename(name)(member)]),
  );
};

export const camel = rename((key) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));
export const snake = rename((key) => key.replace(/ID$/, 'Id').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
