// A bot with discord.js that sells: it lists its SKUs, grants a test entitlement, consumes and deletes it, and prints what it gets. It
// knows nothing of Bellhop: "bellhop run" starts it.
import { Client, EntitlementOwnerType, Events, GatewayIntentBits as Intents } from 'discord.js';

const client = new Client({ intents: [Intents.Guilds] });

client.on(Events.EntitlementCreate, (e) => console.log('created', e.skuId, e.userId, e.isActive()));
client.on(Events.EntitlementUpdate, (before, after) => console.log('updated', after.skuId, after.consumed));
client.on(Events.EntitlementDelete, (e) => console.log('deleted', e.skuId, e.deleted));
client.on(Events.SubscriptionCreate, (s) => console.log('subscribed', s.skuIds.join(), s.isActive?.() ?? s.status === 0));
client.once(Events.ClientReady, async () => {
  const { application } = client;
  const skus = await application.fetchSKUs();
  console.log('sells', skus.map((s) => s.name).join(), skus.first().slug);
  const coins = skus.find((s) => s.name === 'Coins');
  const granted = await application.entitlements.createTest({ sku: coins.id, user: process.env.USER_ID });
  console.log('granted', granted.skuId, granted.userId, granted.type);
  await application.entitlements.consume(granted.id);
  const list = await application.entitlements.fetch({ user: process.env.USER_ID });
  console.log('lists', list.map((e) => e.consumed).join());
  await application.entitlements.deleteTest(granted.id);
  const records = await application.editRoleConnectionMetadataRecords([{ type: 2, key: 'coins', name: 'Coins', description: 'How many' }]);
  console.log('records', records.map((r) => r.key).join(), (await application.fetchRoleConnectionMetadataRecords()).length);
  console.log('sold', EntitlementOwnerType.User);
});
client.on(Events.InteractionCreate, (interaction) => {
  console.log('invoked with', interaction.entitlements.map((e) => e.skuId).join());
  return interaction.reply('hello');
});

await client.login(process.env.DISCORD_TOKEN);
