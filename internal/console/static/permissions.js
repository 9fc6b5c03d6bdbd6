// Permissions: who may use which command in a guild, and why.
import {html, Text, Busy, Problem, Select, useState, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {api} from './http.js';
import {shownName} from './message.js';

const kinds = {1: 'role', 2: 'user', 3: 'channel'};

// place reads everything in a guild that permissions can speak of.
async function place(desk, id) {
  const at = `/admin/v1/guilds/${id}`;
  const [roles, channels, members, people] = await Promise.all([
    desk.operator.get(`${at}/roles`), desk.operator.get(`${at}/channels`), desk.operator.get(`${at}/members?limit=500`), desk.all('/users'),
  ]);
  const named = new Map(people.map((p) => [p.id, shownName(p)]));
  return {
    1: [[id, '@everyone'], ...roles.map((r) => [r.id, `@${r.name}`])],
    2: members.map((m) => [m.user, m.nick ?? named.get(m.user) ?? m.user]),
    3: [[String(BigInt(id) - 1n), t.allChannels], ...channels.map((c) => [c.id, `#${c.name}`])],
  };
}

function Entries({entries, names, onChange}) {
  const [type, setType] = useState('1');
  const [id, setId] = useState('');
  const options = names[type] ?? [];
  const chosen = options.some(([v]) => v === id) ? id : options[0]?.[0] ?? '';
  const name = (e) => names[e.type]?.find(([v]) => v === e.id)?.[1] ?? e.id;
  return html`<div>
    <ul class="entries">${entries.map((e, i) => html`<li key=${`${e.type}.${e.id}`}><span class="badge">${t.kinds[kinds[e.type]]}</span> <${Text} of=${name(e)} most=${60} />
      <button type="button" class="small ${e.permission ? 'good' : 'danger'}" aria-label=${`${name(e)}: ${e.permission ? t.allowed : t.denied}`} onClick=${() => onChange(entries.map((x, j) => (j === i ? {...x, permission: !x.permission} : x)))}>${e.permission ? `✓ ${t.allowed}` : `✕ ${t.denied}`}</button>
      <button type="button" class="small quiet" aria-label=${t.removeNamed(name(e))} onClick=${() => onChange(entries.filter((_, j) => j !== i))}>✕</button></li>`)}</ul>
    <div class="line"><${Select} label=${t.kind} value=${type} onValue=${setType} options=${Object.entries(kinds).map(([v, k]) => [v, t.kinds[k]])} />
      <${Select} label=${t.who} value=${chosen} onValue=${setId} options=${options} />
      <button type="button" disabled=${!chosen} onClick=${() => onChange([...entries.filter((e) => e.id !== chosen || String(e.type) !== type), {id: chosen, type: Number(type), permission: true}])}>${t.add}</button></div>
  </div>`;
}

// CommandSet edits the entries of one command, or of all commands of an app.
function CommandSet({title, note, entries, names, save}) {
  const [edited, set] = useState(null);
  const work = useWork(async () => {
    await save(edited);
    set(null);
  });
  return html`<li class="card"><details><summary><b><${Text} of=${title} most=${60} /></b> <span class="note">${note ?? t.entries((edited ?? entries).length)}</span></summary>
    <${Entries} entries=${edited ?? entries} names=${names} onChange=${set} />
    <${Problem} error=${work.error} />
    ${edited && html`<p><button type="button" class="primary" disabled=${work.busy} onClick=${work.run}>${t.save}</button> <button type="button" onClick=${() => { set(null); work.clear(); }}>${t.cancel}</button></p>`}
  </details></li>`;
}

// Why asks for the decision about anybody anywhere.
function Why({desk, people, names, commands, app}) {
  const [as, setAs] = useState(people[0]?.username ?? '');
  const [at, setAt] = useState('');
  const [command, setCommand] = useState('');
  const [answer, setAnswer] = useState(null);
  const channels = (names[3] ?? []).slice(1);
  const inside = channels.some(([v]) => v === at) ? at : channels[0]?.[0] ?? '';
  const name = command || (commands[0] ? (commands[0].type === 1 ? `/${commands[0].name}` : commands[0].name) : '');
  const work = useWork(async () => {
    setAnswer(null);
    const q = new URLSearchParams({as, in: inside, command: name, application: app});
    setAnswer(await desk.operator.get(`/admin/v1/explain?${q}`));
  });
  return html`<section><h2>${t.why}</h2>
    <form class="line" onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
      <${Select} label=${t.person} value=${as} onValue=${setAs} options=${people.map((p) => [p.username, shownName(p)])} />
      <${Select} label=${t.channel} value=${inside} onValue=${setAt} options=${channels} />
      <${Select} label=${t.command} value=${name} onValue=${setCommand} options=${commands.map((c) => [c.type === 1 ? `/${c.name}` : c.name, c.type === 1 ? `/${c.name}` : c.name])} />
      <button class="primary" disabled=${work.busy || !name}>${t.decide}</button>
    </form>
    <${Problem} error=${work.error} />
    <div role="status">${answer && html`<p class=${answer.allowed ? 'good' : 'bad'}><b>${answer.allowed ? t.allowed : t.denied}</b>: ${answer.explanation}</p>
      ${answer.missing?.length > 0 && html`<p>${t.missing}: ${answer.missing.join(', ')}</p>`}`}</div>
  </section>`;
}

export function Permissions({desk, applications, guilds, people}) {
  const [guildId, setGuild] = useState(guilds[0]?.id ?? '');
  const [appId, setApp] = useState(applications[0]?.id ?? '');
  const [asId, setAs] = useState('');
  const guild = guilds.find((g) => g.id === guildId) ?? guilds[0];
  const app = applications.find((a) => a.id === appId) ?? applications[0];
  const as = asId || guild?.owner;
  const base = `${api}/applications/${app?.id}`;
  const found = useAsk(async () => {
    if (!guild || !app) return null;
    const [names, global, local, sets] = await Promise.all([
      place(desk, guild.id), desk.app(app.id).get(`${base}/commands`), desk.app(app.id).get(`${base}/guilds/${guild.id}/commands`),
      desk.app(app.id).get(`${base}/guilds/${guild.id}/commands/permissions`),
    ]);
    return {names, commands: [...global, ...local], sets: new Map(sets.map((s) => [s.id, s.permissions]))};
  }, [desk, guild?.id, app?.id]);
  if (!guild || !app) return html`<main class="page"><h1>${t.permissions}</h1><p>${t.noApps}</p></main>`;
  const save = (id) => async (permissions) => {
    await desk.acting(app.id, as, ['applications.commands.permissions.update']).put(`${base}/guilds/${guild.id}/commands/${id}/permissions`, {permissions});
    await found.again();
  };
  return html`<main class="page"><h1>${t.permissions}</h1>
    <div class="line"><${Select} label=${t.guild} value=${guild.id} onValue=${setGuild} options=${guilds.map((g) => [g.id, g.name])} />
      <${Select} label=${t.application} value=${app.id} onValue=${setApp} options=${applications.map((a) => [a.id, a.name])} />
      <${Select} label=${t.editAs} value=${as} onValue=${setAs} options=${people.map((p) => [p.id, shownName(p)])} /></div>
    <${Problem} error=${found.error} />
    ${found.busy && !found.value ? html`<${Busy} />` : null}
    ${found.value && html`<ul class="cards">
      <${CommandSet} key=${app.id} title=${t.allCommands(app.name)} entries=${found.value.sets.get(app.id) ?? []} names=${found.value.names} save=${save(app.id)} />
      ${found.value.commands.map((c) => html`<${CommandSet} key=${c.id} title=${c.type === 1 ? `/${c.name}` : c.name} entries=${found.value.sets.get(c.id) ?? []} names=${found.value.names} save=${save(c.id)} />`)}
    </ul><${Why} desk=${desk} people=${people} names=${found.value.names} commands=${found.value.commands} app=${app.id} />`}
  </main>`;
}
