// Package ratelimit decides how often a caller may ask: it holds the table of limits, counts requests against them, and
// writes what the caller is told about it.
//
// A Policy is the table: for every Group of routes how many requests a window takes and who is counted, beside the
// limit on everything one caller sends. Default returns the shipped figures, Load reads others from a file, Off has none.
// A Guard asks a Limiter about one request and returns a Verdict, which writes the headers of every answer and the body
// of a refusal. Memory is the Limiter of a single node; a limiter that several nodes share implements the same interface.
//
// Windows are fixed and start with the first request that they count. A request is counted against the caller's limit
// on everything and against its route's, or against neither: what is refused uses nothing up. So a caller that keeps
// knocking at one closed route does not lose the others, and the figures in the headers are those of requests that were
// let in. What such a caller costs is the business of Edge, which refuses an address early once it has collected too
// many refusals. Gate bounds how many requests are under way at once.
//
// The package reads no clock and starts no goroutine: the time comes in with every call, and memory is bounded by what
// was asked for at the start.
package ratelimit
