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

// probe sends the requests of one check and compares the responses. Its methods end the check, by fail, when a response is
// not as expected.
type probe struct {
	*session
	ctx context.Context //nolint:containedctx // a probe exists only during its check
}

// obj is a JSON object.
type obj = map[string]any

// fail ends the check with a message.
func (p *probe) fail(format string, args ...any) { panic(checkFailure(fmt.Sprintf(format, args...))) }

// reply is a response with a description of its request.
type reply struct {
	*client.Answer
	request string
}

// send sends a request with the bot token.
func (p *probe) send(method, path string, body any) reply {
	return p.sendAs(p.bot, method, path, body, nil)
}

// sendAs sends a request with the token of a client.
func (p *probe) sendAs(c *client.Client, method, path string, body any, header http.Header) reply {
	path, raw, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(raw)
	if err != nil {
		panic(err) // all paths are literals of this package
	}
	request := method + " " + path
	if raw != "" {
		request += "?" + raw
	}
	if body != nil {
		text, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			panic(err) // all bodies are values of this package
		}
		body = jsontext.Value(text)
		request += " " + short(text)
	}
	a, err := c.Do(p.ctx, client.Request{Method: method, Path: path, Query: query, Body: body, Header: header})
	if err != nil {
		p.fail("%s: no response: %v", request, err)
	}
	return reply{a, request}
}

// short cuts a text for a message.
func short(text []byte) string {
	const most = 300
	if r := []rune(string(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(text)
}

// wantStatus ends the check unless the response has one of the statuses.
func (p *probe) wantStatus(r reply, why string, statuses ...int) reply {
	if slices.Contains(statuses, r.Status) {
		return r
	}
	p.fail("%s returned %d %s, want %s: %s", r.request, r.Status, short(r.Body), list(statuses), why)
	return r
}

func list(statuses []int) string {
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = strconv.Itoa(s)
	}
	return strings.Join(texts, " or ")
}

// wantRejected ends the check unless the service rejects the request body. The specification does not name the status, so
// every 4xx status passes, except those for tokens, unknown paths, methods and rate limits.
func (p *probe) wantRejected(r reply, why string) {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooManyRequests:
	default:
		if r.Status >= 400 && r.Status < 500 {
			return
		}
	}
	p.fail("%s returned %d %s, want the body rejected: %s", r.request, r.Status, short(r.Body), why)
}

// object decodes a response. It ends the check unless the body is a JSON object.
func (p *probe) object(r reply) obj {
	var o obj
	if err := json.Unmarshal(r.Body, &o); err != nil || o == nil {
		p.fail("%s returned %d %s, want a JSON object", r.request, r.Status, short(r.Body))
	}
	return o
}

// objects decodes a response. It ends the check unless the body is a JSON list of objects.
func (p *probe) objects(r reply) []obj {
	var l []obj
	if err := json.Unmarshal(r.Body, &l); err != nil || l == nil {
		p.fail("%s returned %d %s, want a JSON list of objects", r.request, r.Status, short(r.Body))
	}
	return l
}

// scopes returns the scopes for commands: global and, if the target has one, the guild.
func (p *probe) scopes() []command.Scope {
	if p.Guild == 0 {
		return []command.Scope{p.global}
	}
	return []command.Scope{p.global, p.guild}
}

// name returns a name with the prefix of the run.
func (p *probe) name(rest string) string { return p.Prefix + rest }

// define adds a name and, for CHAT_INPUT, a description to d, unless d has them.
func (p *probe) define(d obj) obj {
	full := obj{"name": p.name("probe"), "description": "A probe"}
	if t, ok := d["type"]; ok && t != 1 {
		full = obj{"name": p.name("Probe")}
	}
	maps.Copy(full, d)
	maps.DeleteFunc(full, isAbsent)
	return full
}

// absent is the value of a member that define and option leave out.
const absent = "\x00absent"

func isAbsent(_ string, v any) bool { return v == absent }

// create creates a command and returns the response.
func (p *probe) create(s command.Scope, d obj) obj {
	r := p.wantStatus(p.send(http.MethodPost, client.CommandsPath(s), p.define(d)), "the definition is valid", http.StatusCreated, http.StatusOK)
	return p.object(r)
}

// readCommand reads a command by its id.
func (p *probe) readCommand(s command.Scope, id any) obj {
	return p.object(p.wantStatus(p.send(http.MethodGet, client.CommandsPath(s)+"/"+text(id), nil), "the command exists", http.StatusOK))
}

// remove deletes a command.
func (p *probe) remove(s command.Scope, id any) {
	p.wantStatus(p.send(http.MethodDelete, client.CommandsPath(s)+"/"+text(id), nil), "the command exists", http.StatusNoContent)
}

// listed returns the command with a name and type in a list, or nil.
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
	return p.objects(p.wantStatus(p.send(http.MethodGet, client.CommandsPath(s)+"?with_localizations=true", nil), "the bot can list commands", http.StatusOK))
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
