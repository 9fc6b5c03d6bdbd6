package socket

import (
	"bytes"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// codec is the compressed stream of one socket. It is used by whoever writes the socket.
type codec interface {
	// pack returns a payload, given in two parts, as the next piece of the stream. It is valid until the next call.
	pack(text, rest []byte) ([]byte, error)
}

// window is how far back a stream looks. Payloads of one session resemble each other within far less.
const window = 64 << 10

// newCodec returns the stream that a client asks for, nil for none.
func (p *Pool) newCodec(name string) (codec, error) {
	if name != "zlib-stream" && name != "zstd-stream" {
		return nil, nil //nolint:nilnil // no stream is an answer
	}
	if p.contexts.Add(1) > int64(p.bounds.MaxContexts) {
		p.contexts.Add(-1)
		return nil, ErrFull
	}
	if name == "zstd-stream" {
		return newZstd()
	}
	return newZlib()
}

// release gives up the stream.
func (k *Socket) release() {
	if k.codec != nil {
		k.Pool.contexts.Add(-1)
	}
}

// stream is a compressor that can be told to bring out what it holds.
type stream interface {
	Write(p []byte) (int, error)
	Flush() error
}

// packer is a codec over a stream.
type packer struct {
	stream stream
	out    bytes.Buffer
}

func (p *packer) pack(text, rest []byte) ([]byte, error) {
	p.out.Reset()
	if p.out.Cap() > maxKeptPacked {
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

// maxKeptPacked is how large an output buffer may be that a socket keeps.
const maxKeptPacked = 16 << 10

func newZlib() (codec, error) {
	p := &packer{}
	w, err := zlib.NewWriterLevel(&p.out, zlib.BestSpeed)
	p.stream = w
	return p, err
}

func newZstd() (codec, error) {
	p := &packer{}
	w, err := zstd.NewWriter(&p.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	p.stream = w
	return p, err
}
