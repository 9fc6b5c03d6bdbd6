// Package load generates load on an app: the people of a world use commands and write messages at a rate, or each waits for the answer. The
// report has the latencies of the answers, the failures by reason, and the thresholds that were crossed.
package load
