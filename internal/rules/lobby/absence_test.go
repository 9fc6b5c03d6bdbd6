package lobby_test

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/lobby"
)

// States before a request: an empty lobby, or a lobby and a member with all properties.
const (
	fresh = `null 0 300s`
	busy  = `{"map":"dust"} 1 3600s [{"a":"b"} 1 Vex]`
)

func busyLobby() lobby.Lobby {
	l := full()
	l.Members = []*lobby.Member{{ID: 7, Metadata: `{"a":"b"}`, Flags: 1, AdditionalName: "Vex"}}
	return l
}

// look returns a lobby in one line: metadata, flags, idle timeout and members.
func look(l *lobby.Lobby) string {
	s := fmt.Sprintf("%s %d %ds", l.Metadata.AppendJSON(nil), l.Flags, int(l.IdleTimeout.Seconds()))
	for _, m := range l.Members {
		s = fmt.Sprintf("%s [%s]", s, lookAt(m))
	}
	return s
}

func lookAt(m *lobby.Member) string {
	return fmt.Sprintf("%s %d %s", m.Metadata.AppendJSON(nil), m.Flags, m.AdditionalName)
}

// request parses a body and returns the result in one line.
type request func(t *testing.T, body string) string

func patch(before func() lobby.Lobby) request {
	return func(t *testing.T, body string) string {
		t.Helper()
		p, err := lobby.ReadPatch(parse(t, body))
		if err != nil {
			t.Fatalf("ReadPatch(%s) = %v", body, err)
		}
		l := p.Apply(before())
		if list, given := p.Members.Get(); given {
			l.Members = l.Replace(list)
		}
		return look(&l)
	}
}

func enter(before func() lobby.Lobby) request {
	return func(t *testing.T, body string) string {
		t.Helper()
		j, err := lobby.ReadJoin(parse(t, `{"secret":"s",`+body[1:]))
		if err != nil {
			t.Fatalf("ReadJoin(%s) = %v", body, err)
		}
		l := j.Lobby.Apply(before())
		l.Members = l.With(lobby.Entry{ID: 7, Metadata: j.Metadata}.Amend(l.Member(7)))
		return look(&l)
	}
}

func put(t *testing.T, body string) string {
	t.Helper()
	e, err := lobby.ReadMember(7, parse(t, body))
	if err != nil {
		t.Fatalf("ReadMember(%s) = %v", body, err)
	}
	return lookAt(e.Amend(busyLobby().Members[0]))
}

func bulk(t *testing.T, body string) string {
	t.Helper()
	list, err := lobby.ReadBulk(parse(t, `[{"id":"7",`+body[1:]+`]`))
	if err != nil {
		t.Fatalf("ReadBulk(%s) = %v", body, err)
	}
	return lookAt(list[0].Amend(busyLobby().Members[0]))
}

// listed is patch for an entry of an existing member.
func listed(t *testing.T, body string) string {
	t.Helper()
	return patch(busyLobby)(t, `{"members":[{"id":"7",`+body[1:]+`]}`)
}

func newLobby() lobby.Lobby { return lobby.New(1, 2, noon) }

