package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withServer{m}) }

// withServer ends the database server that tests have used before goroutines are counted.
type withServer struct{ *testing.M }

func (m withServer) Run() int {
	code := m.M.Run()
	if err := stopServer(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
