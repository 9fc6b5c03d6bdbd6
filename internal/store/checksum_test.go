package store

import "testing"

// TestChecksumCoversEveryColumn checks that a change of any value, type or position changes the checksum.
func TestChecksumCoversEveryColumn(t *testing.T) {
	t.Parallel()
	base := []any{int64(1), "name", []byte("doc"), nil}
	for _, c := range []struct {
		name   string
		values []any
		same   bool
	}{
		{"a text as bytes", []any{int64(1), []byte("name"), []byte("doc"), nil}, true},
		{"another number", []any{int64(2), "name", []byte("doc"), nil}, false},
		{"another text", []any{int64(1), "game", []byte("doc"), nil}, false},
		{"other bytes", []any{int64(1), "name", []byte("dog"), nil}, false},
		{"NULL became a number", []any{int64(1), "name", []byte("doc"), int64(0)}, false},
		{"a number became NULL", []any{nil, "name", []byte("doc"), nil}, false},
		{"two values exchanged", []any{int64(1), "doc", []byte("name"), nil}, false},
		{"a value in another column", []any{int64(1), "name", nil, []byte("doc")}, false},
		{"a byte moved between columns", []any{int64(1), "named", []byte("oc"), nil}, false},
	} {
		if got := checksum(c.values) == checksum(base); got != c.same {
			t.Errorf("%s: the checksum is the same: %v, want %v", c.name, got, c.same)
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	row := []any{int64(1), int64(2), "name", make([]byte, 300)}
	b.ReportAllocs()
	for b.Loop() {
		checksum(row)
	}
}