// TestAbsence checks what an absent property, null and a value mean.
func TestAbsence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of                  string
		do                  request
		field, value        string
		absent, null, given string
	}{
		{"POST", patch(newLobby), "metadata", `{"k":"v"}`, fresh, fresh, `{"k":"v"} 0 300s`},
		{"POST", patch(newLobby), "members", `[{"id":"8"}]`, fresh, fresh, fresh + " [null 0 ]"},
		{"POST", patch(newLobby), "idle_timeout_seconds", `60`, fresh, fresh, `null 0 60s`},
		{"POST", patch(newLobby), "flags", `1`, fresh, fresh, `null 1 300s`},
		{"PATCH", patch(busyLobby), "metadata", `{"k":"v"}`, busy, `null 1 3600s [{"a":"b"} 1 Vex]`, `{"k":"v"} 1 3600s [{"a":"b"} 1 Vex]`},
		{"PATCH", patch(busyLobby), "members", `[{"id":"8"}]`, busy, busy, `{"map":"dust"} 1 3600s [null 0 ]`},
		{"PATCH", patch(busyLobby), "members", `[]`, busy, busy, `{"map":"dust"} 1 3600s`},
		{"PATCH", patch(busyLobby), "idle_timeout_seconds", `60`, busy, busy, `{"map":"dust"} 1 60s [{"a":"b"} 1 Vex]`},
		{"PATCH", patch(busyLobby), "flags", `0`, busy, `{"map":"dust"} 0 3600s [{"a":"b"} 1 Vex]`, `{"map":"dust"} 0 3600s [{"a":"b"} 1 Vex]`},
		{"PATCH members[i]", listed, "metadata", `{"k":"v"}`, busy, `{"map":"dust"} 1 3600s [null 1 Vex]`, `{"map":"dust"} 1 3600s [{"k":"v"} 1 Vex]`},
		{"PATCH members[i]", listed, "flags", `0`, busy, `{"map":"dust"} 1 3600s [{"a":"b"} 0 Vex]`, `{"map":"dust"} 1 3600s [{"a":"b"} 0 Vex]`},
		{"PUT member", put, "metadata", `{"k":"v"}`, `{"a":"b"} 1 Vex`, `null 1 Vex`, `{"k":"v"} 1 Vex`},
		{"PUT member", put, "flags", `0`, `{"a":"b"} 1 Vex`, `{"a":"b"} 0 Vex`, `{"a":"b"} 0 Vex`},
		{"PUT member", put, "additional_name", `"Rex"`, `{"a":"b"} 1 Vex`, `{"a":"b"} 1 `, `{"a":"b"} 1 Rex`},
		{"bulk", bulk, "metadata", `{"k":"v"}`, `{"a":"b"} 1 Vex`, `null 1 Vex`, `{"k":"v"} 1 Vex`},
		{"bulk", bulk, "flags", `0`, `{"a":"b"} 1 Vex`, `{"a":"b"} 0 Vex`, `{"a":"b"} 0 Vex`},
		{"bulk", bulk, "additional_name", `"Rex"`, `{"a":"b"} 1 Vex`, `{"a":"b"} 1 `, `{"a":"b"} 1 Rex`},
		{"PUT lobbies, made", enter(newLobby), "lobby_metadata", `{"k":"v"}`, fresh + " [null 0 ]", fresh + " [null 0 ]", `{"k":"v"} 0 300s [null 0 ]`},
		{"PUT lobbies, made", enter(newLobby), "member_metadata", `{"k":"v"}`, fresh + " [null 0 ]", fresh + " [null 0 ]", fresh + ` [{"k":"v"} 0 ]`},
		{"PUT lobbies, made", enter(newLobby), "idle_timeout_seconds", `60`, fresh + " [null 0 ]", fresh + " [null 0 ]", `null 0 60s [null 0 ]`},
		{"PUT lobbies, joined", enter(busyLobby), "lobby_metadata", `{"k":"v"}`, busy, `null 1 3600s [{"a":"b"} 1 Vex]`, `{"k":"v"} 1 3600s [{"a":"b"} 1 Vex]`},
		{"PUT lobbies, joined", enter(busyLobby), "member_metadata", `{"k":"v"}`, busy, `{"map":"dust"} 1 3600s [null 1 Vex]`, `{"map":"dust"} 1 3600s [{"k":"v"} 1 Vex]`},
		{"PUT lobbies, joined", enter(busyLobby), "idle_timeout_seconds", `60`, busy, busy, `{"map":"dust"} 1 60s [{"a":"b"} 1 Vex]`},
	} {
		for _, c := range []struct{ name, body, want string }{
			{"absent", `{"other":0}`, tt.absent},
			{"null", fmt.Sprintf(`{%q:null}`, tt.field), tt.null},
			{"value", fmt.Sprintf(`{%q:%s}`, tt.field, tt.value), tt.given},
		} {
			if got := tt.do(t, c.body); got != c.want {
				t.Errorf("%s %s %s: %s, want %s", tt.of, tt.field, c.name, got, c.want)
			}
		}
	}
}
