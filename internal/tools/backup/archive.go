// Package backup writes all data of a service to one file, and restores it into an empty folder or database. It also copies
// a SQLite database into PostgreSQL.
package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"
)

// A backup is a tar archive compressed with zstd. It contains, in this order:
//
//	manifest.json          what the backup contains
//	tables/NAME/NUMBER     rows of a table, see appendRow
//	attachments/PATH       the files of messages and the key that signs their URLs
//	encryption-key         the encryption keys, if the operator asks for it
//	end.json               the number of rows and files, and a checksum of all other entries
const (
	archiveFormat = 1
	manifestEntry = "manifest.json"
	endEntry      = "end.json"
	tablesPrefix  = "tables/"
	filesPrefix   = "attachments/"
	keyEntry      = auth.KeyFileName

	chunkSize    = 1 << 20   // of the rows in one entry
	maxEntrySize = 256 << 20 // of an entry that is read into memory
)

// ErrDamaged means that a backup is damaged or incomplete.
var ErrDamaged = errors.New("the backup is damaged")

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program
	Schema  int64     `json:"schema"`
	Engine  string    `json:"engine"` // sqlite or postgres
	Created time.Time `json:"created"`
	Tables  []Table   `json:"tables"`
}

// Table describes the rows of a table.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
}

// rows returns the number of rows in all tables.
func (m *Manifest) rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// archiveEnd is the last entry of a backup.
type archiveEnd struct {
	Rows   int64  `json:"rows"`
	Files  int64  `json:"files"`
	SHA256 string `json:"sha256"` // over the names, sizes and contents of all entries before
}

// archiveWriter writes a backup.
type archiveWriter struct {
	zstd *zstd.Encoder
	tar  *tar.Writer
	sum  hash.Hash
	now  time.Time
}

func newArchiveWriter(w io.Writer, now time.Time) (*archiveWriter, error) {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return nil, err
	}
	return &archiveWriter{z, tar.NewWriter(z), sha256.New(), now}, nil
}

// add writes an entry with size bytes of content.
func (a *archiveWriter) add(name string, size int64, content io.Reader) error {
	err := a.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: a.now, Typeflag: tar.TypeReg})
	if err != nil {
		return err
	}
	addEntry(a.sum, name, size)
	_, err = io.CopyN(io.MultiWriter(a.tar, a.sum), content, size)
	return err
}

// addEntry adds the name and the size of an entry to the checksum.
func addEntry(sum hash.Hash, name string, size int64) {
	fmt.Fprintf(sum, "%d %s %d\n", len(name), name, size)
}

func (a *archiveWriter) addJSON(name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return a.add(name, int64(len(content)), strings.NewReader(string(content)))
}

// close writes the last entry.
func (a *archiveWriter) close(rows, files int64) error {
	err := a.addJSON(endEntry, archiveEnd{rows, files, hex.EncodeToString(a.sum.Sum(nil))})
	return errors.Join(err, a.tar.Close(), a.zstd.Close())
}

// Reader reads a backup.
type Reader struct {
	zstd *zstd.Decoder
	tar  *tar.Reader
	sum  hash.Hash
}

// NewReader returns a reader. The caller closes it.
func NewReader(r io.Reader) (*Reader, error) {
	z, err := zstd.NewReader(r)
	if err != nil {
		return nil, err
	}
	return &Reader{z, tar.NewReader(z), sha256.New()}, nil
}

// next returns the next entry. Its content must be read before the next call.
func (a *Reader) next() (name string, size int64, content io.Reader, err error) {
	h, err := a.tar.Next()
	if err != nil {
		return "", 0, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Name == endEntry { // the checksum does not cover it
		return h.Name, h.Size, a.tar, nil
	}
	addEntry(a.sum, h.Name, h.Size)
	return h.Name, h.Size, io.TeeReader(a.tar, a.sum), nil
}

// readAll returns the content of an entry.
func readAll(size int64, content io.Reader) ([]byte, error) {
	if size > maxEntrySize {
		return nil, fmt.Errorf("%w: an entry has %d bytes", ErrDamaged, size)
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, nil
}

// Close frees the memory of the reader.
func (a *Reader) Close() { a.zstd.Close() }

// Manifest reads the first entry.
func (a *Reader) Manifest() (*Manifest, error) {
	name, size, content, err := a.next()
	if err != nil {
		return nil, err
	}
	if name != manifestEntry {
		return nil, fmt.Errorf("%w: it does not begin with a manifest", ErrDamaged)
	}
	b, err := readAll(size, content)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%w: manifest: %w", ErrDamaged, err)
	}
	if m.Format != archiveFormat {
		return nil, fmt.Errorf("the backup has format %d, this version reads format %d", m.Format, archiveFormat)
	}
	return m, nil
}

// verify compares the last entry with what was read.
func (a *Reader) verify(size int64, content io.Reader, rows, files int64) error {
	want := hex.EncodeToString(a.sum.Sum(nil))
	b, err := readAll(size, content)
	if err != nil {
		return err
	}
	var end archiveEnd
	if err := json.Unmarshal(b, &end); err != nil {
		return fmt.Errorf("%w: end: %w", ErrDamaged, err)
	}
	if end != (archiveEnd{rows, files, want}) {
		return fmt.Errorf("%w: its checksum or its counts are wrong", ErrDamaged)
	}
	return nil
}

// The types of values in a row of a backup.
const (
	nullValue byte = iota
	numberValue
	bytesValue
)

// appendRow appends a row: for each value its type and, unless it is NULL, its number or its length and bytes.
func appendRow(b []byte, row store.Row) []byte {
	for _, v := range row {
		switch v := v.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, numberValue), uint64(v))
		case string:
			b = append(binary.BigEndian.AppendUint64(append(b, bytesValue), uint64(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, bytesValue), uint64(len(v))), v...)
		default:
			b = append(b, nullValue)
		}
	}
	return b
}

// readRows returns the rows that appendRow has appended.
func readRows(b []byte, columns int) ([]store.Row, error) {
	var rows []store.Row
	for len(b) > 0 {
		row := make(store.Row, columns)
		for i := range row {
			if len(b) > 0 && b[0] == nullValue {
				b = b[1:]
				continue
			}
			if len(b) < 9 {
				return nil, ErrDamaged
			}
			kind, n := b[0], binary.BigEndian.Uint64(b[1:9])
			b = b[9:]
			switch {
			case kind == numberValue:
				row[i] = int64(n)
			case kind == bytesValue && n <= uint64(len(b)):
				row[i], b = b[:n:n], b[n:]
			default:
				return nil, ErrDamaged
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
