package premium_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/google/go-cmp/cmp"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Test Premium": "test-premium", " A  &  B ": "a-b", "Über-Abo 2": "über-abo-2", "🔥": "",
	} {
		if got := premium.Slug(name); got != want {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestReadGrant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, give string
		want       premium.Grant
		problems   map[string][]jsonbody.Code
	}{
		{name: "a user", give: `{"sku_id":"5","owner_id":"200","owner_type":2}`, want: premium.Grant{SKU: 5, User: 200}},
		{name: "a guild", give: `{"sku_id":"5","owner_id":"300","owner_type":1}`, want: premium.Grant{SKU: 5, Guild: 300}},
		{name: "nothing", give: `{}`, problems: map[string][]jsonbody.Code{
			"sku_id": {jsonbody.Required}, "owner_id": {jsonbody.Required}, "owner_type": {jsonbody.Required},
		}},
		{name: "wrong values", give: `{"sku_id":"x","owner_id":[],"owner_type":3}`, problems: map[string][]jsonbody.Code{
			"sku_id": {jsonbody.NumberCoerce}, "owner_id": {jsonbody.NumberCoerce}, "owner_type": {jsonbody.Choices},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body, err := jsonbody.Parse([]byte(c.give))
			if err != nil {
				t.Fatal(err)
			}
			got, err := premium.ReadGrant(body)
			if c.problems == nil {
				if err != nil || got != c.want {
					t.Errorf("ReadGrant() = %+v, %v, want %+v", got, err, c.want)
				}
				return
			}
			tree, _ := err.(*jsonbody.Tree)
			if tree == nil {
				t.Fatalf("ReadGrant() = %+v, %v, want problems", got, err)
			}
			if diff := cmp.Diff(c.problems, tree.Flat()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTerm follows a subscription: it is renewed, canceled, resumed, canceled again, and ends.
func TestTerm(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	term := premium.NewTerm(day(5, 1))
	steps := []struct {
		name string
		do   func(premium.Term) premium.Term
		want premium.Term
		due  time.Time
	}{
		{"new", func(t premium.Term) premium.Term { return t }, premium.Term{Start: day(5, 1), End: day(6, 1)}, day(6, 1)},
		{"resume an active one", premium.Term.Resume, premium.Term{Start: day(5, 1), End: day(6, 1)}, day(6, 1)},
		{"renew", premium.Term.Next, premium.Term{Start: day(6, 1), End: day(7, 1)}, day(7, 1)},
		{"cancel", canceledOn(day(6, 2)), premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Ending, Canceled: day(6, 2)}, day(7, 1)},
		{"cancel twice", canceledOn(day(6, 3)), premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Ending, Canceled: day(6, 2)}, day(7, 1)},
		{"resume", premium.Term.Resume, premium.Term{Start: day(6, 1), End: day(7, 1)}, day(7, 1)},
		{"cancel again", canceledOn(day(6, 4)), premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Ending, Canceled: day(6, 4)}, day(7, 1)},
		{"end", premium.Term.Next, premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Inactive, Canceled: day(6, 4)}, time.Time{}},
		{"stay ended", premium.Term.Next, premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Inactive, Canceled: day(6, 4)}, time.Time{}},
		{"resume an ended one", premium.Term.Resume, premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Inactive, Canceled: day(6, 4)}, time.Time{}},
		{"cancel an ended one", canceledOn(day(7, 4)), premium.Term{Start: day(6, 1), End: day(7, 1), Status: premium.Inactive, Canceled: day(6, 4)}, time.Time{}},
	}
	for _, s := range steps {
		if term = s.do(term); term != s.want || !term.Due().Equal(s.due) {
			t.Fatalf("%s: %+v, due %v, want %+v, due %v", s.name, term, term.Due(), s.want, s.due)
		}
	}
}

func canceledOn(at time.Time) func(premium.Term) premium.Term {
	return func(t premium.Term) premium.Term { return t.Cancel(at) }
}

// FuzzReadGrant checks that an accepted grant has one owner.
func FuzzReadGrant(f *testing.F) {
	for _, s := range []string{`{"sku_id":"1","owner_id":"2","owner_type":1}`, `{"sku_id":1,"owner_id":2,"owner_type":2}`, `{"owner_type":3}`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		if g, err := premium.ReadGrant(v); err == nil && g.User != 0 && g.Guild != 0 {
			t.Errorf("ReadGrant(%q) = %+v", in, g)
		}
	})
}
