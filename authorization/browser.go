package authorization

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// What SystemBrowser reports.
var (
	ErrNoBrowser = errors.New("this system has no command that opens a browser")
	ErrPage      = errors.New("only http and https pages are opened")
)

// openGrace is how long an opener may take to fail. Some of them run for as long as the browser does.
const openGrace = time.Second

// SystemBrowser opens page in the person's browser: by xdg-open, open or rundll32, whichever the system has. The
// browser outlives ctx.
func SystemBrowser(ctx context.Context, page string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !strings.HasPrefix(page, "http://") && !strings.HasPrefix(page, "https://") {
		return ErrPage
	}
	command := browserCommand(runtime.GOOS, page)
	if command == nil {
		return ErrNoBrowser
	}
	//nolint:gosec // G204: no shell reads the page, and its first characters make it an address for every opener
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	// The one goroutine that is not waited for: it reaps the opener, which may live as long as the browser.
	go func() { exited <- cmd.Wait() }()

	grace, cancel := context.WithTimeout(ctx, openGrace)
	defer cancel()
	select {
	case err := <-exited:
		if err != nil {
			return fmt.Errorf("%s: %w", command[0], err)
		}
	case <-grace.Done():
	}
	return nil
}

// browserCommand returns the command that opens page on a system, or nil when there is none.
func browserCommand(goos, page string) []string {
	switch goos {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", page}
	case "linux", "freebsd", "openbsd", "netbsd", "dragonfly", "illumos", "solaris":
		return []string{"xdg-open", page}
	default:
		return nil
	}
}
