package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU returns the CPU time that the process has used.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(stat))
}

// parseStat returns the sum of user and system time: fields 12 and 13 after the name of the program. The name is in
// parentheses and may contain any characters.
func parseStat(stat string) (time.Duration, error) {
	const tick = 10 * time.Millisecond // the unit of Linux
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat is too short")
	}
	var total time.Duration
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		total += time.Duration(ticks) * tick
	}
	return total, nil
}

// Memory is the physical memory of a process, in bytes.
type Memory struct {
	// Resident is the current memory, Peak the maximum so far.
	Resident, Peak uint64
}

// Memory reads the memory of the process from the kernel.
func (p *Process) Memory() (Memory, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return Memory{}, err
	}
	return parseStatus(string(status))
}

// parseStatus reads the two relevant lines, such as "VmRSS:	   10240 kB".
func parseStatus(status string) (Memory, error) {
	var m Memory
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		var field *uint64
		switch name {
		case "VmRSS":
			field = &m.Resident
		case "VmHWM":
			field = &m.Peak
		default:
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return Memory{}, fmt.Errorf("/proc/PID/status: %s: %w", name, err)
		}
		*field = kib << 10
	}
	if m.Resident == 0 || m.Peak == 0 {
		return Memory{}, errors.New("/proc/PID/status has no VmRSS or VmHWM")
	}
	return m, nil
}
