package server

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// DefaultMemory is the default of Config.Memory.
const DefaultMemory = 1792 << 20

const (
	// programMemory is roughly the memory that neither the Go heap nor the database takes: the pages of the program, and
	// what the kernel counts for the process.
	programMemory = 50 << 20
	minHeap       = 20 << 20
	minDatabase   = 4 << 20
	maxDatabase   = 96 << 20
	startMemory   = 16 << 20 // for a gateway session that starts, with guilds of about 1 MB
	// minBodies is the least memory for request bodies: the largest body of the API fits.
	minBodies = 8 << 20
)

// budgets are the parts of the memory of the process. Caches take half of the heap.
type budgets struct {
	heap        int64 // of the Go runtime
	states      int   // cache.Cache
	derived     int   // each of the two caches of permissions.Picker
	definitions int   // parsed definitions of dispatch
	database    int   // the page caches of SQLite
	replay      int   // events that one gateway session keeps for a resume
	backlog     int   // number of events that wait for the gateway
	starting    int   // number of gateway sessions that start at the same time
	bodies      ratelimit.BudgetRule
}

// splitMemory returns the parts of a memory size. 0 means DefaultMemory.
func splitMemory(memory int64) budgets {
	if memory == 0 {
		memory = DefaultMemory
	}
	database := min(max(memory/16, minDatabase), maxDatabase)
	heap := max(memory-programMemory-database, minHeap)
	eighth := int(heap / 2 / 8)
	most := gateway.DefaultSettings()
	bodies := max(heap/4, minBodies)
	return budgets{
		heap: heap, states: 5 * eighth, derived: eighth, definitions: eighth, database: int(database),
		replay:   min(int(heap/32), most.ReplayBytes),
		backlog:  min(int(heap/4096), most.Backlog),
		starting: min(int(heap/startMemory), most.MaxStarting),
		bodies:   ratelimit.BudgetRule{All: bodies, Caller: max(bodies/4, minBodies)},
	}
}

// LimitHeap sets the limit of the Go heap for a process that may use the given memory. The garbage collector runs rarely
// below the limit, and as often as needed near it.
func LimitHeap(memory int64) {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(splitMemory(memory).heap)
}

// garbagePercent is the growth of the heap, in percent of the live heap, that starts a garbage collection below the limit.
const garbagePercent = 400

const (
	// idleCheck is the interval at which returnMemory looks whether the service is idle.
	idleCheck = 10 * time.Second
	// idleBytes is the number of bytes that an idle service allocates between two checks at most.
	idleBytes = 16 << 20
)

// returnMemory gives the memory that a load has left behind back to the system when the service is idle again.
func (s *Server) returnMemory(ctx context.Context) error {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var before uint64
	for busy := false; ctx.Err() == nil; clock.Wait(ctx, s.wall, idleCheck) {
		metrics.Read(sample)
		allocated := sample[0].Value.Uint64()
		switch {
		case allocated-before > idleBytes:
			busy = true
		case busy:
			busy = false
			debug.FreeOSMemory()
		}
		before = allocated
	}
	return nil
}

// shedCheck is the interval at which shedEvents looks at the heap.
const shedCheck = time.Second

// shedEvents ends gateway sessions without a connection, and makes the others drop events, after each garbage collection that
// leaves three quarters of the heap's limit in use. Other parts have a fixed share, but what sessions keep grows with their
// number.
func (s *Server) shedEvents(ctx context.Context) error {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gomemlimit:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	var seen uint64
	for ; ctx.Err() == nil; clock.Wait(ctx, s.wall, shedCheck) {
		metrics.Read(sample)
		live, limit, cycles := sample[0].Value.Uint64(), sample[1].Value.Uint64(), sample[2].Value.Uint64()
		if cycles != seen && live > limit/4*3 {
			s.log.WarnContext(ctx, "memory is short: gateway sessions drop old events, and some cannot be resumed", "live_heap", live)
			s.gateway.Shed()
		}
		seen = cycles
	}
	return nil
}
