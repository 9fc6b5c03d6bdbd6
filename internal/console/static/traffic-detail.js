// The detail of a row of the Traffic page: its steps, and the content of one exchange.

/** @import { CurrentApplication, Exchange, RecordedContent } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Row } from './traffic-log.js' */
import { api } from './http.js';
import { JSONTree } from './json-tree.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { Compare } from './traffic-compare.js';
import { curlCommand } from './traffic-har.js';
import { durationText } from './traffic-list.js';
import { frameName, parseBody, reasonOf, summaryOf } from './traffic-log.js';
import { Resend } from './traffic-resend.js';
import { Checks, stepsOf, Waterfall } from './traffic-steps.js';
import { CopyButton, html, Icon, IconButton, Problem, Skeleton, Text } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @param {RecordedContent | undefined} content */
export const lowerCaseHeaders = (content) =>
  Object.fromEntries(Object.entries(content?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Signature shows how an app checks the signature of a delivery. The verdict is that of the service: the body that is
 * shown has a mask in place of the token.
 * @param {{ clients: Clients, delivery: Exchange }} props
 */
function Signature({ clients, delivery }) {
  const { id, application_id: app = '', request: sent, signature_valid: valid } = delivery;
  const found = useQuery(() => {
    /** @type {Promise<CurrentApplication>} */
    const me = clients.app(app).get(`${api}/applications/@me`);
    return me;
  }, [id]);
  if (found.error) return html`<${Problem} error=${found.error} />`;
  if (!found.value) return html`<${Skeleton} lines=${4} />`;
  const headers = lowerCaseHeaders(sent);
  const texts = t.signatureSteps;
  const icon = valid ? 'check' : 'close';
  return html`
    <section class="signature">
      <h3>${t.signature}</h3>
      <ol>
        <li>${texts.timestamp} <code>${headers['x-signature-timestamp']}</code></li>
        <li>${texts.body} <b>${t.bytes(sent?.size ?? 0)}</b></li>
        <li>${texts.header} <code>${headers['x-signature-ed25519']}</code></li>
        <li>${texts.key} <code>${found.value.verify_key}</code></li>
      </ol>
      <p class="callout ${valid ? 'good' : 'bad'}">
        <${Icon} name=${icon} /> ${valid ? texts.valid : texts.invalid}
      </p>
    </section>
  `;
}

/** @param {{ title: string, content?: RecordedContent }} props */
function Content({ title, content }) {
  if (!(content && (content.body || content.headers))) return null;
  const { headers, body } = content;
  const value = parseBody(body);
  const isTree = value !== null && typeof value === 'object';
  const rows = Object.entries(headers ?? {}).map(
    ([name, header]) => html`<tr key=${name}><th scope="row">${name}</th><td><${Text} value=${header} /></td></tr>`,
  );
  return html`
    <section>
      <h3>
        ${title} <span class="hint">${t.bytes(content.size)}${content.cut ? ` · ${t.cut}` : ''}</span>
        ${body && html`<span class="buttons"><${CopyButton} text=${body} label=${t.copyBody} /></span>`}
      </h3>
      ${
        rows.length > 0 &&
        html`
          <details class="headers">
            <summary>${t.headers} (${rows.length})</summary>
            <div class="scroll" tabindex="0"><table class="table"><tbody>${rows}</tbody></table></div>
          </details>
        `
      }
      ${isTree && html`<${JSONTree} value=${value} label=${title} />`}
      ${body && !isTree && html`<pre tabindex="0"><${Text} value=${body} max=${20000} /></pre>`}
    </section>
  `;
}

/**
 * Reason says in a sentence why a row or an exchange failed.
 * @param {{ text: string, gap?: string }} props
 */
const Reason = ({ text, gap }) => html`
  <p class="callout bad reason">
    <${Icon} name="failed" /><span><${Text} value=${text} max=${500} />${' '}
    ${gap && html`<a href="docs/parity">${t.gapList}</a>`}</span>
  </p>
`;

/**
 * OwnReason says why an exchange failed, if the header of its row does not.
 * @param {{ exchange: Exchange, reason: string }} props
 */
function OwnReason({ exchange, reason }) {
  const own = exchange.kind === 'outcome' ? '' : reasonOf(exchange);
  return own && !reason.includes(own) ? html`<${Reason} text=${own} gap=${exchange.gap} />` : null;
}

/**
 * @typedef {object} ExchangeProps
 * @property {Clients} clients
 * @property {Exchange} exchange
 * @property {string} reason why the row failed, which its header says
 * @property {string} pinned id of the exchange to compare with
 * @property {(id: string) => unknown} onPin
 * @property {(id: string) => unknown} onOpen opens another exchange
 */

/** @param {ExchangeProps} props */
function ExchangeDetail({ clients, exchange, reason, pinned, onPin, onOpen }) {
  const { id, kind, path, method, status, request: sent, response, took_ms: took } = exchange;
  const isSigned = exchange.signature_valid !== undefined;
  const isFrame = kind === 'frame';
  const isHTTP = kind === 'request' || kind === 'delivery' || kind === 'event';
  const canResend = isHTTP && kind !== 'event';
  const isPinned = pinned === id;
  return html`
    <header class="exchange-head">
      <h3>
        ${isFrame ? t.frameDirections[method === 'sent' ? 'sent' : 'received'] : method}${' '}
        <code><${Text} value=${isFrame ? frameName(exchange) : path} /></code>
      </h3>
      <p class="hint">
        ${isHTTP && html`<b>${status || t.outcomes.failed}</b> · `}${durationText(took ?? 0)}${' '}
        <${Moment} at=${exchange.time} />
      </p>
      <p class="toolbar">
        ${isHTTP && html`<${CopyButton} text=${curlCommand(exchange)} label=${t.copyAsCurl} />`}
        ${canResend && html`<${Resend} key=${id} clients=${clients} exchange=${exchange} onOpen=${onOpen} />`}
        <button type="button" class="small" aria-pressed=${isPinned} onClick=${() => onPin(isPinned ? '' : id)}>
          <${Icon} name="compare" /> ${isPinned ? t.stopComparing : t.compareWith}
        </button>
      </p>
    </header>
    ${isPinned && html`<p class="callout" role="status">${t.compareHint}</p>`}
    <${OwnReason} exchange=${exchange} reason=${reason} />
    <${Content} key="request-${id}" title=${t.request} content=${sent} />
    ${isSigned && html`<${Signature} clients=${clients} delivery=${exchange} />`}
    <${Content} key="response-${id}" title=${isFrame ? t.payload : t.response} content=${response} />
  `;
}

/**
 * @typedef {object} DetailProps
 * @property {Clients} clients
 * @property {Row} row
 * @property {string} step id of the exchange that was asked for
 * @property {Exchange | undefined} pinned
 * @property {(id: string) => unknown} onPin
 * @property {(id: string) => unknown} onOpen
 * @property {() => unknown} onClose
 */

/** @param {DetailProps} props */
export function Detail({ clients, row, step, pinned, onPin, onOpen, onClose }) {
  const summary = summaryOf(row);
  const isInteraction = row.kind === 'interaction';
  const { steps, total } = stepsOf(row);
  const [selected, setSelected] = useState('');
  const current = steps.find((s) => s.id === selected) ?? steps.find((s) => s.exchange.id === step) ?? steps[0];
  const { exchange, kind } = current;
  const comparing = pinned && pinned.id !== exchange.id;
  return html`
    <div class="detail-head">
      <h2><span class="badge">${summary.verb}</span> <${Text} value=${summary.title} max=${200} /></h2>
      <${IconButton} icon="close" label=${t.closeDetails} onClick=${onClose} />
    </div>
    ${summary.reason && html`<${Reason} text=${summary.reason} gap=${row.exchanges.find((e) => e.gap)?.gap} />`}
    ${
      isInteraction &&
      html`
        <p class="hint"><b class=${summary.tone}>${summary.status}</b> ${durationText(summary.took)}</p>
        <${Waterfall} steps=${steps} total=${total} selected=${current.id} onSelect=${setSelected} />
      `
    }
    ${comparing && html`<${Compared} first=${pinned} second=${exchange} onStop=${() => onPin('')} />`}
    ${!comparing && kind === 'checks' && html`<${Checks} key=${exchange.id} row=${row} exchange=${exchange} />`}
    ${
      !comparing &&
      kind !== 'checks' &&
      html`
        <${ExchangeDetail} clients=${clients} exchange=${exchange} reason=${summary.reason} pinned=${pinned?.id ?? ''}
          onPin=${onPin} onOpen=${onOpen} />
      `
    }
  `;
}

/** @param {{ first: Exchange, second: Exchange, onStop: () => unknown }} props */
function Compared({ first, second, onStop }) {
  return html`
    <section aria-label=${t.comparison}>
      <p class="toolbar">
        <span class="callout">${t.comparing(first.id, second.id)}</span>
        <button type="button" class="small" onClick=${onStop}>${t.stopComparing}</button>
      </p>
      <${Compare} first=${first} second=${second} />
    </section>
  `;
}
