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

// The errors of SystemBrowser, besides those of the command that opens the browser.
var (
	ErrNoBrowser = errors.New("this system has no command that opens a browser")
	ErrPage      = errors.New("only http and https pages are opened")
)

// SystemBrowser waits at most openGrace for the opening command to fail. Some commands run as long as the browser.
const openGrace = time.Second

// SystemBrowser opens page in the user's browser. It runs xdg-open, open or rundll32, depending on the operating system.
// The browser keeps running when ctx ends.
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
	// No shell interprets page, and page starts with http, so the command cannot take it for an option.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	// Nothing waits for this goroutine: it reaps the command, which may run as long as the browser.
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

// browserCommand returns the command that opens page on an operating system, or nil when there is none.
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
