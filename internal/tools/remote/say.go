package remote

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// Saying is an action of a person in a channel. Empty members are left out.
type Saying struct {
	As, In                                          string // empty: the service chooses
	Content, ReplyTo, Message, React, Unreact, Edit string
	Delete, Typing                                  bool
	Vote                                            []string // numbers of answers, or "none"
	Files                                           []string
	Wait                                            time.Duration
}

// Answers returns the answers of the poll to vote for.
func (s Saying) Answers() ([]int, error) {
	list := []int{}
	for _, text := range s.Vote {
		n, err := strconv.Atoi(text)
		switch {
		case text == "none" && len(s.Vote) == 1:
			return list, nil
		case err != nil || n < 1:
			return nil, fmt.Errorf("--vote: %q is not the number of an answer, which is 1 or more", text)
		}
		list = append(list, n)
	}
	return list, nil
}

// Request returns the request to the dev controls: JSON, or a form if there are files.
func (s Saying) Request(baseURL string) (Request, error) {
	members := map[string]any{}
	for name, value := range map[string]string{
		"as": s.As, "in": s.In, "content": s.Content, "reply_to": s.ReplyTo, "message": s.Message,
		"react": s.React, "unreact": s.Unreact, "edit": s.Edit,
	} {
		if value != "" {
			members[name] = value
		}
	}
	for name, set := range map[string]bool{"delete": s.Delete, "typing": s.Typing} {
		if set {
			members[name] = true
		}
	}
	if len(s.Vote) > 0 {
		answers, err := s.Answers()
		if err != nil {
			return Request{}, err
		}
		members["vote"] = answers
	}
	if s.Wait > 0 {
		members["wait"] = s.Wait.String()
	}
	body, err := json.Marshal(members)
	q := Request{
		Method: http.MethodPost, URL: Root(baseURL) + "/_dev/say", ContentType: "application/json", Body: body, Timeout: s.Wait + time.Minute,
	}
	if err != nil || len(s.Files) == 0 {
		return q, err
	}
	q.Header = http.Header{"X-Bellhop-Dev": {"1"}}
	q.Body, q.ContentType, err = form(body, s.Files)
	return q, err
}

// form returns a form with the request and the files.
func form(payload []byte, files []string) (text []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("payload_json", string(payload)); err != nil {
		return nil, "", err
	}
	for i, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		part, err := w.CreateFormFile("files["+strconv.Itoa(i)+"]", filepath.Base(name))
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write(content); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}
