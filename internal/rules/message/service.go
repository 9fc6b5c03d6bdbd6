package message

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

// serviceMessage is the body of a webhook that the message of another service becomes.
type serviceMessage struct {
	Content  string         `json:"content,omitzero"`
	Username string         `json:"username,omitzero"`
	Avatar   string         `json:"avatar_url,omitzero"`
	Embeds   []serviceEmbed `json:"embeds,omitzero"`
}

type serviceEmbed struct {
	Title       string         `json:"title,omitzero"`
	URL         string         `json:"url,omitzero"`
	Description string         `json:"description,omitzero"`
	Color       int            `json:"color,omitzero"`
	Timestamp   string         `json:"timestamp,omitzero"`
	Author      *serviceAuthor `json:"author,omitzero"`
	Fields      []serviceField `json:"fields,omitzero"`
	Image       *serviceImage  `json:"image,omitzero"`
	Thumbnail   *serviceImage  `json:"thumbnail,omitzero"`
	Footer      *serviceFooter `json:"footer,omitzero"`
}

type serviceAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url,omitzero"`
	Icon string `json:"icon_url,omitzero"`
}

type serviceField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitzero"`
}

type serviceImage struct {
	URL string `json:"url"`
}

type serviceFooter struct {
	Text string `json:"text"`
	Icon string `json:"icon_url,omitzero"`
}

// body returns the message as the body of a request.
func (m *serviceMessage) body() (jsonbody.Value, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return jsonbody.Value{}, err
	}
	return jsonbody.Parse(text)
}

// FromSlack converts the body of a Slack webhook into that of a webhook. It ignores channel, icon_emoji, mrkdwn and mrkdwn_in.
func FromSlack(v jsonbody.Value) (jsonbody.Value, error) {
	m := serviceMessage{Content: slackText(v.Get("text").Text()), Username: v.Get("username").Text(), Avatar: v.Get("icon_url").Text()}
	for _, a := range v.Get("attachments").Items() {
		m.Embeds = append(m.Embeds, slackEmbed(a))
	}
	return m.body()
}

// slackEmbed converts an attachment of Slack.
func slackEmbed(a jsonbody.Value) serviceEmbed {
	text := func(key string) string { return slackText(a.Get(key).Text()) }
	e := serviceEmbed{
		Title: text("title"), URL: a.Get("title_link").Text(), Description: strings.TrimSpace(text("pretext") + "\n" + text("text")),
		Color: slackColor(a.Get("color").Text()),
	}
	if e.Title == "" && e.Description == "" {
		e.Description = text("fallback")
	}
	if name := text("author_name"); name != "" {
		e.Author = &serviceAuthor{name, a.Get("author_link").Text(), a.Get("author_icon").Text()}
	}
	for _, f := range a.Get("fields").Items() {
		e.Fields = append(e.Fields, serviceField{
			slackText(f.Get("title").Text()), slackText(f.Get("value").Text()), jsonbody.IsTrue(f, "short"),
		})
	}
	if url := a.Get("image_url").Text(); url != "" {
		e.Image = &serviceImage{url}
	}
	if url := a.Get("thumb_url").Text(); url != "" {
		e.Thumbnail = &serviceImage{url}
	}
	if footer := text("footer"); footer != "" {
		e.Footer = &serviceFooter{footer, a.Get("footer_icon").Text()}
	}
	if seconds, err := strconv.ParseFloat(a.Get("ts").Text(), 64); err == nil && seconds > 0 && seconds < 1<<40 {
		e.Timestamp = time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
	}
	return e
}

// slackColors are the colors that have a name.
var slackColors = map[string]int{"good": 0x2eb67d, "warning": 0xecb22e, "danger": 0xe01e5a}

func slackColor(text string) int {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 24)
	if err != nil {
		return slackColors[text]
	}
	return int(n)
}

// slackLink matches a link of Slack with a text.
var slackLink = regexp.MustCompile(`<(https?://[^|>\s]+)\|([^>]+)>`)

// slackText converts the links and escapes of Slack. Bold text has one star there.
func slackText(s string) string {
	s = slackLink.ReplaceAllString(s, "[$2]($1)")
	s = strings.NewReplacer("<!everyone>", "@everyone", "<!channel>", "@everyone", "<!here>", "@here").Replace(s)
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}

// maxTitle and maxDescription bound the texts of embeds, in code points.
const (
	maxTitle       = 256
	maxDescription = 2000
)

