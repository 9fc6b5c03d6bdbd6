package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// castagnoli is the table of CRC-32C, which processors compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The types of values in the bytes that a checksum covers.
const (
	numberValue byte = 1
	bytesValue  byte = 2
)

// checksum returns the CRC-32C of the columns of a row. It covers the position, the type and the value of each column
// that is not NULL. A text counts as its bytes, because the engines return texts differently. It allocates only for texts.
func checksum(values []any) int64 {
	var crc uint32
	for i := range values {
		switch v := values[i].(type) {
		case int64:
			crc = addWord(crc, i, numberValue, uint64(v))
		case string:
			crc = crc32.Update(addWord(crc, i, bytesValue, uint64(len(v))), castagnoli, []byte(v))
		case []byte:
			crc = crc32.Update(addWord(crc, i, bytesValue, uint64(len(v))), castagnoli, v)
		}
	}
	return int64(crc)
}

// addWord adds the position and the type of a value, and a number, to a CRC. Unlike crc32.Update it needs no slice.
func addWord(crc uint32, position int, kind byte, n uint64) uint32 {
	crc = ^crc
	crc = castagnoli[byte(crc)^byte(position)] ^ crc>>8
	crc = castagnoli[byte(crc)^kind] ^ crc>>8
	for shift := 56; shift >= 0; shift -= 8 {
		crc = castagnoli[byte(crc)^byte(n>>shift)] ^ crc>>8
	}
	return ^crc
}

// DamagedRowError says that the checksum of a row is wrong. It is an ErrDamaged.
type DamagedRowError struct {
	Table string
	Key   string // the columns of the primary key with their values, as a condition in SQL
}

// Error names the row.
func (e *DamagedRowError) Error() string {
	return fmt.Sprintf("%v: wrong checksum in table %s, row %s", ErrDamaged, e.Table, e.Key)
}

// Is makes the error an ErrDamaged.
func (e *DamagedRowError) Is(target error) bool { return target == ErrDamaged }

// verify returns a row without its last column, the checksum. When the checksum is wrong, it reports the row and returns
// a DamagedRowError.
func (r *reader) verify(t *table, row Row) (Row, error) {
	values := row[:len(row)-1]
	if sum, ok := row[len(row)-1].(int64); ok && sum == checksum(values) {
		return values, nil
	}
	err := &DamagedRowError{t.name, t.keyCondition(values)}
	r.damage.Report(err)
	return nil, err
}

// keyCondition returns the condition that selects a row: "guild_id = 300 AND id = 301". Bytes are in hexadecimal digits.
func (t *table) keyCondition(row Row) string {
	parts := make([]string, t.keys)
	for i := range parts {
		parts[i] = t.columns[i] + " = " + literal(row[i])
	}
	return strings.Join(parts, " AND ")
}

// literal returns a value as SQL of both engines.
func literal(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	}
	return "NULL"
}

// maxReported bounds the memory of Damage. Damage does not log further rows.
const maxReported = 1000

// Damage counts the reads that found damaged data, and logs each damaged row once. A nil Damage does nothing.
type Damage struct {
	log   *slog.Logger
	reads prometheus.Counter

	mu     sync.Mutex
	logged map[string]bool
}

// NewDamage returns a Damage that logs to log.
func NewDamage(log *slog.Logger) *Damage {
	return &Damage{log: log, logged: map[string]bool{}, reads: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "bellhop_store_damaged_reads_total", Help: "Reads that found damaged data. The log names the rows.",
	})}
}

// Collector returns the metric.
func (d *Damage) Collector() prometheus.Collector { return d.reads }

// Check returns the error of a read. It reports an ErrDamaged of the engine. The reader has reported damaged rows.
func (d *Damage) Check(err error) error {
	if errors.Is(err, ErrDamaged) {
		if _, row := errors.AsType[*DamagedRowError](err); !row {
			d.Report(err)
		}
	}
	return err
}

// Report counts and logs an ErrDamaged.
func (d *Damage) Report(err error) {
	if d == nil {
		return
	}
	d.reads.Inc()
	text := err.Error()
	d.mu.Lock()
	known := d.logged[text] || len(d.logged) >= maxReported
	if !known {
		d.logged[text] = true
	}
	d.mu.Unlock()
	if known {
		return
	}
	if row, ok := errors.AsType[*DamagedRowError](err); ok {
		d.log.Error("stored row is damaged: run bellhop doctor", "table", row.Table, "key", row.Key)
		return
	}
	d.log.Error("stored data is damaged: run bellhop doctor", "err", text)
}
