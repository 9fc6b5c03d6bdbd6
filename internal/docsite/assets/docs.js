// The script of the documentation: theme, menu, copy buttons and search. It is not a module, because browsers load no
// modules from files.

{
  const themes = /** @type {const} */ (['', 'dark', 'light']);
  const themeNames = { '': 'Theme: system', dark: 'Theme: dark', light: 'Theme: light' };

  /** storedTheme returns the theme that the reader selected. The console uses the same key. */
  function storedTheme() {
    const stored = localStorage.getItem('theme');
    return themes.find((name) => name === stored) ?? '';
  }

  /** @param {(typeof themes)[number]} theme */
  function applyTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }

  function addTheme() {
    const button = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
    const show = () => {
      button.textContent = themeNames[storedTheme()];
    };
    button.addEventListener('click', () => {
      const next = themes[(themes.indexOf(storedTheme()) + 1) % themes.length];
      localStorage.setItem('theme', next);
      applyTheme(next);
      show();
    });
    show();
    button.hidden = false;
  }

  function addMenu() {
    const button = /** @type {HTMLButtonElement} */ (document.getElementById('menu'));
    document.documentElement.classList.add('scripted');
    button.hidden = false;
    button.addEventListener('click', () => {
      const open = document.documentElement.classList.toggle('menu-open');
      button.setAttribute('aria-expanded', String(open));
    });
    document.querySelector('#pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  function addCopyButtons() {
    for (const figure of document.querySelectorAll('figure.code:not(:has([data-language=output]))')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '');
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, 2000);
      });
      figure.append(button);
    }
  }

  /** @typedef {[url: string, page: string, heading: string, excerpt: string, words: string]} Entry */

  /**
   * score returns how well an entry matches a word. The title counts more than a heading, a heading more than the text.
   * @param {Entry} entry
   * @param {string} word
   */
  function score([url, page, heading, excerpt, words], word) {
    const title = page.toLowerCase();
    const head = heading.toLowerCase();
    const whole = new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`, 'u');
    let points = 0;
    if (whole.test(title)) points += url.includes('#') ? 4 : 12;
    if (whole.test(head)) points += 10;
    else if (head.includes(word)) points += 3;
    if (whole.test(excerpt.toLowerCase())) points += 3;
    if (whole.test(words)) points += 2;
    return points;
  }

  /** Words that say nothing about a subject. */
  const stopWords = new Set([
    ...[
      'a',
      'an',
      'and',
      'are',
      'as',
      'at',
      'be',
      'by',
      'can',
      'do',
      'does',
      'for',
      'from',
      'how',
      'i',
      'in',
      'is',
      'it',
    ],
    ...['me', 'my', 'not', 'of', 'on', 'or', 'the', 'to', 'what', 'when', 'why', 'with', 'you'],
  ]);

  /**
   * Words of readers, and the words of the pages for them. Only the beginnings of words count.
   * @type {Record<string, string[]>}
   */
  const synonyms = {
    ngrok: ['tunnel'],
    show: ['appear'],
    missing: ['appear'],
    reload: ['watch', 'restart'],
    internet: ['network'],
    send: ['write', 'create'],
    post: ['send', 'create'],
    server: ['guild'],
    guild: ['server'],
    docker: ['container'],
    slash: ['command'],
    login: ['sign-in'],
    webhook: ['endpoint'],
    mock: ['test'],
    invalid: ['401'],
    unauthorized: ['401'],
    button: ['interaction'],
    work: ['fail'],
    upload: ['attachment'],
  };

  /**
   * stem returns a word without the endings of its forms, so that "showing" finds "shown".
   * @param {string} word
   */
  const stem = (word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '') : word);

  /**
   * find returns the best entries in which a word of a query or a synonym occurs. Entries with more of the words come
   * first, and guides before pages of the reference.
   * @param {string} query
   */
  function find(query) {
    const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
    const telling = typed.filter((word) => !stopWords.has(word));
    const words = (telling.length ? telling : typed).map(stem);
    const index = /** @type {{ searchIndex?: Entry[] }} */ (/** @type {unknown} */ (globalThis)).searchIndex ?? [];
    return index
      .map((entry) => {
        const points = words.map((word) =>
          Math.max(score(entry, word), ...(synonyms[word] ?? []).map((other) => score(entry, other) * 0.7)),
        );
        const share = points.filter((n) => n > 0).length / words.length;
        const weight = /^(reference-|decisions\/|contributing|architecture|changelog)/.test(entry[0]) ? 0.4 : 1;
        return { entry, points: points.reduce((a, b) => a + b, 0) * share * share * weight };
      })
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points)
      .slice(0, 12)
      .map(({ entry }) => entry);
  }

  /**
   * resultItem returns a line of the list of results.
   * @param {Entry} entry
   */
  function resultItem([url, page, heading, excerpt]) {
    const link = document.createElement('a');
    link.href = (document.documentElement.dataset.root ?? '') + url;
    const title = document.createElement('strong');
    title.textContent = page === heading ? page : `${page} › ${heading}`;
    const text = document.createElement('span');
    text.textContent = excerpt;
    link.append(title, text);
    const item = document.createElement('li');
    item.append(link);
    return item;
  }

  /**
   * moveFocus moves the focus through the input and the results with the arrow keys.
   * @param {KeyboardEvent} event
   * @param {HTMLElement[]} stops
   */
  function moveFocus(event, stops) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
    event.preventDefault();
  }

  function addSearch() {
    const box = /** @type {HTMLElement} */ (document.getElementById('search'));
    const input = /** @type {HTMLInputElement} */ (box.querySelector('input'));
    const results = /** @type {HTMLElement} */ (document.getElementById('results'));
    const count = /** @type {HTMLElement} */ (document.getElementById('result-count'));
    const show = () => {
      const query = input.value.trim();
      const found = query ? find(query) : [];
      results.replaceChildren(...found.map(resultItem));
      if (query && found.length === 0) {
        const none = document.createElement('li');
        none.textContent = 'Nothing found';
        results.append(none);
      }
      results.hidden = !query;
      count.textContent = query ? `${found.length} results` : '';
    };
    const hide = () => {
      results.hidden = true;
    };
    input.addEventListener('input', show);
    input.addEventListener('focus', show);
    box.addEventListener('keydown', (event) => {
      const links = /** @type {HTMLElement[]} */ ([...results.querySelectorAll('a')]);
      if (event.key === 'Escape') hide();
      else if (event.key === 'Enter' && event.target === input) links[0]?.click();
      else moveFocus(event, [input, ...links]);
    });
    results.addEventListener('click', hide);
    document.addEventListener('click', (event) => {
      if (!box.contains(/** @type {Node} */ (event.target))) hide();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      input.focus();
      event.preventDefault();
    });
    box.hidden = false;
  }

  applyTheme(storedTheme());
  document.addEventListener('DOMContentLoaded', () => {
    addTheme();
    addMenu();
    addCopyButtons();
    addSearch();
  });
}
