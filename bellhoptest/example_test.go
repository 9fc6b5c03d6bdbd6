package bellhoptest_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/command"
)

// exampleT replaces *testing.T, which examples do not have.
type exampleT struct {
	testing.TB

	cleanups []func()
}

func (*exampleT) Helper()                   {}
func (*exampleT) Context() context.Context  { return context.Background() }
func (t *exampleT) Cleanup(f func())        { t.cleanups = append(t.cleanups, f) }
func (*exampleT) Fatal(args ...any)         { panic(fmt.Sprint(args...)) }
func (*exampleT) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func (t *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "bellhop")
	if err != nil {
		panic(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the system removes what is left
	return dir
}

func (t *exampleT) end() {
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
}

func ExampleStart() {
	t := &exampleT{} // in your test: the *testing.T
	defer t.end()

	srv := bellhoptest.Start(t, bellhoptest.World{
		Users:        []bellhoptest.User{{ID: 200, Username: "ada"}},
		Applications: []bellhoptest.Application{{ID: 100, Name: "Echo", Owner: 200}},
	})
	roll := command.Definition{Type: command.ChatInput, Name: "roll", Description: "Roll dice"}
	made, created, err := srv.Bot(100).CreateCommand(t.Context(), command.Scope{Application: 100}, roll)
	fmt.Println(made.Name, created, err)

	before := srv.Now(t)
	after := srv.Advance(t, 24*time.Hour)
	fmt.Println(after.Sub(before) >= 24*time.Hour)
	// Output:
	// roll true <nil>
	// true
}
