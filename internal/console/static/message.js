// Messages as people know them: text, embeds, attachments, components that work.
import {html, Text, useState, Combobox} from './ui.js';
import {Markdown} from './markdown.js';
import {t} from './text.js';

const flags = {ephemeral: 1 << 6, loading: 1 << 7};

const initial = (name) => [...String(name ?? '?')][0]?.toUpperCase() ?? '?';

export function Avatar({name, bot}) {
  return html`<span class="avatar ${bot ? 'bot' : ''}" aria-hidden="true">${initial(name)}</span>`;
}

export const shownName = (user) => user?.global_name ?? user?.username ?? user?.id ?? '?';

// when returns the moment at which an id was made.
export const when = (id) => new Date(Number((BigInt(id) >> 22n) + 1420070400000n));

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

// own turns the address of a file of ours into one on this host; others are not loaded.
function own(url) {
  try {
    const u = new URL(url, location.origin);
    return u.pathname.startsWith('/attachments/') ? u.pathname + u.search : null;
  } catch {
    return null;
  }
}

function Attachment({of}) {
  const at = own(of.url);
  const picture = at && /^image\/(png|jpe?g|gif|webp)$/.test(of.content_type ?? '');
  return html`<div class="attachment">
    ${picture && html`<img src=${at} alt=${of.description ?? of.filename} loading="lazy" />`}
    ${at ? html`<a href=${at} download=${of.filename}><${Text} of=${of.filename} most=${100} /></a>` : html`<${Text} of=${of.filename} most=${100} />`}
    <span class="note">${size(of.size ?? 0)}</span>
  </div>`;
}

const colour = (n) => (Number.isInteger(n) && n > 0 ? `#${n.toString(16).padStart(6, '0')}` : undefined);

// Outside is a thing that lies with others: it is named, never loaded.
function Outside({url, label}) {
  if (!url) return null;
  const at = own(url);
  if (at) return html`<img src=${at} alt=${label} loading="lazy" />`;
  return html`<p class="outside">${label}: <${Text} of=${url} most=${200} /></p>`;
}

function Embed({of, context}) {
  return html`<article class="embed" style=${{borderInlineStartColor: colour(of.color)}}>
    ${of.author?.name && html`<p class="author"><${Text} of=${of.author.name} most=${256} /></p>`}
    ${of.title && html`<p class="heading h3">${of.url && /^https?:/.test(of.url)
      ? html`<a href=${of.url} target="_blank" rel="noopener noreferrer nofollow"><${Text} of=${of.title} most=${256} /></a>` : html`<${Text} of=${of.title} most=${256} />`}</p>`}
    ${of.description && html`<${Markdown} of=${of.description} context=${context} />`}
    ${of.fields?.length > 0 && html`<dl>${of.fields.map((f, i) => html`<div key=${i} class=${f.inline ? 'inline' : ''}>
      <dt><${Text} of=${f.name} most=${256} /></dt><dd><${Markdown} of=${f.value} context=${context} most=${1024} /></dd></div>`)}</dl>`}
    <${Outside} url=${of.image?.url} label=${t.picture} /><${Outside} url=${of.thumbnail?.url} label=${t.picture} />
    ${(of.footer?.text || of.timestamp) && html`<footer><${Text} of=${of.footer?.text ?? ''} most=${2048} />
      ${of.timestamp && html` <time>${new Date(of.timestamp).toLocaleString()}</time>`}</footer>`}
  </article>`;
}

const emoji = (e) => (e ? (e.id ? `:${e.name}:` : e.name) : '');

const styles = {1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link', 6: 'premium'};

function Button({of, use}) {
  const label = html`${emoji(of.emoji)} <${Text} of=${of.label ?? ''} most=${80} />`;
  if (of.style === 5) {
    return /^https?:/.test(of.url ?? '') ? html`<a class="component link" href=${of.url} target="_blank" rel="noopener noreferrer nofollow">${label} ↗</a>` : html`<span class="component">${label}</span>`;
  }
  if (of.style === 6) return html`<span class="component">${t.premium}</span>`;
  return html`<button type="button" class="component ${styles[of.style] ?? 'secondary'}" disabled=${of.disabled}
    aria-label=${of.label ? undefined : emoji(of.emoji) || of.custom_id} onClick=${() => use(of)}>${label}</button>`;
}

// among returns what can be chosen in a select that fills itself.
export function among(type, session, guild) {
  const people = (guild?.members ?? []).map((m) => ({value: m.user.id, name: m.nick ?? shownName(m.user), note: m.user.username, icon: '@', kind: 'user'}));
  const roles = (guild?.roles ?? []).map((r) => ({value: r.id, name: r.name, icon: '@&', kind: 'role'}));
  const channels = (guild?.channels ?? []).map((c) => ({value: c.id, name: c.name, icon: '#', type: c.type, kind: 'channel'}));
  return {5: people, 6: roles, 7: [...people, ...roles], 8: channels}[type] ?? [];
}

export function SelectMenu({of, use, session, guild, label}) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(() => (of.options ?? []).filter((o) => o.default).map((o) => o.value));
  const many = (of.max_values ?? 1) > 1;
  const all = of.type === 3
    ? (of.options ?? []).map((o) => ({value: o.value, name: `${emoji(o.emoji)} ${o.label}`.trim(), note: o.description}))
    : among(of.type, session, guild).filter((i) => !of.channel_types?.length || of.channel_types.includes(i.type));
  const items = all.filter((i) => i.name.toLowerCase().includes(text.toLowerCase()) && !(many && chosen.includes(i.value))).slice(0, 25);
  const pick = (item) => {
    setText('');
    if (!many) return use(of, [item.value]);
    if (chosen.length < of.max_values) setChosen([...chosen, item.value]);
    return undefined;
  };
  if (of.disabled) return html`<span class="component select">${of.placeholder ?? t.choose}</span>`;
  return html`<div class="select-menu">
    ${many && chosen.map((v) => html`<button key=${v} type="button" class="chip" onClick=${() => setChosen(chosen.filter((c) => c !== v))}>
      <${Text} of=${all.find((i) => i.value === v)?.name ?? v} most=${100} /> <span aria-hidden="true">✕</span></button>`)}
    <${Combobox} label=${label ?? of.placeholder ?? t.choose} placeholder=${of.placeholder ?? t.choose} value=${text} onValue=${setText} items=${items} onPick=${pick} empty=${t.nothingFits} />
    ${many && html`<button type="button" class="component primary" disabled=${chosen.length < (of.min_values ?? 1)} onClick=${() => use(of, chosen)}>${t.send}</button>`}
  </div>`;
}

