// A backend with a hook of Bellhop over HTTP: it refuses messages with links, hides a word, and counts the messages of each channel.
// It needs Node.js and no packages.
//
//   VERIFY_KEY=... PORT=9000 node backend.mjs
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

// The key from the log of the service, or from GET /admin/v1/hooks: 32 bytes in hexadecimal.
const key = createPublicKey({
	format: "jwk",
	key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(process.env.VERIFY_KEY ?? "", "hex").toString("base64url") },
});

// Calls that are older than five minutes are not accepted, so nobody can send a recorded call again later.
const longestAge = 300;

function genuine(request, body) {
	const timestamp = request.headers["x-signature-timestamp"] ?? "";
	const signature = Buffer.from(request.headers["x-signature-ed25519"] ?? "", "hex");
	const age = Math.abs(Date.now() / 1000 - Number(timestamp));
	return age < longestAge && verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, signature);
}

// before decides on a message: an empty object allows it.
function before(message) {
	if (/https?:/.test(message.content)) return { refuse: "Links are not allowed here." };
	if (message.content.includes("darn")) return { change: { content: message.content.replaceAll("darn", "****") } };
	return {};
}

// A call after can come more than once, so calls that are known do not count.
const known = new Set();
const counts = new Map();
function after(id, message) {
	if (known.has(id)) return;
	known.add(id);
	counts.set(message.channel_id, (counts.get(message.channel_id) ?? 0) + 1);
}

const server = createServer(async (request, response) => {
	if (request.method === "GET") {
		response.end(JSON.stringify(Object.fromEntries(counts)));
		return;
	}
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	const body = Buffer.concat(chunks);
	if (!genuine(request, body)) {
		response.writeHead(401).end();
		return;
	}
	const call = JSON.parse(body.toString());
	let answer = {};
	if (call.phase === "before") answer = before(call.data);
	else after(call.id, call.data);
	response.setHeader("Content-Type", "application/json");
	response.end(JSON.stringify(answer));
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
