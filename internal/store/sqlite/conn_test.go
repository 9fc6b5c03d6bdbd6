package sqlite_test

import (
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"pgregory.net/rapid"
)

// newEcho returns what has SQLite say back what it is given.
func newEcho(t *testing.T) func(args ...any) ([]any, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if err := sqlite.CopyBlank(t.Context(), path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	echo, closed, err := sqlite.Echo(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closed(); err != nil {
			t.Errorf("close() = %v", err)
		}
	})
	return echo
}

// TestSQLiteArguments gives every kind of argument to SQLite in one statement after another: none is changed, and none finds
// what was there for the statement before.
func TestSQLiteArguments(t *testing.T) {
	t.Parallel()
	echo := newEcho(t)
	for name, args := range map[string][]any{
		"numbers":                {int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)},
		"texts":                  {"a", "", "\x00", "a\x00b", "\xff\xfe", "ж文🙂"},
		"bytes":                  {[]byte("a"), []byte{0}, []byte{0xff, 0}},
		"nothing":                {nil, "between", nil},
		"large text":             {strings.Repeat("x", 3*sqlite.MaxTexts), "behind"},
		"many":                   slicesOf(300, "text"),
		"large text among small": {"before", strings.Repeat("y", sqlite.MaxTexts), []byte("behind")},
	} {
		for range 2 { // the second time the statement is prepared already
			if said, err := echo(args...); err != nil || !reflect.DeepEqual(said, args) {
				t.Errorf("%s: %.200v, %v, want %.200v", name, said, err, args)
			}
		}
	}
	if said, err := echo([]byte{}, []byte(nil)); err != nil || !reflect.DeepEqual(said, []any{[]byte(nil), nil}) {
		t.Errorf("empty bytes: %#v, %v, want empty bytes and nothing", said, err)
	}
}

func slicesOf(n int, v any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = v
	}
	return list
}

func TestSQLiteArgumentsProperty(t *testing.T) {
	t.Parallel()
	echo := newEcho(t)
	value := rapid.OneOf(
		rapid.Int64().AsAny(), rapid.String().AsAny(), rapid.SliceOfN(rapid.Byte(), 1, -1).AsAny(), rapid.Just[any](nil),
	)
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(value, 1, 40).Draw(t, "args")
		if said, err := echo(args...); err != nil || !reflect.DeepEqual(said, args) {
			t.Fatalf("%v, %v, want %v", said, err, args)
		}
	})
}

func TestSQLiteWrongArguments(t *testing.T) {
	t.Parallel()
	echo := newEcho(t)
	for name, args := range map[string][]any{"too few": nil, "a kind that there is not": {1.5}} {
		if said, err := echo(args...); err == nil {
			t.Errorf("%s: %v, want an error", name, said)
		}
	}
	if said, err := echo("next"); err != nil || !reflect.DeepEqual(said, []any{"next"}) {
		t.Errorf("after them: %v, %v", said, err)
	}
}

// TestSQLiteFaults says what the errors of SQLite are in the words of the contract.
func TestSQLiteFaults(t *testing.T) {
	t.Parallel()
	if _, _, err := sqlite.Echo(t.Context(), filepath.Join(t.TempDir(), "missing.db")); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a database that is not there: %v, want %v", err, store.ErrUnavailable)
	}
}
