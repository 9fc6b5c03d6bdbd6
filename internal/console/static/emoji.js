// Emojis: standard ones as text, custom ones as the images that this service stores.

/** @import { Emoji } from '../types/wire.js' */
import { html } from './ui.js';
import { useState } from './vendor/hooks.js';

/**
 * emojiText returns an emoji as text.
 * @param {Emoji | undefined} emoji
 */
export const emojiText = (emoji) => (emoji?.id ? `:${emoji.name}:` : (emoji?.name ?? ''));

/**
 * EmojiView shows an emoji. A custom one whose image the service does not have is shown by its name.
 * @param {{ emoji?: Emoji }} props
 */
export function EmojiView({ emoji }) {
  const [failed, setFailed] = useState(false);
  const name = emojiText(emoji);
  if (!emoji?.id || failed || !/^\d+$/.test(emoji.id)) return name;
  return html`
    <img class="emoji" src="emojis/${emoji.id}.webp?size=64" alt=${name} title=${name} loading="lazy"
      onError=${() => setFailed(true)} />
  `;
}
