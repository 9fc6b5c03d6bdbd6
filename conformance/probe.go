package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// probe is one check's hand on the service. What it meets that it does not expect ends the check.
type probe struct {
	*session
	ctx context.Context //nolint:containedctx // a probe lives as long as its check
}

// obj is a JSON object.
type obj = map[string]any

// fail ends the check.
func (p *probe) fail(format string, args ...any) { panic(broken(fmt.Sprintf(format, args...))) }

// reply is an answer with what was asked for.
type reply struct {
	*client.Answer
	asked string
}

// ask makes a call with the bot's token.
func (p *probe) ask(method, path string, body any) reply {
	return p.askAs(p.bot, method, path, body, nil)
}

// askAs makes a call with the token of a client.
func (p *probe) askAs(c *client.Client, method, path string, body any, header http.Header) reply {
	path, raw, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(raw)
	if err != nil {
		panic(err) // a path in this package
	}
	asked := method + " " + path
	if raw != "" {
		asked += "?" + raw
	}
	if body != nil {
		text, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			panic(err) // a body in this package
		}
		body = jsontext.Value(text)
		asked += " " + short(text)
	}
	a, err := c.Do(p.ctx, client.Request{Method: method, Path: path, Query: query, Body: body, Header: header})
	if err != nil {
		p.fail("%s: no answer: %v", asked, err)
	}
	return reply{a, asked}
}

// short cuts what is quoted in messages.
func short(text []byte) string {
	const most = 300
	if r := []rune(string(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(text)
}

// want ends the check unless the answer has one of the statuses.
func (p *probe) want(r reply, why string, statuses ...int) reply {
	if slices.Contains(statuses, r.Status) {
		return r
	}
	p.fail("%s is answered %d %s, want %s: %s", r.asked, r.Status, short(r.Body), list(statuses), why)
	return r
}

func list(statuses []int) string {
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = strconv.Itoa(s)
	}
	return strings.Join(texts, " or ")
}

// refused ends the check unless the answer refuses a body for what it says: how is left open by the specification, but it
// is the caller's fault and not one of tokens, paths or rates.
func (p *probe) refused(r reply, why string) {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooManyRequests:
	default:
		if r.Status >= 400 && r.Status < 500 {
			return
		}
	}
	p.fail("%s is answered %d %s, want it refused: %s", r.asked, r.Status, short(r.Body), why)
}

// object reads an answer that has to be an object.
func (p *probe) object(r reply) obj {
	var o obj
	if err := json.Unmarshal(r.Body, &o); err != nil || o == nil {
		p.fail("%s is answered %d %s, want a JSON object", r.asked, r.Status, short(r.Body))
	}
	return o
}

// objects reads an answer that has to be a list of objects.
func (p *probe) objects(r reply) []obj {
	var l []obj
	if err := json.Unmarshal(r.Body, &l); err != nil || l == nil {
		p.fail("%s is answered %d %s, want a JSON list of objects", r.asked, r.Status, short(r.Body))
	}
	return l
}

// scopes returns where commands can be registered.
func (p *probe) scopes() []command.Scope {
	if p.Guild == 0 {
		return []command.Scope{p.global}
	}
	return []command.Scope{p.global, p.guild}
}

// name returns a name that belongs to the run.
func (p *probe) name(rest string) string { return p.Prefix + rest }

// define returns a definition with a name of the run's own and a description, unless it says otherwise.
func (p *probe) define(d obj) obj {
	full := obj{"name": p.name("probe"), "description": "A probe"}
	if t, ok := d["type"]; ok && t != 1 {
		full = obj{"name": p.name("Probe")}
	}
	maps.Copy(full, d)
	maps.DeleteFunc(full, isAbsent)
	return full
}

// absent stands for a member that a definition lacks though define would add it.
const absent = "\x00absent"

func isAbsent(_ string, v any) bool { return v == absent }

// create registers a definition and returns the command as it came back.
func (p *probe) create(s command.Scope, d obj) obj {
	r := p.want(p.ask(http.MethodPost, client.CommandsPath(s), p.define(d)), "the definition is valid", http.StatusCreated, http.StatusOK)
	return p.object(r)
}

// read reads a command.
func (p *probe) readCommand(s command.Scope, id any) obj {
	return p.object(p.want(p.ask(http.MethodGet, client.CommandsPath(s)+"/"+text(id), nil), "the command exists", http.StatusOK))
}

// remove deletes a command.
func (p *probe) remove(s command.Scope, id any) {
	p.want(p.ask(http.MethodDelete, client.CommandsPath(s)+"/"+text(id), nil), "the command exists", http.StatusNoContent)
}

// listed returns the command of a name and type in a list, or nil.
func listed(list []obj, name any, kind int) obj {
	for _, c := range list {
		if c["name"] == name && same(orOne(c["type"]), kind) {
			return c
		}
	}
	return nil
}

func orOne(v any) any {
	if v == nil {
		return 1
	}
	return v
}

// commands lists the commands of a scope.
func (p *probe) commands(s command.Scope) []obj {
	return p.objects(p.want(p.ask(http.MethodGet, client.CommandsPath(s)+"?with_localizations=true", nil), "lists can be read", http.StatusOK))
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
