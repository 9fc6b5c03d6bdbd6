// Files of messages. The console loads files from the service only.

/** @import { Attachment } from '../types/wire.js' */
import { serviceURL } from './base.js';
import { t } from './text.js';
import { html, Icon, Text } from './ui.js';

/**
 * localPath returns the path of a URL of an attachment that this service stores, and null for other URLs.
 * @param {string} url
 */
function localPath(url) {
  try {
    const { pathname, search } = new URL(url, location.origin);
    return pathname.startsWith(new URL(serviceURL('/attachments/')).pathname) ? pathname + search : null;
  } catch {
    return null;
  }
}

/** @param {number} bytes */
function formatSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** @param {{ attachment: Attachment }} props */
export function AttachmentView({ attachment }) {
  const path = localPath(attachment.url);
  const isImage = /^image\/(png|jpe?g|gif|webp)$/.test(attachment.content_type ?? '');
  const name = html`<${Text} value=${attachment.filename} max=${100} />`;
  const alt = attachment.description ?? attachment.filename;
  return html`
    <div class="attachment">
      ${
        path &&
        isImage &&
        html`<img src=${path} alt=${alt} width=${attachment.width} height=${attachment.height} loading="lazy" />`
      }
      <p class="file">
        <${Icon} name=${isImage ? 'image' : 'file'} size="small" />
        ${path ? html`<a href=${path} download=${attachment.filename}>${name}</a>` : name}${' '}
        <span class="note">${formatSize(attachment.size ?? 0)}</span>
      </p>
    </div>
  `;
}

/**
 * hostOf returns the host of a URL of the web; '' for other texts.
 * @param {string} url
 */
function hostOf(url) {
  try {
    const { protocol, host } = new URL(url);
    return /^https?:$/.test(protocol) ? host : '';
  } catch {
    return '';
  }
}

/**
 * Picture shows a picture that this service stores. A picture from elsewhere is not loaded: its host would learn who
 * looks at it. A click opens it in another tab.
 * @param {{ url?: string, label?: string | null }} props
 */
export function Picture({ url, label }) {
  if (!url) return null;
  const path = localPath(url);
  const name = label ?? t.picture;
  if (path) return html`<img class="picture" src=${path} alt=${name} loading="lazy" />`;
  const host = hostOf(url);
  const open = html`
    <a class="button small" href=${url} target="_blank" rel="noopener noreferrer nofollow">
      <${Icon} name="external" /> ${t.openFrom(host)}
    </a>
  `;
  return html`
    <p class="outside">
      <${Icon} name="image" size="small" /> ${name}: <${Text} value=${url} max=${200} /> ${host && open}
    </p>
  `;
}
