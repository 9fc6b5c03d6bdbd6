// The dialog that shows what the user did as commands, as a test or as a scenario.

/** @import { Session } from './session.js' */
import { asCurl, asGo, asJavaScript, asPython, asScenario } from './record.js';
import { t } from './text.js';
import { CopyButton, Dialog, html, Tabs } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @type {Record<string, (session: Session) => string>} */
const formats = {
  scenario: asScenario,
  curl: asCurl,
  go: asGo,
  javascript: asJavaScript,
  python: asPython,
};

/** @type {[id: string, name: string][]} */
const tabs = [
  ['scenario', t.scenario],
  ['curl', 'curl'],
  ['go', 'Go'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
];

/** @param {{ session: Session, onClose: () => unknown }} props */
export function RecordDialog({ session, onClose }) {
  const [format, setFormat] = useState(() => localStorage.getItem('record') ?? 'curl');
  const code = (formats[format] ?? asCurl)(session);
  const select = (/** @type {string} */ id) => {
    localStorage.setItem('record', id);
    setFormat(id);
  };
  const startOver = () => {
    session.forgetDone();
    onClose();
  };
  return html`
    <${Dialog} wide title=${t.copyAs} onClose=${onClose}>
      <p class="note">${t.stepsDone(session.done.length)}</p>
      <${Tabs} label=${t.format} tabs=${tabs} selected=${format} onSelect=${select} />
      <pre class="code" tabindex="0" aria-label=${t.code}>${code}</pre>
      <footer>
        <button type="button" class="quiet" onClick=${startOver}>${t.startOver}</button>
        <${CopyButton} text=${code} />
      </footer>
    <//>
  `;
}
