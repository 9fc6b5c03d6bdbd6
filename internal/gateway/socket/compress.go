package socket

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// The names of compressed streams, as clients ask for them.
const (
	zlibStream = "zlib-stream"
	zstdStream = "zstd-stream"
)

// codec encodes the payloads of one connection as one compressed stream. Only the writing goroutine uses it.
//
// A compressor needs hundreds of kilobytes, so a connection gets one only after its client has identified (see Compress),
// and only if fewer than MaxContexts others have one. Until then the codec writes blocks of the stream that contain the
// bytes unchanged, which needs no memory. A compressor can continue such a stream, because it refers only to bytes that it
// has compressed itself.
type codec struct {
	zstd    bool
	begun   bool // the header of the stream is written
	tried   bool // to get a compressor
	encoder encoder
	out     bytes.Buffer
}

// encoder is a compressor that can be flushed.
type encoder interface {
	Write(p []byte) (int, error)
	Flush() error
}

// newCodec returns the codec of a stream, or nil if the name is unknown.
func newCodec(name string) *codec {
	if name != zlibStream && name != zstdStream {
		return nil
	}
	return &codec{zstd: name == zstdStream}
}

// Compress allows the stream to use memory for compression, from the next payload on.
func (k *Socket) Compress() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.compresses = true
}

// takeContext takes a share of MaxContexts for the connection. decided is false if the client has not identified.
func (k *Socket) takeContext() (taken, decided bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.compresses || k.ended {
		return false, k.ended
	}
	if k.Pool.contexts.Add(1) > int64(k.Pool.bounds.MaxContexts) {
		k.Pool.contexts.Add(-1)
		return false, true
	}
	k.hasContext = true
	return true, true
}

// release frees the connection's share of MaxContexts.
func (k *Socket) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	if k.hasContext {
		k.hasContext = false
		k.Pool.contexts.Add(-1)
	}
}

// maxKeptOutput bounds the output buffer that a connection keeps.
const maxKeptOutput = 16 << 10

// encode returns a payload, given in two parts, as the next part of the stream. The result is valid until the next call.
func (c *codec) encode(k *Socket, text, rest []byte) ([]byte, error) {
	c.out.Reset()
	if c.out.Cap() > maxKeptOutput {
		c.out = bytes.Buffer{}
	}
	if !c.tried {
		taken, decided := k.takeContext()
		c.tried = decided
		if taken {
			if err := c.begin(); err != nil {
				return nil, err
			}
		}
	}
	if c.encoder == nil {
		c.store(text, rest)
		return c.out.Bytes(), nil
	}
	for _, part := range [2][]byte{text, rest} {
		if _, err := c.encoder.Write(part); err != nil {
			return nil, err
		}
	}
	if err := c.encoder.Flush(); err != nil {
		return nil, err
	}
	return c.out.Bytes(), nil
}

// window is the size of the compression window. The payloads of a session repeat within far less.
const window = 64 << 10

// The headers of streams. That of zlib says deflate with a window of 32 KiB, that of zstd a window of 64 KiB and no
// checksum.
var (
	zlibHeader = []byte{0x78, 0x01}
	zstdHeader = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x30}
)

var errHeader = errors.New("zstd: unexpected header")

// begin creates the compressor. If the stream has begun, the compressor continues it.
func (c *codec) begin() (err error) {
	if !c.zstd {
		c.header()
		c.encoder, err = flate.NewWriter(&c.out, flate.BestSpeed)
		return err
	}
	w, err := zstd.NewWriter(&c.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	c.encoder = w
	if !c.begun {
		return nil // the compressor writes the header
	}
	c.encoder = &continued{encoder: w, out: &c.out}
	return nil
}

// header writes the header of the stream once.
func (c *codec) header() {
	if c.begun {
		return
	}
	c.begun = true
	if c.zstd {
		c.out.Write(zstdHeader)
		return
	}
	c.out.Write(zlibHeader)
}

// store writes a payload to the stream without compression.
func (c *codec) store(parts ...[]byte) {
	c.header()
	for _, part := range parts {
		for len(part) > 0 {
			n := min(len(part), maxStored)
			c.block(part[:n])
			part = part[n:]
		}
	}
	if !c.zstd {
		c.block(nil) // clients recognize the end of a payload by an empty block
	}
}

// maxStored bounds a block: the length has 16 bits in zlib.
const maxStored = 1<<16 - 1

// block writes one block with bytes that are not compressed.
func (c *codec) block(data []byte) {
	if c.zstd { // 3 bytes: not the last block (bit 0), raw (bits 1 and 2), the length
		head := uint32(len(data)) << 3
		c.out.Write([]byte{byte(head), byte(head >> 8), byte(head >> 16)})
	} else { // not the last block, stored; the length, and its complement
		head := binary.LittleEndian.AppendUint16([]byte{0}, uint16(len(data)))
		c.out.Write(binary.LittleEndian.AppendUint16(head, ^uint16(len(data))))
	}
	c.out.Write(data)
}

// continued is a compressor that continues a stream of zstd. It removes the header that the compressor writes.
type continued struct {
	encoder

	out  *bytes.Buffer
	done bool
}

// Flush completes the payload.
func (c *continued) Flush() error {
	if err := c.encoder.Flush(); err != nil || c.done {
		return err
	}
	c.done = true
	if !bytes.HasPrefix(c.out.Bytes(), zstdHeader) {
		return errHeader
	}
	c.out.Next(len(zstdHeader))
	return nil
}
