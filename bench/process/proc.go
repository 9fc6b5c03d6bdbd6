package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// TreeCPU returns the CPU time that the threads of a process and of its children have used, to the nanosecond, and that of
// children that have ended, in ticks. Threads that have ended do not count.
func TreeCPU(pid int) (total time.Duration, err error) {
	tree := []string{strconv.Itoa(pid)}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	if total, err = sumTicks(string(stat), 13); err != nil {
		return 0, err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	for _, id := range append(tree, strings.Fields(string(children))...) {
		threads, err := filepath.Glob("/proc/" + id + "/task/*/schedstat")
		if err != nil {
			return 0, err
		}
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if err != nil {
				continue // it has just ended
			}
			used, err := strconv.ParseInt(strings.Fields(string(stat))[0], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", thread, err)
			}
			total += time.Duration(used)
		}
	}
	return total, nil
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// parseStat returns the sum of user and system time: fields 12 and 13 after the name of the program. The name is in
// parentheses and may contain any characters.
func parseStat(stat string) (time.Duration, error) { return sumTicks(stat, 11) }

// sumTicks returns the sum of two fields.
func sumTicks(stat string, first int) (time.Duration, error) {
	const tick = 10 * time.Millisecond // the unit of Linux
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < first+2 {
		return 0, errors.New("/proc/PID/stat is too short")
	}
	var total time.Duration
	for _, field := range fields[first : first+2] {
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
