package registry

import (
	"context"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Overwrite replaces all commands of a scope by a list, or changes nothing. It returns the commands in the order of the
// list.
func (r *Registry) Overwrite(
	ctx context.Context, scope command.Scope, env command.Env, body jsonbody.Value,
) (commands []*command.Command, err error) {
	items, err := command.ParseList(body, env)
	if err != nil {
		return nil, err
	}
	list := command.NewList(items) // here and not in the unit of work, where everybody else would wait for it
	err = r.update(ctx, scope, func(s *snapshot) (change, error) {
		plan, err := list.Plan(s.open(env))
		if err != nil {
			return change{}, err
		}
		c, result, err := r.carryOut(plan, s, scope)
		commands = result
		return c, err
	})
	return commands, err
}

// open returns the commands that a list can replace: an entry point that is hidden stays whatever the list says.
func (s *snapshot) open(env command.Env) []command.Command {
	list := make([]command.Command, 0, len(s.commands))
	for _, c := range s.commands {
		if c.Type != command.PrimaryEntryPoint || env.Embedded {
			list = append(list, *c)
		}
	}
	return list
}

// carryOut turns a plan into a change of the scope and the commands in the order of the list. New ids are a run, and so
// are the versions after them.
func (r *Registry) carryOut(
	plan command.Plan, s *snapshot, scope command.Scope,
) (c change, result []*command.Command, err error) {
	types := make([]command.Type, len(plan.Steps))
	creates, writes := plan.Creates(), 0
	for i := range plan.Steps {
		step := &plan.Steps[i]
		types[i] = step.Item.Type
		if step.Action != command.Keep {
			writes++
			r.ids.Observe(uint64(step.Old.Version))
		}
	}
	if err := command.CheckCounts(types...); err != nil {
		return change{}, nil, err
	}
	c.quota = s.quota
	if creates > 0 {
		if c.quota, err = s.quota.Take(creates, r.clock.Now()); err != nil {
			return change{}, nil, err
		}
	}
	var id, version uint64
	if writes > 0 {
		id = r.ids.Run(creates + writes)
		version = id + uint64(creates)
	}
	result = make([]*command.Command, len(plan.Steps))
	c.put = make([]*command.Command, 0, writes)
	for i := range plan.Steps {
		step := &plan.Steps[i]
		if step.Action == command.Keep {
			result[i] = s.byID(step.Old.ID)
			continue
		}
		made := &command.Command{
			ID: step.Old.ID, Scope: scope, Version: snowflake.Version(version),
			Type: step.Item.Type, Name: step.Old.Name, Doc: step.Doc,
		}
		version++
		if step.Action == command.Create {
			made.ID = snowflake.Command(id)
			id++
		}
		if step.Action == command.Create || step.Renamed {
			made.Name = strings.Clone(step.Item.Name) // not the whole body with it
		}
		if step.Renamed {
			c.renamed = append(c.renamed, made.ID)
		}
		result[i] = made
		c.put = append(c.put, made)
	}
	for _, gone := range plan.Deleted {
		c.deleted = append(c.deleted, gone.ID)
	}
	return c, result, nil
}
