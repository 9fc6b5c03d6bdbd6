package cluster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
)

// unheld are the writes to records of which no node holds anything in memory, or that come with one that is watched. What
// is new in the contract is either watched or named here: whoever adds it knows whether it is held.
var unheld = []string{
	"PutCommands", "DeleteCommands", "DropOverwrites", // come with MoveScope
	"DeleteExpired", // what has expired is refused anyway
	"LeaseNode", "ExtendNode", "Nodes",
	"PutLobbySecret", "PutLobbyMessage", "DeleteLobbyMessages", "PutInvite", "DeleteInvite", "ExpireInvites",
	"PutInteraction", "MoveInteraction", "DeleteInteractions", "PutMessage", "DeleteMessages", "PutActivity", "DeleteActivities",
	"PutCode", "DeleteCodes", "PutGrant", "DeleteGrant", "PutConsent", "DeleteConsent", "PutDevice", "DeleteDevice",
	"PutSigningKey", "DeleteSigningKey", "PutSession", "DeleteSession", "PutAccount", "DeleteOutdated",
}

func TestEveryWriteIsWatched(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "watch.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Clone(unheld)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			known = append(known, f.Name.Name)
		}
	}
	tx, reader := reflect.TypeFor[store.Tx](), reflect.TypeFor[store.Reader]()
	for m := range tx.Methods() {
		name := m.Name
		if _, reads := reader.MethodByName(name); !reads && !slices.Contains(known, name) {
			t.Errorf("%s is neither watched nor known to be held by nobody", name)
		}
	}
}
