// The Permissions page: who can use which command in a guild, and why.

/** @import { Application, Channel, Command, CommandPermission, CommandPermissions } from '../types/wire.js' */
/** @import { Explanation, Role, User, WorldGuild, WorldMember } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Column, Row } from './permission-matrix.js' */
/** @import { SelectChoice } from './ui.js' */
import { useParameters } from './address.js';
import { permissionsOf } from './bits.js';
import { commandTypes } from './definition.js';
import { APIError, api } from './http.js';
import { Decision } from './permission-decision.js';
import { PermissionMatrix, target, useCells } from './permission-matrix.js';
import { Ranks } from './permission-ranks.js';
import { SearchSelect } from './search-select.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { Empty, html, Problem, Skeleton } from './ui.js';
import { fullName } from './user.js';
import { useState } from './vendor/hooks.js';

/**
 * What the page shows of a guild and of an application in it.
 * @typedef {object} Loaded
 * @property {Role[]} roles
 * @property {Channel[]} channels
 * @property {WorldMember[]} members
 * @property {Row[]} rows
 */

/** @param {Command} command */
const commandLabel = ({ type, name }) => (type === 1 ? `/${name}` : name);

/**
 * @param {Clients} clients
 * @param {Application} app
 * @param {string} guild
 * @returns {Promise<Loaded>}
 */
async function load(clients, app, guild) {
  const client = clients.app(app.id);
  const ofGuild = `/admin/v1/guilds/${guild}`;
  const ofApp = `${api}/applications/${app.id}`;
  /** @type {[Role[], Channel[], WorldMember[], Command[], Command[], CommandPermissions[]]} */
  const [roles, channels, members, globalCommands, guildCommands, stored] = await Promise.all([
    clients.operator.get(`${ofGuild}/roles`),
    clients.operator.get(`${ofGuild}/channels`),
    clients.operator.get(`${ofGuild}/members?limit=1000`),
    client.get(`${ofApp}/commands`),
    client.get(`${ofApp}/guilds/${guild}/commands`),
    client.get(`${ofApp}/guilds/${guild}/commands/permissions`),
  ]);
  const entries = new Map(stored.map((s) => [s.id, s.permissions]));
  const commands = [...globalCommands, ...guildCommands].map((c) => ({
    id: c.id,
    label: commandLabel(c),
    type: c.type === 1 ? undefined : commandTypes[c.type].replaceAll('_', ' '), // breaks between words
    needs: c.default_member_permissions,
    entries: entries.get(c.id) ?? [],
  }));
  const all = {
    id: app.id,
    label: t.allCommands(app.name),
    isApp: true,
    entries: entries.get(app.id) ?? [],
  };
  return { roles, channels, members, rows: [all, ...commands] };
}

const firstThread = 10;
const lastThread = 12;

/** @param {Channel} channel */
const isThread = ({ type }) => type >= firstThread && type <= lastThread;

/**
 * columnsOf returns what overwrites can name: all roles and channels, and the people that some overwrite names. The id
 * of the role @everyone is the id of the guild, and the id of "all channels" is one less.
 * @param {Loaded} loaded
 * @param {string} guild
 * @param {string[]} people ids of people
 * @param {(id: string) => string} nameOf
 * @returns {Column[]}
 */
function columnsOf({ roles, channels }, guild, people, nameOf) {
  return [
    { type: target.role, id: guild, name: '@everyone' },
    ...roles.map((r) => ({ type: target.role, id: r.id, name: `@${r.name}` })),
    {
      type: target.channel,
      id: String(BigInt(guild) - 1n),
      name: t.allChannels,
    },
    ...channels.filter((c) => !isThread(c)).map((c) => ({ type: target.channel, id: c.id, name: `#${c.name}` })),
    ...people.map((id) => ({ type: target.user, id, name: nameOf(id) })),
  ];
}

/**
 * cannotEdit returns why a person cannot edit overwrites in a guild: the names of the missing permissions, or an empty
 * list if nothing is missing.
 * @param {Loaded} loaded
 * @param {WorldGuild} guild
 * @param {string} editor
 */
function cannotEdit({ roles, members }, guild, editor) {
  if (guild.owner === editor) return [];
  const own = members.find((m) => m.user === editor)?.roles ?? [];
  const sets = [guild.everyone, ...roles.filter((r) => own.includes(r.id)).map((r) => r.permissions)];
  const has = new Set(sets.flatMap((bits) => permissionsOf(bits)));
  return has.has('ADMINISTRATOR') ? [] : ['MANAGE_GUILD', 'MANAGE_ROLES'].filter((name) => !has.has(name));
}

