package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
)

func TestEditApplication(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.apply(t, lab)
	edit := func(body string) *store.Application {
		v, err := jsonbody.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var tree jsonbody.Tree
		p := convert.ReadApplicationPatch(&tree, v)
		if err := tree.Err(); err != nil {
			t.Fatalf("ReadApplicationPatch() = %v", err)
		}
		return get[*store.Application](t)(d.Applications.Edit(t.Context(), 100, p))
	}
	before := *edit(`{}`)
	want := before
	want.Description, want.Tags, want.Intents = "Says it back.", []string{"echo"}, 1<<15
	want.IntegrationTypes = []uint8{0}
	want.InstallParams = map[uint8]store.InstallParams{0: {Scopes: []string{"bot"}, Permissions: 8}}
	got := edit(`{"description":"Says it back.","tags":["echo"],"flags":8421376,
		"integration_types_config":{"0":{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}}}}`)
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("Edit() (-want +got):\n%s", diff)
	}
	if n := d.apply(t, lab).Changed; n != 1 {
		t.Errorf("applying the world changes %d records, want 1: the application", n)
	}
	kept := get[*store.Application](t)(d.Applications.Application(t.Context(), 100))
	if len(kept.Tags) != 1 || kept.Intents != 1<<15 || kept.Description != "" {
		t.Errorf("after Apply() the application is %+v", kept)
	}
	back := *edit(`{"tags":null,"flags":0,"integration_types_config":{"0":{},"1":null}}`)
	if diff := cmp.Diff(before, back); diff != "" {
		t.Errorf("Edit() does not undo (-want +got):\n%s", diff)
	}
	if _, err := d.Applications.Edit(t.Context(), 5, convert.ApplicationPatch{}); !errors.Is(err, directory.ErrUnknownApplication) {
		t.Errorf("Edit() = %v for an unknown application", err)
	}
}
