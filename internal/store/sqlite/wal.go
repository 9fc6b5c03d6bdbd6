package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrLogDamaged says that a part of the write-ahead log is damaged and that commits behind it cannot be read. SQLite
// would ignore them without an error.
var ErrLogDamaged = errors.New("the write-ahead log is damaged")

// The layout of a write-ahead log: a header, then frames. A frame is a header and a page. The checksum of a frame covers
// all frames before it. SQLite uses the frames before the first wrong one, up to the last that ends a transaction. The
// salts in the headers are those of one generation of the log: frames with other salts are left from an earlier one.
const (
	logHeaderSize   = 32
	frameHeaderSize = 24
	logMagic        = 0x377f0682 // the lowest bit says that the checksums use big-endian words
	maxPageSize     = 64 << 10
)

// LogState is the result of CheckLog.
type LogState struct {
	Frames int64 // frames that SQLite uses
	Lost   int64 // frames of the same generation behind a damaged frame, if they belong to more than one transaction
	// Tail says that the log ends with an incomplete or damaged frame, or with a transaction that has no end or misses
	// frames. A crash in the middle of a write leaves such a tail. So does a log that was cut off.
	Tail bool
}

// CheckLog checks the write-ahead log at path. It returns ErrLogDamaged when commits are lost. It changes nothing. No
// process may have the database open.
func CheckLog(path string) (state LogState, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return LogState{}, nil
	}
	if err != nil {
		return LogState{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return LogState{}, err
	}
	return readLog(bufio.NewReaderSize(f, 1<<20), info.Size())
}

func readLog(r io.Reader, size int64) (state LogState, err error) {
	var header [logHeaderSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return LogState{Tail: true}, nil //nolint:nilerr // shorter than a header: SQLite has not synced a frame
	}
	l := logReader{salts: [8]byte(header[16:24]), order: binary.LittleEndian}
	if binary.BigEndian.Uint32(header[:])&1 == 1 {
		l.order = binary.BigEndian
	}
	l.add(header[:24])
	page := int64(binary.BigEndian.Uint32(header[8:]))
	intact := binary.BigEndian.Uint32(header[:])&^1 == logMagic && page >= 512 && page <= maxPageSize && l.matches(header[24:])
	if !intact {
		if size == logHeaderSize {
			return LogState{Tail: true}, nil
		}
		return LogState{}, fmt.Errorf("%w: its header is damaged, so none of its commits can be read", ErrLogDamaged)
	}
	return l.frames(r, page)
}

// logReader computes the checksums of a log.
type logReader struct {
	salts [8]byte
	order binary.ByteOrder
	sums  [2]uint32
}

// add adds bytes to the checksum. Their number is a multiple of 8.
func (l *logReader) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		l.sums[0] += l.order.Uint32(b) + l.sums[1]
		l.sums[1] += l.order.Uint32(b[4:]) + l.sums[0]
	}
}

func (l *logReader) matches(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == l.sums[0] && binary.BigEndian.Uint32(stored[4:]) == l.sums[1]
}

// frames reads the frames of a log whose header is intact. Frames behind a damaged one count as lost when they show that a
// transaction was on disk: SQLite writes the next transaction only after the last is there. Otherwise all of them belong to
// one transaction that was never acknowledged: a power failure may leave its frames with holes.
func (l *logReader) frames(r io.Reader, page int64) (state LogState, err error) {
	frame := make([]byte, frameHeaderSize+page)
	t := tail{pages: map[uint32]bool{}}
	for n := int64(1); ; n++ {
		size, err := io.ReadFull(r, frame)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			state.Tail = state.Tail || size > 0 || t.frames > 0
			break
		}
		if err != nil {
			return state, err
		}
		own := [8]byte(frame[8:16]) == l.salts
		ends := binary.BigEndian.Uint32(frame[4:]) != 0
		switch {
		case t.broken > 0 && own:
			t.add(frame, ends)
		case t.broken > 0:
		case !own: // the rest is of an earlier generation, or this frame is damaged: the next frames tell
			t.broken = n
		case !l.accepts(frame):
			t.broken, state.Tail = n, true
			t.add(frame, ends)
			t.frames-- // it is not behind itself
		case ends:
			state.Frames, t = n, tail{pages: map[uint32]bool{}}
		default:
			t.add(frame, false)
		}
	}
	if t.broken > 0 && t.several {
		state.Lost = t.behind(state.Frames)
		return state, fmt.Errorf("%w: frame %d cannot be read, and %d later ones depend on it", ErrLogDamaged, t.broken, state.Lost)
	}
	return state, nil
}

// tail is the end of a log: the frames after the last transaction that can be read.
type tail struct {
	broken  int64           // the first damaged frame; 0 if there is none
	frames  int64           // readable headers of this generation, without that of the damaged frame
	pages   map[uint32]bool // their pages
	ended   bool            // one of them ends a transaction
	several bool            // they belong to more than one transaction
}

// add adds a frame. A transaction has each page once, and no frame after the one that ends it.
func (t *tail) add(frame []byte, ends bool) {
	page := binary.BigEndian.Uint32(frame)
	t.several = t.several || t.ended || t.pages[page]
	t.pages[page] = true
	t.ended = t.ended || ends
	t.frames++
}

// behind returns how many frames are behind the damaged one. last is the last frame that can be used.
func (t *tail) behind(last int64) int64 { return t.frames - (t.broken - 1 - last) }

// accepts adds a frame to the checksum and reports whether the result is the one in the frame.
func (l *logReader) accepts(frame []byte) bool {
	l.add(frame[:8])
	l.add(frame[frameHeaderSize:])
	return l.matches(frame[16:24])
}
