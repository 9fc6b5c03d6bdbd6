package registry

import (
	"bytes"
	"context"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json/jsontext"
)

// shownPermissions are the default permissions of a command in the audit log.
type shownPermissions struct {
	Name    string         `json:"name"`
	Default jsontext.Value `json:"default_member_permissions"`
}

// auditPermissions adds an entry to a change for each command whose default permissions an update changes.
func (r *Registry) auditPermissions(ctx context.Context, c *store.Change, scope command.Scope, before *snapshot, u update) error {
	if r.Audit == nil {
		return nil
	}
	for _, made := range u.put {
		old := before.byID(made.ID)
		if old == nil {
			continue
		}
		was, is := defaultPermissions(old.Doc), defaultPermissions(made.Doc)
		if bytes.Equal(was, is) {
			continue
		}
		target := "application/" + scope.Application.String()
		if !scope.Global() {
			target += "/guild/" + scope.Guild.String()
		}
		err := r.Audit.AddTo(ctx, c, audit.Entry{
			Action: "command.permissions", Target: target + "/command/" + made.ID.String(),
			Before: shownPermissions{old.Name, was}, After: shownPermissions{made.Name, is},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// defaultPermissions returns the member default_member_permissions of the document of a command: null, or a number in
// quotes. Inside of texts the quotes around the name would be escaped.
func defaultPermissions(doc []byte) jsontext.Value {
	_, rest, ok := bytes.Cut(doc, []byte(`"default_member_permissions":`))
	if !ok {
		return jsontext.Value("null")
	}
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		rest = rest[:end]
	}
	return jsontext.Value(bytes.Clone(rest))
}
