// Package worldapply applies a world file to a data folder or to a running service, and says what changed.
package worldapply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-json-experiment/json"
)

// Result is the result of applying a world file, with the secrets that were created.
type Result struct {
	Summary

	client.Secrets
}

// maxMemory is the memory that the Go runtime may use for a large file, unless the file needs more. The
// database has its own cache.
const maxMemory = 128 << 20

// LimitMemory makes the garbage collector keep the process small while it reads a large file.
func LimitMemory(f *world.File) {
	if f.Whole() == nil {
		debug.SetMemoryLimit(maxMemory)
	}
}

// Local applies the file to a data folder.
func Local(ctx context.Context, f *world.File, p *provision.Provisioner, progress provision.Progress) (result Result, err error) {
	w := f.Whole()
	if w == nil {
		applied, err := p.ApplyFile(ctx, f, progress)
		return Result{Summary{Records: f.Records()}, secrets.Reveal(applied)}, repeatable(err)
	}
	before, err := provision.Export(ctx, p.Directory)
	if err != nil {
		return result, err
	}
	applied, err := p.Apply(ctx, *w)
	if err != nil {
		return result, f.Locate(err)
	}
	after, err := provision.Export(ctx, p.Directory)
	return Result{summarize(*w, before, after), secrets.Reveal(applied)}, err
}

// Export returns the world of a data folder as YAML, without secrets.
func Export(ctx context.Context, d *directory.Directory) ([]byte, error) {
	w, err := provision.Export(ctx, d)
	if err != nil {
		return nil, err
	}
	return w.YAML()
}

// repeatable says how to complete an import that was broken off.
func repeatable(err error) error {
	if _, wrong := errors.AsType[*world.FileError](err); err == nil || wrong {
		return err
	}
	return fmt.Errorf("%w\nA part of the file may be applied: apply the file again to complete it", err)
}

// Service is a running service.
type Service struct {
	Root       string // its URL, without the path of the API
	AdminToken string // empty: the service has dev controls
}

// request returns a request that applies or reads the world. It uses the dev controls if there is no admin token.
func (s Service) request(devMethod, adminMethod string) remote.Request {
	if s.AdminToken == "" {
		return remote.Request{Method: devMethod, URL: s.Root + "/_dev/world"}
	}
	return remote.Request{Method: adminMethod, URL: s.Root + "/admin/v1/world", Token: s.AdminToken}
}

// Apply applies a file with this text. It counts the bytes that it has sent.
func (s Service) Apply(ctx context.Context, f *world.File, text []byte, sent *atomic.Int64) (result Result, err error) {
	w := f.Whole()
	var before world.World
	if w != nil {
		before, err = s.world(ctx)
	} else {
		err = f.Check(func(world.Part) error { return nil })
	}
	if err != nil {
		return result, err
	}
	q := s.request(http.MethodPost, http.MethodPut)
	q.ContentType, q.Body, q.Timeout, q.Sent = "application/yaml", text, applyTimeout, sent
	response, err := q.Send(ctx)
	if err != nil && w == nil {
		return result, repeatable(err)
	}
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(response, &result.Secrets); err != nil {
		return result, fmt.Errorf("response of the service: %w", err)
	}
	if w == nil {
		result.Records = f.Records()
		return result, nil
	}
	after, err := s.world(ctx)
	result.Summary = summarize(*w, before, after)
	return result, err
}

// applyTimeout bounds how long a service takes to apply a file.
const applyTimeout = 15 * time.Minute

// Export returns the world of the service as YAML.
func (s Service) Export(ctx context.Context) ([]byte, error) {
	return s.request(http.MethodGet, http.MethodGet).Send(ctx)
}

// world reads the world of the service.
func (s Service) world(ctx context.Context) (world.World, error) {
	text, err := s.Export(ctx)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse("world of the service", text)
}
