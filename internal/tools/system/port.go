package system

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// Listen opens the address of a flag. If the port is taken, the error names the process that has it, if the system tells,
// and how to select a free port.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return ln, nil
	case !errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	host, port, splitErr := net.SplitHostPort(address)
	if splitErr != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	holder, stop := "", ""
	if p := portHolder("/proc", port); p != "" {
		holder, stop = " by "+p, "stop that process, or "
	}
	return nil, fmt.Errorf("%s %s: the port is already in use%s: %suse %s %s for a free port",
		flag, address, holder, stop, flag, net.JoinHostPort(host, "0"))
}

// portHolder returns the name and the id of the process that listens on a TCP port. It reads the files that Linux has in
// /proc, and returns "" if they do not tell: on other systems, or for a process of another user.
func portHolder(proc, port string) string {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ""
	}
	sockets := map[string]bool{}
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		text, err := os.ReadFile(filepath.Join(proc, table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if inode, ok := listeningSocket(line, uint16(number)); ok {
				sockets["socket:["+inode+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(proc, "[0-9]*/fd/*")) // the pattern is valid
	for _, file := range files {
		if target, err := os.Readlink(file); err != nil || !sockets[target] {
			continue
		}
		folder := filepath.Dir(filepath.Dir(file))
		name, err := os.ReadFile(filepath.Join(folder, "comm"))
		if err != nil {
			continue
		}
		return fmt.Sprintf("%s (process %s)", terminal.Printable(strings.TrimSpace(string(name))), filepath.Base(folder))
	}
	return ""
}

// listeningSocket returns the inode of the socket in a line of /proc/net/tcp, if it listens on the port.
func listeningSocket(line string, port uint16) (inode string, ok bool) {
	const localAddress, state, inodeField = 1, 3, 9
	fields := strings.Fields(line)
	if len(fields) <= inodeField || fields[state] != "0A" { // 0A: listening
		return "", false
	}
	_, hex, _ := strings.Cut(fields[localAddress], ":")
	n, err := strconv.ParseUint(hex, 16, 16)
	return fields[inodeField], err == nil && uint16(n) == port
}
