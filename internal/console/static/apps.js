// Apps: applications, their commands, installs, secrets, endpoint.
import {html, Text, Tabs, Busy, Problem, Input, Area, Select, Dialog, Copy, useState, useEffect, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {api} from './http.js';
import {Tree, Plan, plan, bare, commandTypes, optionTypes} from './definition.js';

function Branch({of}) {
  return html`<li><code>${optionTypes[of.type] ?? of.type}</code> <b><${Text} of=${of.name} most=${32} /></b>${of.required ? '*' : ''} <${Text} class="note" of=${of.description} most=${100} />
    ${of.options?.length > 0 && html`<ul>${of.options.map((o, i) => html`<${Branch} key=${i} of=${o} />`)}</ul>`}</li>`;
}

function Command({command, onEdit, onDelete}) {
  return html`<li class="card"><header><b>${command.type === 1 ? '/' : ''}<${Text} of=${command.name} most=${32} /></b> <span class="badge">${commandTypes[command.type]}</span>
      <${Text} class="note" of=${command.description} most=${100} />
      <span class="buttons"><button type="button" class="small" onClick=${() => onEdit(command)} aria-label=${t.editNamed(command.name)}>${t.edit}</button>
      <button type="button" class="small danger" onClick=${() => onDelete(command)} aria-label=${t.deleteNamed(command.name)}>${t.delete}</button></span></header>
    ${command.options?.length > 0 && html`<ul class="branches">${command.options.map((o, i) => html`<${Branch} key=${i} of=${o} />`)}</ul>`}
    <details><summary>JSON</summary><pre tabindex="0">${JSON.stringify(command, null, 2)}</pre></details></li>`;
}

// useCheck judges a definition by the service's own rules while it is written.
function useCheck(desk, app, guild, value) {
  const [faults, set] = useState([]);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      desk.operator.post(`/admin/v1/applications/${app}/commands/check${guild ? `?guild_id=${guild}` : ''}`, value).then(
        () => gone || set([]), (e) => gone || set(e.faults?.length ? e.faults : [{path: '', message: e.message, code: ''}]));
    }, 150);
    return () => { gone = true; clearTimeout(timer); };
  }, [desk, app, guild, value]);
  return faults;
}

// Editor writes one definition, as a tree and as JSON at once.
function Editor({desk, app, guild, scope, command, onClose}) {
  const [value, setValue] = useState(() => (command ? bare(command) : {type: 1, name: '', description: ''}));
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [broken, setBroken] = useState(null);
  const faults = useCheck(desk, app, guild, value);
  const fill = (v) => {
    setValue(v);
    setText(JSON.stringify(v, null, 2));
    setBroken(null);
  };
  const type = (s) => {
    setText(s);
    try {
      setValue(JSON.parse(s));
      setBroken(null);
    } catch (e) {
      setBroken(e.message);
    }
  };
  const work = useWork(async () => {
    await (command ? desk.app(app).patch(`${scope}/${command.id}`, value) : desk.app(app).post(scope, value));
    onClose(true);
  });
  return html`<${Dialog} wide title=${command ? t.editNamed(command.name) : t.newCommand} onClose=${() => onClose(false)}>
    <form onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
      <div class="split"><${Tree} value=${value} onValue=${fill} faults=${faults} fixed=${Boolean(command)} />
        <div><${Area} label="JSON" rows="20" value=${text} onValue=${type} error=${broken} />
          <div role="status">${faults.length === 0 ? html`<p class="good">✓ ${t.valid}</p>` : html`<${Problem} error=${{message: t.faults(faults.length), faults}} />`}</div></div></div>
      <${Problem} error=${work.error} />
      <footer><button type="button" onClick=${() => onClose(false)}>${t.cancel}</button><button class="primary" disabled=${work.busy || broken || faults.length > 0}>${t.save}</button></footer>
    </form>
  <//>`;
}

