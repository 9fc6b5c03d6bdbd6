// An app that receives interactions over HTTP and verifies signatures with discord-interactions. It answers with every
// response type, both in the HTTP response and with the callback endpoint. It sets its own endpoint URL, which starts the
// handshake.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { InteractionResponseType, InteractionType, verifyKey } from 'discord-interactions';

const read = (name) => process.env[name] || assert.fail(`${name} is not set`);
const origin = read('BELLHOP_URL');
const application = read('BELLHOP_APPLICATION_ID');
const guild = read('BELLHOP_GUILD_ID');
const channel = read('BELLHOP_CHANNEL_ID');
const api = `${origin}/api/v10`;
const bot = { Authorization: `Bot ${read('BELLHOP_BOT_TOKEN')}` };
const user = { Authorization: read('BELLHOP_USER_TOKEN') };
const steps = [];

// call sends a request and returns the decoded response. It throws if the status is not in want.
async function call(method, url, { body, headers, want = [200, 201, 204] } = {}) {
  const response = await fetch(url, {
    method, headers: { 'Content-Type': 'application/json', ...headers }, body: body && JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(want.includes(response.status), `${method} ${url}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

// The state of the app: its next answer, and the handler of received interactions.
let publicKey;
let answer; // { body, back }: if back is true, the app uses the callback endpoint
let received = () => {};
const refused = [];

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const [signature, timestamp] = [request.headers['x-signature-ed25519'], request.headers['x-signature-timestamp']];
  if (!(await verifyKey(body, signature, timestamp, publicKey))) {
    refused.push(JSON.parse(body));
    response.writeHead(401).end('bad signature');
    return;
  }
  // Many frameworks verify the re-encoded body instead of the received bytes.
  assert.ok(await verifyKey(JSON.stringify(JSON.parse(body)), signature, timestamp, publicKey));
  const interaction = JSON.parse(body);
  if (interaction.type === InteractionType.PING) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ type: InteractionResponseType.PONG }));
    return;
  }
  const { body: answered, back } = answer;
  if (!back) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answered));
    received({ interaction });
    return;
  }
  response.writeHead(202).end();
  const receipt = await call('POST', `${api}/interactions/${interaction.id}/${interaction.token}/callback?with_response=true`, { body: answered });
  received({ interaction, receipt });
});

// use invokes a command as a user and returns the result.
async function use(command, body, back, more = {}) {
  answer = { body, back };
  return call('POST', `${origin}/_dev/invoke`, { body: { as: 'eve', in: channel, command, ...more } });
}

// send sends an interaction as a user's client and returns what the app received.
async function send(body, answered, back) {
  answer = { body: answered, back };
  const arrived = new Promise((resolve) => {
    received = (entry) => entry.interaction.type === body.type && resolve(entry); // skips an earlier interaction
  });
  await call('POST', `${api}/interactions`, {
    headers: user, body: { application_id: application, guild_id: guild, channel_id: channel, ...body }, want: [204],
  });
  return arrived;
}

// original polls the original response of an interaction until it is as expected. The service may process the HTTP response
// after the app has continued.
async function original({ token }, expected) {
  for (let tries = 0; ; tries++) {
    const message = await call('GET', `${api}/webhooks/${application}/${token}/messages/@original`, { want: [200, 404] });
    if (expected(message) || tries === 100) {
      assert.ok(expected(message), JSON.stringify(message));
      return message;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function step(name, run) {
  try {
    await run();
  } catch (error) {
    throw new Error(name, { cause: error });
  }
  steps.push(name);
}

const Type = InteractionResponseType;
const button = { type: 1, components: [{ type: 2, style: 1, label: 'Press', custom_id: 'press' }] };
const modal = {
  type: Type.MODAL,
  data: { custom_id: 'form', title: 'Form', components: [{ type: 1, components: [{ type: 4, custom_id: 'text', style: 1, label: 'Text' }] }] },
};

async function answersIn(how, back) {
  await step(`${how}: message`, async () => {
    const out = await use('/serve dish:soup', { type: Type.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: 'Soup', components: [button] } }, back);
    assert.equal(out.outcome, 'answered');
    assert.equal(out.messages[0].content, 'Soup');
    assert.equal(out.interaction.data.options[0].value, 'soup');
  });
  await step(`${how}: deferred message, filled in, and a follow-up`, async () => {
    const out = await use('/serve dish:stew', { type: Type.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE }, back);
    assert.equal(out.outcome, 'deferred');
    assert.equal(out.messages[0].flags, 128);
    const hook = `${api}/webhooks/${application}/${out.interaction.token}`;
    const filled = await call('PATCH', `${hook}/messages/@original`, { body: { content: 'Stew' } });
    assert.deepEqual([filled.id, filled.content, filled.flags], [out.messages[0].id, 'Stew', 0]);
    const more = await call('POST', hook, { body: { content: 'And bread', flags: 64 } });
    assert.deepEqual([more.content, more.flags, more.message_reference.message_id], ['And bread', 64, filled.id]);
    await call('DELETE', `${hook}/messages/${more.id}`);
    await call('GET', `${hook}/messages/${more.id}`, { want: [404] });
  });
  await step(`${how}: suggestions`, async () => {
    const choices = [{ name: 'Soup', value: 'soup' }];
    const out = await use('/serve dish:so', { type: Type.APPLICATION_COMMAND_AUTOCOMPLETE_RESULT, data: { choices } }, back, { autocomplete: 'dish' });
    assert.deepEqual(out.choices, choices);
    assert.equal(out.interaction.type, InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE);
    assert.equal(out.interaction.data.options[0].focused, true);
  });
  await step(`${how}: modal, and its submission`, async () => {
    const out = await use('/serve dish:form', modal, back);
    assert.equal(out.modal.title, 'Form');
    const { interaction } = await send(
      { type: 5, data: { id: out.interaction.id, custom_id: 'form', components: [{ type: 1, components: [{ type: 4, custom_id: 'text', value: 'Salt' }] }] } },
      { type: Type.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: 'Salted' } }, back,
    );
    assert.equal(interaction.data.components[0].components[0].value, 'Salt');
    await original(interaction, (message) => message?.content === 'Salted');
  });
  await step(`${how}: component, deferred and updated`, async () => {
    const { messages: [message] } = await use('/serve dish:menu', { type: Type.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: 'Menu', components: [button] } }, back);
    const press = { type: 3, message_id: message.id, data: { component_type: 2, custom_id: 'press' } };
    const deferred = await send(press, { type: Type.DEFERRED_UPDATE_MESSAGE }, back);
    assert.equal(deferred.interaction.message.id, message.id);
    await original(deferred.interaction, (got) => got?.content === 'Menu');
    const updated = await send(press, { type: Type.UPDATE_MESSAGE, data: { content: 'Sold out', components: [] } }, back);
    const got = await original(updated.interaction, (now) => now?.content === 'Sold out');
    assert.deepEqual([got.id, got.components], [message.id, []]);
    if (back) assert.equal(updated.receipt.resource.message.id, message.id);
  });
  await step(`${how}: activity`, async () => {
    const out = await use('/serve dish:game', { type: Type.LAUNCH_ACTIVITY }, back);
    assert.equal(out.outcome, 'launched');
    const instance = await call('GET', `${api}/applications/${application}/activity-instances/${out.activity.instance_id}`, { headers: bot });
    assert.equal(instance.location.channel_id, channel);
  });
}

async function main() {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  publicKey = (await call('GET', `${api}/applications/@me`, { headers: bot })).verify_key;
  await step('handshake', async () => {
    const url = `http://127.0.0.1:${server.address().port}/interactions`;
    const set = await call('PATCH', `${api}/applications/@me`, { headers: bot, body: { interactions_endpoint_url: url } });
    assert.equal(set.interactions_endpoint_url, url);
    assert.equal(refused.length, 1, 'the handshake sends one wrong signature');
  });
  await call('POST', `${api}/applications/${application}/commands`, {
    headers: bot,
    body: { name: 'serve', description: 'Serve a dish', options: [{ type: 3, name: 'dish', description: 'Which', autocomplete: true }] },
  });
  await answersIn('at once', false);
  await answersIn('by callback', true);
  await step('a second answer is refused', async () => {
    const out = await use('/serve dish:soup', { type: Type.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: 'Soup' } }, false);
    const { id, token } = out.interaction;
    const error = await call('POST', `${api}/interactions/${id}/${token}/callback`, { body: { type: 4, data: { content: 'Again' } }, want: [400] });
    assert.equal(error.code, 40060);
  });
}

try {
  await main();
  const { version } = JSON.parse(readFileSync(new URL('../node_modules/discord-interactions/package.json', import.meta.url), 'utf8'));
  console.log(JSON.stringify({ library: 'discord-interactions', version, steps }));
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
