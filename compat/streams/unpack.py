"""Decodes a compressed stream with the reference libraries. It reads chunks from standard input, each with its length
before it, and writes the decoded text of each chunk in the same format."""

import struct
import sys
import zlib

import zstandard

context = {
    "zlib-stream": zlib.decompressobj,
    "zstd-stream": lambda: zstandard.ZstdDecompressor().decompressobj(),
}[sys.argv[1]]()

while head := sys.stdin.buffer.read(4):
    chunk = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    text = context.decompress(chunk)
    sys.stdout.buffer.write(struct.pack(">I", len(text)) + text)
    sys.stdout.buffer.flush()
