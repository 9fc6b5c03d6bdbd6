package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// Submission is the submission of a modal that fits the modal. Check checks the ids among its values.
type Submission struct {
	References
	CustomID    string
	Components  jsonbody.Value // as the app receives them
	Attachments []wire.Attachment
}

// MatchModal checks a submission against the modal. The components of the result have the order of the modal. The error
// is a *jsonbody.Tree.
func MatchModal(m Modal, in Invoke, files []message.File) (Submission, error) {
	s := submitter{in: &in, files: files, given: map[string]jsonbody.Value{}}
	s.out.CustomID = m.CustomID
	s.out.code = ComponentInvalid
	ok := in.Modal.CustomID == m.CustomID && s.collect(in.Modal.Components, 0)
	list := make([]jsonbody.Value, 0, len(m.Components.Items()))
	for _, v := range m.Components.Items() {
		list = append(list, s.answer(message.Component{Value: v}))
	}
	if !ok || s.wrong || len(s.given) > 0 {
		return Submission{}, Refuse(ComponentInvalid)
	}
	s.out.Components = jsonbody.ListOf(list...)
	return s.out, nil
}

// submitter combines the components of a modal with the submitted values.
type submitter struct {
	in    *Invoke
	files []message.File
	given map[string]jsonbody.Value // submitted values by custom id; at the end it must be empty
	wrong bool
	out   Submission
}

// collect records the submitted components by custom id, at any nesting.
func (s *submitter) collect(list jsonbody.Value, depth int) bool {
	const deepest = 1
	items := list.Items()
	if len(items) > 0 && depth > deepest || len(items) > message.MaxComponents {
		return false
	}
	for _, v := range items {
		if !s.take(v) || !s.take(v.Get("component")) || !s.collect(v.Get("components"), depth+1) {
			return false
		}
	}
	return true
}

func (s *submitter) take(v jsonbody.Value) bool {
	name := v.Get("custom_id")
	if name.Kind() != jsonbody.String {
		return true
	}
	_, twice := s.given[name.Text()]
	s.given[name.Text()] = v
	return !twice
}

// answer returns a component with its submitted value, as the app receives it.
func (s *submitter) answer(c message.Component) jsonbody.Value {
	members := []jsonbody.Member{{Name: "type", Value: c.Get("type")}, {Name: "id", Value: c.Get("id")}}
	kind := c.Type()
	switch kind {
	case message.Label:
		members = append(members, jsonbody.Member{Name: "component", Value: s.answer(message.Component{Value: c.Get("component")})})
	case message.ActionRow:
		inner := c.Get("components").Items()
		list := make([]jsonbody.Value, len(inner))
		for i := range inner {
			list[i] = s.answer(message.Component{Value: inner[i]})
		}
		members = append(members, jsonbody.Member{Name: "components", Value: jsonbody.ListOf(list...)})
	case message.TextDisplay:
	default:
		name := c.Get("custom_id")
		given := message.Component{Value: s.given[name.Text()]}
		delete(s.given, name.Text())
		if given.IsSet() && given.Number("type", int(kind)) != int(kind) {
			s.wrong = true
		}
		members = append(members, jsonbody.Member{Name: "custom_id", Value: name}, s.filled(c, given.Value))
	}
	return jsonbody.ObjectOf(members...)
}

// filled returns the member with the submitted value or values.
func (s *submitter) filled(c message.Component, given jsonbody.Value) jsonbody.Member {
	switch c.Type() {
	case message.TextInput:
		return jsonbody.Member{Name: "value", Value: s.typed(c, given.Get("value"))}
	case message.RadioGroup:
		v := given.Get("value")
		if v.IsSet() && !c.Offers(v) || !v.IsSet() && c.Required() {
			s.wrong = true
		}
		return jsonbody.Member{Name: "value", Value: v}
	case message.Checkbox:
		v := given.Get("value")
		if v.IsSet() && v.Kind() != jsonbody.Bool {
			s.wrong = true
		}
		return jsonbody.Member{Name: "value", Value: jsonbody.BoolOf(jsonbody.IsTrue(given, "value"))}
	default:
		return jsonbody.Member{Name: "values", Value: s.selected(c, given.Get("values"))}
	}
}

func (s *submitter) typed(c message.Component, v jsonbody.Value) jsonbody.Value {
	if !v.IsSet() {
		v = jsonbody.StringOf("")
	}
	n := jsonbody.Len(v.Text())
	low, high := c.Number("min_length", 0), c.Number("max_length", message.MaxTextInput)
	if c.Required() {
		low = max(low, 1)
	} else if n == 0 {
		low = 0
	}
	if v.Kind() != jsonbody.String || n < low || n > high {
		s.wrong = true
	}
	return v
}

func (s *submitter) selected(c message.Component, v jsonbody.Value) jsonbody.Value {
	values := v.Items()
	low, high := c.Values()
	if !c.Required() && len(values) == 0 {
		low = 0
	}
	if v.IsSet() && v.Kind() != jsonbody.List || len(values) < low || len(values) > high {
		s.wrong = true
		return jsonbody.ListOf()
	}
	clean := make([]jsonbody.Value, len(values))
	for i, value := range values {
		if c.Type() == message.FileUpload {
			clean[i] = s.upload(value)
			continue
		}
		clean[i] = value
		if value.Kind() != jsonbody.String || !s.out.pick(c, value.Text(), s.in.Guild) ||
			slices.ContainsFunc(values[:i], func(v jsonbody.Value) bool { return v.Text() == value.Text() }) {
			s.wrong = true
		}
	}
	return jsonbody.ListOf(clean...)
}

// upload converts the index of an uploaded file to its attachment id.
func (s *submitter) upload(v jsonbody.Value) jsonbody.Value {
	n, ok := message.FileIndex(v)
	a, found := message.FindFile(s.files, n, s.in.Filenames)
	if !ok || !found || a.Size > message.AttachmentSizeLimit ||
		slices.ContainsFunc(s.out.Attachments, func(b wire.Attachment) bool { return b.ID == a.ID }) {
		s.wrong = true
		return jsonbody.Value{}
	}
	a.Ephemeral = true
	s.out.Attachments = append(s.out.Attachments, a)
	return jsonbody.StringOf(a.ID.String())
}