/**
 * Refusal says which permissions the editor lacks.
 * @param {{ name: string, isMember: boolean, missing: string[] }} props
 */
function Refusal({ name, isMember, missing }) {
  if (!isMember) return html`<p class="callout warn" role="status">${t.editorNoMember(name)}</p>`;
  if (missing.length === 0) return null;
  return html`<p class="callout warn" role="status">${t.editorLacks(name, t.listOf(missing))}</p>`;
}

/**
 * useDecisions loads, for each command, whether a person can use it in a channel.
 * @param {Clients} clients
 * @param {Row[]} rows
 * @param {{ app: string, person: string, channel: string }} question
 */
function useDecisions(clients, rows, { app, person, channel }) {
  const asked = rows.filter((r) => !r.isApp);
  const stored = JSON.stringify(rows.map((r) => [r.id, r.entries, r.needs]));
  return useQuery(async () => {
    if (!(person && channel)) return new Map();
    const answers = asked.map(async ({ id }) => {
      const query = new URLSearchParams({
        as: person,
        in: channel,
        command: id,
        application: app,
      });
      /** @type {Explanation} */
      const explanation = await clients.operator.get(`/admin/v1/explain?${query}`);
      return /** @type {const} */ ([id, explanation]);
    });
    return new Map(await Promise.all(answers));
  }, [clients, stored, app, person, channel]);
}

/**
 * pick returns the wanted id if a list has it, otherwise the first of the list.
 * @param {{ id: string }[]} list
 * @param {string} [wanted]
 */
const pick = (list, wanted) => (list.find((x) => x.id === wanted) ?? list[0])?.id ?? '';

/**
 * @typedef {object} BoardProps
 * @property {Clients} clients
 * @property {Application[]} applications
 * @property {Application} app
 * @property {WorldGuild} guild
 * @property {string} editor the person who changes overwrites
 * @property {User[]} people
 * @property {Loaded} loaded
 * @property {() => Promise<void>} reload
 */

/**
 * Board is the matrix of an application in a guild, and the decision about one command.
 * @param {BoardProps} props
 */
