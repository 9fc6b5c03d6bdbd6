"""Decodes a compressed stream with the reference libraries: reads pieces from its input, each after its length, and
writes what each of them brings out."""

import struct
import sys
import zlib

import zstandard

context = {
    "zlib-stream": zlib.decompressobj,
    "zstd-stream": lambda: zstandard.ZstdDecompressor().decompressobj(),
}[sys.argv[1]]()

while head := sys.stdin.buffer.read(4):
    piece = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    text = context.decompress(piece)
    sys.stdout.buffer.write(struct.pack(">I", len(text)) + text)
    sys.stdout.buffer.flush()
