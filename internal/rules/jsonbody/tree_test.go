package jsonbody_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

func TestTree(t *testing.T) {
	t.Parallel()

	t.Run("without findings is no error", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		_ = tree.At("options").Index(3).At("name") // a branch without a finding
		if err := tree.Err(); err != nil {
			t.Errorf("Err() = %v, want nil", err)
		}
	})

	t.Run("keeps every finding under its path", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		tree.At("name").Length(1, 32)
		options := tree.At("options")
		options.Index(10).At("name").Add("B", "b")
		options.Index(2).Add("C", "c")
		tree.At("options").Index(10).At("name").Add("D", "d") // a second branch with the same path
		want := map[string][]jsonbody.Code{"name": {jsonbody.BadLength}, "options.10.name": {"B", "D"}, "options.2": {"C"}}
		if diff := cmp.Diff(want, tree.Flat()); diff != "" {
			t.Errorf("Flat() differs (-want +got):\n%s", diff)
		}
		if !options.Failed() || !tree.At("options").Index(10).Failed() || tree.At("options").Index(1).Failed() {
			t.Error("Failed() is wrong for a branch")
		}
		var order []string
		tree.Walk(func(path string, _ jsonbody.Finding) { order = append(order, path) })
		if got := strings.Join(order, " "); got != "name options.2 options.10.name options.10.name" {
			t.Errorf("Walk order = %s", got)
		}
	})

	t.Run("marshals as nested objects", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		tree.At("options").Index(0).At("name").Add("X", "a <b>")
		tree.At("options").Index(1).Required()
		got, err := tree.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want := `{"options":{"0":{"name":{"_errors":[{"code":"X","message":"a <b>"}]}},` +
			`"1":{"_errors":[{"code":"BASE_TYPE_REQUIRED","message":"This field is required"}]}}}`
		if string(got) != want {
			t.Errorf("MarshalJSON() = %s, want %s", got, want)
		}
	})

	t.Run("marshals a branch", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		tree.At("a").At("b").Add("X", "x")
		for _, tt := range []struct {
			give *jsonbody.Tree
			want string
		}{
			{tree.At("a"), `{"b":{"_errors":[{"code":"X","message":"x"}]}}`},
			{tree.At("c"), `{}`},
		} {
			got, err := tt.give.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("MarshalJSON() = %s, want %s", got, tt.want)
			}
		}
	})

	t.Run("keeps no more than its limit", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		for i := range jsonbody.MaxFindings + 10 {
			tree.Index(i).Required()
		}
		n := 0
		tree.Walk(func(string, jsonbody.Finding) { n++ })
		if n != jsonbody.MaxFindings {
			t.Errorf("tree holds %d findings, want %d", n, jsonbody.MaxFindings)
		}
	})

	t.Run("reads as one line", func(t *testing.T) {
		t.Parallel()
		var tree jsonbody.Tree
		tree.Add("A", "whole")
		tree.At("x").Add("B", "part")
		if got := tree.Error(); got != "invalid form body: whole; x: part" {
			t.Errorf("Error() = %q", got)
		}
	})
}

// TestBranchesAllocateNothing is not parallel: it counts the allocations of the process.
func TestBranchesAllocateNothing(t *testing.T) {
	option := new(jsonbody.Tree).At("options").Index(3)
	allocs := testing.AllocsPerRun(100, func() {
		if at := option.At("name"); at.Failed() {
			at.Required()
		}
	})
	if allocs > 0 {
		t.Errorf("a branch without findings allocates %v times, want 0", allocs)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	var tree jsonbody.Tree
	tree.At("a").Length(-1, 25)
	tree.At("b").Length(1, -1)
	tree.At("c").NotOneOf("'x'", "'y'")
	jsonbody.NotOneOfInts(tree.At("d"), 1, 2)
	jsonbody.WrongTag(tree.At("e"), 3, 4)
	tree.At("f").NotA("int", "x")
	tree.At("g").Below("int", "5")
	tree.At("h").Above("float", "7")
	var got []string
	tree.Walk(func(_ string, f jsonbody.Finding) { got = append(got, string(f.Code)+": "+f.Message) })
	want := []string{
		"BASE_TYPE_MAX_LENGTH: Must be 25 or fewer in length.",
		"BASE_TYPE_MIN_LENGTH: Must be 1 or more in length.",
		"BASE_TYPE_CHOICES: Value must be one of ('x', 'y').",
		"BASE_TYPE_CHOICES: Value must be one of (1, 2).",
		`UNION_TYPE_CHOICES: Value of field "type" must be one of (3, 4).`,
		`NUMBER_TYPE_COERCE: Value "x" is not int.`,
		"NUMBER_TYPE_MIN: int value should be greater than or equal to 5.",
		"NUMBER_TYPE_MAX: float value should be less than or equal to 7.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages differ (-want +got):\n%s", diff)
	}
}
