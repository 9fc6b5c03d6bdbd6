package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time that the process has used.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(stat))
}

// parseStat finds the times in user and in system mode: the 12th and 13th field behind the name of the program, which
// is in parentheses and may hold anything.
func parseStat(stat string) (time.Duration, error) {
	const tick = 10 * time.Millisecond // the unit of Linux for programs
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, errors.New("stat of a process is too short")
	}
	var total time.Duration
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat of a process: %w", err)
		}
		total += time.Duration(ticks) * tick
	}
	return total, nil
}

// Memory is how much of the machine's memory a process holds, in bytes.
type Memory struct {
	// Resident is what it holds now, Peak the most that it has held.
	Resident, Peak uint64
}

// Memory asks the kernel what the process holds.
func (p *Process) Memory() (Memory, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return Memory{}, err
	}
	return parseStatus(string(status))
}

// parseStatus finds the two lines that count, such as "VmRSS:	   10240 kB".
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
			return Memory{}, fmt.Errorf("status of a process: %s: %w", name, err)
		}
		*field = kib << 10
	}
	if m.Resident == 0 || m.Peak == 0 {
		return Memory{}, errors.New("status of a process names no memory")
	}
	return m, nil
}
