package lobby_test

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/google/go-cmp/cmp"
)

// codes maps paths to findings.
type codes = map[string][]jsonbody.Code

func parse(t testing.TB, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q) = %v", text, err)
	}
	return v
}

// findings returns the findings of an error; nil for no error.
func findings(t testing.TB, err error) codes {
	t.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error is %v, want findings", err)
	}
	return tree.Flat()
}

// dict returns a dictionary of n keys of two code points, with values of the given length.
func dict(n, value int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`"%02d":"%s"`, i, strings.Repeat("é", value))
	}
	return "{" + strings.Join(items, ",") + "}"
}

func entries(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":"%d"}`, i+1)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestReadPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, give string
		want             codes
	}{
		{"nothing", "all optional", `{}`, nil},
		{"all at once", "findings come together", `{"metadata":7,"flags":2,"idle_timeout_seconds":4,"members":[{}],"override_event_webhooks_url":"x"}`, codes{
			"metadata": {jsonbody.DictConvert}, "flags": {jsonbody.Choices}, "idle_timeout_seconds": {jsonbody.NumberMin},
			"members.0.id": {jsonbody.Required}, "override_event_webhooks_url": {lobby.InvalidURL},
		}},
		{"no object", "body", `[]`, codes{"": {jsonbody.ModelConvert}}},
		{"nulls", "null and absence", `{"metadata":null,"flags":null,"idle_timeout_seconds":null,"members":null,"override_event_webhooks_url":null}`, nil},
		{"unknown keys", "unknown keys are ignored", `{"type":1,"capacity":16,"locked":true}`, nil},
		{"metadata of 1000", "max total length 1000", `{"metadata":` + dict(10, 98) + `}`, nil},
		{"metadata of 1001", "max total length 1000", `{"metadata":` + strings.Replace(dict(10, 98), `"00"`, `"000"`, 1) + `}`, codes{"metadata": {jsonbody.MaxLength}}},
		{"100 keys", "only the total length limits metadata", `{"metadata":` + dict(100, 8) + `}`, nil},
		{"100 keys of 1100", "only the total length limits metadata", `{"metadata":` + dict(100, 9) + `}`, codes{"metadata": {jsonbody.MaxLength}}},
		{"100 keys of a member", "only the total length limits metadata", `{"members":[{"id":"1","metadata":` + dict(100, 8) + `}]}`, nil},
		{"the same key many times", "the last counts", `{"metadata":{` + strings.Repeat(`"a":"1",`, 40) + `"a":"2"}}`, nil},
		{"number as a value", "dictionary string->string", `{"metadata":{"a":1,"b":"x","c":null}}`, codes{"metadata.a": {jsonbody.StringConvert}, "metadata.c": {jsonbody.StringConvert}}},
		{"empty key", "allowed", `{"metadata":{"":"x"}}`, nil},
		{"4 seconds", "5 to 604800", `{"idle_timeout_seconds":4}`, codes{"idle_timeout_seconds": {jsonbody.NumberMin}}},
		{"5 seconds", "5 to 604800", `{"idle_timeout_seconds":5}`, nil},
		{"a week", "5 to 604800", `{"idle_timeout_seconds":604800}`, nil},
		{"more than a week", "5 to 604800", `{"idle_timeout_seconds":604801}`, codes{"idle_timeout_seconds": {jsonbody.NumberMax}}},
		{"half a second", "integer", `{"idle_timeout_seconds":5.5}`, codes{"idle_timeout_seconds": {jsonbody.NumberCoerce}}},
		{"flags 0", "one flag", `{"flags":0}`, nil},
		{"flags 1", "one flag", `{"flags":1}`, nil},
		{"flags 3", "one flag", `{"flags":3}`, codes{"flags": {jsonbody.Choices}}},
		{"negative flags", "one flag", `{"flags":-1}`, codes{"flags": {jsonbody.Choices}}},
		{"flags as digits", "numeric strings count as numbers", `{"flags":"1"}`, nil},
		{"timeout as digits", "numeric strings count as numbers", `{"idle_timeout_seconds":"60"}`, nil},
		{"timeout as digits out of range", "numeric strings count as numbers", `{"idle_timeout_seconds":"4"}`, codes{"idle_timeout_seconds": {jsonbody.NumberMin}}},
		{"timeout as another text", "integer", `{"idle_timeout_seconds":"60s"}`, codes{"idle_timeout_seconds": {jsonbody.NumberCoerce}}},
		{"flags as text", "integer", `{"flags":"x"}`, codes{"flags": {jsonbody.NumberCoerce}}},
		{"25 members", "up to 25", `{"members":` + entries(25) + `}`, nil},
		{"26 members", "up to 25", `{"members":` + entries(26) + `}`, codes{"members": {jsonbody.MaxLength}}},
		{"no list", "array", `{"members":{"id":"1"}}`, codes{"members": {jsonbody.ListConvert}}},
		{"entry without id", "id required in lists", `{"members":[{"id":"1"},{"flags":0}]}`, codes{"members.1.id": {jsonbody.Required}}},
		{"null entry", "entry is an object", `{"members":[null]}`, codes{"members.0": {jsonbody.ModelConvert}}},
		{"id in words", "snowflake", `{"members":[{"id":"ada"}]}`, codes{"members.0.id": {jsonbody.NumberCoerce}}},
		{"id 0", "not a user id", `{"members":[{"id":"0"}]}`, codes{"members.0.id": {jsonbody.NumberCoerce}}},
		{"id as a number", "integer up to 2^53", `{"members":[{"id":9007199254740992}]}`, nil},
		{"id as too large a number", "integer up to 2^53", `{"members":[{"id":9007199254740993}]}`, codes{"members.0.id": {jsonbody.NumberCoerce}}},
		{"entry", "every fault of an entry", `{"members":[{"id":"1","metadata":[],"flags":2}]}`, codes{"members.0.metadata": {jsonbody.DictConvert}, "members.0.flags": {jsonbody.Choices}}},
		{"entry with too much", "max total length 1000", `{"members":[{"id":"1","metadata":` + dict(25, 40) + `}]}`, codes{"members.0.metadata": {jsonbody.MaxLength}}},
		{"https", "https URI", `{"override_event_webhooks_url":"https://game.example/hook?a=1"}`, nil},
		{"http", "https URI", `{"override_event_webhooks_url":"http://game.example"}`, codes{"override_event_webhooks_url": {lobby.InvalidURL}}},
		{"no host", "https URI", `{"override_event_webhooks_url":"https:///hook"}`, codes{"override_event_webhooks_url": {lobby.InvalidURL}}},
		{"blank", "https URI", `{"override_event_webhooks_url":"https://a b"}`, codes{"override_event_webhooks_url": {lobby.InvalidURL}}},
		{"long", "at most 512", `{"override_event_webhooks_url":"https://` + strings.Repeat("a", 512) + `"}`, codes{"override_event_webhooks_url": {jsonbody.MaxLength}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := lobby.ReadPatch(parse(t, tt.give))
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: findings differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadMember(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       codes
	}{
		{"nothing", `{}`, nil},
		{"nulls", `{"metadata":null,"flags":null,"additional_name":null}`, nil},
		{"no object", `"x"`, codes{"": {jsonbody.ModelConvert}}},
		{"every fault", `{"metadata":{"a":true},"flags":4,"additional_name":""}`, codes{
			"metadata.a": {jsonbody.StringConvert}, "flags": {jsonbody.Choices}, "additional_name": {jsonbody.BadLength},
		}},
		{"name of 80", `{"additional_name":"` + strings.Repeat("é", 80) + `"}`, nil},
		{"name of 81", `{"additional_name":"` + strings.Repeat("é", 81) + `"}`, codes{"additional_name": {jsonbody.BadLength}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := lobby.ReadMember(7, parse(t, tt.give))
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
			if err == nil && e.ID != 7 {
				t.Errorf("ReadMember() is for %v", e.ID)
			}
		})
	}
}

func TestReadBulk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       codes
		read       int
	}{
		{"two", `[{"id":"1","additional_name":"x"},{"id":"2","remove_member":true}]`, nil, 2},
		{"null says nothing", `[{"id":"1","remove_member":null}]`, nil, 1},
		{"none", `[]`, codes{"": {jsonbody.BadLength}}, 0},
		{"25", entries(25), nil, 25},
		{"26", entries(26), codes{"": {jsonbody.BadLength}}, 25},
		{"object", `{"id":"1"}`, codes{"": {jsonbody.ListConvert}}, 0},
		{"every fault", `[{"remove_member":"yes","flags":9},3]`, codes{
			"0.id": {jsonbody.Required}, "0.flags": {jsonbody.Choices}, "1": {jsonbody.ModelConvert},
		}, 0},
		{"not a truth", `[{"id":"1","remove_member":"yes"}]`, codes{"0.remove_member": {jsonbody.BooleanConvert}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := lobby.ReadBulk(parse(t, tt.give))
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
			if len(got) != tt.read {
				t.Errorf("ReadBulk() returns %d entries, want %d", len(got), tt.read)
			}
		})
	}
}

