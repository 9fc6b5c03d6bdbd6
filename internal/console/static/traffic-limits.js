// The rate limits that the answers of the service named last.

/** @import { Exchange } from '../types/wire.js' */
import { t } from './text.js';
import { lowerCaseHeaders } from './traffic-detail.js';
import { Dialog, html } from './ui.js';
import { useMemo } from './vendor/hooks.js';

/**
 * latestLimits returns the rate-limit headers of the latest answer of each bucket.
 * @param {Exchange[]} exchanges the oldest first
 */
function latestLimits(exchanges) {
  const found = new Map();
  for (const { response, application_id: app, user_id: user, route } of exchanges) {
    const headers = lowerCaseHeaders(response);
    const bucket = headers['x-ratelimit-bucket'];
    if (!bucket) continue;
    const key = `${bucket} ${app ?? user ?? ''}`;
    found.set(key, {
      key,
      bucket,
      route,
      limit: headers['x-ratelimit-limit'],
      remaining: headers['x-ratelimit-remaining'],
      resetAfter: headers['x-ratelimit-reset-after'],
    });
  }
  return [...found.values()];
}

/** @param {{ exchanges: Exchange[], onClose: () => unknown }} props */
export function LimitsDialog({ exchanges, onClose }) {
  const limits = useMemo(() => latestLimits(exchanges), [exchanges.length]);
  const rows = limits.map(
    (l) => html`
      <tr key=${l.key}>
        <td>${l.route}</td>
        <td><code>${l.bucket}</code></td>
        <td class="number">${l.remaining}</td>
        <td class="number">${l.limit}</td>
        <td class="number">${l.resetAfter} s</td>
      </tr>
    `,
  );
  const titles = [t.route, t.bucket, t.remaining, t.limit, t.resetsAfter];
  const table = () => html`
    <div class="scroll" tabindex="0">
      <table class="table">
        <thead><tr>${titles.map((title) => html`<th key=${title} scope="col">${title}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
  return html`
    <${Dialog} wide title=${t.limits} onClose=${onClose}>
      ${limits.length === 0 ? html`<p>${t.noLimits}</p>` : table()}
    <//>
  `;
}
