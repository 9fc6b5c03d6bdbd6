// Where people type: a slash opens the picker, a command becomes a line of fields. Everything works from the keyboard.
import {html, Combobox, Text, Problem, useState, useEffect, useLayoutEffect, useRef, useId, useWork} from './ui.js';
import {t} from './text.js';
import {kind, leaves, leafName, read, suggestions, body, defaultName} from './options.js';

// useDebounced gives a value once it has rested.
function useDebounced(value, ms) {
  const [rested, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

// useCommands asks for the commands that fit what was typed.
function useCommands(session, channel, text) {
  const wanted = useDebounced(text, 60);
  const [found, set] = useState({leaves: [], applications: [], busy: false});
  useEffect(() => {
    if (!wanted.startsWith('/')) return set({leaves: [], applications: [], busy: false});
    let gone = false;
    set((f) => ({...f, busy: true}));
    const words = wanted.slice(1).trimStart().split(/\s+/);
    session.search(channel, 1, words[0] ?? '').then((answer) => {
      if (gone) return;
      const all = answer.application_commands.flatMap(leaves).filter((l) => words.slice(1).every((w, i) => (l.path[i]?.name ?? '').startsWith(w.toLowerCase()) || w === ''));
      set({leaves: all.slice(0, 50), applications: answer.applications, busy: false});
    }, (error) => gone || set({leaves: [], applications: [], busy: false, error}));
    return () => { gone = true; };
  }, [session, channel, wanted, session.index]);
  return found;
}

function Picker({session, channel, onPick, start}) {
  const [text, setText] = useState(start ?? '');
  const found = useCommands(session, channel, text);
  const items = found.leaves.map((leaf) => ({
    key: `${leaf.command.id}${leafName(leaf)}`, value: leaf, name: `/${leafName(leaf)}`,
    note: `${leaf.description} · ${found.applications.find((a) => a.id === leaf.command.application_id)?.name ?? ''}`,
  }));
  return html`<div class="picker">
    <${Combobox} above label=${t.typeSlash} listLabel=${t.commands} placeholder=${t.typeSlash} value=${text} onValue=${setText} items=${items} busy=${found.busy}
      empty=${text.startsWith('/') ? t.noCommand : null} autofocus=${start !== undefined} onPick=${(item) => onPick(item.value)} />
    <${Problem} error=${found.error} />
    ${text !== '' && !text.startsWith('/') && html`<p class="hint" role="status">${t.onlySlash}</p>`}
  </div>`;
}

// useSuggestions asks the app for suggestions while somebody types.
function useSuggestions(option, entry, ask, active) {
  const text = useDebounced(entry?.text ?? '', 150);
  const [found, set] = useState({items: [], busy: false});
  useEffect(() => {
    if (!option.autocomplete || !active) return undefined;
    let gone = false;
    set((f) => ({...f, busy: true}));
    ask(defaultName(option)).then((choices) => {
      if (gone) return;
      set(choices ? {items: choices.map((c, i) => ({key: i, value: c.value, name: c.name})), busy: false} : {items: [], busy: false, failed: true});
    }, () => gone || set({items: [], busy: false, failed: true}));
    return () => { gone = true; };
  }, [text, active, option]);
  return found;
}

function FileOption({id, about, invalid, onEntry}) {
  return html`<input id=${id} type="file" aria-describedby=${about} aria-invalid=${invalid} onChange=${(e) => onEntry({file: e.currentTarget.files[0]})} />`;
}

// OptionField is one option with its label, what can be picked and what is wrong.
function OptionField({option, entry, onEntry, error, session, guild, ask, autofocus, onKey, onRemove}) {
  const id = useId();
  const [active, setActive] = useState(false);
  const live = useSuggestions(option, entry, ask, active);
  const items = option.autocomplete ? live.items : suggestions(option, entry?.picked === undefined ? entry?.text ?? '' : '', session, guild);
  const about = `${id}-d${error ? ` ${id}-e` : ''}`;
  return html`<div class="option ${error ? 'wrong' : ''}" onFocusIn=${() => setActive(true)} onFocusOut=${() => setActive(false)}>
    <label for=${id}><${Text} of=${option.name} most=${32} />${option.required ? html`<span aria-hidden="true">*</span>` : ''}</label>
    ${option.type === kind.attachment ? html`<${FileOption} id=${id} about=${about} invalid=${error ? 'true' : undefined} onEntry=${onEntry} />`
      : html`<${Combobox} above id=${id} value=${entry?.text ?? ''} items=${items} busy=${live.busy} autofocus=${autofocus} describedby=${about} invalid=${Boolean(error)}
        listLabel=${t.valuesOf(option.name)} empty=${live.failed ? t.noSuggestions : option.autocomplete && !live.busy && active ? t.nothingFits : null}
        onValue=${(text) => onEntry({text})} onPick=${(item) => onEntry({text: item.name, picked: item.value})} onKey=${onKey} />`}
    ${onRemove && html`<button type="button" class="small quiet" aria-label=${t.removeOption(option.name)} onClick=${onRemove}>✕</button>`}
    <p class="hint" id="${id}-d"><${Text} of=${option.description} most=${100} /></p>
    ${error && html`<p class="error" id="${id}-e">${error}</p>`}
  </div>`;
}

// CommandForm fills in a command and sends it.
function CommandForm({session, channel, guild, leaf, onDone, onCancel}) {
  const [values, setValues] = useState({});
  const [open, setOpen] = useState(() => leaf.options.filter((o) => o.required).map(defaultName));
  const [tried, setTried] = useState(false);
  const last = useRef(open[0]);
  const form = useRef();
  useLayoutEffect(() => { if (open.length === 0) form.current.querySelector('button.primary').focus(); }, []);
  const shown = open.map((name) => leaf.options.find((o) => defaultName(o) === name));
  const rest = leaf.options.filter((o) => !open.includes(defaultName(o)));
  const wrong = (o) => {
    const {value, error} = read(o, values[defaultName(o)]);
    if (error) return error;
    return tried && o.required && value === undefined ? t.required : null;
  };
  const base = {application_id: leaf.command.application_id, channel_id: channel, guild_id: guild?.id};
  const work = useWork(async () => {
    setTried(true);
    if (shown.some((o) => read(o, values[defaultName(o)]).error || (o.required && read(o, values[defaultName(o)]).value === undefined))) {
      form.current.querySelector('[aria-invalid="true"], .option input')?.focus();
      return;
    }
    const sent = body(leaf, values);
    await session.invoke({type: 2, ...base, data: sent.data}, `/${leafName(leaf)}`, sent.files);
    onDone();
  });
  const ask = (focused) => session.suggest({type: 4, ...base, data: body(leaf, values, focused).data});
  const key = (e) => {
    if (e.key === 'Escape') onCancel();
    else if (e.key === 'Enter') {
      e.preventDefault();
      work.run();
    } else if (e.key === 'Backspace' && e.currentTarget.value === '') {
      e.preventDefault();
      onCancel();
    }
  };
  return html`<form ref=${form} class="command-form" onSubmit=${(e) => { e.preventDefault(); work.run(); }} onKeyDown=${(e) => e.key === 'Escape' && onCancel()} aria-label=${`/${leafName(leaf)}`}>
    <div class="line">
      <b class="chip">/<${Text} of=${leafName(leaf)} most=${110} /></b>
      ${shown.map((o) => html`<${OptionField} key=${defaultName(o)} option=${o} entry=${values[defaultName(o)]} error=${wrong(o)} session=${session} guild=${guild} ask=${ask} onKey=${key}
        autofocus=${last.current === defaultName(o)} onEntry=${(entry) => setValues((v) => ({...v, [defaultName(o)]: entry}))}
        onRemove=${o.required ? undefined : () => { setOpen(open.filter((n) => n !== defaultName(o))); setValues(({[defaultName(o)]: _, ...v}) => v); }} />`)}
      <span class="buttons"><button class="primary" disabled=${work.busy}>${t.send}</button>
        <button type="button" onClick=${onCancel}>${t.cancel}</button></span>
    </div>
    ${rest.length > 0 && html`<p class="more">${t.more}: ${rest.map((o) => html`<button key=${defaultName(o)} type="button" class="small" title=${o.description}
      onClick=${() => { last.current = defaultName(o); setOpen([...open, defaultName(o)]); }}>+ <${Text} of=${o.name} most=${32} /></button>`)}</p>`}
    <p class="hint"><${Text} of=${leaf.description} most=${100} /></p>
    <${Problem} error=${work.error} />
  </form>`;
}

// Composer is the line at the bottom of a channel.
export function Composer({session, channel, guild}) {
  const [leaf, setLeaf] = useState(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => setLeaf(null), [channel]);
  const back = () => {
    setLeaf(null);
    setTurn(turn + 1);
  };
  return html`<div class="composer">
    ${leaf ? html`<${CommandForm} key=${leafName(leaf) + leaf.command.id} session=${session} channel=${channel} guild=${guild} leaf=${leaf} onDone=${back} onCancel=${back} />`
      : html`<${Picker} key=${`${channel}.${turn}`} session=${session} channel=${channel} onPick=${setLeaf} start=${turn > 0 ? '' : undefined} />`}
  </div>`;
}
