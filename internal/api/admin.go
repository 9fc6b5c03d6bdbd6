package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/problem"
)

// adminBase is where the operator keeps people, places and apps.
const adminBase = "/admin/v1"

func (a *API) adminRoutes() []route {
	list := []route{
		{
			method: http.MethodGet, path: adminBase + "/world", root: true, name: "admin.world.export", allow: operators,
			doc:    "Read the world without secrets, as YAML or, where JSON is accepted, as JSON.",
			answer: map[int]string{200: "world"}, handle: a.exportWorld,
		},
		{
			method: http.MethodPut, path: adminBase + "/world", root: true, name: "admin.world.apply", allow: operators,
			doc:  "Apply a world file, all of it or nothing. What it does not name stays.",
			body: "World", answer: map[int]string{200: "DevApplied"}, handle: a.applyWorld,
		},
	}
	for _, r := range a.records() {
		list = append(list, r.routes()...)
	}
	return list
}

func (a *API) exportWorld(c *call) error {
	w, err := a.Directory.Export(c.r.Context())
	if err != nil {
		return err
	}
	if strings.Contains(c.r.Header.Get("Accept"), jsonType[0]) {
		return c.value(http.StatusOK, w)
	}
	text, err := w.YAML()
	if err != nil {
		return err
	}
	return c.yaml(text)
}

func (a *API) applyWorld(c *call) error {
	data, err := c.readBody(maxWorld)
	if err != nil {
		return err
	}
	w, err := world.Parse("body", data)
	if err != nil {
		return err
	}
	applied, err := a.Directory.Apply(c.r.Context(), w)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, mintedOf(applied))
}

// adminRecord is a kind of record that the operator keeps.
type adminRecord interface{ routes() []route }

// record is how the operator keeps records of one kind. They are those of a world file, one at a time.
type record[T any] struct {
	path   string // of the list
	name   string // such as "users"
	word   string // such as "user"
	schema string
	// keys says which members of a record stand in its path, and under which names.
	keys []key
	page bool // the list comes in pages

	read   func(form.Value) (T, error)
	list   func(*call) ([]T, error)
	get    func(*call) (T, error)
	put    func(*call, T) (directory.Applied, error)
	delete func(*call) error
	// reveal puts the secrets that were just made into the record; nil where there are none.
	reveal func(*T, directory.Applied)
}

// key is a member of a record that stands in its path.
type key struct{ member, parameter string }

func (r record[T]) routes() []route {
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*call) error) route {
		return route{
			method: method, path: adminBase + path, root: true, name: "admin." + r.name + "." + name, doc: doc,
			allow: operators, body: body, answer: answer, handle: handle,
		}
	}
	one := r.path + "/{" + r.keys[len(r.keys)-1].parameter + "}"
	list := at(http.MethodGet, r.path, "list", "List the "+r.name+".", "", map[int]string{200: r.schema + "s"}, r.answerList)
	if r.page {
		list.query = []parameter{
			{"after", "string", "Only those with larger ids."},
			{"limit", "integer", "How many at the most, 1 to 1000; 100 when it is left out."},
		}
	}
	return []route{
		list,
		at(http.MethodGet, one, "get", "Read a "+r.word+", without secrets.", "", map[int]string{200: r.schema}, r.answerGet),
		at(http.MethodPut, one, "put", "Write a "+r.word+" whole. The answer holds the secrets that were made, once.",
			r.schema+"Input", map[int]string{200: r.schema, 201: r.schema}, r.answerPut),
		at(http.MethodDelete, one, "delete", "Delete a "+r.word+" and everything that belongs to it.", "", map[int]string{204: ""}, r.answerDelete),
	}
}

func (r record[T]) answerList(c *call) error {
	list, err := r.list(c)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, list)
}

func (r record[T]) answerGet(c *call) error {
	found, err := r.get(c)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, found)
}

func (r record[T]) answerDelete(c *call) error {
	if err := r.delete(c); err != nil {
		return err
	}
	return c.empty()
}

func (r record[T]) answerPut(c *call) error {
	body, err := c.readRecord(r.keys)
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
	return c.value(status, kept)
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
func (c *call) readRecord(keys []key) (form.Value, error) {
	var t problem.Tree
	ids := make([]uint64, len(keys))
	for i, k := range keys {
		ids[i], _ = form.ParseID[uint64](t.At(k.parameter), c.r.PathValue(k.parameter))
	}
	if err := t.Err(); err != nil {
		return form.Value{}, err
	}
	body, err := c.readJSON()
	if err != nil {
		return body, err
	}
	if body.Kind() == form.Absent {
		body = form.ObjectOf()
	}
	body, _ = form.AsObject(&t, body)
	for i, k := range keys {
		v := body.Get(k.member)
		if !v.IsSet() {
			body = body.With(form.ObjectOf(form.Member{Name: k.member, Value: form.StringOf(c.r.PathValue(k.parameter))}))
			continue
		}
		if id, ok := form.AsID[uint64](t.At(k.member), v); ok && id != ids[i] {
			t.At(k.member).Add(world.Misplaced, "Is not the one in the path.")
		}
	}
	return body, t.Err()
}

// yaml answers with a YAML text.
func (c *call) yaml(text []byte) error {
	c.Header().Set("Content-Type", "application/yaml")
	if _, err := c.Write(text); err != nil {
		return errGone
	}
	return nil
}