// Import replaces all commands with those of a file, after the difference was seen.
function Import({desk, app, scope, current, list, name, onClose}) {
  const work = useWork(async () => {
    await desk.app(app).put(scope, list);
    onClose(true);
  });
  const steps = plan(current, list);
  return html`<${Dialog} wide title=${t.replaceWith(name)} onClose=${() => onClose(false)}>
    <${Plan} steps=${steps} /><${Problem} error=${work.error} />
    <footer><button type="button" onClick=${() => onClose(false)}>${t.cancel}</button>
      <button type="button" class="primary" disabled=${work.busy || steps.every((s) => s.action === 'keep')} onClick=${work.run}>${t.apply}</button></footer>
  <//>`;
}

async function readFile(file) {
  const value = JSON.parse(await file.text());
  return Array.isArray(value) ? value : value.commands ?? [value];
}

function Commands({desk, app, guilds}) {
  const [guild, setGuild] = useState('');
  const [editing, setEditing] = useState(null);
  const [file, setFile] = useState(null);
  const [over, setOver] = useState(false);
  const scope = `${api}/applications/${app}${guild ? `/guilds/${guild}` : ''}/commands`;
  const list = useAsk(() => desk.app(app).get(`${scope}?with_localizations=true`), [desk, app, guild]);
  const quota = useAsk(() => desk.operator.get(`/admin/v1/applications/${app}/quota${guild ? `?guild_id=${guild}` : ''}`), [desk, app, guild, list.value]);
  const drop = useWork(async (command) => {
    await desk.app(app).delete(`${scope}/${command.id}`);
    list.again();
  });
  const take = useWork(async (f) => f && setFile({name: f.name, list: await readFile(f)}));
  const done = (changed) => {
    setEditing(null);
    setFile(null);
    if (changed) list.again();
  };
  return html`<section class=${over ? 'over' : ''} onDragOver=${(e) => { e.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
      onDrop=${(e) => { e.preventDefault(); setOver(false); take.run(e.dataTransfer.files[0]); }}>
    <div class="line">
      <${Select} label=${t.scope} value=${guild} onValue=${setGuild} options=${[['', t.global], ...guilds.map((g) => [g.id, g.name])]} />
      <button type="button" class="primary" onClick=${() => setEditing({})}>${t.newCommand}</button>
      <label class="button">${t.importFile}<input type="file" class="hidden" accept="application/json,.json" onChange=${(e) => { take.run(e.currentTarget.files[0]); e.currentTarget.value = ''; }} /></label>
      ${quota.value && html`<p class="note">${t.quota(quota.value.used, quota.value.max)}</p>`}
    </div>
    <p class="hint">${t.dropHere}</p>
    <${Problem} error=${list.error ?? drop.error ?? take.error} />
    ${list.busy && !list.value ? html`<${Busy} />` : html`<ul class="cards">${(list.value ?? []).map((c) => html`<${Command} key=${c.id} command=${c} onEdit=${setEditing} onDelete=${drop.run} />`)}</ul>`}
    ${list.value?.length === 0 && html`<p>${t.noCommands}</p>`}
    ${editing && html`<${Editor} desk=${desk} app=${app} guild=${guild} scope=${scope} command=${editing.id ? editing : null} onClose=${done} />`}
    ${file && html`<${Import} desk=${desk} app=${app} scope=${scope} current=${list.value ?? []} list=${file.list} name=${file.name} onClose=${done} />`}
  </section>`;
}

function Installs({desk, app, guilds}) {
  const found = useAsk(async () => {
    const per = await Promise.all(guilds.map(async (g) => ({guild: g, installs: await desk.operator.get(`/admin/v1/guilds/${g.id}/installs`)})));
    return per.flatMap(({guild, installs}) => installs.filter((i) => i.application === app).map((i) => ({...i, guild})));
  }, [desk, app]);
  const missing = guilds.filter((g) => !found.value?.some((i) => i.guild.id === g.id));
  const work = useWork(async (method, guild) => {
    await desk.operator.call(method, `/admin/v1/guilds/${guild}/installs/${app}`, method === 'PUT' ? {scopes: ['bot', 'applications.commands']} : undefined);
    found.again();
  });
  if (found.busy && !found.value) return html`<${Busy} />`;
  return html`<section><${Problem} error=${found.error ?? work.error} />
    <ul class="cards">${(found.value ?? []).map((i) => html`<li key=${i.guild.id} class="card"><header><b><${Text} of=${i.guild.name} most=${60} /></b> <span class="note">${(i.scopes ?? []).join(', ')}</span>
      <span class="buttons"><button type="button" class="small danger" onClick=${() => work.run('DELETE', i.guild.id)}>${t.uninstall}</button></span></header></li>`)}</ul>
    ${missing.map((g) => html`<button key=${g.id} type="button" onClick=${() => work.run('PUT', g.id)}>${t.installIn(g.name)}</button>`)}
  </section>`;
}

