package ratelimit

import (
	"net/http"
	"strconv"
	"time"
)

// The headers, in canonical form.
const (
	headerLimit      = "X-Ratelimit-Limit"
	headerRemaining  = "X-Ratelimit-Remaining"
	headerReset      = "X-Ratelimit-Reset"
	headerResetAfter = "X-Ratelimit-Reset-After"
	headerBucket     = "X-Ratelimit-Bucket"
	headerScope      = "X-Ratelimit-Scope"
	headerGlobal     = "X-Ratelimit-Global"
	headerRetryAfter = "Retry-After"
	headerVia        = "Via"
)

// Constant header values. They must not be modified.
var (
	via         = []string{"1.1 bellhop"}
	isGlobal    = []string{"true"}
	scopeValues = [...][]string{User: {"user"}, Global: {"global"}, Shared: {"shared"}}
)

// SetHeaders sets the rate limit headers. They belong on every answer. The verdict of a hidden limit, which refused the
// call, leaves those of the route as they are.
//
// Via is always set, because some client libraries take a 429 without it for a block of their address. The bucket is
// the route's bucket even if another limit refused, because clients remember the last bucket of a route.
func (v *Verdict) SetHeaders(h http.Header) {
	h[headerVia] = via
	if v.result.Limit == 0 {
		return
	}
	if groupTable[v.bucket.group()].hidden != nil {
		h[headerRetryAfter] = []string{strconv.FormatInt(v.RetryAfter(), 10)}
		h[headerScope] = scopeValues[v.scope]
		return
	}
	// All numbers share one string and one slice: two allocations for all headers.
	var buf [96]byte
	var ends [5]int
	b := strconv.AppendInt(buf[:0], int64(v.result.Limit), 10)
	ends[0] = len(b)
	b = strconv.AppendInt(b, int64(v.result.Remaining), 10)
	ends[1] = len(b)
	b = appendSeconds(b, v.resetUnixMilli())
	ends[2] = len(b)
	b = appendSeconds(b, v.waitMillis())
	ends[3] = len(b)
	names := [...]string{headerLimit, headerRemaining, headerReset, headerResetAfter, headerRetryAfter}
	n := 4
	if v.scope != Allowed {
		b = strconv.AppendInt(b, v.RetryAfter(), 10)
		ends[4] = len(b)
		n = 5
	}
	text, values, from := string(b), make([]string, n), 0
	for i := range n {
		values[i] = text[from:ends[i]]
		h[names[i]] = values[i : i+1 : i+1]
		from = ends[i]
	}
	h[headerBucket] = bucketIDs[v.bucket]
	if v.scope != Allowed {
		h[headerScope] = scopeValues[v.scope]
	}
	if v.scope == Global {
		h[headerGlobal] = isGlobal
	}
}

// waitMillis returns how long a caller has to wait before its next request. It is a whole number of seconds, because
// one client library drops the fraction and would retry too early.
func (v *Verdict) waitMillis() int64 {
	if v.result.Remaining > 0 {
		return v.resetMillis()
	}
	return v.RetryAfter() * 1000
}

// resetUnixMilli returns when the window ends, in Unix milliseconds, rounded up.
func (v *Verdict) resetUnixMilli() int64 {
	end := v.now.Add(v.result.ResetAfter)
	milli := end.UnixMilli()
	if end.Nanosecond()%int(time.Millisecond) != 0 {
		milli++
	}
	return max(milli, 0)
}

// appendSeconds appends milliseconds as seconds with three decimals.
func appendSeconds(b []byte, milli int64) []byte {
	b = strconv.AppendInt(b, milli/1000, 10)
	rest := milli % 1000
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

// AppendBody appends the JSON body of a refusal. Its retry_after is exact to the millisecond.
func (v *Verdict) AppendBody(b []byte) []byte {
	hidden := groupTable[v.bucket.group()].hidden
	if hidden != nil {
		b = append(b, `{"message":"`+hidden.Message+`","retry_after":`...)
	} else if v.scope == Shared {
		b = append(b, `{"message":"The resource is being rate limited.","retry_after":`...)
	} else {
		b = append(b, `{"message":"You are being rate limited.","retry_after":`...)
	}
	b = appendSeconds(b, v.resetMillis())
	if v.scope == Global {
		return append(b, `,"global":true}`...)
	}
	if hidden != nil {
		return append(b, `,"global":false,"code":`+strconv.Itoa(hidden.Code)+`}`...)
	}
	return append(b, `,"global":false}`...)
}
