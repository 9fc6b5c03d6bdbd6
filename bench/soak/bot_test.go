package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws/wsutil"
)

// TestLateAnswer checks that a refused answer is a failure, unless it was refused because it came after the deadline.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	const unknown = `{"message":"Unknown interaction","code":10062}`
	for _, tt := range []struct {
		name     string
		age      time.Duration
		response string
		late     int
	}{
		{"in time", -time.Hour, unknown, 0}, // a pause of the machine changes nothing
		{"after the deadline", interaction.Deadline, unknown, 1},
		{"another error after the deadline", interaction.Deadline, `{"message":"404: Not Found","code":0}`, 0},
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, tt.response, http.StatusNotFound) }))
		defer service.Close()
		var frames bytes.Buffer
		id := uint64(time.Now().Add(-tt.age).UnixMilli()-snowflake.Epoch) << 22
		if err := wsutil.WriteServerText(&frames, fmt.Appendf(nil, `{"t":"INTERACTION_CREATE","d":{"id":"%d","token":"t"}}`, id)); err != nil {
			t.Fatal(err)
		}
		r := &soakRun{http: service.Client(), service: &process.Process{Addr: strings.TrimPrefix(service.URL, "http://")}}
		b := &bot{}
		r.answer(t.Context(), b, bufio.NewReader(&frames), make(chan struct{}))
		if b.answered != 1 || r.late != tt.late || (b.err == nil) != (tt.late == 1) {
			t.Errorf("%s: %d answers, %d late, error %v", tt.name, b.answered, r.late, b.err)
		}
	}
}
