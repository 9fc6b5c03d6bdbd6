// The languages that the service knows, by their own names.
const codes = [
  'ar', 'bg', 'cs', 'da', 'de', 'el', 'en-GB', 'en-US', 'es-419', 'es-ES', 'fi', 'fr', 'he', 'hi', 'hr', 'hu', 'id', 'it',
  'ja', 'ko', 'lt', 'nl', 'no', 'pl', 'pt-BR', 'ro', 'ru', 'sv-SE', 'th', 'tr', 'uk', 'vi', 'zh-CN', 'zh-TW',
];

export const locales = codes.map((code) => [code, new Intl.DisplayNames([code], {type: 'language'}).of(code) ?? code]);
