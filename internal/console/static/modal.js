// A form that an app shows.
import {html, Dialog, Text, Input, Area, Field, Problem, useWork, useState, Select, Check} from './ui.js';
import {Markdown} from './markdown.js';
import {SelectMenu, among} from './message.js';
import {t} from './text.js';

// inputs returns every component of a form that holds an answer, with the label that stands above it.
function inputs(components) {
  return components.flatMap((c) => {
    if (c.type === 18) return c.component ? [{...c.component, label: c.label, description: c.description}] : [];
    return c.type === 1 ? c.components ?? [] : [];
  });
}

function start(list) {
  return Object.fromEntries(list.map((c) => {
    switch (c.type) {
      case 4: return [c.custom_id, c.value ?? ''];
      case 19: return [c.custom_id, []];
      case 23: return [c.custom_id, Boolean(c.default)];
      default: return [c.custom_id, (c.options ?? []).filter((o) => o.default).map((o) => o.value)];
    }
  }));
}

function Part({of, value, onValue, session, guild}) {
  const label = html`<${Text} of=${of.label ?? of.custom_id} most=${100} />${of.required === false ? html` <span class="note">${t.optional}</span>` : null}`;
  switch (of.type) {
    case 4: {
      const shared = {label, hint: of.description, value, onValue, placeholder: of.placeholder, required: of.required !== false, minlength: of.min_length, maxlength: of.max_length ?? 4000};
      return of.style === 2 ? html`<${Area} rows="5" ...${shared} />` : html`<${Input} ...${shared} />`;
    }
    case 19: return html`<${Field} label=${label} hint=${of.description}>${(a) => html`<input type="file" multiple=${(of.max_values ?? 1) > 1} required=${of.required !== false}
      onChange=${(e) => onValue([...e.currentTarget.files])} ...${a} />`}<//>`;
    case 23: return html`<${Check} label=${label} value=${value} onValue=${onValue} />`;
    case 21: return html`<${Select} label=${label} hint=${of.description} value=${value[0] ?? ''} onValue=${(v) => onValue(v ? [v] : [])}
      options=${[['', t.choose], ...(of.options ?? []).map((o) => [o.value, o.label])]} />`;
    case 22: return html`<fieldset><legend>${label}</legend>${(of.options ?? []).map((o) => html`<${Check} key=${o.value} label=${o.label} value=${value.includes(o.value)}
      onValue=${(on) => onValue(on ? [...value, o.value] : value.filter((v) => v !== o.value))} />`)}</fieldset>`;
    default: {
      const all = of.type === 3 ? (of.options ?? []).map((o) => ({value: o.value, name: o.label})) : among(of.type, session, guild);
      return html`<fieldset><legend>${label}</legend>
        <p class="chosen">${value.map((v) => html`<span key=${v} class="chip"><${Text} of=${all.find((i) => i.value === v)?.name ?? v} most=${100} /></span>`)}</p>
        <${SelectMenu} of=${of} label=${of.label ?? of.custom_id} session=${session} guild=${guild} use=${(_, values) => onValue(values)} /></fieldset>`;
    }
  }
}

// answers turns what was put in into the components that are sent, and the files that go with them.
function answers(components, values) {
  const files = [];
  const one = (c) => {
    const v = values[c.custom_id];
    const base = {type: c.type, id: c.id, custom_id: c.custom_id};
    if (c.type === 4) return {...base, value: v};
    if (c.type === 23) return {...base, value: v};
    if (c.type === 21) return {...base, value: v[0] ?? null};
    if (c.type !== 19) return {...base, values: v};
    const first = files.length;
    files.push(...v);
    return {...base, values: v.map((_, i) => String(first + i))};
  };
  const list = components.map((c) => {
    if (c.type === 18) return {type: 18, id: c.id, component: one(c.component)};
    if (c.type === 1) return {type: 1, id: c.id, components: (c.components ?? []).map(one)};
    return {type: c.type, id: c.id};
  });
  return {list, files};
}

export function Modal({modal, session, guild}) {
  const list = inputs(modal.components ?? []);
  const [values, set] = useState(() => start(list));
  const work = useWork(async () => {
    const sent = answers(modal.components, values);
    await session.invoke({
      type: 5, application_id: modal.application?.id ?? modal.application_id, channel_id: modal.channel_id, guild_id: guild?.id,
      data: {id: modal.id, custom_id: modal.custom_id, components: sent.list, attachments: sent.files.map((f, i) => ({id: String(i), filename: f.name}))},
    }, modal.title, sent.files);
    session.closeModal();
  });
  return html`<${Dialog} title=${modal.title} onClose=${() => session.closeModal()}>
    <form onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
      ${(modal.components ?? []).filter((c) => c.type === 10).map((c, i) => html`<${Markdown} key=${i} of=${c.content} />`)}
      ${list.map((c) => html`<${Part} key=${c.custom_id} of=${c} session=${session} guild=${guild} value=${values[c.custom_id]} onValue=${(v) => set((all) => ({...all, [c.custom_id]: v}))} />`)}
      <${Problem} error=${work.error} />
      <p class="warning">${t.modalWarning(modal.application?.name ?? '')}</p>
      <footer><button type="button" onClick=${() => session.closeModal()}>${t.cancel}</button>
        <button class="primary" disabled=${work.busy}>${t.submit}</button></footer>
    </form>
  <//>`;
}
