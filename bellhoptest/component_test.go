package bellhoptest_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/examples/guesthouse"
)

// startGuesthouse starts a server with the guest house as its app.
func startGuesthouse(t *testing.T) *bellhoptest.Server {
	t.Helper()
	w := bellhoptest.DemoWorld()
	w.Applications[0].Activities = true
	srv := bellhoptest.Start(t, w)
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := guesthouse.New(srv.Bot(echo), echo, 0)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- app.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if err := app.Register(t.Context(), "http://"+ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	return srv
}

func TestComponents(t *testing.T) {
	t.Parallel()
	srv := startGuesthouse(t)
	bell := srv.Invoke(t, "bob", "Lab/general", "/bell")
	keys := srv.Invoke(t, "bob", "Lab/general", "/keys")
	feedback := srv.Invoke(t, "bob", "Lab/general", "/feedback")
	for _, tt := range []struct {
		name string
		use  func(t testing.TB) client.Outcome
		want string
		fail string // the text of a failure; "": none
	}{
		{name: "a button by its label", use: func(t testing.TB) client.Outcome { return srv.Press(t, "bob", bell, "Ring") }, want: "rang once"},
		{name: "options by their labels", use: func(t testing.TB) client.Outcome {
			return srv.Select(t, "bob", keys, "Doors", "Garden", "the front door")
		}, want: "Keys for the garden and the front door."},
		{name: "a menu of users by its custom id", use: func(t testing.TB) client.Outcome {
			return srv.Select(t, "bob", keys, "holder", ada.String())
		}, want: "<@" + ada.String() + "> gets the keys."},
		{name: "a form", use: func(t testing.TB) client.Outcome {
			return srv.Submit(t, "bob", feedback, map[string]any{"What did you like?": "tea", "missed": "cake"})
		}, want: "You liked: tea. You missed: cake."},
		{name: "a menu is no button", use: func(t testing.TB) client.Outcome { return srv.Press(t, "bob", keys, "Doors") }, fail: `no button "Doors"`},
		{name: "a button is no menu", use: func(t testing.TB) client.Outcome { return srv.Select(t, "bob", bell, "Ring") }, fail: `no select menu "Ring"`},
		{name: "no form", use: func(t testing.TB) client.Outcome { return srv.Submit(t, "bob", bell, nil) }, fail: "opened no form"},
		{name: "no such field", use: func(t testing.TB) client.Outcome {
			return srv.Submit(t, "bob", feedback, map[string]any{"age": "7"})
		}, fail: `no field "age"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			var got client.Outcome
			done := make(chan struct{})
			go func() { // Fatal ends the goroutine
				defer close(done)
				got = tt.use(r)
			}()
			<-done
			if tt.fail == "" && r.fatal != "" || !strings.Contains(r.fatal, tt.fail) {
				t.Fatalf("failed with %q, want %q", r.fatal, tt.fail)
			}
			if !strings.Contains(got.Text(), tt.want) {
				t.Errorf("the answer is %q, want %q", got.Text(), tt.want)
			}
		})
	}
}

// recorder is a testing.TB that keeps the text of a fatal error.
type recorder struct {
	testing.TB

	fatal string
}

func (r *recorder) Fatal(args ...any) {
	r.fatal = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
