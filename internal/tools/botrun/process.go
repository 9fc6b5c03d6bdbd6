package botrun

import (
	"os/exec"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// stopTimeout is the time that a bot has to end by itself. After it the bot is killed.
const stopTimeout = 5 * time.Second

// Process is the process of a bot.
type Process struct {
	// Ended is closed when the bot has ended by itself or was stopped.
	Ended chan struct{}
	// Err says why the bot has ended, as exec.Cmd.Wait does. It is set before Ended is closed.
	Err error
	// Stop ends the bot and waits for it. It ends everything that the bot has started and left behind too.
	Stop func()
}

// Start starts a command of Shell or Program.
func Start(cmd *exec.Cmd, now clock.Clock) (*Process, error) {
	cmd.WaitDelay = stopTimeout // for processes that keep the pipes open
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{Ended: make(chan struct{})}
	go func() {
		p.Err = cmd.Wait()
		close(p.Ended)
	}()
	p.Stop = sync.OnceFunc(func() {
		interrupt(cmd)
		killer := now.AfterFunc(stopTimeout, func() { kill(cmd) })
		<-p.Ended
		killer.Stop()
		kill(cmd)
	})
	return p, nil
}
