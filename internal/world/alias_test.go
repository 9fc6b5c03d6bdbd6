package world_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
)

// aliasBomb is a world file of 400 bytes whose aliases expand to a million users.
const aliasBomb = `a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]
g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]
h: [*g,*g,*g,*g,*g,*g,*g,*g,*g,*g]
`

// TestAliasesTakeLittleMemory parses six files at once whose aliases would expand to gigabytes. It runs alone, because it
// counts what the process allocates.
func TestAliasesTakeLittleMemory(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := world.Open("world.yaml", []byte(aliasBomb)); err == nil || !strings.Contains(err.Error(), "too large after its aliases are expanded") {
				t.Errorf("Open() = %v, want an error about aliases", err)
			}
			if _, err := world.ParseFile("scenario.yaml", []byte(aliasBomb)); err == nil || !strings.Contains(err.Error(), "too large after its aliases are expanded") {
				t.Errorf("ParseFile() = %v, want an error about aliases", err)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	got := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("%d MiB allocated", got)
	if got > 256 {
		t.Errorf("%d MiB allocated, want 256 MiB at most", got)
	}
}
