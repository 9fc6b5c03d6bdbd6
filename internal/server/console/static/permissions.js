// The Permissions page: who can use which command in a guild, and why.

/** @import { Application, Channel, Command, CommandPermission, CommandPermissions } from '../types/wire.js' */
/** @import { Explanation, Role, User, WorldGuild, WorldMember } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { SelectChoice } from './ui.js' */
import { useState } from '/assets/vendor/hooks.js';
import { api } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { html, Loading, Problem, Select, Text, withoutDefault } from './ui.js';
import { displayName } from './user.js';

const targetRole = 1;
const targetUser = 2;
const targetChannel = 3;

/** @type {Record<number, string>} */
const targetKinds = t.targetKinds;

/**
 * The roles, users and channels that an overwrite can name, by the type of the overwrite.
 * @typedef {Record<number, SelectChoice[]>} Targets
 */

/**
 * loadTargets loads the targets of a guild. The id of the role @everyone is the id of the guild, and the id of "all
 * channels" is one less.
 * @param {Clients} clients
 * @param {string} id
 * @returns {Promise<Targets>}
 */
async function loadTargets(clients, id) {
  const path = `/admin/v1/guilds/${id}`;
  /** @type {[Role[], Channel[], WorldMember[], User[]]} */
  const [roles, channels, members, users] = await Promise.all([
    clients.operator.get(`${path}/roles`),
    clients.operator.get(`${path}/channels`),
    clients.operator.get(`${path}/members?limit=500`),
    clients.users(),
  ]);
  const names = new Map(users.map((u) => [u.id, displayName(u)]));
  return {
    [targetRole]: [[id, '@everyone'], ...roles.map((r) => choice(r.id, `@${r.name}`))],
    [targetUser]: members.map((m) => choice(m.user, m.nick ?? names.get(m.user) ?? m.user)),
    [targetChannel]: [[String(BigInt(id) - 1n), t.allChannels], ...channels.map((c) => choice(c.id, `#${c.name}`))],
  };
}

/**
 * @param {string} value
 * @param {string} label
 * @returns {SelectChoice}
 */
const choice = (value, label) => [value, label];

/**
 * @typedef {object} OverwritesProps
 * @property {CommandPermission[]} overwrites
 * @property {Targets} targets
 * @property {(overwrites: CommandPermission[]) => unknown} onChange
 */

/** @param {OverwritesProps} props */
function OverwriteList({ overwrites, targets, onChange }) {
  const toggle = (/** @type {CommandPermission} */ changed) =>
    onChange(overwrites.map((o) => (o === changed ? { ...o, permission: !o.permission } : o)));
  const remove = (/** @type {CommandPermission} */ removed) => onChange(overwrites.filter((o) => o !== removed));
  const items = overwrites.map((o) => {
    const name = targets[o.type]?.find(([id]) => id === o.id)?.[1] ?? o.id;
    const decision = o.permission ? t.allowed : t.denied;
    return html`
      <li key="${o.type}.${o.id}">
        <span class="badge">${targetKinds[o.type]}</span> <${Text} value=${name} max=${60} />
        <button type="button" class="small ${o.permission ? 'good' : 'danger'}" aria-label="${name}: ${decision}"
          onClick=${() => toggle(o)}>${o.permission ? '✓' : '✕'} ${decision}</button>
        <button type="button" class="small quiet" aria-label=${t.removeNamed(name)}
          onClick=${() => remove(o)}>✕</button>
      </li>
    `;
  });
  return html`<ul class="entries">${items}</ul>`;
}

/** @param {OverwritesProps} props */
function AddOverwrite({ overwrites, targets, onChange }) {
  const [type, setType] = useState(String(targetRole));
  const [id, setID] = useState('');
  const choices = targets[Number(type)] ?? [];
  const target = choices.some(([value]) => value === id) ? id : (choices[0]?.[0] ?? '');
  const add = () => {
    const others = overwrites.filter((o) => o.id !== target || String(o.type) !== type);
    onChange([...others, { id: target, type: Number(type), permission: true }]);
  };
  return html`
    <div class="line">
      <${Select} label=${t.kind} value=${type} onValue=${setType} choices=${Object.entries(targetKinds)} />
      <${Select} label=${t.who} value=${target} onValue=${setID} choices=${choices} />
      <button type="button" disabled=${!target} onClick=${add}>${t.add}</button>
    </div>
  `;
}

/**
 * @typedef {object} OverwriteCardProps
 * @property {string} title
 * @property {CommandPermission[]} overwrites
 * @property {Targets} targets
 * @property {(overwrites: CommandPermission[]) => Promise<unknown>} onSave
 */

/**
 * OverwriteCard edits the overwrites of one command, or of all commands of an application.
 * @param {OverwriteCardProps} props
 */
function OverwriteCard({ title, overwrites, targets, onSave }) {
  const [edited, setEdited] = useState(/** @type {CommandPermission[] | null} */ (null));
  const current = edited ?? overwrites;
  const save = useAction(async () => {
    await onSave(current);
    setEdited(null);
  });
  const cancel = () => {
    setEdited(null);
    save.clear();
  };
  return html`
    <li class="card">
      <details>
        <summary>
          <b><${Text} value=${title} max=${60} /></b> <span class="note">${t.overwrites(current.length)}</span>
        </summary>
        <div>
          <${OverwriteList} overwrites=${current} targets=${targets} onChange=${setEdited} />
          <${AddOverwrite} overwrites=${current} targets=${targets} onChange=${setEdited} />
        </div>
        <${Problem} error=${save.error} />
        ${
          edited &&
          html`
            <p>
              <button type="button" class="primary" disabled=${save.busy} onClick=${save.run}>${t.save}</button>${' '}
              <button type="button" onClick=${cancel}>${t.cancel}</button>
            </p>
          `
        }
      </details>
    </li>
  `;
}

