// The dialog that shows what the user did as a script, a test or a scenario.

/** @import { Session } from './session.js' */
import { t } from './text.js';
import { Dialog, html } from './ui.js';

/** @param {{ session: Session, onClose: () => unknown }} props */
export function RecordDialog({ onClose }) {
  return html`<${Dialog} wide title=${t.copyAs} onClose=${onClose}><//>`;
}
