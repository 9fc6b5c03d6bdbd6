// Decodes a compressed stream with Node's zlib or with fzstd, a decoder in JavaScript. It reads chunks from standard input,
// each with its length before it, and writes the decoded text of each chunk in the same format.
import { constants, createInflate } from 'node:zlib';
import { Decompress } from 'fzstd';

const decoders = {
  'zlib-stream': () => {
    const inflate = createInflate({ flush: constants.Z_SYNC_FLUSH });
    return (chunk) => new Promise((resolve) => {
      const parts = [];
      const collect = (part) => parts.push(part);
      inflate.on('data', collect);
      inflate.write(chunk, () => {
        inflate.off('data', collect);
        resolve(parts);
      });
    });
  },
  'zstd-stream': () => {
    let parts = [];
    const stream = new Decompress((part) => parts.push(part));
    return (chunk) => {
      parts = [];
      stream.push(chunk);
      return parts;
    };
  },
};

const decode = decoders[process.argv[2]]();
let rest = Buffer.alloc(0);
for await (const part of process.stdin) {
  rest = Buffer.concat([rest, part]);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const end = 4 + rest.readUInt32BE(0);
    const text = Buffer.concat(await decode(rest.subarray(4, end)));
    rest = rest.subarray(end);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(text.length);
    process.stdout.write(Buffer.concat([head, text]));
  }
}
