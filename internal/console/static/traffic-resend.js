// Sends a recorded request or delivery again, changed if the user wants.

/** @import { Exchange } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { serviceURL } from './base.js';
import { request } from './http.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { parseBody, resentHeader } from './traffic-log.js';
import { Dialog, html, Icon, Input, Problem, TextArea, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @typedef {{ status: number, id?: string }} Resent */

/**
 * resendRequest sends a request with a new token of its sender.
 * @param {Clients} clients
 * @param {Exchange} exchange
 * @param {string} path
 * @param {string} body
 * @returns {Promise<Resent>}
 */
async function resendRequest(clients, { method, user_id: user, application_id: app }, path, body) {
  /** @type {Record<string, string>} */
  const headers = { [resentHeader]: 'resend' };
  if (user) headers.Authorization = await clients.user(user).authorization();
  else if (app) headers.Authorization = await clients.app(app).authorization();
  if (body) headers['Content-Type'] = 'application/json';
  const { status } = await fetch(serviceURL(path), { method, headers, body: body || undefined });
  return { status };
}

/**
 * resendDelivery asks the service to deliver an interaction again, with a new signature. The service puts the token in
 * place of its mask.
 * @param {Exchange} exchange
 * @param {string} body
 * @returns {Promise<Resent>}
 */
async function resendDelivery({ id }, body) {
  /** @type {Exchange} */
  const made = await request('POST', `/_dev/requests/${id}/resend`, body ? { body } : {});
  return { status: made.status ?? 0, id: made.id };
}

/**
 * formatted returns JSON with line breaks, and other text as it is.
 * @param {string} body
 */
function formatted(body) {
  const value = parseBody(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

/**
 * @typedef {object} EditorProps
 * @property {Exchange} exchange
 * @property {(path: string, body: string) => Promise<unknown>} onSend
 * @property {() => unknown} onClose
 */

/** @param {EditorProps} props */
function Editor({ exchange, onSend, onClose }) {
  const [path, setPath] = useState(exchange.path ?? '');
  const [body, setBody] = useState(formatted(exchange.request?.body ?? ''));
  const isRequest = exchange.kind === 'request';
  const isMasked = isRequest && path.includes('***');
  const isInvalid = body !== '' && parseBody(body) === undefined;
  const send = useAction(async () => {
    await onSend(path, body);
    onClose();
  });
  return html`
    <${Dialog} wide title=${t.resendTitle(`${exchange.method} ${exchange.path}`)} onClose=${onClose}>
      <form onSubmit=${withoutDefault(send.run)}>
        ${
          isRequest &&
          html`
            <${Input} label=${t.path} value=${path} onValue=${setPath} error=${isMasked ? t.maskedPath : null} />
          `
        }
        <${TextArea} label=${t.body} value=${body} onValue=${setBody} rows="16" error=${isInvalid ? t.notJSON : null} />
        <${Problem} error=${send.error} />
        <footer>
          <button type="button" onClick=${onClose}>${t.cancel}</button>
          <button class="primary" disabled=${send.busy || isMasked}>${t.send}</button>
        </footer>
      </form>
    <//>
  `;
}

/** @param {{ clients: Clients, exchange: Exchange, onOpen: (id: string) => unknown }} props */
export function Resend({ clients, exchange, onOpen }) {
  const [resent, setResent] = useState(/** @type {Resent | null} */ (null));
  const [editing, setEditing] = useState(false);
  const { kind, path = '', request: sent } = exchange;
  const isComplete = !((sent?.cut && kind === 'request') || (kind === 'request' && path.includes('***')));
  const sendAs = async (/** @type {string} */ to, /** @type {string} */ body) =>
    setResent(
      await (kind === 'delivery' ? resendDelivery(exchange, body) : resendRequest(clients, exchange, to, body)),
    );
  const send = useAction(() => sendAs(path, kind === 'delivery' ? '' : (sent?.body ?? '')));
  return html`
    ${
      isComplete &&
      html`
        <button type="button" class="small" disabled=${send.busy} onClick=${send.run}>
          <${Icon} name="retry" /> ${t.resend}
        </button>
      `
    }
    <button type="button" class="small" onClick=${() => setEditing(true)}>
      <${Icon} name="edit" /> ${t.editAndResend}
    </button>
    <span role="status">${resent && t.replayed(resent.status)}</span>
    ${
      resent?.id &&
      html`<button type="button" class="link" onClick=${() => onOpen(resent.id ?? '')}>${t.showResent}</button>`
    }
    <${Problem} error=${send.error} />
    ${editing && html`<${Editor} exchange=${exchange} onSend=${sendAs} onClose=${() => setEditing(false)} />`}
  `;
}