func TestReadJoin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       codes
	}{
		{"secret alone", `{"secret":"s"}`, nil},
		{"no secret", `{}`, codes{"secret": {jsonbody.Required}}},
		{"empty secret", `{"secret":""}`, codes{"secret": {jsonbody.BadLength}}},
		{"secret of 250", `{"secret":"` + strings.Repeat("é", 250) + `"}`, nil},
		{"secret of 251", `{"secret":"` + strings.Repeat("é", 251) + `"}`, codes{"secret": {jsonbody.BadLength}}},
		{"every fault", `{"secret":1,"lobby_metadata":1,"member_metadata":"x","flags":2,"idle_timeout_seconds":1}`, codes{
			"secret": {jsonbody.StringConvert}, "lobby_metadata": {jsonbody.DictConvert}, "member_metadata": {jsonbody.DictConvert},
			"flags": {jsonbody.Choices}, "idle_timeout_seconds": {jsonbody.NumberMin},
		}},
		{"no object", `1`, codes{"": {jsonbody.ModelConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := lobby.ReadJoin(parse(t, tt.give))
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLink(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]codes{
		`{}`: nil, `{"channel_id":null}`: nil, `{"channel_id":"900000000000000010"}`: nil,
		`{"channel_id":"x"}`: {"channel_id": {jsonbody.NumberCoerce}}, `[]`: {"": {jsonbody.ModelConvert}},
	} {
		id, err := lobby.ReadLink(parse(t, give))
		if diff := cmp.Diff(want, findings(t, err)); diff != "" {
			t.Errorf("ReadLink(%s): findings differ (-want +got):\n%s", give, diff)
		}
		if strings.Contains(give, "10") && id != 900000000000000010 {
			t.Errorf("ReadLink(%s) = %v", give, id)
		}
	}
}

func TestReadMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       codes
	}{
		{"text", `{"content":"hi","metadata":{"a":"b"},"flags":0}`, nil},
		{"2000", `{"content":"` + strings.Repeat("é", 2000) + `"}`, nil},
		{"2001", `{"content":"` + strings.Repeat("é", 2001) + `"}`, codes{"content": {jsonbody.BadLength}}},
		{"every fault", `{"content":1,"metadata":1,"flags":-1}`, codes{
			"content": {jsonbody.StringConvert}, "metadata": {jsonbody.DictConvert}, "flags": {jsonbody.NumberMin},
		}},
	} {
		_, err := lobby.ReadMessage(parse(t, tt.give))
		if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
			t.Errorf("%s: findings differ (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, give := range []string{`{}`, `{"content":""}`, `{"content":null}`} {
		if _, err := lobby.ReadMessage(parse(t, give)); !errors.Is(err, lobby.ErrEmptyMessage) {
			t.Errorf("ReadMessage(%s) = %v, want %v", give, err, lobby.ErrEmptyMessage)
		}
	}
}

func TestReadModeration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       codes
	}{
		{"none", `{}`, nil},
		{"five", dict(5, 2000), nil},
		{"six", dict(6, 1), codes{"": {jsonbody.MaxLength}}},
		{"long value", `{"a":"` + strings.Repeat("x", 2001) + `"}`, codes{"a": {jsonbody.MaxLength}}},
		{"long key", `{"` + strings.Repeat("k", 1025) + `":"x"}`, codes{strings.Repeat("k", 1025): {jsonbody.MaxLength}}},
		{"number", `{"a":1}`, codes{"a": {jsonbody.StringConvert}}},
		{"no object", `[]`, codes{"": {jsonbody.ModelConvert}}},
	} {
		_, err := lobby.ReadModeration(parse(t, tt.give))
		if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
			t.Errorf("%s: findings differ (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzRead checks that accepted requests are within the limits and do not change when written as JSON.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"metadata":{"map":"dust"},"members":[{"id":"1","flags":1}],"idle_timeout_seconds":3600}`,
		`{"members":[{"id":1},{"id":"1","metadata":{"":"\u0000"}}]}`, `{"metadata":null}`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		body, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		p, err := lobby.ReadPatch(body)
		if err != nil {
			return
		}
		l := p.Apply(lobby.New(1, 2, noon))
		list, _ := p.Members.Get()
		l.Members = l.Replace(list)
		if l.IdleTimeout < lobby.MinIdleTimeout || l.IdleTimeout > lobby.MaxIdleTimeout || l.Flags > 1 || len(l.Members) > lobby.MaxPerRequest {
			t.Fatalf("ReadPatch(%s) accepts %+v", in, l)
		}
		again := parse(t, string(l.AppendJSON(nil, nil)))
		q, err := lobby.ReadPatch(again)
		if err != nil {
			t.Fatalf("an accepted request is refused after a round trip: %v", err)
		}
		back := q.Apply(lobby.New(1, 2, noon))
		if back.Metadata != l.Metadata || back.Flags != l.Flags || back.WebhooksURL != l.WebhooksURL {
			t.Errorf("%+v came back as %+v", l, back)
		}
		members, _ := q.Members.Get()
		if diff := cmp.Diff(l.Members, back.Replace(members)); diff != "" {
			t.Errorf("members came back differently (-want +got):\n%s", diff)
		}
	})
}

