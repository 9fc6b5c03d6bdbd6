package socket

import (
	"bytes"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// codec compresses the payloads of one connection as one stream. Only the writing goroutine uses it.
type codec interface {
	// compress returns a payload, given in two parts, as the next part of the stream. The result is valid until the
	// next call.
	compress(text, rest []byte) ([]byte, error)
}

// The names of codecs, as clients ask for them.
const (
	zlibStream = "zlib-stream"
	zstdStream = "zstd-stream"
)

// window is the size of the compression window. The payloads of a session repeat within far less.
const window = 64 << 10

// newCodec returns the codec with one of the names above.
func (p *Pool) newCodec(name string) (codec, error) {
	if p.contexts.Add(1) > int64(p.bounds.MaxContexts) {
		p.contexts.Add(-1)
		return nil, ErrFull
	}
	if name == zstdStream {
		return newZstd()
	}
	return newZlib()
}

// release frees the connection's share of MaxContexts.
func (k *Socket) release() {
	if k.codec != nil {
		k.Pool.contexts.Add(-1)
	}
}

// stream is a compressor that can be flushed.
type stream interface {
	Write(p []byte) (int, error)
	Flush() error
}

// streamCodec is a codec that writes to a stream.
type streamCodec struct {
	stream stream
	out    bytes.Buffer
}

func (p *streamCodec) compress(text, rest []byte) ([]byte, error) {
	p.out.Reset()
	if p.out.Cap() > maxKeptOutput {
		p.out = bytes.Buffer{}
	}
	for _, part := range [2][]byte{text, rest} {
		if len(part) == 0 {
			continue
		}
		if _, err := p.stream.Write(part); err != nil {
			return nil, err
		}
	}
	if err := p.stream.Flush(); err != nil {
		return nil, err
	}
	return p.out.Bytes(), nil
}

// maxKeptOutput bounds the output buffer that a connection keeps.
const maxKeptOutput = 16 << 10

func newZlib() (codec, error) {
	p := &streamCodec{}
	w, err := zlib.NewWriterLevel(&p.out, zlib.BestSpeed)
	p.stream = w
	return p, err
}

func newZstd() (codec, error) {
	p := &streamCodec{}
	w, err := zstd.NewWriter(&p.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	p.stream = w
	return p, err
}
