package adminapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/world"
)

// adminBase is where the operator keeps people, places and apps.
const adminBase = "/admin/v1"

func (a *API) adminRoutes() []httpapi.Route {
	list := []httpapi.Route{
		{
			Method: http.MethodGet, Path: adminBase + "/world", Root: true, Name: "admin.world.export", Allow: httpapi.Operators,
			Doc:    "Read the world without secrets, as YAML or, where JSON is accepted, as JSON.",
			Answer: map[int]string{200: "world"}, Handle: a.exportWorld,
		},
		{
			Method: http.MethodPut, Path: adminBase + "/world", Root: true, Name: "admin.world.apply", Allow: httpapi.Operators,
			Doc:  "Apply a world file, all of it or nothing. What it does not name stays.",
			Body: "World", Answer: map[int]string{200: "DevApplied"}, Handle: a.applyWorld,
		},
	}
	for _, r := range a.records() {
		list = append(list, r.routes()...)
	}
	return list
}

func (a *API) exportWorld(c *httpapi.Call) error {
	w, err := a.Directory.Export(c.Context())
	if err != nil {
		return err
	}
	if strings.Contains(c.Request.Header.Get("Accept"), "application/json") {
		return c.Value(http.StatusOK, w)
	}
	text, err := w.YAML()
	if err != nil {
		return err
	}
	return c.YAML(text)
}

func (a *API) applyWorld(c *httpapi.Call) error {
	data, err := c.ReadBody(maxWorld)
	if err != nil {
		return err
	}
	w, err := world.Parse("body", data)
	if err != nil {
		return err
	}
	applied, err := a.Directory.Apply(c.Context(), w)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, mintedOf(applied))
}

// adminRecord is a kind of record that the operator keeps.
type adminRecord interface{ routes() []httpapi.Route }

// record is how the operator keeps records of one kind. They are those of a world file, one at a time.
type record[T any] struct {
	path   string // of the list
	name   string // such as "users"
	word   string // such as "user"
	schema string
	// keys says which members of a record stand in its path, and under which names.
	keys []key
	page bool // the list comes in pages

	read   func(jsonbody.Value) (T, error)
	list   func(*httpapi.Call) ([]T, error)
	get    func(*httpapi.Call) (T, error)
	put    func(*httpapi.Call, T) (directory.Applied, error)
	delete func(*httpapi.Call) error
	// reveal puts the secrets that were just made into the record; nil where there are none.
	reveal func(*T, directory.Applied)
}

// key is a member of a record that stands in its path.
type key struct{ member, parameter string }

func (r record[T]) routes() []httpapi.Route {
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: adminBase + path, Root: true, Name: "admin." + r.name + "." + name, Doc: doc,
			Allow: httpapi.Operators, Body: body, Answer: answer, Handle: handle,
		}
	}
	one := r.path + "/{" + r.keys[len(r.keys)-1].parameter + "}"
	list := at(http.MethodGet, r.path, "list", "List the "+r.name+".", "", map[int]string{200: r.schema + "s"}, r.answerList)
	if r.page {
		list.Query = []httpapi.Parameter{
			{Name: "after", Kind: "string", Doc: "Only those with larger ids."},
			{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 1000; 100 when it is left out."},
		}
	}
	return []httpapi.Route{
		list,
		at(http.MethodGet, one, "get", "Read a "+r.word+", without secrets.", "", map[int]string{200: r.schema}, r.answerGet),
		at(http.MethodPut, one, "put", "Write a "+r.word+" whole. The answer holds the secrets that were made, once.",
			r.schema+"Input", map[int]string{200: r.schema, 201: r.schema}, r.answerPut),
		at(http.MethodDelete, one, "delete", "Delete a "+r.word+" and everything that belongs to it.", "", map[int]string{204: ""}, r.answerDelete),
	}
}

func (r record[T]) answerList(c *httpapi.Call) error {
	list, err := r.list(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (r record[T]) answerGet(c *httpapi.Call) error {
	found, err := r.get(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, found)
}

func (r record[T]) answerDelete(c *httpapi.Call) error {
	if err := r.delete(c); err != nil {
		return err
	}
	return c.Empty()
}

func (r record[T]) answerPut(c *httpapi.Call) error {
	body, err := readRecord(c, r.keys)
	if err != nil {
		return err
	}
	given, err := r.read(body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if _, err := r.get(c); isUnknown(err) {
		status = http.StatusCreated
	} else if err != nil {
		return err
	}
	applied, err := r.put(c, given)
	if err != nil {
		return err
	}
	kept, err := r.get(c)
	if err != nil {
		return err
	}
	if r.reveal != nil {
		r.reveal(&kept, applied)
	}
	return c.Value(status, kept)
}

// isUnknown reports whether an error says that there is no such record.
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

// readRecord reads the body of a request for one record. What stands in the path need not stand in the body; where it
// does, it is the same.
func readRecord(c *httpapi.Call, keys []key) (jsonbody.Value, error) {
	var t jsonbody.Tree
	ids := make([]uint64, len(keys))
	for i, k := range keys {
		ids[i], _ = jsonbody.ParseID[uint64](t.At(k.parameter), c.Request.PathValue(k.parameter))
	}
	if err := t.Err(); err != nil {
		return jsonbody.Value{}, err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return body, err
	}
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
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
