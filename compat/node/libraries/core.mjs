// A bot with @discordjs/rest and @discordjs/ws, written for Discord alone.
import { createRequire } from 'node:module';
import { REST } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import { answerTo, channel, commands, intents, note } from './conversation.mjs';

// The copy of @discordjs/ws that discord.js depends on.
const { WebSocketManager, WebSocketShardEvents } = createRequire(import.meta.resolve('discord.js'))('@discordjs/ws');

const token = process.env.DISCORD_TOKEN;
const rest = new REST({ version: '10' }).setToken(token);
const manager = new WebSocketManager({ token, intents, rest });
const report = (error) => console.error(error);

manager.on(WebSocketShardEvents.Error, report);
manager.on(WebSocketShardEvents.Resumed, () => rest.post(Routes.channelMessages(channel), { body: { content: 'resumed' } }).catch(report));
manager.on(WebSocketShardEvents.Dispatch, (argument) => { // it differs between versions of the package
  const { t, d } = argument.data ?? argument;
  note(t);
  if (t === 'READY') rest.put(Routes.applicationCommands(d.application.id), { body: commands }).catch(report);
  if (t === 'INTERACTION_CREATE') answer(d).catch(report);
});

async function answer(interaction) {
  const body = await answerTo(interaction, { write, rename });
  await rest.post(Routes.interactionCallback(interaction.id, interaction.token), { body, auth: false });
}

async function write(place) {
  const { id } = await rest.post(Routes.channelMessages(place), { body: { content: 'one' } });
  await rest.patch(Routes.channelMessage(place, id), { body: { content: 'two' } });
  await rest.put(Routes.channelMessageOwnReaction(place, id, encodeURIComponent('👍')));
}

async function rename(guild) {
  const role = (await rest.get(Routes.guildRoles(guild))).find(({ name }) => name === 'guests');
  await rest.patch(Routes.guildRole(guild, role.id), { body: { name: 'regulars' } });
}

await manager.connect();