// FuzzReadFilter checks that an accepted filter keeps the limits, and finds the lobbies whose metadata has what it asks for.
func FuzzReadFilter(f *testing.F) {
	for _, s := range [][2]string{
		{"metadata%5Bmap%5D=dust&min%5Brank%5D=3&max%5Brank%5D=9&free=1", `{"map":"dust","rank":"5","max_members":"4"}`},
		{"min[a]=-1e3&max[a]=Inf&free=0x1", `{"a":"NaN"}`},
		{"metadata[]=&metadata[]=x", `{"":""}`},
		{"max[a]=0x1p4&min[a]=1_0", `{"a":"16"}`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, query, metadata string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		var tree jsonbody.Tree
		filter := lobby.ReadFilter(&tree, q)
		body, err := jsonbody.Parse([]byte(`{"metadata":` + metadata + `}`))
		if tree.Failed() || err != nil {
			return
		}
		if len(filter.Equal)+len(filter.Ranges) > lobby.MaxFilters || filter.Free < 0 || filter.Free > lobby.MaxMembers {
			t.Errorf("ReadFilter(%q) accepts %+v", query, filter)
		}
		p, err := lobby.ReadPatch(body)
		if err != nil {
			return
		}
		l := p.Apply(lobby.New(1, 2, noon))
		listing := lobby.NewListing(l.ID, l.Flags, l.Metadata, 0)
		want := listing.Free() >= filter.Free
		dict := l.Metadata.Map()
		for _, m := range filter.Equal {
			value, has := dict[m.Key]
			want = want && has && value == m.Value
		}
		for _, r := range filter.Ranges {
			n, err := strconv.ParseFloat(dict[r.Key], 64)
			want = want && err == nil && r.Low <= n && n <= r.High && !strings.ContainsAny(dict[r.Key], "xXiInN_") // no hexadecimal number, no infinity
		}
		if got := listing.Matches(&filter); got != want {
			t.Errorf("%q: Matches(%s) = %v, want %v", query, l.Metadata, got, want)
		}
	})
}
