// Package ratelimit limits requests: it holds the table of limits, counts requests, and writes the rate limit headers
// and the 429 body.
//
// A Policy is the table: for every Group of routes the limit, the window and what is counted, and the global limit of a
// caller. Default returns the default limits, Load reads a file, Off has no limits. A Guard asks a Limiter about one
// request and returns a Verdict, which writes the headers and the body of a refusal. Memory is the Limiter of a single
// node; package redis has one that several nodes share.
//
// Windows are fixed and start with the first request in them. A request is counted against the global limit and against
// the limit of its route, or against neither: a refused request uses nothing up. A caller that keeps calling a route
// over its limit therefore does not lose the others. Edge blocks an address early that has got too many refusals. Gate
// bounds the requests in progress.
//
// The package reads no clock and starts no goroutine: the caller passes the time, and memory is bounded.
package ratelimit
