// Play: a chat window as a person of the world.
import {html, Text, Dialog, Busy, Problem, Select, useState, useEffect, useRef, useStore, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {Session} from './session.js';
import {Message, Avatar, shownName} from './message.js';
import {Composer} from './composer.js';
import {Modal} from './modal.js';
import {locales} from './locales.js';

const text = new Set([0, 2, 5, 10, 11, 12, 13, 15, 16]);

// useSession keeps the session of a person for as long as it is looked at. Nobody sees that of the person before.
function useSession(desk, user) {
  const [session, set] = useState(null);
  useEffect(() => {
    if (!user) return undefined;
    const made = new Session(desk, user);
    set(made);
    return () => made.close();
  }, [desk, user]);
  return useStore(session?.user === user ? session : null);
}

function Channels({session, at, onAt}) {
  const one = (c, name, icon) => html`<li key=${c.id}><button type="button" aria-current=${c.id === at ? 'true' : undefined} onClick=${() => onAt(c.id)}>
    <span aria-hidden="true">${icon}</span> <${Text} of=${name} most=${60} />${c.nsfw ? html` <span class="badge">18+</span>` : ''}</button></li>`;
  return html`<nav class="channels" aria-label=${t.channels}>
    ${[...session.guilds.values()].map((g) => html`<section key=${g.id}><h2><${Text} of=${g.name} most=${60} /></h2>
      <ul>${g.channels.filter((c) => text.has(c.type)).map((c) => one(c, c.name, c.type === 2 ? '♪' : '#'))}</ul></section>`)}
    <section><h2>${t.directs}</h2><ul>${session.directs.map((d) => one(d, d.name ?? (d.recipients ?? []).map(shownName).join(', '), '@'))}</ul></section>
  </nav>`;
}

const reasons = (code) => t.reasons[code] ?? t.reasons[1];

function Pending({of, session}) {
  const failed = of.state === 'failed';
  return html`<div class="pending ${failed ? 'failed' : ''}" role=${failed ? 'alert' : 'status'}>
    <b><${Text} of=${of.label} most=${120} /></b> ${failed ? html`${t.didNotAnswer}: ${reasons(of.reason)} <button type="button" class="link" onClick=${() => session.dismiss(of.nonce)}>${t.dismiss}</button>` : t.sending}
  </div>`;
}

// ContextMenu lists the commands that can be used on a person or a message.
function ContextMenu({session, channel, guild, type, target, name, onClose}) {
  const found = useAsk(() => session.search(channel, type, ''), [session, channel, type]);
  const work = useWork(async (c) => {
    await session.invoke({
      type: 2, application_id: c.application_id, channel_id: channel, guild_id: guild?.id,
      data: {id: c.id, version: c.version, name: c.name_default ?? c.name, type, target_id: target, guild_id: c.guild_id, options: []},
    }, c.name);
    onClose();
  });
  return html`<${Dialog} title=${t.appsFor(name)} onClose=${onClose}>
    ${found.busy ? html`<${Busy} />` : null}<${Problem} error=${found.error ?? work.error} />
    ${found.value && (found.value.application_commands.length === 0 ? html`<p>${t.noMenu}</p>` : html`<ul class="menu-list">${found.value.application_commands.map((c) => html`
      <li key=${c.id}><button type="button" disabled=${work.busy} onClick=${() => work.run(c)}><b><${Text} of=${c.name} most=${32} /></b>
        <${Text} class="note" of=${found.value.applications.find((a) => a.id === c.application_id)?.name ?? ''} most=${60} /></button></li>`)}</ul>`)}
  <//>`;
}

// Launcher lists the activities that can be started here.
function Launcher({session, channel, guild, onClose}) {
  const found = useAsk(() => session.search(channel, 4, ''), [session, channel]);
  const work = useWork(async (c) => {
    await session.invoke({
      type: 2, application_id: c.application_id, channel_id: channel, guild_id: guild?.id,
      data: {id: c.id, version: c.version, name: c.name_default ?? c.name, type: 4, options: []},
    }, c.name);
    onClose();
  });
  return html`<${Dialog} title=${t.launcher} onClose=${onClose}>
    ${found.busy ? html`<${Busy} />` : null}<${Problem} error=${found.error ?? work.error} />
    ${found.value && (found.value.application_commands.length === 0 ? html`<p>${t.noActivities}</p>` : html`<ul class="menu-list">${found.value.application_commands.map((c) => html`
      <li key=${c.id}><button type="button" disabled=${work.busy} onClick=${() => work.run(c)}><b><${Text} of=${found.value.applications.find((a) => a.id === c.application_id)?.name ?? c.name} most=${60} /></b>
        <${Text} class="note" of=${c.name} most=${32} /></button></li>`)}</ul>`)}
  <//>`;
}

function People({guild, session, onMenu, onTalk}) {
  return html`<aside class="people" aria-label=${t.people}>
    <h2>${t.people}</h2>
    <ul>${(guild?.members ?? []).map((m) => html`<li key=${m.user.id}><${Avatar} name=${shownName(m.user)} bot=${m.user.bot} />
      <${Text} of=${m.nick ?? shownName(m.user)} most=${40} />${m.user.bot ? html` <span class="badge">${t.app}</span>` : ''}
      <span class="buttons">${m.user.id !== session.user && html`<button type="button" class="small quiet" aria-label=${t.talkTo(shownName(m.user))} onClick=${() => onTalk(m.user.id)}>✉</button>`}
      <button type="button" class="small quiet" aria-haspopup="menu" aria-label=${t.personMenu(shownName(m.user))} onClick=${() => onMenu(m.user)}>⋯</button></span></li>`)}</ul>
  </aside>`;
}

function Timeline({session, channel, guild, onMenu}) {
  const list = session.messages.get(channel) ?? [];
  const pending = [...session.pending.values()].filter((p) => p.channel === channel);
  const [errors, setErrors] = useState({});
  const end = useRef();
  useEffect(() => end.current?.scrollIntoView({block: 'nearest'}), [channel, list.length, pending.length]);
  const use = async (message, part, values) => {
    setErrors({});
    try {
      await session.invoke({
        type: 3, application_id: message.application_id ?? message.author.id, channel_id: channel, guild_id: guild?.id, message_id: message.id, message_flags: message.flags ?? 0,
        data: {component_type: part.type, custom_id: part.custom_id, values},
      }, part.label ?? part.placeholder ?? part.custom_id);
    } catch (error) {
      setErrors({[message.id]: error.message});
    }
  };
  return html`<div class="timeline" role="log" aria-label=${t.messages} tabindex="0">
    ${list.length === 0 && pending.length === 0 && html`<p class="note">${t.nothingYet}</p>`}
    ${list.map((m) => html`<${Message} key=${m.id} message=${m} session=${session} guild=${guild} use=${use} menu=${onMenu} error=${errors[m.id]} />`)}
    ${pending.map((p) => html`<${Pending} key=${p.nonce} of=${p} session=${session} />`)}
    <div ref=${end}></div>
  </div>`;
}

// Language changes the language of the person that one plays.
function Language({desk, session, user}) {
  const work = useWork(async (code) => {
    const record = await desk.operator.get(`/admin/v1/users/${user}`);
    await desk.operator.put(`/admin/v1/users/${user}`, {...record, locale: code});
    session.speak({...session.me, locale: code});
  });
  return html`<${Select} label=${t.language} value=${session.me?.locale ?? 'en-US'} onValue=${work.run} options=${locales} />`;
}

export function Play({desk, people}) {
  const [user, setUser] = useState(() => localStorage.getItem('person') ?? '');
  const chosen = people.some((p) => p.id === user) ? user : people[0]?.id;
  const session = useSession(desk, chosen);
  const [channel, setChannel] = useState(() => localStorage.getItem('channel') ?? '');
  const [menu, setMenu] = useState(null);
  const [launcher, setLauncher] = useState(false);
  const [side, setSide] = useState(false);
  const known = session?.channel(channel);
  useEffect(() => {
    if (!session?.me || known) return;
    const first = [...session.guilds.values()].flatMap((g) => g.channels).find((c) => c.type === 0) ?? session.directs[0];
    if (first) setChannel(first.id);
  });
  useEffect(() => {
    if (session?.gateway.state === 'ready' && known) session.open(channel);
  }, [session, session?.gateway.state, channel, Boolean(known)]);
  const go = (id) => {
    localStorage.setItem('channel', id);
    setChannel(id);
    setSide(false);
  };
  if (!chosen) return html`<main class="page"><h1>${t.play}</h1><p>${t.noPeople}</p></main>`;
  const guild = known?.guild;
  return html`<main class="play ${side ? 'side' : ''}">
    <h1 class="hidden">${t.play}</h1>
    <div class="who">
      <button type="button" class="only-narrow" aria-expanded=${side} onClick=${() => setSide(!side)}>☰ ${t.channels}</button>
      <${Select} label=${t.youAre} value=${chosen} onValue=${(id) => { localStorage.setItem('person', id); setUser(id); }} options=${people.map((p) => [p.id, p.global_name ?? p.username])} />
      ${session && !desk.me && html`<${Language} desk=${desk} session=${session} user=${chosen} />`}
      <span class="state ${session?.gateway.state}" role="status">${t.states[session?.gateway.state] ?? ''}</span>
    </div>
    ${session && html`<${Channels} session=${session} at=${channel} onAt=${go} />`}
    <section class="chat" aria-label=${known?.name ?? t.chat}>
      <header><h2>${known ? html`${known.guild ? '#' : '@'} <${Text} of=${known.name ?? (known.recipients ?? []).map(shownName).join(', ')} most=${60} />` : t.chat}</h2>
        <${Text} class="note" of=${known?.topic ?? ''} most=${120} />
        ${known && html`<button type="button" class="small" onClick=${() => setLauncher(true)}>▶ ${t.launcher}</button>`}</header>
      <${Problem} error=${session?.error} />
      ${session && known ? html`<${Timeline} session=${session} channel=${channel} guild=${guild} onMenu=${(m) => setMenu({type: 3, target: m.id, name: shownName(m.author)})} />
        <${Composer} session=${session} channel=${channel} guild=${guild} />` : html`<${Busy} />`}
    </section>
    ${session && html`<${People} guild=${guild} session=${session} onMenu=${(u) => setMenu({type: 2, target: u.id, name: shownName(u)})} onTalk=${async (id) => go(await session.openDirect(id))} />`}
    ${menu && html`<${ContextMenu} session=${session} channel=${channel} guild=${guild} ...${menu} onClose=${() => setMenu(null)} />`}
    ${launcher && html`<${Launcher} session=${session} channel=${channel} guild=${guild} onClose=${() => setLauncher(false)} />`}
    ${session?.modal && html`<${Modal} key=${session.modal.id} modal=${session.modal} session=${session} guild=${session.channel(session.modal.channel_id)?.guild} />`}
  </main>`;
}
