package probe

import (
	"net/http"
	"strconv"
	"sync"
)

// answers is a transport that records the status of every response, which libraries do not return.
type answers struct {
	next http.RoundTripper

	mu    sync.Mutex
	count map[string]int // by method and status
	last  string
}

// RoundTrip sends a request.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = r.Method + " " + strconv.Itoa(resp.StatusCode)
	a.count[a.last]++
	return resp, nil
}

// Last returns the method and status of the last answer.
func (a *answers) Last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// refused returns the number of 429 responses so far.
func (a *answers) refused() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count["GET 429"]
}
