package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
)

// smallApplications is the number of applications in the small registry.
const smallApplications = 64

// registry is a running Bellhop with applications 0 to applications-1.
type registry struct {
	*process.Process
	applications int
}

// start starts Bellhop with the data folder data, without rate limits. Without a world file, the world of an earlier start remains.
func (s *environment) start(ctx context.Context, data, world string) (*process.Process, error) {
	return s.startWith(ctx, data, world, "off")
}

// startWith starts Bellhop with a file of rate limits and additional flags.
func (s *environment) startWith(ctx context.Context, data, world, limits string, flags ...string) (*process.Process, error) {
	binary, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--limits", limits, "--lobby-users", "auto"}
	if world != "" {
		args = append(args, "--world", world)
	}
	return process.Start(ctx, binary, append(args, flags...)...)
}

// populate starts Bellhop with an empty data folder and creates applications with their commands.
func (s *environment) populate(ctx context.Context, data string, applications int) (*registry, error) {
	file, err := s.file("world.yaml", workload.World(applications))
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, data, file)
	if err != nil {
		return nil, err
	}
	r := &registry{p, applications}
	result, err := s.target(p.Addr, r.each(func(i int) []byte {
		return workload.Overwrite(i).Render(nil, s.serial.Next())
	})).Drain(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fill the registry: %w", err), p.Stop())
	}
	s.logf("created %d commands in %v", applications*workload.ListLength, result.Elapsed.Round(time.Millisecond))
	return r, nil
}

// each returns a source with one request per application.
func (r *registry) each(requestFor func(application int) []byte) func(int) func() []byte {
	var next atomic.Int64
	return func(int) func() []byte {
		return func() []byte {
			i := int(next.Add(1)) - 1
			if i >= r.applications {
				return nil
			}
			return requestFor(i)
		}
	}
}

// smallRegistry returns the registry with few commands, which most cases load.
func (s *commandCases) smallRegistry(ctx context.Context) (*registry, error) {
	if s.small != nil {
		return s.small, nil
	}
	data, err := s.folder("small")
	if err != nil {
		return nil, err
	}
	s.small, err = s.populate(ctx, data, smallApplications)
	return s.small, err
}

// reply is a response of Bellhop.
type reply struct {
	contentType string
	body        []byte
}

// fetch sends a raw request once. It fails if the status is not 2xx.
func (r *registry) fetch(ctx context.Context, raw []byte) (reply, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.Addr)
	if err != nil {
		return reply{}, err
	}
	defer conn.Close()
	if _, err := conn.Write(raw); err != nil {
		return reply{}, err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	if response.StatusCode/100 != 2 {
		line, _, _ := bytes.Cut(raw, []byte("\r\n"))
		return reply{}, fmt.Errorf("%s: %s: %s", line, response.Status, body)
	}
	return reply{response.Header.Get("Content-Type"), body}, nil
}
