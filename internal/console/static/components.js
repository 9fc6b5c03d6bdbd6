// Components of messages: buttons, select menus and layout.

/** @import { Component } from '../types/wire.js' */
/** @import { Item } from './combobox.js' */
/** @import { MentionNames } from './markdown.js' */
/** @import { Place } from './premium.js' */
/** @import { LoadedGuild } from './session.js' */
import { Combobox } from './combobox.js';
import { EmojiView, emojiText } from './emoji.js';
import { Markdown } from './markdown.js';
import { Picture } from './media.js';
import { PremiumButton } from './premium.js';
import { t } from './text.js';
import { html, Text } from './ui.js';
import { displayName, handle } from './user.js';
import { useState } from './vendor/hooks.js';

/** Types of components. */
export const componentType = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
};

/**
 * UseComponent is called when the user uses a component.
 * @typedef {(component: Component, values?: string[]) => unknown} UseComponent
 */

/**
 * borderColor returns the style of a colored border.
 * @param {number | null | undefined} color
 */
export function borderColor(color) {
  const hex = color && color > 0 ? `#${color.toString(16).padStart(6, '0')}` : undefined;
  return { borderInlineStartColor: hex };
}

/** @type {Record<number, string>} */
const buttonClasses = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger' };
const linkStyle = 5;
const premiumStyle = 6;

/** @param {{ button: Component, onUse: UseComponent, place?: Place }} props */
function Button({ button, onUse, place }) {
  const { style = 2, label, emoji } = button;
  const url = button.url ?? '';
  const content = html`<${EmojiView} emoji=${emoji} /> <${Text} value=${label ?? ''} max=${80} />`;
  if (style === linkStyle) {
    if (!/^https?:/.test(url)) return html`<span class="component">${content}</span>`;
    const rel = 'noopener noreferrer nofollow';
    return html`<a class="component link" href=${url} target="_blank" rel=${rel}>${content} ↗</a>`;
  }
  if (style === premiumStyle) return html`<${PremiumButton} button=${button} place=${place} />`;
  return html`
    <button type="button" class="component ${buttonClasses[style] ?? 'secondary'}" disabled=${button.disabled}
      aria-label=${label ? undefined : emojiText(emoji) || button.custom_id} onClick=${() => onUse(button)}>
      ${content}
    </button>
  `;
}

/**
 * A user, a role or a channel of a guild. type is the type of a channel.
 * @typedef {Item<string> & { type?: number }} GuildItem
 */

/**
 * guildItems returns the users, roles or channels that a select menu of a type offers.
 * @param {number} type
 * @param {LoadedGuild | undefined} guild
 * @returns {GuildItem[]}
 */
export function guildItems(type, guild) {
  const { members = [], roles = [], channels = [] } = guild ?? {};
  const users = () =>
    members.map(({ nick, user }) => ({
      value: user.id,
      name: nick ?? displayName(user),
      note: handle(user, nick ?? displayName(user)),
      icon: '@',
    }));
  const roleItems = () => roles.map((r) => ({ value: r.id, name: r.name, icon: '@&' }));
  switch (type) {
    case componentType.userSelect:
      return users();
    case componentType.roleSelect:
      return roleItems();
    case componentType.mentionableSelect:
      return [...users(), ...roleItems()];
    case componentType.channelSelect:
      return channels.map((c) => ({ value: c.id, name: c.name ?? '', icon: '#', type: c.type }));
    default:
      return [];
  }
}

/**
 * allowsChannel reports whether a list of channel types is empty or contains the type of an item.
 * @param {number[] | undefined} types
 * @param {GuildItem} item
 */
export const allowsChannel = (types, item) => !types?.length || (item.type !== undefined && types.includes(item.type));

/**
 * menuItems returns everything that a select menu offers.
 * @param {Component} menu
 * @param {LoadedGuild | undefined} guild
 * @returns {GuildItem[]}
 */
export function menuItems(menu, guild) {
  if (menu.type !== componentType.stringSelect) {
    return guildItems(menu.type, guild).filter((item) => allowsChannel(menu.channel_types, item));
  }
  return (menu.options ?? []).map((o) => ({
    value: o.value,
    name: `${emojiText(o.emoji)} ${o.label}`.trim(),
    note: o.description,
  }));
}

