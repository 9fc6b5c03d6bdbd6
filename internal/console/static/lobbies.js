// Lobbies: who is in them, who is connected, and when they end.
import {html, Text, Busy, Problem, Select, Input, Area, Dialog, Check, useState, useEffect, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {api} from './http.js';

const lines = (metadata) => Object.entries(metadata ?? {}).map(([k, v]) => `${k}=${v}`).join('\n');

// metadata reads lines of the form key=value.
function metadata(text) {
  const pairs = text.split('\n').map((l) => l.trim()).filter(Boolean).map((l) => {
    const i = l.indexOf('=');
    return i < 0 ? [l, ''] : [l.slice(0, i).trim(), l.slice(i + 1).trim()];
  });
  return pairs.length ? Object.fromEntries(pairs) : null;
}

// left says how long a lobby has until it ends.
function left(due, now) {
  if (!due) return t.notDue;
  const s = Math.max(0, Math.round((Date.parse(due) - now) / 1000));
  return t.endsIn(s >= 3600 ? `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min` : s >= 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s} s`);
}

function Editor({desk, lobby, app, people, onClose}) {
  const [meta, setMeta] = useState(lines(lobby?.metadata));
  const [idle, setIdle] = useState(String(lobby?.idle_timeout_seconds ?? 300));
  const [members, setMembers] = useState(() => (lobby?.members ?? []).map((m) => ({...m, meta: lines(m.metadata)})));
  const [who, setWho] = useState(people[0]?.id ?? '');
  const work = useWork(async () => {
    const body = {
      metadata: metadata(meta), idle_timeout_seconds: Number(idle),
      members: members.map((m) => ({id: m.id, metadata: metadata(m.meta), flags: m.flags ?? 0})),
    };
    await (lobby ? desk.app(app).patch(`${api}/lobbies/${lobby.id}`, body) : desk.app(app).post(`${api}/lobbies`, body));
    onClose(true);
  });
  const change = (id, to) => setMembers(members.map((m) => (m.id === id ? {...m, ...to} : m)));
  const name = (id) => people.find((p) => p.id === id)?.username ?? id;
  return html`<${Dialog} wide title=${lobby ? t.editLobby : t.newLobby} onClose=${() => onClose(false)}>
    <form onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
      <${Area} label=${t.metadata} hint=${t.metadataHint} rows="4" value=${meta} onValue=${setMeta} />
      <${Input} label=${t.idleTimeout} type="number" value=${idle} onValue=${setIdle} />
      <fieldset><legend>${t.members}</legend>
        ${members.map((m) => html`<div key=${m.id} class="line"><b><${Text} of=${name(m.id)} most=${40} /></b>
          <${Area} label=${t.metadata} rows="2" value=${m.meta} onValue=${(v) => change(m.id, {meta: v})} />
          <${Check} label="CanLinkLobby" value=${Boolean((m.flags ?? 0) & 1)} onValue=${(on) => change(m.id, {flags: on ? 1 : 0})} />
          <button type="button" class="small" aria-label=${t.removeNamed(name(m.id))} onClick=${() => setMembers(members.filter((x) => x.id !== m.id))}>✕</button></div>`)}
        <div class="line"><${Select} label=${t.person} value=${who} onValue=${setWho} options=${people.map((p) => [p.id, p.username])} />
          <button type="button" disabled=${!who || members.some((m) => m.id === who)} onClick=${() => setMembers([...members, {id: who, flags: 0, meta: ''}])}>${t.add}</button></div>
      </fieldset>
      <${Problem} error=${work.error} />
      <footer><button type="button" onClick=${() => onClose(false)}>${t.cancel}</button><button class="primary" disabled=${work.busy}>${t.save}</button></footer>
    </form><//>`;
}

export function Lobbies({desk, applications, people}) {
  const [app, setApp] = useState(applications[0]?.id ?? '');
  const [editing, setEditing] = useState(null);
  const found = useAsk(async () => {
    const {now, lobbies} = await desk.operator.get(`/admin/v1/applications/${app}/lobbies?limit=200`);
    return {now: Date.parse(now), lobbies: lobbies.map((l) => ({...l.lobby, idle_timeout_seconds: l.idle_timeout_seconds, due: l.ends_at}))};
  }, [desk, app]);
  useEffect(() => {
    const timer = setInterval(found.again, 2000);
    return () => clearInterval(timer);
  }, [app]);
  const drop = useWork(async (lobby) => {
    await desk.app(app).delete(`${api}/lobbies/${lobby.id}`);
    found.again();
  });
  const name = (id) => people.find((p) => p.id === id)?.username ?? id;
  return html`<main class="page"><h1>${t.lobbies}</h1>
    <div class="line"><${Select} label=${t.application} value=${app} onValue=${setApp} options=${applications.map((a) => [a.id, a.name])} />
      <button type="button" class="primary" disabled=${!app} onClick=${() => setEditing({})}>${t.newLobby}</button></div>
    <${Problem} error=${found.error ?? drop.error} />
    ${!found.value && found.busy ? html`<${Busy} />` : null}
    ${found.value?.lobbies.length === 0 && html`<p>${t.noLobbies}</p>`}
    <ul class="cards">${(found.value?.lobbies ?? []).map((l) => html`<li key=${l.id} class="card">
      <header><b><code>${l.id}</code></b> <span class="badge">${left(l.due, found.value.now)}</span>${l.linked_channel ? html` <span class="badge">${t.linked}</span>` : ''}
        <span class="buttons"><button type="button" class="small" aria-label=${t.editNamed(l.id)} onClick=${() => setEditing(l)}>${t.edit}</button>
        <button type="button" class="small danger" aria-label=${t.deleteNamed(l.id)} onClick=${() => drop.run(l)}>${t.delete}</button></span></header>
      ${l.metadata && html`<pre tabindex="0"><${Text} of=${lines(l.metadata)} most=${1200} /></pre>`}
      <ul class="chips">${l.members.map((m) => html`<li key=${m.id} class="chip" title=${lines(m.metadata)}>${m.connected ? html`<span class="dot" title=${t.connected}></span>` : ''}<${Text} of=${name(m.id)} most=${40} />${m.connected ? html`<span class="hidden">${t.connected}</span>` : ''}</li>`)}</ul>
    </li>`)}</ul>
    ${editing && html`<${Editor} desk=${desk} app=${app} people=${people} lobby=${editing.id ? editing : null} onClose=${(changed) => { setEditing(null); if (changed) found.again(); }} />`}
  </main>`;
}