// Component shows one component and all that it holds.
function Component({of, use, session, guild, context}) {
  const inner = (list) => (list ?? []).map((c, i) => html`<${Component} key=${c.id ?? i} of=${c} use=${use} session=${session} guild=${guild} context=${context} />`);
  switch (of.type) {
    case 1: return html`<div class="row">${inner(of.components)}</div>`;
    case 2: return html`<${Button} of=${of} use=${use} />`;
    case 3: case 5: case 6: case 7: case 8: return html`<${SelectMenu} of=${of} use=${use} session=${session} guild=${guild} />`;
    case 9: return html`<div class="section"><div>${inner(of.components)}</div>${of.accessory && inner([of.accessory])}</div>`;
    case 10: return html`<${Markdown} of=${of.content} context=${context} />`;
    case 11: return html`<${Outside} url=${of.media?.url} label=${of.description ?? t.picture} />`;
    case 12: return html`<div class="gallery">${(of.items ?? []).map((m, i) => html`<${Outside} key=${i} url=${m.media?.url} label=${m.description ?? t.picture} />`)}</div>`;
    case 13: return html`<${Outside} url=${of.file?.url} label=${of.name ?? t.file} />`;
    case 14: return html`<hr />`;
    case 17: return html`<div class="container" style=${{borderInlineStartColor: colour(of.accent_color)}}>${inner(of.components)}</div>`;
    default: return html`<p class="note">${t.unknownComponent(of.type)}</p>`;
  }
}

// contextOf names whom and what texts speak of.
function contextOf(session, guild) {
  return {
    user: (id) => {
      const m = guild?.members.find((x) => x.user.id === id);
      return m ? m.nick ?? shownName(m.user) : session.me?.id === id ? shownName(session.me) : undefined;
    },
    role: (id) => guild?.roles.find((r) => r.id === id)?.name,
    channel: (id) => session.channel(id)?.name,
  };
}

function Used({message}) {
  const used = message.interaction;
  const by = message.interaction_metadata?.user ?? used?.user;
  if (!by) return null;
  return html`<p class="used">↱ <${Text} of=${shownName(by)} most=${60} /> ${used?.name ? html`${t.used} <b>${message.type === 20 ? '/' : ''}<${Text} of=${used.name} most=${100} /></b>` : t.answeredTo}</p>`;
}

// Message shows a message. use is called with a component and its values, menu with the message.
export function Message({message, session, guild, use, menu, error}) {
  const context = contextOf(session, guild);
  const hidden = message.flags & flags.ephemeral;
  const name = shownName(message.author);
  return html`<article class="message ${hidden ? 'ephemeral' : ''}" data-message=${message.id}>
    <${Used} message=${message} />
    <div class="body">
      <${Avatar} name=${name} bot=${message.author?.bot} />
      <div class="content">
        <header><b><${Text} of=${name} most=${60} /></b>${message.author?.bot && html` <span class="badge">${t.app}</span>`}
          <time datetime=${when(message.id).toISOString()}>${when(message.id).toLocaleTimeString()}</time>${message.edited_timestamp && html` <span class="note">${t.edited}</span>`}
          ${menu && html`<button type="button" class="small quiet menu" aria-haspopup="menu" aria-label=${t.messageMenu(name)} onClick=${() => menu(message)}>⋯</button>`}</header>
        ${message.flags & flags.loading ? html`<p class="busy" role="status">${t.thinking(name)}</p>` : html`<${Markdown} of=${message.content} context=${context} />`}
        ${message.attachments?.map((a) => html`<${Attachment} key=${a.id} of=${a} />`)}
        ${message.embeds?.map((e, i) => html`<${Embed} key=${i} of=${e} context=${context} />`)}
        ${message.components?.length > 0 && html`<div class="components">${message.components.map((c, i) => html`<${Component} key=${c.id ?? i} of=${c} session=${session} guild=${guild} context=${context}
          use=${(part, values) => use(message, part, values)} />`)}</div>`}
        ${error && html`<p class="error" role="alert">${error}</p>`}
        ${hidden ? html`<p class="note">${t.onlyYou} <button type="button" class="link" onClick=${() => session.forgetMessage(message)}>${t.dismiss}</button></p>` : null}
      </div>
    </div>
  </article>`;
}
