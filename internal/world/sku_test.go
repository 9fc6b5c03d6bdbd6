package world_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

const shop = `
users: [{id: "200", username: ada}]
applications: [{id: "100", name: Shop, skus: [`

// TestSKUs completes SKUs with their flags, and sorts them.
func TestSKUs(t *testing.T) {
	t.Parallel()
	got := parse(t, shop+`{id: "7", name: A, type: 5}, {id: "6", name: B, type: 2}, {id: "5", name: C, type: 5, flags: 132}, {id: "8", name: D, type: 6, flags: 256}]}]`).Applications[0].SKUs
	want := []world.SKU{
		{ID: 5, Type: 5, Name: "C", Flags: 132}, {ID: 6, Type: 2, Name: "B", Flags: 4}, {ID: 7, Type: 5, Name: "A", Flags: 260}, {ID: 8, Type: 6, Name: "D", Flags: 256},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := parse(t, shop+`]}]`).Applications[0].SKUs; got == nil || len(got) != 0 {
		t.Errorf("an empty list is %v, want none instead of the stored ones", got)
	}
	if got := parse(t, strings.Replace(shop, ", skus: [", "", 1)+`}]`).Applications[0].SKUs; got != nil {
		t.Errorf("without the key there are %v, want the stored ones", got)
	}
}

// TestWrongSKUs names what is wrong with SKUs, with the place.
func TestWrongSKUs(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{id: "5", name: A, type: 2}, `, 51)
	for text, want := range map[string]string{
		`{id: "5", name: A, type: 4}`: "applications.0.skus.0.type",
		`{id: "5", name: A}`:          "applications.0.skus.0.type",
		`{name: A, type: 2}`:          "applications.0.skus.0.id",
		`{id: "5", type: 2}`:          "applications.0.skus.0.name",
		`{id: "5", type: 2, name: ` + strings.Repeat("a", 81) + `}`: "applications.0.skus.0.name",
		`{id: "5", name: A, type: 5, flags: 384}`:                   "applications.0.skus.0.flags",
		`{id: "5", name: A, type: 5, flags: 8}`:                     "applications.0.skus.0.flags",
		`{id: "5", name: A, type: 2, flags: 132}`:                   "applications.0.skus.0.flags",
		`{id: "5", name: A, type: 2, prize: 3}`:                     "applications.0.skus.0.prize",
		`{id: "5", name: A, type: 2}, {id: "5", name: B, type: 3}`:  "applications.0.skus.1.id",
		many: "applications.0.skus",
	} {
		_, err := world.Parse("world.yaml", []byte(shop+text+"]}]"))
		wrong, ok := errors.AsType[*world.FileError](err)
		if !ok || len(wrong.Problems) == 0 || wrong.Problems[0].Path != want {
			t.Errorf("%.60s: %v, want a problem at %s", text, err, want)
		}
	}
}
