// Makes discord.js use Bellhop. Load it before a bot: node --import ./base-url.mjs bot.js
import { DefaultRestOptions } from 'discord.js';

DefaultRestOptions.api = `${process.env.BELLHOP_URL}/api`;
