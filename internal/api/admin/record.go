package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// record serves the records of one kind. They have the format of the world file.
type record[T any] struct {
	path   string // of the list
	name   string // plural, such as "users"
	word   string // singular with its article, such as "a user"
	schema string
	// keys are the members of a record that its path contains.
	keys  []key
	paged bool // the list takes after and limit

	read func(jsonbody.Value) (T, error)
	list func(*api.Call) ([]T, error)
	get  func(*api.Call) (T, error)
	// put writes a record. A record of a guild has putInGuild instead, which gets the guild of the path.
	put        func(context.Context, T) (provision.Applied, error)
	putInGuild func(context.Context, snowflake.Guild, T) (provision.Applied, error)
	// delete is the handler that deletes a record.
	delete func(*api.Call) error
	// reveal adds new secrets to the record; nil: the kind has none.
	reveal func(*T, provision.Applied)
	// secret reports whether only an operator with the scope secrets may write a record; nil: others may too.
	secret func(old, given T) bool
}

// key is a member of a record and the path parameter with the same value.
type key struct{ member, parameter string }

func (r record[T]) routes() []api.Route {
	one := r.path + "/{" + r.keys[len(r.keys)-1].parameter + "}"
	list := route(auth.OperatorRead, http.MethodGet, r.path, r.name+".list", "List the "+strings.ReplaceAll(r.name, "_", " ")+".", "", map[int]string{200: r.schema + "s"}, r.answerList)
	if r.paged {
		list.Query = []api.Parameter{
			{Name: "after", Kind: "string", Doc: "Only records with larger ids."},
			{Name: "limit", Kind: "integer", Doc: "Maximum number of records, 1 to 1000; default 100."},
		}
	}
	return []api.Route{
		list,
		route(auth.OperatorRead, http.MethodGet, one, r.name+".get", "Read "+r.word+", without secrets.", "", map[int]string{200: r.schema}, r.answerGet),
		route(auth.OperatorDirectory, http.MethodPut, one, r.name+".put", "Create or replace "+r.word+". Only this response shows new secrets, to operators with the scope secrets.",
			r.schema+"Input", map[int]string{200: r.schema, 201: r.schema}, r.answerPut),
		route(auth.OperatorDirectory, http.MethodDelete, one, r.name+".delete", "Delete "+r.word+" and everything that belongs to it.", "", map[int]string{204: ""}, r.delete),
	}
}

func (r record[T]) answerList(c *api.Call) error {
	return c.OK(r.list(c))
}

func (r record[T]) answerGet(c *api.Call) error {
	return c.OK(r.get(c))
}

func (r record[T]) answerPut(c *api.Call) error {
	body, err := readRecord(c, r.keys)
	if err != nil {
		return err
	}
	given, err := r.read(body)
	if err != nil {
		return err
	}
	handlesSecrets := c.Principal.IsOperator(auth.OperatorSecrets)
	status := http.StatusOK
	old, err := r.get(c)
	if isUnknown(err) {
		status = http.StatusCreated
	} else if err != nil {
		return err
	}
	if r.secret != nil && r.secret(old, given) && !handlesSecrets {
		return api.ErrOperatorScope
	}
	var applied provision.Applied
	if r.putInGuild == nil {
		applied, err = r.put(c.Context(), given)
	} else if guild, e := api.PathID[snowflake.Guild](c, "guild_id"); e != nil {
		err = e
	} else {
		applied, err = r.putInGuild(c.Context(), guild, given)
	}
	if err != nil {
		return err
	}
	kept, err := r.get(c)
	if err != nil {
		return err
	}
	if r.reveal != nil && handlesSecrets {
		r.reveal(&kept, applied)
		return api.AnswerSecret(c, status, kept)
	}
	return c.Value(status, kept)
}

// isUnknown reports whether an error says that a record does not exist.
func isUnknown(err error) bool {
	for _, unknown := range []error{
		directory.ErrUnknownUser, directory.ErrUnknownApplication, directory.ErrUnknownGuild, directory.ErrUnknownRole,
		directory.ErrUnknownChannel, directory.ErrUnknownMember, directory.ErrNotInstalled,
	} {
		if errors.Is(err, unknown) {
			return true
		}
	}
	return false
}

// readRecord reads the record in the body. Members that the path contains may be missing; if they are there, they must
// be the same as in the path.
func readRecord(c *api.Call, keys []key) (jsonbody.Value, error) {
	var t jsonbody.Tree
	ids := make([]uint64, len(keys))
	for i, k := range keys {
		ids[i], _ = jsonbody.ParseID[uint64](t.At(k.parameter), c.Request.PathValue(k.parameter))
	}
	if err := t.Err(); err != nil {
		return jsonbody.Value{}, err
	}
	body, err := c.ReadObject()
	if err != nil {
		return body, err
	}
	body, _ = jsonbody.AsObject(&t, body)
	for i, k := range keys {
		v := body.Get(k.member)
		if !v.IsSet() {
			body = body.With(jsonbody.ObjectOf(jsonbody.Member{Name: k.member, Value: jsonbody.StringOf(c.Request.PathValue(k.parameter))}))
			continue
		}
		if id, ok := jsonbody.AsID[uint64](t.At(k.member), v); ok && id != ids[i] {
			t.At(k.member).Add(world.Misplaced, "Is not the one in the path.")
		}
	}
	return body, t.Err()
}