function Board({ clients, applications, app, guild, editor, people, loaded, reload }) {
  const [parameters, setParameters] = useParameters();
  const [added, setAdded] = useState(/** @type {string[]} */ ([]));
  const { members, channels } = loaded;
  const users = new Map(people.map((u) => [u.id, u]));
  const bots = new Map(applications.map((a) => [a.id, a.name]));
  const nicks = new Map(members.map((m) => [m.user, m.nick]));
  const nameOf = (/** @type {string} */ id) => {
    const user = users.get(id);
    return user ? fullName(user, nicks.get(id)) : (nicks.get(id) ?? bots.get(id) ?? id);
  };
  const save = async (/** @type {string} */ id, /** @type {CommandPermission[]} */ permissions) => {
    const client = clients.appForUser(app.id, editor, ['applications.commands.permissions.update']);
    const path = `${api}/applications/${app.id}/guilds/${guild.id}/commands/${id}/permissions`;
    await client.put(path, { permissions });
  };
  const cells = useCells(loaded.rows, save, reload);
  const person = pick(people, parameters.person);
  const places = channels.filter((c) => c.type === 0 || isThread(c));
  const channel = pick(places.length > 0 ? places : channels, parameters.channel);
  const decisions = useDecisions(clients, loaded.rows, {
    app: app.id,
    person,
    channel,
  });
  const command = pick(cells.rows.slice(1), parameters.command);
  const named = cells.rows.flatMap((r) => r.entries.filter((e) => e.type === target.user).map((e) => e.id));
  const shown = [...new Set([...named, ...added])];
  const columns = columnsOf(loaded, guild.id, shown, nameOf);
  const others = members.filter((m) => !shown.includes(m.user));
  const selected = cells.rows.find((r) => r.id === command);
  const isMember = members.some((m) => m.user === editor);
  const refusal = html`
    <${Refusal} name=${nameOf(editor)} isMember=${isMember} missing=${cannotEdit(loaded, guild, editor)} />
  `;
  const wasRefused = cells.error instanceof APIError && cells.error.status === 403;
  const nameOfTarget = (/** @type {CommandPermission} */ e) =>
    columns.find((c) => c.type === e.type && c.id === e.id)?.name ?? nameOf(e.id);
  /** @type {SelectChoice[]} */
  const personChoices = people.map((p) => [p.id, nameOf(p.id)]);
  return html`
    ${refusal}
    <${Problem} error=${cells.error} />
    ${wasRefused && html`<p class="note">${t.refusedHint}</p>`}
    <div class="permissions">
      <section aria-labelledby="overwrites">
        <h2 id="overwrites">${t.overwritesTitle}</h2>
        <p class="hint">${t.matrixHint}</p>
        <${PermissionMatrix} rows=${cells.rows} columns=${columns} decisions=${decisions.value ?? new Map()}
          person=${nameOf(person)} selected=${command} onCell=${cells.set}
          onSelect=${(/** @type {string} */ id) => setParameters({ command: id })}>
          <${SearchSelect} label=${t.addPerson} value=""
            choices=${[['', t.choose], ...others.map((m) => [m.user, nameOf(m.user)])]}
            onValue=${(/** @type {string} */ id) => setAdded([...added, id])} />
        <//>
      </section>
      <section class="card decision" aria-labelledby="decision">
        <h2 id="decision">${t.explain}</h2>
        <div class="line">
          <${SearchSelect} label=${t.person} value=${person} choices=${personChoices}
            onValue=${(/** @type {string} */ id) => setParameters({ person: id })} />
          <${SearchSelect} label=${t.channel} value=${channel}
            choices=${(places.length > 0 ? places : channels).map((c) => [c.id, `#${c.name}`])}
            onValue=${(/** @type {string} */ id) => setParameters({ channel: id })} />
          <${SearchSelect} label=${t.command} value=${command}
            choices=${cells.rows.slice(1).map((r) => [r.id, r.label])}
            onValue=${(/** @type {string} */ id) => setParameters({ command: id })} />
        </div>
        <${Problem} error=${decisions.error} />
        <${Decision} row=${selected} explanation=${decisions.value?.get(command)} nameOf=${nameOfTarget} />
      </section>
      <${Ranks} clients=${clients} guild=${guild} roles=${loaded.roles} members=${members} nameOf=${nameOf} />
    </div>
  `;
}

/** @param {{ clients: Clients, applications: Application[], guilds: WorldGuild[], people: User[] }} props */
export function Permissions({ clients, applications, guilds, people }) {
  const [parameters, setParameters] = useParameters();
  const guild = guilds.find((g) => g.id === parameters.guild) ?? guilds[0];
  const app = applications.find((a) => a.id === parameters.app) ?? applications[0];
  const found = useQuery(async () => {
    if (!(guild && app)) return null;
    return {
      of: `${guild.id} ${app.id}`,
      ...(await load(clients, app, guild.id)),
    };
  }, [clients, guild?.id, app?.id]);
  if (!(guild && app)) {
    const action = html`<a class="button primary" href="#/world">${t.openWorld}</a>`;
    return html`
      <main class="page">
        <h1>${t.permissions}</h1>
        <${Empty} icon="shield" title=${t.noAppsTitle} action=${action}>${t.noApps}<//>
      </main>
    `;
  }
  const of = `${guild.id} ${app.id}`;
  const editor = pick(people, parameters.editor || guild.owner);
  const loaded = found.value?.of === of ? found.value : null;
  return html`
    <main class="page wide-page">
      <h1>${t.permissions}</h1>
      <div class="line">
        <${SearchSelect} label=${t.guild} value=${guild.id} choices=${guilds.map((g) => [g.id, g.name])}
          onValue=${(/** @type {string} */ id) => setParameters({ guild: id, channel: '', editor: '' })} />
        <${SearchSelect} label=${t.application} value=${app.id} choices=${applications.map((a) => [a.id, a.name])}
          onValue=${(/** @type {string} */ id) => setParameters({ app: id, command: '' })} />
        <${SearchSelect} label=${t.editAs} value=${editor} choices=${people.map((p) => [p.id, fullName(p)])}
          onValue=${(/** @type {string} */ id) => setParameters({ editor: id })} />
      </div>
      <${Problem} error=${found.error} />
      ${!(loaded || found.error) && html`<${Skeleton} lines=${8} />`}
      ${
        loaded &&
        html`
          <${Board} key=${of} clients=${clients} applications=${applications} app=${app} guild=${guild} editor=${editor}
            people=${people} loaded=${loaded} reload=${found.reload} />
        `
      }
    </main>
  `;
}
