// An activity that the user launched, in a frame.

/** @import { Activity } from '../types/wire.js' */
/** @import { Session } from './session.js' */
import { t } from './text.js';
import { Dialog, html, Input, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

/**
 * frameURL returns the URL of an activity with the parameters that the client passes to it. It returns null if the text
 * is not the URL of a web page of another origin.
 * @param {string} text
 * @param {Activity} activity
 */
function frameURL(text, { instance_id, location }) {
  try {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol) || url.origin === globalThis.location.origin) return null;
    url.searchParams.set('instance_id', instance_id);
    url.searchParams.set('channel_id', location?.channel_id ?? '');
    if (location?.guild_id) url.searchParams.set('guild_id', location.guild_id);
    url.searchParams.set('platform', 'desktop');
    return url.href;
  } catch {
    return null;
  }
}

/**
 * ActivityDialog shows an activity in a frame. The service does not know where the app serves its activity: the user
 * enters the URL, and the browser keeps it for the app.
 * @param {{ activity: Activity, session: Session }} props
 */
export function ActivityDialog({ activity, session }) {
  const key = `activity.${activity.application_id}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '');
  const [shown, setShown] = useState(() => frameURL(text, activity));
  const url = frameURL(text, activity);
  const open = () => {
    localStorage.setItem(key, text);
    setShown(url);
  };
  return html`
    <${Dialog} wide title=${t.activity} onClose=${() => session.closeActivity()}>
      <form class="line" onSubmit=${withoutDefault(open)}>
        <${Input} label=${t.activityURL} hint=${t.activityHint} value=${text} onValue=${setText} type="url"
          placeholder="http://localhost:5173" />
        <button class="primary" disabled=${!url}>${t.open}</button>
      </form>
      <p class="note">${t.instance}: <code>${activity.instance_id}</code></p>
      ${
        shown &&
        html`
          <iframe class="activity" src=${shown} title=${t.activity} referrerpolicy="no-referrer"
            sandbox="allow-scripts allow-same-origin allow-forms allow-popups"></iframe>
        `
      }
    <//>
  `;
}
