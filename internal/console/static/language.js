// The language of the console: the one that the user chose, else that of the browser.

/** @typedef {'en' | 'de'} Language */

/** @type {Record<Language, string>} */
export const languages = { en: 'English', de: 'Deutsch' };

/** @param {string | null} code */
const isLanguage = (code) => code !== null && code in languages;

/** @returns {Language} */
function firstLanguage() {
  const chosen = localStorage.getItem('language');
  if (isLanguage(chosen)) return /** @type {Language} */ (chosen);
  const preferred = navigator.language.split('-')[0];
  return /** @type {Language} */ (isLanguage(preferred) ? preferred : 'en');
}

export const language = firstLanguage();

document.documentElement.lang = language;

/** otherLanguage is the language that the user can switch to. */
export const otherLanguage = /** @type {Language} */ (language === 'en' ? 'de' : 'en');

/** switchLanguage loads the page again in the other language. The page keeps its state over a reload. */
export function switchLanguage() {
  localStorage.setItem('language', otherLanguage);
  location.reload();
}