/** @param {{ explanation: Explanation }} props */
function Decision({ explanation: { allowed, explanation, missing } }) {
  return html`
    <p class=${allowed ? 'good' : 'bad'}><b>${allowed ? t.allowed : t.denied}</b>: ${explanation}</p>
    ${missing?.length ? html`<p>${t.missing}: ${missing.join(', ')}</p>` : null}
  `;
}

/** @param {Command} command */
const commandLabel = ({ type, name }) => (type === 1 ? `/${name}` : name);

/**
 * @typedef {object} ExplainProps
 * @property {Clients} clients
 * @property {string} app
 * @property {User[]} people
 * @property {SelectChoice[]} channels
 * @property {Command[]} commands
 */

/**
 * Explain shows whether a user can use a command in a channel, and why.
 * @param {ExplainProps} props
 */
function Explain({ clients, app, people, channels, commands }) {
  const [user, setUser] = useState(people[0]?.username ?? '');
  const [channelID, setChannelID] = useState('');
  const [commandName, setCommandName] = useState('');
  const [explanation, setExplanation] = useState(/** @type {Explanation | null} */ (null));
  const labels = commands.map(commandLabel);
  const channel = channels.some(([id]) => id === channelID) ? channelID : (channels[0]?.[0] ?? '');
  const command = commandName || (labels[0] ?? '');
  const check = useAction(async () => {
    setExplanation(null);
    const query = new URLSearchParams({ as: user, in: channel, command, application: app });
    setExplanation(await clients.operator.get(`/admin/v1/explain?${query}`));
  });
  return html`
    <section>
      <h2>${t.explain}</h2>
      <form class="line" onSubmit=${withoutDefault(check.run)}>
        <${Select} label=${t.person} value=${user} onValue=${setUser}
          choices=${people.map((p) => [p.username, displayName(p)])} />
        <${Select} label=${t.channel} value=${channel} onValue=${setChannelID} choices=${channels} />
        <${Select} label=${t.command} value=${command} onValue=${setCommandName}
          choices=${labels.map((label) => [label, label])} />
        <button class="primary" disabled=${check.busy || !command}>${t.check}</button>
      </form>
      <${Problem} error=${check.error} />
      <div role="status">${explanation && html`<${Decision} explanation=${explanation} />`}</div>
    </section>
  `;
}

/**
 * loadPermissions loads the commands of an application in a guild, with their overwrites and possible targets.
 * @param {Clients} clients
 * @param {string} app
 * @param {string} guild
 */
async function loadPermissions(clients, app, guild) {
  const client = clients.app(app);
  const path = `${api}/applications/${app}`;
  /** @type {[Targets, Command[], Command[], CommandPermissions[]]} */
  const [targets, globalCommands, guildCommands, permissions] = await Promise.all([
    loadTargets(clients, guild),
    client.get(`${path}/commands`),
    client.get(`${path}/guilds/${guild}/commands`),
    client.get(`${path}/guilds/${guild}/commands/permissions`),
  ]);
  return {
    targets,
    commands: [...globalCommands, ...guildCommands],
    overwrites: new Map(permissions.map((p) => [p.id, p.permissions])),
  };
}

/** @param {{ clients: Clients, applications: Application[], guilds: WorldGuild[], people: User[] }} props */
export function Permissions({ clients, applications, guilds, people }) {
  const [guildID, setGuildID] = useState('');
  const [appID, setAppID] = useState('');
  const [editorID, setEditorID] = useState('');
  const guild = guilds.find((g) => g.id === guildID) ?? guilds[0];
  const app = applications.find((a) => a.id === appID) ?? applications[0];
  const editor = editorID || guild?.owner;
  const found = useQuery(
    async () => (guild && app ? loadPermissions(clients, app.id, guild.id) : null),
    [clients, guild?.id, app?.id],
  );
  if (!(guild && app)) return html`<main class="page"><h1>${t.permissions}</h1><p>${t.noApps}</p></main>`;
  const onSave = (/** @type {string} */ id) => async (/** @type {CommandPermission[]} */ permissions) => {
    const client = clients.appForUser(app.id, editor, ['applications.commands.permissions.update']);
    const path = `${api}/applications/${app.id}/guilds/${guild.id}/commands/${id}/permissions`;
    await client.put(path, { permissions });
    await found.reload();
  };
  const cards = () => {
    if (!found.value) return null;
    const { targets, commands, overwrites } = found.value;
    const card = (/** @type {string} */ id, /** @type {string} */ title) => html`
      <${OverwriteCard} key=${id} title=${title} overwrites=${overwrites.get(id) ?? []} targets=${targets}
        onSave=${onSave(id)} />
    `;
    return html`
      <ul class="cards">
        ${card(app.id, t.allCommands(app.name))}
        ${commands.map((c) => card(c.id, commandLabel(c)))}
      </ul>
      <${Explain} clients=${clients} app=${app.id} people=${people} channels=${targets[targetChannel].slice(1)}
        commands=${commands} />
    `;
  };
  return html`
    <main class="page">
      <h1>${t.permissions}</h1>
      <div class="line">
        <${Select} label=${t.guild} value=${guild.id} onValue=${setGuildID}
          choices=${guilds.map((g) => [g.id, g.name])} />
        <${Select} label=${t.application} value=${app.id} onValue=${setAppID}
          choices=${applications.map((a) => [a.id, a.name])} />
        <${Select} label=${t.editAs} value=${editor} onValue=${setEditorID}
          choices=${people.map((p) => [p.id, displayName(p)])} />
      </div>
      <${Problem} error=${found.error} />
      ${found.busy && !found.value ? html`<${Loading} />` : null}
      ${cards()}
    </main>
  `;
}