// FromGitHub converts the body of a webhook of GitHub into that of a webhook. It reports false for an event that sends no
// message.
func FromGitHub(event string, v jsonbody.Value) (body jsonbody.Value, ok bool, err error) {
	e := githubEmbed(event, v)
	if e.Title == "" {
		return jsonbody.Value{}, false, nil
	}
	sender := v.Get("sender")
	login, icon := sender.Get("login").Text(), sender.Get("avatar_url").Text()
	if login != "" {
		e.Author = &serviceAuthor{login, sender.Get("html_url").Text(), icon}
	}
	e.Title, e.Description = cut(e.Title, maxTitle), cut(e.Description, maxDescription)
	m := serviceMessage{Username: "GitHub", Embeds: []serviceEmbed{e}}
	body, err = m.body()
	return body, true, err
}

// githubEmbed describes an event. The title is empty for an event without a message.
func githubEmbed(event string, v jsonbody.Value) serviceEmbed {
	at := func(path ...string) string {
		found := v
		for _, key := range path {
			found = found.Get(key)
		}
		return found.Text()
	}
	prefix, action := "["+at("repository", "full_name")+"] ", at("action")
	numbered := func(what, key string) serviceEmbed {
		return serviceEmbed{
			Title: fmt.Sprintf("%s%s %s: #%s %s", prefix, what, action, at(key, "number"), at(key, "title")), URL: at(key, "html_url"),
		}
	}
	commented := func(what, key, of string) serviceEmbed {
		return serviceEmbed{
			Title: fmt.Sprintf("%s%s #%s %s", prefix, what, at(of, "number"), at(of, "title")), URL: at(key, "html_url"), Description: at(key, "body"),
		}
	}
	switch event {
	case "push":
		return githubPush(v, at("repository", "full_name"))
	case "issues":
		e := numbered("Issue", "issue")
		if action == "opened" {
			e.Description = at("issue", "body")
		}
		return e
	case "pull_request":
		e := numbered("Pull request", "pull_request")
		if action == "opened" {
			e.Description = at("pull_request", "body")
		}
		return e
	case "discussion":
		return numbered("Discussion", "discussion")
	case "issue_comment":
		return commented("New comment on issue", "comment", "issue")
	case "discussion_comment":
		return commented("New comment on discussion", "comment", "discussion")
	case "pull_request_review":
		return commented("Pull request review "+action+":", "review", "pull_request")
	case "pull_request_review_comment":
		return commented("New review comment on pull request", "comment", "pull_request")
	case "commit_comment":
		return serviceEmbed{Title: prefix + "New comment on commit " + cut(at("comment", "commit_id"), 7), URL: at("comment", "html_url"), Description: at("comment", "body")}
	case "create", "delete":
		return serviceEmbed{Title: prefix + map[string]string{"create": "New ", "delete": "Deleted "}[event] + at("ref_type") + ": " + at("ref"), URL: at("repository", "html_url")}
	case "fork":
		return serviceEmbed{Title: prefix + "Fork created: " + at("forkee", "full_name"), URL: at("forkee", "html_url")}
	case "release":
		return serviceEmbed{Title: prefix + "Release " + action + ": " + at("release", "tag_name"), URL: at("release", "html_url"), Description: at("release", "name")}
	case "watch":
		return serviceEmbed{Title: prefix + "New star added", URL: at("repository", "html_url")}
	case "public":
		return serviceEmbed{Title: prefix + "The repository is public now", URL: at("repository", "html_url")}
	case "member":
		return serviceEmbed{Title: prefix + "Collaborator " + action + ": " + at("member", "login"), URL: at("member", "html_url")}
	case "check_run", "check_suite":
		if action != "completed" {
			return serviceEmbed{}
		}
		return serviceEmbed{Title: prefix + cmp.Or(at(event, "name"), "Checks") + ": " + at(event, "conclusion"), URL: at(event, "html_url")}
	}
	return serviceEmbed{}
}

// githubPush describes new commits.
func githubPush(v jsonbody.Value, repository string) serviceEmbed {
	commits := v.Get("commits").Items()
	if len(commits) == 0 {
		return serviceEmbed{} // a deleted branch has an event of its own
	}
	branch := strings.TrimPrefix(v.Get("ref").Text(), "refs/heads/")
	noun := "commits"
	if len(commits) == 1 {
		noun = "commit"
	}
	e := serviceEmbed{Title: fmt.Sprintf("[%s:%s] %d new %s", repository, branch, len(commits), noun), URL: v.Get("compare").Text()}
	var lines []string
	for _, c := range commits {
		first, _, _ := strings.Cut(c.Get("message").Text(), "\n")
		lines = append(lines, fmt.Sprintf("[`%s`](%s) %s - %s", cut(c.Get("id").Text(), 7), c.Get("url").Text(), cut(first, 80), c.Get("author").Get("name").Text()))
	}
	e.Description = strings.Join(lines[:min(len(lines), 10)], "\n")
	return e
}

// cut bounds a text to n code points.
func cut(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