/**
 * SelectMenu is a select menu. If it takes several values, the user sends them with a button.
 * @param {{ menu: Component, onUse: UseComponent, guild?: LoadedGuild, label?: string }} props
 */
export function SelectMenu({ menu, onUse, guild, label }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(() => (menu.options ?? []).filter((o) => o.default).map((o) => o.value));
  const placeholder = menu.placeholder ?? t.choose;
  const max = menu.max_values ?? 1;
  const min = menu.min_values ?? 1;
  if (menu.disabled) return html`<span class="component select">${placeholder}</span>`;
  const several = max > 1;
  const all = menuItems(menu, guild);
  const items = all
    .filter((item) => item.name.toLowerCase().includes(text.toLowerCase()))
    .filter((item) => !(several && chosen.includes(item.value)))
    .slice(0, 25);
  const pick = (/** @type {GuildItem} */ item) => {
    setText('');
    if (!several) onUse(menu, [item.value]);
    else if (chosen.length < max) setChosen([...chosen, item.value]);
  };
  const remove = (/** @type {string} */ value) => setChosen(chosen.filter((v) => v !== value));
  const chips = chosen.map(
    (value) => html`
      <button key=${value} type="button" class="chip" onClick=${() => remove(value)}>
        <${Text} value=${all.find((item) => item.value === value)?.name ?? value} max=${100} />${' '}
        <span aria-hidden="true">✕</span>
      </button>
    `,
  );
  const send = html`
    <button type="button" class="component primary" disabled=${chosen.length < min}
      onClick=${() => onUse(menu, chosen)}>${t.send}</button>
  `;
  return html`
    <div class="select-menu">
      ${several && chips}
      <${Combobox} label=${label ?? placeholder} placeholder=${placeholder} value=${text} onValue=${setText}
        items=${items} onPick=${pick} empty=${t.noMatch} />
      ${several && send}
    </div>
  `;
}

/** @typedef {{ onUse: UseComponent, guild?: LoadedGuild, names: MentionNames, place?: Place }} ComponentContext */

/**
 * ComponentView shows a component with the components in it.
 * @param {{ component: Component } & ComponentContext} props
 */
export function ComponentView({ component, onUse, guild, names, place }) {
  const show = (/** @type {Component[] | undefined} */ list) =>
    list?.map(
      (c, i) => html`
        <${ComponentView} key=${c.id ?? i} component=${c} onUse=${onUse} guild=${guild} names=${names} place=${place} />
      `,
    );
  switch (component.type) {
    case componentType.actionRow:
      return html`<div class="action-row">${show(component.components)}</div>`;
    case componentType.button:
      return html`<${Button} button=${component} onUse=${onUse} place=${place} />`;
    case componentType.stringSelect:
    case componentType.userSelect:
    case componentType.roleSelect:
    case componentType.mentionableSelect:
    case componentType.channelSelect:
      return html`<${SelectMenu} menu=${component} onUse=${onUse} guild=${guild} />`;
    case componentType.section:
      return html`
        <div class="section">
          <div>${show(component.components)}</div>
          ${component.accessory && show([component.accessory])}
        </div>
      `;
    case componentType.textDisplay:
      return html`<${Markdown} text=${component.content} names=${names} />`;
    case componentType.thumbnail:
      return html`<${Picture} url=${component.media?.url} label=${component.description} />`;
    case componentType.mediaGallery:
      return html`
        <div class="gallery">
          ${component.items?.map((m, i) => html`<${Picture} key=${i} url=${m.media?.url} label=${m.description} />`)}
        </div>
      `;
    case componentType.file:
      return html`<${Picture} url=${component.file?.url} label=${component.name ?? t.file} />`;
    case componentType.separator:
      return html`<hr />`;
    case componentType.container:
      return html`
        <div class="container" style=${borderColor(component.accent_color)}>${show(component.components)}</div>
      `;
    default:
      return html`<p class="note">${t.unknownComponent(component.type)}</p>`;
  }
}
