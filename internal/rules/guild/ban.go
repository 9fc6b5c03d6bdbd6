package guild

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of bans and of pruning.
const (
	maxDeleteSeconds = 604800
	maxDeleteDays    = 7
	MaxBulkBan       = 200
	maxPruneDays     = 30
	defaultPruneDays = 7
	maxPruneRoles    = 100
)

// BanExclusive is the code of a ban that has both delete_message_seconds and delete_message_days.
const BanExclusive jsonbody.Code = "BAN_DELETE_MESSAGE_EXCLUSIVE"

// ReadBan reads a request to ban a user. It returns the age up to which the messages of the user are deleted. A missing
// body counts as {}.
func ReadBan(body jsonbody.Value) (time.Duration, error) {
	var t jsonbody.Tree
	if body.Kind() == jsonbody.Absent {
		return 0, nil
	}
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return 0, t.Err()
	}
	return readDeleteAge(&t, body), t.Err()
}

func readDeleteAge(t *jsonbody.Tree, body jsonbody.Value) time.Duration {
	seconds := jsonbody.ReadGiven(t, body, "delete_message_seconds", jsonbody.Int(0, maxDeleteSeconds))
	days := jsonbody.ReadGiven(t, body, "delete_message_days", jsonbody.Int(0, maxDeleteDays))
	if !seconds.IsZero() && !days.IsZero() {
		t.At("delete_message_days").Add(BanExclusive, "Only one of delete_message_seconds and delete_message_days can be set")
	}
	return time.Duration(seconds.Or(0))*time.Second + time.Duration(days.Or(0))*24*time.Hour
}

// ReadBulkBan reads a request to ban many users.
func ReadBulkBan(body jsonbody.Value) ([]snowflake.User, time.Duration, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return nil, 0, t.Err()
	}
	users := jsonbody.ReadGiven(&t, body, "user_ids", jsonbody.IDs[snowflake.User](1, MaxBulkBan))
	if users.IsZero() {
		t.At("user_ids").Required()
	}
	return users.Or(nil), readDeleteAge(&t, without(body, "delete_message_days")), t.Err()
}

func without(body jsonbody.Value, name string) jsonbody.Value {
	members := slices.Clone(body.Members())
	return jsonbody.ObjectOf(slices.DeleteFunc(members, func(m jsonbody.Member) bool { return m.Name == name })...)
}

// Prune is a request to remove inactive members, or to count them.
type Prune struct {
	Days    int
	Roles   []snowflake.Role // members with other roles stay
	Counted bool             // the answer has the number of members
	Reason  string           // deprecated: the header has precedence
}

// ReadPrune reads a request to remove inactive members. A missing body counts as {}.
func ReadPrune(body jsonbody.Value) (Prune, error) {
	var t jsonbody.Tree
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Prune{}, t.Err()
	}
	return readPrune(&t, body), t.Err()
}

// ReadPruneQuery reads the parameters of a request to count inactive members.
func ReadPruneQuery(days, roles string) (Prune, error) {
	var t jsonbody.Tree
	var members []jsonbody.Member
	for name, text := range map[string]string{"days": days, "include_roles": roles} {
		if text != "" {
			members = append(members, jsonbody.Member{Name: name, Value: jsonbody.StringOf(text)})
		}
	}
	return readPrune(&t, jsonbody.ObjectOf(members...)), t.Err()
}

func readPrune(t *jsonbody.Tree, body jsonbody.Value) Prune {
	return Prune{
		Days:    jsonbody.ReadGiven(t, body, "days", jsonbody.Int(1, maxPruneDays)).Or(defaultPruneDays),
		Roles:   jsonbody.ReadGiven(t, body, "include_roles", readIncluded).Or(nil),
		Counted: jsonbody.ReadGiven(t, body, "compute_prune_count", jsonbody.Boolean).Or(true),
		Reason:  jsonbody.ReadText(t, body, "reason", false, 0, maxReason),
	}
}

// readIncluded reads a list of roles, or a text with ids and commas.
func readIncluded(t *jsonbody.Tree, v jsonbody.Value) []snowflake.Role {
	if v.Kind() == jsonbody.String {
		var items []jsonbody.Value
		if v.Text() != "" {
			for text := range strings.SplitSeq(v.Text(), ",") {
				items = append(items, jsonbody.StringOf(strings.TrimSpace(text)))
			}
		}
		v = jsonbody.ListOf(items...)
	}
	return jsonbody.IDs[snowflake.Role](0, maxPruneRoles)(t, v)
}

// Includes reports whether a member with roles, who was active last at a time, is removed. The caller skips bots, the
// owner and members with a higher rank.
func (p Prune) Includes(roles []snowflake.Role, active, now time.Time) bool {
	if now.Sub(active) < time.Duration(p.Days)*24*time.Hour {
		return false
	}
	return !slices.ContainsFunc(roles, func(id snowflake.Role) bool { return !slices.Contains(p.Roles, id) })
}

// Options returns the options of the entry in the audit log, all of them texts.
func (p Prune) Options(removed int) map[string]string {
	return map[string]string{"delete_member_days": strconv.Itoa(p.Days), "members_removed": strconv.Itoa(removed)}
}