// Secret makes a new secret and shows it once.
function Secret({label, make}) {
  const [value, set] = useState(null);
  const work = useWork(async () => set((await make()).secret));
  return html`<div class="card"><header><b>${label}</b><span class="buttons"><button type="button" class="small danger" disabled=${work.busy} onClick=${work.run}>${t.replace}</button></span></header>
    ${value ? html`<p role="status"><code class="secret">${value}</code> <${Copy} text=${value} /></p><p class="warning">${t.shownOnce}</p>` : html`<p class="hint">${t.replaceHint}</p>`}
    <${Problem} error=${work.error} /></div>`;
}

function Endpoint({desk, app}) {
  const me = useAsk(() => desk.app(app).get(`${api}/applications/@me`), [desk, app]);
  const [url, setURL] = useState(null);
  const [good, setGood] = useState(false);
  const work = useWork(async () => {
    setGood(false);
    await desk.app(app).patch(`${api}/applications/@me`, {interactions_endpoint_url: url || null});
    setGood(true);
    me.again();
  });
  if (!me.value) return html`<${Busy} /><${Problem} error=${me.error} />`;
  return html`<form onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
    <${Input} label=${t.endpoint} type="url" value=${url ?? me.value.interactions_endpoint_url ?? ''} onValue=${setURL} hint=${t.endpointHint} />
    <button class="primary" disabled=${work.busy}>${work.busy ? t.shaking : t.save}</button>
    <div role="status">${good && html`<p class="good">✓ ${url ? t.handshake : t.byGateway}</p>`}</div><${Problem} error=${work.error} />
    <p>${t.publicKey}: <code>${me.value.verify_key}</code> <${Copy} text=${me.value.verify_key} /></p>
  </form>`;
}

export function Apps({desk, applications, guilds}) {
  const [app, setApp] = useState(applications[0]?.id ?? '');
  const [tab, setTab] = useState('commands');
  const chosen = applications.find((a) => a.id === app) ?? applications[0];
  const admin = `/admin/v1/applications/${chosen?.id}`;
  if (!chosen) return html`<main class="page"><h1>${t.apps}</h1><p>${t.noApps}</p></main>`;
  return html`<main class="page"><h1>${t.apps}</h1>
    <div class="line"><${Select} label=${t.application} value=${chosen.id} onValue=${setApp} options=${applications.map((a) => [a.id, a.name])} />
      <p class="note">${chosen.id} <${Copy} text=${chosen.id} label=${t.copyId} /></p></div>
    <${Tabs} label=${t.apps} at=${tab} onAt=${setTab} tabs=${[['commands', t.commands], ['installs', t.installs], ['secrets', t.secrets], ['endpoint', t.endpoint]]} />
    <div role="tabpanel" aria-label=${tab}>
      ${tab === 'commands' && html`<${Commands} key=${chosen.id} desk=${desk} app=${chosen.id} guilds=${guilds} />`}
      ${tab === 'installs' && html`<${Installs} key=${chosen.id} desk=${desk} app=${chosen.id} guilds=${guilds} />`}
      ${tab === 'secrets' && html`<section key=${chosen.id}><${Secret} label=${t.botToken} make=${() => desk.operator.post(`${admin}/bot-token`)} />
        <${Secret} label=${t.clientSecret} make=${() => desk.operator.post(`${admin}/client-secret`)} /></section>`}
      ${tab === 'endpoint' && html`<${Endpoint} key=${chosen.id} desk=${desk} app=${chosen.id} />`}
    </div></main>`;
}
