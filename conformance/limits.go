package conformance

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/bellhop/bellhop/client"
)

const secLimits = "Limits"

// sized returns a definition whose texts have a combined length of n: a name, a description, and options for the rest.
func sized(p *probe, n int) obj {
	left := n - len(p.name("probe")) - len("A probe")
	var options []any
	for i := 0; left > 0; i++ {
		name := fmt.Sprintf("o%02d", i)
		size := min(left, 900)
		if rest := left - size; rest > 0 && rest < 10 {
			size -= 10 // the next option needs room for a name and a description
		}
		left -= size
		options = append(options, filled(name, size))
	}
	return obj{"options": options}
}

// filled returns an option whose texts have a combined length of n.
func filled(name string, n int) obj {
	n -= len(name)
	described := min(n, 100)
	if rest := n - described; rest > 0 && rest < 4 {
		described -= 4 // a choice needs room for a name and a value
	}
	o := option(3, name, obj{"description": repeat(described)})
	n -= described
	var choices []any
	for i := 0; n > 0; i++ {
		label := fmt.Sprintf("c%02d", i)
		value := min(n-len(label), 100)
		if rest := n - len(label) - value; rest > 0 && rest <= len(label) {
			value -= len(label) + 1
		}
		n -= len(label) + value
		choices = append(choices, obj{"name": label, "value": repeat(value)})
	}
	if choices != nil {
		o["choices"] = choices
	}
	return o
}

// limitChecks returns the checks of sizes and rate limits.
func limitChecks() []Check {
	return []Check{
		on("LIM-01", secLimits, 311, "All texts of a command together can have 8000 characters.", Writes, func(p *probe) {
			p.create(p.global, sized(p, 8000))
		}),
		on("LIM-02", secLimits, 311, "All texts of a command together cannot have more than 8000 characters.", Writes, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.global), sized(p, 8001), "the texts have 8001 characters")
		}),
		on("LIM-03", secLimits, 311, "Of a localized text, only the longest translation counts.", Writes, func(p *probe) {
			d := sized(p, 7900)
			d["description_localizations"] = obj{"de": repeat(90), "fr": repeat(90), "it": repeat(90)}
			p.create(p.global, d)
		}),
		on("LIM-04", secLimits, 311, "A translation counts when it is longer than the default text.", Writes, func(p *probe) {
			d := sized(p, 7950)
			d["description_localizations"] = obj{"de": repeat(7 + 51)}
			p.postInvalid(client.CommandsPath(p.global), d, "the longest texts have 8001 characters")
		}),
		on("LIM-07", secLimits, 311, "The numbers of choices count toward the 8000 characters.", Writes, func(p *probe) {
			d := sized(p, 7900)
			choices := many(5, func(i int) any { return obj{"name": "c" + strconv.Itoa(i), "value": 1000000000000000 + i} })
			d["options"] = append(d["options"].([]any), option(4, "numbers", obj{"choices": choices}))
			p.postInvalid(client.CommandsPath(p.global), d, "with the numbers of the choices there are 8006 characters")
		}),
		on("LIM-05", secErrors, 291, "Requests above the rate limit get 429 with a Retry-After header.", Load, func(p *probe) {
			refused := sendBurst(p, 400)
			if refused == nil {
				p.fail("400 requests at once got no 429, want some")
			}
			if seconds, err := strconv.ParseFloat(refused.Header.Get("Retry-After"), 64); err != nil || seconds < 0 {
				p.fail("a 429 has the header Retry-After: %q", refused.Header.Get("Retry-After"))
			}
		}),
		on("LIM-06", secLimits, 307, "An app can create 200 commands per guild and day.", Load|Writes|Guild, func(p *probe) {
			for range 201 {
				r := p.sendAs(shortWaitClient(p), http.MethodPost, client.CommandsPath(p.guild), p.define(obj{"name": p.name("daily")}), nil)
				if r.Status == http.StatusTooManyRequests {
					return
				}
				p.wantStatus(r, "the daily limit is not used up", http.StatusCreated)
				p.remove(p.guild, p.object(r)["id"])
			}
			p.fail("201 commands were created in one guild in one day")
		}),
	}
}

// shortWaitClient returns a client that waits for a rate limit per second, but not for a daily limit.
func shortWaitClient(p *probe) *client.Client {
	c := p.client("Bot " + p.BotToken)
	c.MaxWait = maxWait / 6
	return c
}

// sendBurst sends n requests at once and returns a 429 response, or nil if there was none.
func sendBurst(p *probe, n int) *client.Answer {
	c := p.client("Bot " + p.BotToken)
	c.MaxWait = -1
	var mu sync.Mutex
	var refused *client.Answer
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			a, err := c.Do(p.ctx, client.Request{Method: http.MethodGet, Path: client.CommandsPath(p.global)})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && a.Status == http.StatusTooManyRequests {
				refused = a
			}
		})
	}
	wg.Wait()
	return refused
}
